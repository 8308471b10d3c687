/* Depthwise convolution u8 x s8, instantiated once per ISA without byte products. */
#include "kernels/generic/depthwise/dw_tile.h"
#include "kernels/generic/v16.h"

enum { DW_I8_ROWS = 4 };

TAREI_INLINE void dw_i8_rows(const dw_tile *tile, size_t i0, const size_t rows, const bool inside,
                             float (*acc)[DW_TILE_CHANNELS]) {
  const tarei_dw_conv *const c = tile->conv;
  const int8_t *const w = (const int8_t *)c->w + tile->channel;
  const uint8_t *const x = (const uint8_t *)c->x + tile->channel;
  const v16i outside = i_set1(c->zero_point);
  v16i sum[DW_I8_ROWS];
  for (size_t i = 0; i < rows; i++) {
    sum[i] = i_load_part(c->add + tile->channel, tile->lanes);
  }
  const int64_t first = (tile->t + (int64_t)i0) * c->stride - c->pad;
  for (int64_t j = 0; j < c->kernel; j++) {
    const v16i tap = i_load_s8_n(w + (size_t)j * c->channels, tile->lanes);
    for (size_t i = 0; i < rows; i++) {
      const int64_t at = first + (int64_t)i * c->stride + j * c->dilation;
      const bool known = inside || (at >= 0 && at < c->in_length);
      const v16i v = known ? i_load_u8_n(x + (size_t)at * c->ldx, tile->lanes) : outside;
      sum[i] = i_add(sum[i], i_mul(v, tap));
    }
  }
  for (size_t i = 0; i < rows; i++) {
    v_store(acc[i0 + i], i_to_float(sum[i]));
  }
}

static void dw_i8_tile(const dw_tile *tile, float (*acc)[DW_TILE_CHANNELS]) {
  size_t i = 0;
  while (i < tile->rows) {
    if (tile->rows - i >= DW_I8_ROWS &&
        dw_is_inside(tile->conv, tile->t + (int64_t)i, DW_I8_ROWS)) {
      dw_i8_rows(tile, i, DW_I8_ROWS, true, acc);
      i += DW_I8_ROWS;
    } else {
      dw_i8_rows(tile, i, 1, false, acc);
      i++;
    }
  }
}

void TAREI_K(tarei_k_dw_conv_i8_u8s8_4x16)(const tarei_dw_conv *c) {
  dw_walk(c, dw_i8_tile, TAREI_K(tarei_epilogue));
}
