/* Vector indices through a small buffer, scalar increments; instantiated once per vector ISA.
 * Increments are the wall (about one a cycle): scatters with conflict detection are twice as slow. */
#include <math.h>
#include <string.h>

#include "kernels/generic/histogram_direct.h"
#include "kernels/generic/v16.h"
#include "kernels/histogram_tables.h"

enum {
  HISTOGRAM_STEP = 32,
  /* no counter of four tables can overflow before that many elements */
  HISTOGRAM_CHUNK = TAREI_HISTOGRAM_TABLES * UINT16_MAX / HISTOGRAM_STEP * HISTOGRAM_STEP,
};

/* |x| * scale[0] * scale[1] = |x| * 2^-exponent: 2^-exponent itself may be no float */
typedef struct bin_finder {
  v16 scale[2], last;
  v16 highest; /* bin met so far */
} bin_finder;

static bin_finder finder_for(int exponent, int bins) {
  const int first = exponent < -127 ? 127 : exponent > 126 ? -126 : -exponent;
  return (bin_finder){
      .scale = {v_set1(ldexpf(1.0f, first)), v_set1(ldexpf(1.0f, -exponent - first))},
      .last = v_set1((float)(bins - 1)),
      .highest = v_set1(0.0f)};
}

TAREI_INLINE void find_bins(bin_finder *f, const float *x, uint16_t *bins) {
  const v16 v = v_load(x);
  const v16 size = v_abs(v);
  const v16 bin = v_min(v_mul(v_mul(size, f->scale[0]), f->scale[1]), f->last);
  f->highest = v_max(bin, f->highest);
  const v16i index = v_truncate(bin);
  const v16i both_signs = i_select(v_less(v, v_set1(0.0f)),
                                   i_add(index, i_set1(TAREI_HISTOGRAM_BINS)), index);
  i_store_u16(bins, i_select(v_less(size, v_set1(INFINITY)), both_signs,
                             i_set1(TAREI_HISTOGRAM_LEFT_OUT)));
}

TAREI_INLINE void count_bins(const uint16_t *bins, tarei_histogram_table *tables) {
  uint64_t four[HISTOGRAM_STEP / 4];
  memcpy(four, bins, sizeof four);
#pragma GCC unroll 8
  for (int q = 0; q < HISTOGRAM_STEP / 4; q++) {
    tables[0][four[q] & 0xffff]++;
    tables[1][four[q] >> 16 & 0xffff]++;
    tables[2][four[q] >> 32 & 0xffff]++;
    tables[3][four[q] >> 48]++;
  }
}

/* Adds bins [0, n) of one sign to the caller's table and empties them. */
static void fold_tables(tarei_histogram_table *tables, size_t first, size_t n, int64_t *out) {
  for (size_t i = 0; i < n; i++) {
    const size_t j = first + i;
    out[i] += (int64_t)tables[0][j] + tables[1][j] + tables[2][j] + tables[3][j];
  }
  for (int q = 0; q < TAREI_HISTOGRAM_TABLES; q++) {
    memset(&tables[q][first], 0, n * sizeof tables[q][0]);
  }
}

/* n is a multiple of HISTOGRAM_STEP and at most HISTOGRAM_CHUNK */
static void count_chunk(const float *x, size_t n, int exponent, int bins, int64_t *positive,
                        int64_t *negative) {
  tarei_histogram_table *const tables = tarei_histogram_tables();
  bin_finder finder = finder_for(exponent, bins);
  for (size_t i = 0; i < n; i += HISTOGRAM_STEP) {
    _Alignas(64) uint16_t index[HISTOGRAM_STEP];
    find_bins(&finder, x + i, index);
    find_bins(&finder, x + i + TAREI_LANES, index + TAREI_LANES);
    count_bins(index, tables);
  }
  const size_t used = (size_t)v_reduce_max(finder.highest) + 1;
  fold_tables(tables, 0, used, positive);
  fold_tables(tables, TAREI_HISTOGRAM_BINS, used, negative);
}

void TAREI_K(tare_k_histogram_f32_32)(const float *x, size_t n, int exponent, int bins,
                                      int64_t *positive, int64_t *negative) {
  /* below that, folding costs more than it saves */
  const size_t worth_it = (size_t)bins / 2;
  size_t i = 0;
  while (n - i >= worth_it && n - i >= HISTOGRAM_STEP) {
    const size_t left = (n - i) / HISTOGRAM_STEP * HISTOGRAM_STEP;
    const size_t chunk = left < HISTOGRAM_CHUNK ? left : HISTOGRAM_CHUNK;
    count_chunk(x + i, chunk, exponent, bins, positive, negative);
    i += chunk;
  }
  histogram_direct(x + i, n - i, exponent, bins, positive, negative);
}
