#ifndef TAREI_KERNELS_FAMILIES_PLANES_H
#define TAREI_KERNELS_FAMILIES_PLANES_H

#include <stddef.h>

/* Channels-first: the elements of a channel lie side by side. */

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

/* One line of windows over one plane or several: those of its windows that have all taps along the
 * line. First the columns: sums[i] of element i of all rows, in the order of the rows. Then
 * windows: out[i] = share * the sum of the columns first + i * stride + t * dilation for t < taps,
 * in this order, rounded once. Sums are in double; there is room for width + TAREI_POOL_ROOM. */
#define TAREI_POOL_ROOM 32
typedef struct tarei_pool_line {
  const float *const *rows; /* [n_rows], of `width` floats each */
  size_t n_rows, width;
  size_t first, taps, stride, dilation, n; /* n windows, taps >= 1 */
  double share;
  float *out;
} tarei_pool_line;
typedef void tarei_pool_line_fn(const tarei_pool_line *line, double *sums);
/* The same with the largest instead of sums, and without share. Without rows: -infinity. A NaN is
 * larger than all. */
typedef void tarei_pool_line_max_fn(const tarei_pool_line *line, float *columns);

#endif
