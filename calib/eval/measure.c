#include "calib/eval/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 8 }; /* independent sums, which vectorize without a change of the result */

/* --- which values count ----------------------------------------------------------------------- */

enum { PER_OCTAVE = 8, MANTISSA_BITS = 23, PART_BITS = 3 };
_Static_assert(1 << PART_BITS == PER_OCTAVE, "parts of an octave");

/* Constants are so many octaves above what is not, and in groups no wider than so many bins. */
enum { FAR_OCTAVES = 1, MOST_SPAN = 10 };
enum { FAR_BINS = 4 }; /* a gap of so many bins makes a muted run worth while */
#define MUCH 0.1       /* of the energy */
#define SETTLED 0.5    /* of a value, that its constant may differ from it */

static inline int sizes_bin_of(const float size) {
  uint32_t bits;
  memcpy(&bits, &size, sizeof bits);
  return (int)(bits >> (MANTISSA_BITS - PART_BITS));
}

static double end_of_sizes(const int bin) {
  const uint32_t bits = (uint32_t)(bin + 1) << (MANTISSA_BITS - PART_BITS);
  float single;
  memcpy(&single, &bits, sizeof single);
  return (double)single;
}

/* Whether most of a value is there without any layer. Without a muted run: whether it is the same
 * in both, as constants are. */
static bool is_settled(const double got, const double want, const double *const muted) {
  return muted ? fabs(want - *muted) < SETTLED * fabs(*muted) : got == want;
}

void tarei_sizes_forget(tarei_sizes_seen *const seen) {
  memset(seen->all, 0, (size_t)seen->end * sizeof *seen->all);
  memset(seen->settled, 0, (size_t)seen->end * sizeof *seen->settled);
  seen->energy = seen->same = seen->most_open = 0;
  seen->differs = seen->passes = false;
  seen->end = 0;
}

static bool is_passed(const double got, const double want, const double *const muted) {
  return muted && got == want && want == *muted && want != 0;
}

/* Sizes and energies of the finite values of a block; others are 0. */
static void sizes_of_block(const tarei_measured *const b, float *const size, double *const energy) {
  for (int i = 0; i < b->n; i++) {
    const double all = fabs(b->want[i]), want = all < INFINITY ? all : 0; /* NaN is not */
    size[i] = want < 3e38 ? (float)want : 3e38F;
    energy[i] = want * want;
  }
}

static void see_energy(tarei_sizes_seen *const seen, const tarei_measured *const b,
                       const float *const size, const double *const energy) {
  double sum = 0, same = 0;
  int end = seen->end, different = 0;
  for (int i = 0; i < b->n; i++) {
    const int bin = sizes_bin_of(size[i]);
    const bool equal = b->got[i] == b->want[i];
    end = bin < end ? end : bin + 1;
    seen->all[bin] += energy[i];
    sum += energy[i];
    same += equal ? energy[i] : 0;
    different += !equal && energy[i] > 0;
  }
  seen->energy += sum;
  seen->same += same;
  seen->differs = seen->differs || different > 0;
  seen->end = end;
}

void tarei_sizes_see(tarei_sizes_seen *const seen, const tarei_measured *const b) {
  float size[TAREI_MEASURE_BLOCK];
  double energy[TAREI_MEASURE_BLOCK], most_open = seen->most_open;
  sizes_of_block(b, size, energy);
  see_energy(seen, b, size, energy);
  for (int i = 0; i < b->n; i++) {
    const double *const muted = b->muted ? &b->muted[i] : NULL;
    if (is_settled(b->got[i], b->want[i], muted)) {
      seen->passes = seen->passes || is_passed(b->got[i], b->want[i], muted);
      seen->settled[sizes_bin_of(size[i])] += energy[i];
    } else {
      most_open = size[i] > most_open ? size[i] : most_open;
    }
  }
  seen->most_open = most_open;
}

