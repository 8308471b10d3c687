/* Walks the outputs of a depthwise convolution tile by tile: some time steps by 16 channels. */
#ifndef TAREI_KERNELS_GENERIC_DEPTHWISE_DW_TILE_H
#define TAREI_KERNELS_GENERIC_DEPTHWISE_DW_TILE_H

#include "kernels/generic/epilogue.h"

enum { DW_TILE_ROWS = 128, DW_TILE_CHANNELS = 16 };

/* Outputs [t, t + rows) of channels [channel, channel + lanes), lanes <= 16. */
typedef struct dw_tile {
  const tarei_dw_conv *conv;
  int64_t t;
  size_t rows, channel, lanes;
} dw_tile;

typedef void dw_tile_fn(const dw_tile *tile, float (*acc)[DW_TILE_CHANNELS]);
typedef void dw_epilogue_fn(const tarei_epilogue *e, const tarei_tile *t);

/* May rows [t, t + rows) be computed without looking at the ends of x? */
TAREI_INLINE bool dw_is_inside(const tarei_dw_conv *c, int64_t t, size_t rows) {
  const int64_t last = (t + (int64_t)rows - 1) * c->stride + (c->kernel - 1) * c->dilation;
  return t * c->stride >= c->pad && last - c->pad < c->in_length;
}

TAREI_INLINE void dw_finish(const dw_tile *tile, float (*acc)[DW_TILE_CHANNELS],
                            dw_epilogue_fn *epilogue) {
  const tarei_tile done = {.values = acc[0],
                           .ld = DW_TILE_CHANNELS,
                           .m0 = (size_t)(tile->t - tile->conv->t0),
                           .rows = tile->rows,
                           .n0 = tile->channel,
                           .cols = tile->lanes};
  epilogue(&tile->conv->epilogue, &done);
}

TAREI_INLINE void dw_walk(const tarei_dw_conv *c, dw_tile_fn *compute, dw_epilogue_fn *epilogue) {
  _Alignas(64) float acc[DW_TILE_ROWS][DW_TILE_CHANNELS];
  for (int64_t t = c->t0; t < c->t1; t += DW_TILE_ROWS) {
    const int64_t rows = c->t1 - t < DW_TILE_ROWS ? c->t1 - t : DW_TILE_ROWS;
    for (size_t channel = 0; channel < c->channels; channel += DW_TILE_CHANNELS) {
      const size_t left = c->channels - channel;
      const dw_tile tile = {c, t, (size_t)rows, channel,
                            left < DW_TILE_CHANNELS ? left : DW_TILE_CHANNELS};
      compute(&tile, acc);
      dw_finish(&tile, acc, epilogue);
    }
  }
}

#endif
