/*
 * The loops of which reductions of a kind are made, each for a name:
 *
 *   name_of_blocks  the results of blocks of n elements that lie side by side, for several outputs
 *                   whose blocks lie `step` elements apart. Element i of a block goes to lane
 *                   i mod SUM_LANES; lanes are joined by halves.
 *   name_down       adds n rows, which are `stride` apart, to results of as many lanes as are in
 *                   multiples of SUM_LANES: registers hold them over all rows.
 *   name_across     the same for any lanes: some rows at a time are added to all of them.
 *
 * INIT is what results begin with, STEP gives the next one of a, the result so far, and v, and JOIN
 * one of two results, a and v.
 */
#ifndef TAREI_KERNELS_GENERIC_TYPED_SUMS_H
#define TAREI_KERNELS_GENERIC_TYPED_SUMS_H

#include <string.h>

#include "kernels/generic/w16.h"

enum {
  SUM_LANES = TAREI_LANES,
  SUM_ACROSS = 4,
  SUM_VECTORS = V16_REGISTERS > 16 ? 4 : 2, /* of sums that registers hold together */
};

/* Rows that are not much longer are over before the processor reads ahead in them: the next ones
 * are fetched instead. */
enum { SUM_SHORT_BYTES = 4096 };

#define SUM_UNROLLED _Pragma("GCC unroll 4")

/* Joins lanes l and l + half. */
#define SUM_FOLD(lane, half, wide, JOIN)        \
  for (size_t l = 0; l < (half); l++) {         \
    const wide a = lane[l], v = lane[l + half]; \
    lane[l] = (JOIN);                           \
  }

/* The result of a block of which n elements at x are left. */
#define SUM_LAST(name, type, wide, STEP, JOIN)                             \
  TAREI_INLINE wide name##_of_lanes(wide *lane, const type *x, size_t n) { \
    for (size_t l = 0; l < n; l++) {                                       \
      const wide a = lane[l], v = (wide)x[l];                              \
      lane[l] = (STEP);                                                    \
    }                                                                      \
    SUM_FOLD(lane, 8, wide, JOIN)                                          \
    SUM_FOLD(lane, 4, wide, JOIN)                                          \
    SUM_FOLD(lane, 2, wide, JOIN)                                          \
    SUM_FOLD(lane, 1, wide, JOIN)                                          \
    return lane[0];                                                        \
  }

/* Plain loops, of which the compiler makes vectors for each ISA. */
#define SUM_LOOPS(name, type, wide, INIT, STEP, JOIN)                                         \
  SUM_LAST(name, type, wide, STEP, JOIN)                                                      \
  static void TAREI_K(name##_of_blocks)(const type *x, size_t n, size_t step, size_t outputs, \
                                        wide *of) {                                           \
    for (size_t q = 0; q < outputs; q++, x += step) {                                         \
      wide lane[SUM_LANES];                                                                   \
      size_t i = 0;                                                                           \
      for (size_t l = 0; l < SUM_LANES; l++) {                                                \
        lane[l] = (INIT);                                                                     \
      }                                                                                       \
      for (; i + SUM_LANES <= n; i += SUM_LANES) {                                            \
        for (size_t l = 0; l < SUM_LANES; l++) {                                              \
          const wide a = lane[l], v = (wide)x[i + l];                                         \
          lane[l] = (STEP);                                                                   \
        }                                                                                     \
      }                                                                                       \
      of[q] = name##_of_lanes(lane, x + i, n - i);                                            \
    }                                                                                         \
  }                                                                                           \
  static void TAREI_K(name##_down)(const type *x, size_t n, size_t stride, size_t lanes,      \
                                   wide *acc) {                                               \
    for (size_t first = 0; first < lanes; first += SUM_LANES) {                               \
      const type *from = x + first;                                                           \
      wide lane[SUM_LANES];                                                                   \
      memcpy(lane, acc + first, sizeof lane);                                                 \
      for (size_t i = 0; i < n; i++, from += stride) {                                        \
        for (size_t l = 0; l < SUM_LANES; l++) {                                              \
          const wide a = lane[l], v = (wide)from[l];                                          \
          lane[l] = (STEP);                                                                   \
        }                                                                                     \
      }                                                                                       \
      memcpy(acc + first, lane, sizeof lane);                                                 \
    }                                                                                         \
  }                                                                                           \
  static void TAREI_K(name##_across)(const type *x, size_t n, size_t stride, size_t lanes,    \
                                     wide *acc) {                                             \
    for (; n >= SUM_ACROSS; n -= SUM_ACROSS, x += SUM_ACROSS * stride) {                      \
      for (size_t l = 0; l < lanes; l++) {                                                    \
        wide a = acc[l];                                                                      \
        SUM_UNROLLED for (size_t q = 0; q < SUM_ACROSS; q++) {                                \
          const wide v = (wide)x[q * stride + l];                                             \
          a = (STEP);                                                                         \
        }                                                                                     \
        acc[l] = a;                                                                           \
      }                                                                                       \
    }                                                                                         \
    for (; n > 0; n--, x += stride) {                                                         \
      for (size_t l = 0; l < lanes; l++) {                                                    \
        const wide a = acc[l], v = (wide)x[l];                                                \
        acc[l] = (STEP);                                                                      \
      }                                                                                       \
    }                                                                                         \
  }

