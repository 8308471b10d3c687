/* Channels-first: the elements of a channel lie side by side. */
#ifndef TAREI_KERNELS_FAMILIES_PLANES_H
#define TAREI_KERNELS_FAMILIES_PLANES_H

#include <stddef.h>

/* The mean of n >= 1 floats and the sum of their squared distances from it, from the sums s and q of
 * d and of d * d for the distances d from the first element: squares = q - s * s / n. In double, with
 * sixteen sums each, of every sixteenth element, whose halves are added 8, 4, 2, 1. One reading is
 * enough for that: no element is further from the mean than the root of n times its variance, so that
 * n * 2^-53 is all that the difference may lose. Infinite elements make both NaN. */
typedef struct tarei_plane_moments {
  double mean, squares;
} tarei_plane_moments;
typedef tarei_plane_moments tarei_plane_moments_fn(const float *x, size_t n);

/* out[i] = (x[i] - center) * factor + offset, the product and the sum in one rounding. step 1: each
 * element has its own center, factor and offset; step 0: all have the same. In place allowed. */
typedef struct tarei_plane_scale {
  const float *center, *factor, *offset;
  size_t step;
} tarei_plane_scale;
typedef void tarei_plane_scale_fn(const tarei_plane_scale *s, const float *x, size_t n, float *out);

/* Windows along an axis at one position: n elements from `first` on, a dilation apart. Averages
 * count them as so many, at least 1. */
typedef struct tarei_pool_span {
  size_t first, n;
  float count;
} tarei_pool_span;

/* Windows over planes of three axes, the last of which is a line. Along lines, window i has the
 * elements i * stride - pad + t * dilation for t < taps; those outside are left out. First what all
 * rows under a window have in each column, in the order of the rows; then the columns of a window,
 * in theirs. */
typedef struct tarei_pool_planes {
  const float *x; /* [planes][in[0]][in[1]][in[2]] */
  float *out;     /* [planes][out_dims[0]][out_dims[1]][out_dims[2]] */
  size_t planes, in[3], out_dims[3], dilation[3];
  const tarei_pool_span *spans[2]; /* [out_dims[a]] */
  size_t taps, stride, pad;        /* along lines */
  const float *counts;             /* [out_dims[2]]: what averages count along lines, at least 1 */
} tarei_pool_planes;

/* Columns of a line: before them is room for the padding, behind them for what lanes read that no
 * window needs. Longer lines never have less room, whatever share of the padding lies before them. */
static inline size_t tarei_pool_columns_before(const tarei_pool_planes *const p) {
  const size_t reach = (p->taps - 1) * p->dilation[2];
  return ((p->pad > reach ? p->pad : reach) + 15) / 16 * 16;
}

static inline size_t tarei_pool_columns_ld(const tarei_pool_planes *const p) {
  const size_t last = p->out_dims[2] * p->stride + (p->taps - 1) * p->dilation[2];
  const size_t width = p->in[2] > last ? p->in[2] : last;
  return tarei_pool_columns_before(p) + (width + 79) / 16 * 16;
}

/* Floats of a block of lines, which stay in the first cache if they are not long. */
static inline size_t tarei_pool_columns(const tarei_pool_planes *const p) {
  const size_t ld = tarei_pool_columns_ld(p);
  return ld > 4096 ? ld : 4096;
}

/* Means in float: sums divided by the counts; 0 without elements. `columns`: aligned,
 * with tarei_pool_columns floats. */
typedef void tarei_pool_planes_mean_fn(const tarei_pool_planes *planes, float *columns);
/* The largest; a NaN is larger than all. Without elements: -infinity. */
typedef void tarei_pool_planes_max_fn(const tarei_pool_planes *planes, float *columns);

/* n outputs side by side: their windows begin at x[x], one element apart. */
typedef struct tarei_conv_piece {
  size_t x, out, n;
} tarei_conv_piece;

/* A convolution: m outputs for each window, of k elements in one place of each. For each piece and
 * i < n: out[r][out + i] = the sum of w[r][k] * x[x + offsets[k] + i], a chain of fused multiply-adds
 * from 0 in the order of k, and bias[r]. */
typedef struct tarei_plane_conv {
  const float *x;
  const size_t *offsets; /* [k] */
  const float *w;        /* [m][k] */
  const float *bias;     /* [m], or NULL */
  size_t m, k;
  const tarei_conv_piece *pieces;
  size_t n_pieces;
  float *out;
  size_t ld_out;
} tarei_plane_conv;
typedef void tarei_plane_conv_fn(const tarei_plane_conv *conv);

#endif
