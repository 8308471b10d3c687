/* Sums of a depthwise convolution of bytes, some outputs of one vector at a time. */
#ifndef TAREI_KERNELS_X86_DEPTHWISE_DW_I8_DOT_H
#define TAREI_KERNELS_X86_DEPTHWISE_DW_I8_DOT_H

#include "kernels/x86/depthwise/dw_i8_finish.h"

enum {
  DW_MOST_ROWS = DW_FINISH_ROWS, /* outputs in registers */
  DW_MOST_WINDOW = 9,            /* groups that they begin in */
  DW_MOST_STRIDE = 4,            /* at which outputs share groups */
};

/* gcc 12 spills the accumulators around the intrinsic. */
#define DW_DOT(acc, a, b) __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b))

typedef struct dw_block {
  const __m512i *x;     /* group of the first output */
  const __m512i *w;     /* shift 0 of the first group */
  const __m512i *first; /* what the sums begin with, `between` apart */
  size_t between;
  __m512i *sums; /* DW_VECTORS apart */
  size_t groups;
  size_t vector;
  const dw_finisher *quick; /* NULL: leave the sums as they are, else make quads of bytes of them */
} dw_block;

/* One vector of `rows` outputs that lie `stride` time steps apart. The groups that they meet move
 * through registers, so that each step loads but one. */
TAREI_INLINE void dw_dot_block(const dw_block *b, const size_t rows, const size_t stride) {
  const size_t window = (rows - 1) * stride / DW_TAPS + 1;
  __m512i sum[DW_MOST_ROWS], x[DW_MOST_WINDOW];
#pragma GCC unroll 20
  for (size_t i = 0; i < rows; i++) {
    sum[i] = b->between ? b->first[i * b->between] : *b->first;
  }
#pragma GCC unroll 12
  for (size_t i = 0; i + 1 < window; i++) {
    x[i] = b->x[i];
  }
  const __m512i *next = b->x + window - 1, *w = b->w;
  size_t left = b->groups;
  for (;;) {
#pragma GCC unroll 12
    for (size_t u = 0; u < window; u++) {
      x[(u + window - 1) % window] = next[u];
#pragma GCC unroll 20
      for (size_t i = 0; i < rows; i++) {
        const size_t at = i * stride;
        DW_DOT(sum[i], x[(u + at / DW_TAPS) % window], (w + u * DW_TAPS - at % DW_TAPS)[0]);
      }
      if (--left == 0) {
        goto done;
      }
    }
    next += window;
    w += window * DW_TAPS;
  }
done:
  if (b->quick) {
    dw_finish_quads(b->quick, b->vector, sum, rows, b->sums);
    return;
  }
#pragma GCC unroll 20
  for (size_t i = 0; i < rows; i++) {
    b->sums[i * DW_VECTORS] = sum[i];
  }
}

typedef void dw_dot_fn(const dw_block *b);
#define DEFINE_DOT(rows, stride)                               \
  static void dw_dot_##rows##_by_##stride(const dw_block *b) { \
    dw_dot_block(b, rows, stride);                             \
  }
#define DEFINE_DOTS(stride) DEFINE_DOT(4, stride) DEFINE_DOT(8, stride) DEFINE_DOT(12, stride)
DEFINE_DOTS(1)
DEFINE_DOT(16, 1)
DEFINE_DOT(20, 1)
DEFINE_DOTS(2)
DEFINE_DOT(16, 2)
DEFINE_DOTS(3)
DEFINE_DOT(4, 4)
DEFINE_DOT(8, 4)

/* By strides at which outputs share groups. */
static const struct {
  size_t most_rows, most_shift;
  dw_dot_fn *dot[DW_MOST_ROWS / 4]; /* by rows / 4 - 1 */
} dw_dots[DW_MOST_STRIDE] = {
    {20, 3, {dw_dot_4_by_1, dw_dot_8_by_1, dw_dot_12_by_1, dw_dot_16_by_1, dw_dot_20_by_1}},
    {16, 2, {dw_dot_4_by_2, dw_dot_8_by_2, dw_dot_12_by_2, dw_dot_16_by_2}},
    {12, 3, {dw_dot_4_by_3, dw_dot_8_by_3, dw_dot_12_by_3}},
    {8, 0, {dw_dot_4_by_4, dw_dot_8_by_4}},
};

#endif