/* Floats, which LOAD reads as doubles; W_STEP is STEP in vectors. */
#define SUM_LOOPS_OF_FLOATS(name, type, LOAD, INIT, STEP, W_STEP, JOIN)                        \
  SUM_LAST(name, type, double, STEP, JOIN)                                                     \
  TAREI_INLINE void name##_of_some(const type *x, size_t n, size_t step, const size_t outputs, \
                                   double *of) {                                               \
    const size_t ahead = step * sizeof *x <= SUM_SHORT_BYTES ? outputs * step : 0;             \
    w16 sum[SUM_VECTORS];                                                                      \
    size_t i = 0;                                                                              \
    SUM_UNROLLED for (size_t q = 0; q < outputs; q++) {                                        \
      sum[q] = w_set1(INIT);                                                                   \
    }                                                                                          \
    for (; i + SUM_LANES <= n; i += SUM_LANES) {                                               \
      SUM_UNROLLED for (size_t q = 0; q < outputs; q++) {                                      \
        const w16 a = sum[q], v = LOAD(x + q * step + i);                                      \
        __builtin_prefetch(x + q * step + i + ahead);                                          \
        sum[q] = (W_STEP);                                                                     \
      }                                                                                        \
    }                                                                                          \
    SUM_UNROLLED for (size_t q = 0; q < outputs; q++) {                                        \
      double lane[SUM_LANES];                                                                  \
      w_store(lane, sum[q]);                                                                   \
      of[q] = name##_of_lanes(lane, x + q * step + i, n - i);                                  \
    }                                                                                          \
  }                                                                                            \
  static void TAREI_K(name##_of_blocks)(const type *x, size_t n, size_t step, size_t outputs,  \
                                        double *of) {                                          \
    size_t q = 0;                                                                              \
    for (; q + SUM_VECTORS <= outputs; q += SUM_VECTORS) {                                     \
      name##_of_some(x + q * step, n, step, SUM_VECTORS, of + q);                              \
    }                                                                                          \
    for (; q < outputs; q++) {                                                                 \
      name##_of_some(x + q * step, n, step, 1, of + q);                                        \
    }                                                                                          \
  }                                                                                            \
  TAREI_INLINE void name##_down_vectors(const type *x, size_t n, size_t stride,                \
                                        const size_t vectors, double *acc) {                   \
    w16 sum[SUM_VECTORS];                                                                      \
    SUM_UNROLLED for (size_t q = 0; q < vectors; q++) {                                        \
      sum[q] = w_load(acc + q * SUM_LANES);                                                    \
    }                                                                                          \
    for (size_t i = 0; i < n; i++, x += stride) {                                              \
      SUM_UNROLLED for (size_t q = 0; q < vectors; q++) {                                      \
        const w16 a = sum[q], v = LOAD(x + q * SUM_LANES);                                     \
        sum[q] = (W_STEP);                                                                     \
      }                                                                                        \
    }                                                                                          \
    SUM_UNROLLED for (size_t q = 0; q < vectors; q++) {                                        \
      w_store(acc + q * SUM_LANES, sum[q]);                                                    \
    }                                                                                          \
  }                                                                                            \
  static void TAREI_K(name##_down)(const type *x, size_t n, size_t stride, size_t lanes,       \
                                   double *acc) {                                              \
    size_t l = 0;                                                                              \
    for (; l + SUM_VECTORS * SUM_LANES <= lanes; l += SUM_VECTORS * SUM_LANES) {               \
      name##_down_vectors(x + l, n, stride, SUM_VECTORS, acc + l);                             \
    }                                                                                          \
    for (; l + 2 * SUM_LANES <= lanes; l += 2 * SUM_LANES) {                                   \
      name##_down_vectors(x + l, n, stride, 2, acc + l);                                       \
    }                                                                                          \
    for (; l < lanes; l += SUM_LANES) {                                                        \
      name##_down_vectors(x + l, n, stride, 1, acc + l);                                       \
    }                                                                                          \
  }                                                                                            \
  /* `rows` rows of all lanes */                                                               \
  TAREI_INLINE void name##_across_rows(const type *x, const size_t rows, size_t stride,        \
                                       size_t lanes, double *acc) {                            \
    size_t l = 0;                                                                              \
    for (; l + SUM_LANES <= lanes; l += SUM_LANES) {                                           \
      w16 a = w_load(acc + l);                                                                 \
      SUM_UNROLLED for (size_t q = 0; q < rows; q++) {                                         \
        const w16 v = LOAD(x + q * stride + l);                                                \
        __builtin_prefetch(x + (rows + q) * stride + l);                                       \
        a = (W_STEP);                                                                          \
      }                                                                                        \
      w_store(acc + l, a);                                                                     \
    }                                                                                          \
    for (; l < lanes; l++) {                                                                   \
      double a = acc[l];                                                                       \
      for (size_t q = 0; q < rows; q++) {                                                      \
        const double v = (double)x[q * stride + l];                                            \
        a = (STEP);                                                                            \
      }                                                                                        \
      acc[l] = a;                                                                              \
    }                                                                                          \
  }                                                                                            \
  static void TAREI_K(name##_across)(const type *x, size_t n, size_t stride, size_t lanes,     \
                                     double *acc) {                                            \
    for (; n >= SUM_ACROSS; n -= SUM_ACROSS, x += SUM_ACROSS * stride) {                       \
      name##_across_rows(x, SUM_ACROSS, stride, lanes, acc);                                   \
    }                                                                                          \
    for (; n > 0; n--, x += stride) {                                                          \
      name##_across_rows(x, 1, stride, lanes, acc);                                            \
    }                                                                                          \
  }

#endif
