/* What goes into the products of a Winograd convolution, and what comes out of their sums. */
#ifndef TAREI_KERNELS_FAMILIES_WINOGRAD_H
#define TAREI_KERNELS_FAMILIES_WINOGRAD_H

#include <stddef.h>

#include "kernels/families/epilogue.h"

/* F(2x2, 3x3), a square: a tile of 2 by 2 outputs takes 16 multiplications a pair of channels in
 * place of
 * 36. Its 4 by 4 inputs d become the 16 elements of B'dB, of each of which there is one product
 * with the weights GgG', and the sums m become the outputs A'mA. With d, m by rows: B'd = d0 - d2,
 * d1 + d2, d2 - d1, d1 - d3    A'm = (m0 + m1) + m2, (m1 - m2) - m3 The product from the left (of
 * the lines) comes first.
 *
 * F(2, 3), along one axis: two outputs in a row take 4 in place of 6; their four inputs d become B'd, and
 * the sums A'm. Either way no output depends on an input outside its window. */
#define TAREI_WINOGRAD_SQUARE 16 /* elements */
#define TAREI_WINOGRAD_AXIS 4
#define TAREI_WINOGRAD_OUTPUTS 4 /* of a tile, at most */
#define TAREI_WINOGRAD_TILES 32  /* of a call, at most */
typedef struct tarei_winograd_in {
  size_t elements;            /* of either form */
  const float *const *inputs; /* [tiles][elements], each of `channels` floats */
  size_t channels, tiles;
  float *out; /* [tiles][channels] of each element, `step` floats apart */
  size_t step;
} tarei_winograd_in;
typedef void tarei_winograd_in_fn(const tarei_winograd_in *w);
typedef struct tarei_winograd_out {
  size_t elements;
  const float *sums; /* [tiles][n] of each element, `step` floats apart */
  size_t step, tiles, n;
  size_t columns;      /* outputs of a tile side by side in a line: 2, or 1 along lines */
  size_t width, lines; /* outputs of a line, which may end within a tile, and lines to write */
  size_t rows[TAREI_WINOGRAD_OUTPUTS]; /* of the epilogue, where the lines begin */
  tarei_epilogue epilogue;
} tarei_winograd_out;
typedef void tarei_winograd_out_fn(const tarei_winograd_out *w);

#endif
