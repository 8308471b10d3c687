/* Depthwise convolution of floats, instantiated once per ISA: one fused multiply-add chain per
 * output over ascending taps; taps outside x are left out. */
#include "kernels/generic/dw_tile.h"
#include "kernels/generic/v16.h"

enum { DW_F32_ROWS = 8 };

TAREI_INLINE void dw_f32_rows(const dw_tile *tile, size_t i0, const size_t rows, const bool inside,
                              const size_t lanes, float (*acc)[DW_TILE_CHANNELS]) {
  const tarei_dw_conv *const c = tile->conv;
  const float *const w = (const float *)c->w + tile->channel;
  const float *const x = (const float *)c->x + tile->channel;
  v16 sum[DW_F32_ROWS];
  for (size_t i = 0; i < rows; i++) {
    sum[i] = v_set1(0.0f);
  }
  const int64_t first = (tile->t + (int64_t)i0) * c->stride - c->pad;
  for (int64_t j = 0; j < c->kernel; j++) {
    const v16 tap = v_load_n(w + (size_t)j * c->channels, lanes);
    for (size_t i = 0; i < rows; i++) {
      const int64_t at = first + (int64_t)i * c->stride + j * c->dilation;
      if (inside || (at >= 0 && at < c->in_length)) {
        sum[i] = v_fma(v_load_n(x + (size_t)at * c->ldx, lanes), tap, sum[i]);
      }
    }
  }
  for (size_t i = 0; i < rows; i++) {
    v_store(acc[i0 + i], sum[i]);
  }
}

TAREI_INLINE void dw_f32_lanes(const dw_tile *tile, const size_t lanes,
                               float (*acc)[DW_TILE_CHANNELS]) {
  size_t i = 0;
  while (i < tile->rows) {
    if (tile->rows - i >= DW_F32_ROWS &&
        dw_is_inside(tile->conv, tile->t + (int64_t)i, DW_F32_ROWS)) {
      dw_f32_rows(tile, i, DW_F32_ROWS, true, lanes, acc);
      i += DW_F32_ROWS;
    } else {
      dw_f32_rows(tile, i, 1, false, lanes, acc);
      i++;
    }
  }
}

static void dw_f32_tile(const dw_tile *tile, float (*acc)[DW_TILE_CHANNELS]) {
  if (tile->lanes == TAREI_LANES) {
    dw_f32_lanes(tile, TAREI_LANES, acc);
  } else {
    dw_f32_lanes(tile, tile->lanes, acc);
  }
}

void TAREI_K(tare_k_dw_conv_f32_f32_8x16)(const tarei_dw_conv *c) {
  dw_walk(c, dw_f32_tile, TAREI_K(tarei_epilogue));
}