bool tarei_sizes_suspect(const tarei_sizes_seen *const seen) {
  double above = 0;
  int empty = 0, least = 0;
  if (!seen->differs || seen->same >= MUCH * seen->energy) {
    return seen->differs; /* where nothing does, nothing is drowned */
  }
  while (least < seen->end && !(seen->all[least] > 0)) {
    least++;
  }
  for (int b = seen->end - 1; b > least; b--) {
    empty = seen->all[b] > 0 ? 0 : empty + 1;
    above += seen->all[b];
    if (empty == FAR_BINS && above >= MUCH * seen->energy) {
      return true;
    }
  }
  return false;
}

/* The largest bin of what stays: what cannot be a constant, or else the least of all. */
static int highest_kept(const tarei_sizes_seen *const seen) {
  int b = 0;
  while (seen->most_open == 0 && b < seen->end && !(seen->settled[b] > 0)) {
    b++;
  }
  return seen->most_open > 0 ? sizes_bin_of((float)seen->most_open) : b;
}

/* From the largest down, as long as they are in narrow groups far from the next: data of all sizes
 * are no constants. */
double tarei_sizes_bound(const tarei_sizes_seen *const seen) {
  const int kept = highest_kept(seen);
  double bound = INFINITY;
  int first = -1, last = -1; /* bins of a group */
  for (int b = seen->end - 1; b >= kept; b--) {
    if (last >= 0 && first - b > FAR_OCTAVES * PER_OCTAVE) {
      bound = end_of_sizes(first - 1);
      last = -1;
    }
    if (seen->settled[b] > 0) {
      last = last < 0 ? b : last;
      first = b;
    }
    if (last >= 0 && last - first > MOST_SPAN) {
      break;
    }
  }
  return bound;
}

/* --- sums ------------------------------------------------------------------------------------- */

tarei_standing tarei_measure_standing(const double got, const double want,
                                      const double *const muted, const double bound) {
  if (!isfinite(want)) {
    return got == want ? TAREI_CONSTANT : TAREI_UNDEFINED;
  }
  if (!isfinite(got)) {
    return TAREI_BROKEN;
  }
  if (is_passed(got, want, muted)) {
    return TAREI_CONSTANT;
  }
  const bool far = fabs(want) >= bound && is_settled(got, want, muted);
  return far && fabs(got - want) < bound / (1 << FAR_OCTAVES) ? TAREI_CONSTANT : TAREI_COUNTS;
}

typedef struct measure_lanes {
  double diff2[LANES], got2[LANES], want2[LANES], dot[LANES], max_abs[LANES], want[LANES];
} measure_lanes;

static inline void lanes_add(measure_lanes *const l, const int k, const double got,
                             const double want) {
  const double diff = got - want, size = fabs(diff);
  l->diff2[k] += diff * diff;
  l->got2[k] += got * got;
  l->want2[k] += want * want;
  l->want[k] += want;
  l->dot[k] += got * want;
  l->max_abs[k] = size > l->max_abs[k] ? size : l->max_abs[k];
}

/* Returns the sum of the reference. */
static double lanes_fold(const measure_lanes *const l, tare_error_tally *const sums) {
  double want = 0;
  for (int k = 0; k < LANES; k++) {
    sums->noise += l->diff2[k];
    sums->got += l->got2[k];
    sums->signal += l->want2[k];
    sums->dot += l->dot[k];
    sums->max_abs = fmax(sums->max_abs, l->max_abs[k]);
    want += l->want[k];
  }
  return want;
}

static bool all_finite(const double *const x, const int n) {
  double zeros[LANES] = {0};
  int i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (int k = 0; k < LANES; k++) {
      zeros[k] += x[i + k] * 0.0; /* NaN for what is not finite */
    }
  }
  for (; i < n; i++) {
    zeros[0] += x[i] * 0.0;
  }
  double zero = 0;
  for (int k = 0; k < LANES; k++) {
    zero += zeros[k];
  }
  return zero == 0;
}

