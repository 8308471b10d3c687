/* Walks the outputs of a depthwise convolution over two axes: tiles of some outputs by 16 channels,
 * in each of them the lines, and in each line the outputs whose taps all lie inside of it, and
 * those at its ends. */
#ifndef TAREI_KERNELS_GENERIC_DEPTHWISE_DW_PLANES_H
#define TAREI_KERNELS_GENERIC_DEPTHWISE_DW_PLANES_H

#include "kernels/generic/epilogue.h"
#include "kernels/generic/row_cursor.h"

/* Outputs in registers beside the taps of a window of 3 by 3: what the ISA has room for. */
#if defined(__AVX512F__)
enum { PLANES_BLOCK = 9 };
#else
enum { PLANES_BLOCK = 6 };
#endif
enum {
  PLANES_ROWS = 128,
  PLANES_CHANNELS = 16,
  PLANES_LEFT = 3, /* outputs of the blocks behind the others */
  PLANES_FEW = 3,  /* rows and columns of a window whose taps stay in registers */
};

/* 16 channels or fewer of one line of the output. */
typedef struct planes_line {
  const tarei_dw_planes *planes;
  size_t channel, lanes;
  int64_t batch, y; /* of the input, where tap row 0 lies */
} planes_line;

/* Outputs [first, first + rows), counted from the call's first line. */
typedef struct planes_tile {
  const tarei_dw_planes *planes;
  size_t first, rows, channel, lanes;
} planes_tile;

typedef void planes_tile_fn(const planes_tile *tile);
typedef void planes_epilogue_fn(const tarei_epilogue *e, const tarei_tile *t);

/* Elements of x before the line that tap row ky meets, or -1 in the padding. */
TAREI_INLINE int64_t planes_line_at(const planes_line *l, int64_t ky) {
  const tarei_dw_planes *const p = l->planes;
  const int64_t y = l->y + ky * p->dilation[0];
  return y < 0 || y >= p->in[0] ? -1 : (l->batch * p->in[0] + y) * p->in[1] * (int64_t)p->channels;
}

/* First and last + 1 output of a line whose taps all lie between its ends. */
TAREI_INLINE void planes_interior(const tarei_dw_planes *p, int64_t *begin, int64_t *end) {
  const int64_t stride = p->stride[1];
  const int64_t room = p->in[1] - 1 - (p->kernel[1] - 1) * p->dilation[1] + p->pad[1];
  const int64_t after = room < 0 ? 0 : room / stride + 1;
  const int64_t before = (p->pad[1] + stride - 1) / stride;
  *end = after < p->out[1] ? after : p->out[1];
  *begin = before < *end ? before : *end;
}

TAREI_INLINE planes_line planes_line_of(const planes_tile *t, size_t output) {
  const tarei_dw_planes *const p = t->planes;
  const int64_t line = p->line0 + (int64_t)output / p->out[1];
  return (planes_line){.planes = p,
                       .channel = t->channel,
                       .lanes = t->lanes,
                       .batch = line / p->out[0],
                       .y = line % p->out[0] * p->stride[0] - p->pad[0]};
}

/* Sums of a tile, PLANES_CHANNELS apart. */
TAREI_INLINE void planes_finish(const planes_tile *t, const float *sums,
                                planes_epilogue_fn *epilogue) {
  const tarei_tile done = {.values = sums,
                           .ld = PLANES_CHANNELS,
                           .m0 = t->first,
                           .rows = t->rows,
                           .n0 = t->channel,
                           .cols = t->lanes};
  epilogue(&t->planes->epilogue, &done);
}

TAREI_INLINE void planes_walk(const tarei_dw_planes *p, planes_tile_fn *compute) {
  const size_t outputs = (size_t)((p->line1 - p->line0) * p->out[1]);
  for (size_t first = 0; first < outputs; first += PLANES_ROWS) {
    const size_t rows = outputs - first < PLANES_ROWS ? outputs - first : PLANES_ROWS;
    for (size_t channel = 0; channel < p->channels; channel += PLANES_CHANNELS) {
      const size_t left = p->channels - channel;
      const planes_tile tile = {p, first, rows, channel,
                                left < PLANES_CHANNELS ? left : PLANES_CHANNELS};
      compute(&tile);
    }
  }
}

#endif