/* All values count. */
static double take_all(tare_error_tally *const sums, const tarei_measured *const b) {
  measure_lanes l = {{0}};
  int i = 0;
  for (; i + LANES <= b->n; i += LANES) {
    for (int k = 0; k < LANES; k++) {
      lanes_add(&l, k, b->got[i + k], b->want[i + k]);
    }
  }
  for (; i < b->n; i++) {
    lanes_add(&l, i % LANES, b->got[i], b->want[i]);
  }
  sums->values += b->n;
  return lanes_fold(&l, sums);
}

static double take_some(tare_error_tally *const sums, const tarei_measured *const b,
                        const double bound) {
  measure_lanes l = {{0}};
  for (int i = 0; i < b->n; i++) {
    switch (tarei_measure_standing(b->got[i], b->want[i], b->muted ? &b->muted[i] : NULL, bound)) {
      case TAREI_COUNTS:
        lanes_add(&l, i % LANES, b->got[i], b->want[i]);
        sums->values++;
        break;
      case TAREI_CONSTANT:
        sums->constant++;
        sums->max_abs = b->got[i] == b->want[i] ? sums->max_abs
                                                : fmax(sums->max_abs, fabs(b->got[i] - b->want[i]));
        break;
      case TAREI_UNDEFINED:
        sums->undefined++;
        break;
      case TAREI_BROKEN:
        sums->broken++;
        sums->values++;
        sums->noise = sums->max_abs = INFINITY;
        break;
    }
  }
  return lanes_fold(&l, sums);
}

double tarei_measure_take(tare_error_tally *const sums, const tarei_measured *const block,
                          const double bound) {
  const bool plain = !block->muted && isinf(bound);
  if (plain && all_finite(block->got, block->n) && all_finite(block->want, block->n)) {
    return take_all(sums, block);
  }
  return take_some(sums, block, bound);
}

void tarei_measure_add(tare_error_tally *const into, const tare_error_tally *const from) {
  into->signal += from->signal;
  into->noise += from->noise;
  into->got += from->got;
  into->dot += from->dot;
  into->max_abs = fmax(into->max_abs, from->max_abs);
  into->rows += from->rows;
  into->agreed += from->agreed;
  into->values += from->values;
  into->constant += from->constant;
  into->undefined += from->undefined;
  into->broken += from->broken;
  into->spread += from->spread;
  into->regret += from->regret;
  into->vectors += from->vectors;
  into->cosines += from->cosines;
  into->tokens += from->tokens;
  into->edits += from->edits;
}

/* --- figures ---------------------------------------------------------------------------------- */

double tarei_measure_sqnr(const tare_error_tally *const sums) {
  if (sums->noise == 0) {
    return sums->values + sums->constant > 0 ? INFINITY : NAN;
  }
  return sums->broken > 0   ? -INFINITY
         : sums->signal > 0 ? 10 * log10(sums->signal / sums->noise)
                            : NAN;
}

double tarei_measure_cosine(const tare_error_tally *const sums) {
  const double norms = sqrt(sums->got) * sqrt(sums->signal);
  return sums->values == 0 ? NAN : sums->noise == 0 ? 1 : norms > 0 ? sums->dot / norms : 0;
}

static int ascending(const void *const a, const void *const b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double tarei_measure_tenth(double *const sqnr_db, const int64_t n) {
  int64_t numbers = 0;
  for (int64_t i = 0; i < n; i++) {
    if (!isnan(sqnr_db[i])) {
      sqnr_db[numbers++] = sqnr_db[i];
    }
  }
  qsort(sqnr_db, (size_t)numbers, sizeof *sqnr_db, ascending);
  return numbers ? sqnr_db[numbers / 10] : NAN;
}

double tarei_measure_judge(const double together_db, const double tenth_db) {
  return fmin(together_db, tenth_db + TAREI_MEASURE_SPREAD);
}
