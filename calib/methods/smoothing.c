#include "calib/methods/smoothing.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "calib/row_loss.h"
#include "graph/quantize/quantize_uses.h"
#include "graph/quantize/row_need.h"
#include "graph/quantize/smooth.h"
#include "graph/table/named.h"
#include "graph/table/smoothing.h"

/* Limits of the automatic choice; docs/numerics.md has what they mean. */
#define GAIN 2       /* so many times less must the noise become */
#define MATTERS 1e-4 /* noise against energy, 40 dB, from which on it is worth a change */
#define LEVELS 127.0
#define UNSIGNED_LEVELS 255.0

/* How much of the ranges of a tensor the weights take over; the rest is that of theirs. */
static const double SHARES[] = {0.25, 0.5, 0.75, 1};
enum { N_SHARES = sizeof SHARES / sizeof *SHARES };

/* --- a tensor --------------------------------------------------------------------------------- */

typedef struct smoothed_tensor {
  const tarei_graph *graph;
  const tarei_smoothing_site *site;
  int64_t n;      /* channels */
  double *amax;   /* [n] */
  double *weight; /* [n], the largest weight that reads the channel */
  double *square; /* [n], mean square of the channel, as far as the statistics tell */
  double *factor; /* [n], 2^exponent at hand */
  double levels;  /* steps of a scale */
  double rows;    /* noise of row scales against that of one scale, where a plan uses them */
  int8_t *trial, *best;
} smoothed_tensor;

static tare_status smoothed_init(smoothed_tensor *const t, const tarei_graph *const graph,
                                 const tarei_smoothing_site *const site, tare_error *const err) {
  const size_t n = (size_t)site->channels;
  *t = (smoothed_tensor){.graph = graph,
                         .site = site,
                         .n = site->channels,
                         .amax = tarei_calloc(n, sizeof *t->amax),
                         .weight = tarei_calloc(n, sizeof *t->weight),
                         .square = tarei_calloc(n, sizeof *t->square),
                         .factor = tarei_calloc(n, sizeof *t->factor),
                         .trial = tarei_calloc(n, 1),
                         .best = tarei_calloc(n, 1)};
  return t->amax && t->weight && t->square && t->factor && t->trial && t->best
             ? TARE_OK
             : tarei_fail_memory(err, "a smoothed tensor", n * 4 * sizeof *t->amax);
}

static void smoothed_fini(smoothed_tensor *const t) {
  free(t->amax);
  free(t->weight);
  free(t->square);
  free(t->factor);
  free(t->trial);
  free(t->best);
}

static double smoothing_square(const double x) {
  return x * x;
}

/* False where a channel or weight is not finite, or all are zero. */
static bool smoothed_take_ranges(smoothed_tensor *const t, const tarei_channel_range *const range,
                                 const int n_profiles) {
  double largest = 0;
  for (int64_t i = 0; i < t->n * n_profiles; i++) {
    const double amax = fmax(-(double)range->min[i], (double)range->max[i]);
    if (range->min[i] <= range->max[i]) {
      t->amax[i % t->n] = fmax(t->amax[i % t->n], amax);
      largest = fmax(largest, amax);
    }
  }
  for (int i = 0; i < t->site->n_constants; i++) {
    if (!tarei_is_finite(t->graph, t->site->constants[i].value)) {
      return false;
    }
  }
  return largest >= tarei_table_least_amax() && isfinite(largest);
}

/* Channels are taken to be distributed alike: their mean squares follow from that of the tensor. */
static bool smoothed_take_energy(smoothed_tensor *const t, const tarei_accumulator *const a,
                                 const tare_smoothing mode) {
  const double amax = (double)tarei_accumulator_amax(a);
  if (amax < tarei_table_least_amax()) {
    return false;
  }
  const tarei_row_loss loss = tarei_row_loss_predict(a, amax);
  const double rms = loss.rms;
  t->rows = mode == TARE_SMOOTHING_AUTO && loss.rows < loss.fixed ? loss.rows / loss.fixed : 1;
  double squares = 0;
  for (int64_t c = 0; c < t->n; c++) {
    squares += smoothing_square(t->amax[c]);
  }
  for (int64_t c = 0; c < t->n; c++) {
    t->square[c] =
        smoothing_square(t->amax[c]) * fmin(smoothing_square(rms) * (double)t->n / squares, 1);
  }
  t->levels = a->min >= 0 ? UNSIGNED_LEVELS : LEVELS;
  return rms > 0;
}

static void smoothed_take_weights(smoothed_tensor *const t) {
  for (int r = 0; r < t->site->n_readers; r++) {
    const tarei_site_reader *const reader = &t->site->readers[r];
    const float *const w = t->graph->values[reader->weights.value].data->data;
    for (int64_t j = 0; j < reader->weights.n; j++) {
      for (int64_t i = 0; i < reader->weights.k; i++) {
        double *const most = &t->weight[tarei_site_input(reader, j, i)];
        *most = fmax(*most, fabs((double)w[tarei_weight_view_at(&reader->weights, j, i)]));
      }
    }
  }
}

/* --- noise ------------------------------------------------------------------------------------ */

/* Of the outputs of a layer: noise of rounding its input and its weights, against their energy. */
static double reader_noise(const smoothed_tensor *const t, const tarei_site_reader *const r,
                           const double step) {
  const tarei_weight_view *const view = &r->weights;
  const float *const w = t->graph->values[view->value].data->data;
  double noise = 0, energy = 0;
  for (int64_t j = 0; j < view->n; j++) {
    double largest = 0, squares = 0, inputs = 0;
    for (int64_t i = 0; i < view->k; i++) {
      const int64_t c = tarei_site_input(r, j, i);
      const double weight = fabs((double)w[tarei_weight_view_at(view, j, i)]);
      largest = fmax(largest, weight * t->factor[c]);
      squares += smoothing_square(weight * t->factor[c]);
      inputs += t->square[c] / smoothing_square(t->factor[c]);
      energy += smoothing_square(weight) * t->square[c];
    }
    noise +=
        t->rows * smoothing_square(step) * squares + smoothing_square(largest / LEVELS) * inputs;
  }
  return energy > 0 ? noise / 12 / energy : 0;
}

/* With some exponents; the mean over the layers. */
static double smoothed_noise(const smoothed_tensor *const t, const int8_t *const exponents) {
  double largest = 0, sum = 0;
  for (int64_t c = 0; c < t->n; c++) {
    t->factor[c] = ldexp(1, exponents[c]);
    largest = fmax(largest, t->amax[c] / t->factor[c]);
  }
  for (int r = 0; r < t->site->n_readers; r++) {
    sum += reader_noise(t, &t->site->readers[r], largest / t->levels);
  }
  return sum / t->site->n_readers;
}

/* The largest channel keeps its scale; a channel without numbers or weights too. */
static void smoothed_choose(const smoothed_tensor *const t, const double share) {
  int64_t loudest = 0;
  for (int64_t c = 0; c < t->n; c++) {
    loudest = t->amax[c] > t->amax[loudest] ? c : loudest;
  }
  const double amax = t->amax[loudest], weight = t->weight[loudest];
  for (int64_t c = 0; c < t->n; c++) {
    double e = 0;
    if (t->amax[c] > 0 && t->weight[c] > 0 && weight > 0) {
      e = share * log2(t->amax[c] / amax) - (1 - share) * log2(t->weight[c] / weight);
    }
    t->trial[c] = (int8_t)fmax(fmin(nearbyint(e), TAREI_SMOOTHING_MOST), -TAREI_SMOOTHING_MOST);
  }
}

/* Whether a tensor is smoothed, with the best exponents. */
static bool smoothed_decide(const smoothed_tensor *const t, const tare_smoothing mode) {
  const double before = smoothed_noise(t, t->best);
  double least = before;
  for (int i = 0; i < N_SHARES; i++) {
    smoothed_choose(t, SHARES[i]);
    const double noise = smoothed_noise(t, t->trial);
    if (noise < least) {
      least = noise;
      memcpy(t->best, t->trial, (size_t)t->n);
    }
  }
  return mode == TARE_SMOOTHING_ON ? least < before : before > MATTERS && before > GAIN * least;
}

/* --- statistics ------------------------------------------------------------------------------- */

static tare_status smoothed_add(const smoothed_tensor *const t,
                                const tarei_channel_range *const range, const char *const name,
                                tare_stats *const stats, tare_error *const err) {
  const int n_profiles = stats->n_profiles;
  double *const limits = tarei_calloc((size_t)n_profiles, 2 * sizeof *limits);
  if (!limits) {
    return tarei_fail_memory(err, name, (size_t)n_profiles * 2 * sizeof *limits);
  }
  double *const min = limits, *const max = limits + n_profiles;
  for (int p = 0; p < n_profiles; p++) {
    min[p] = INFINITY;
    max[p] = -INFINITY;
    for (int64_t c = 0; c < t->n; c++) {
      const int64_t at = p * t->n + c;
      min[p] = fmin(min[p], (double)ldexpf(range->min[at], -t->best[c]));
      max[p] = fmax(max[p], (double)ldexpf(range->max[at], -t->best[c]));
    }
    min[p] += 0.0; /* zero has no sign: which one came first depends on the order of the data */
    max[p] += 0.0;
  }
  double squares = 0;
  for (int64_t c = 0; c < t->n; c++) {
    squares += ldexp(t->square[c], -2 * t->best[c]);
  }
  const double rms = (double)(float)sqrt(squares / (double)t->n);
  const tare_status status =
      tarei_smoothings_add(&stats->smoothings, name, t->n, t->best, n_profiles, min, max, rms, err);
  free(limits);
  return status;
}

/* Where samples have few rows, the channels of others have other ranges. */
static tare_status smooth_one(tare_plan *const plan, const tarei_channel_range *const range,
                              const tare_smoothing mode, tare_stats *const stats,
                              tare_error *const err) {
  tarei_smoothing_site site;
  tarei_accumulator all;
  smoothed_tensor t = {0};
  const tarei_stats_tensor *const tensor = &stats->tensors[range->tensor];
  const bool found = tarei_smoothing_site_find(plan->root.graph, range->value, &site);
  tare_status status = TARE_OK;
  if (!found) {
    return TARE_OK;
  }
  tarei_accumulator_init(&all);
  TAREI_TRY_GOTO(tarei_stats_merged(tensor, stats->n_profiles, &all, err), done);
  TAREI_TRY_GOTO(smoothed_init(&t, plan->root.graph, &site, err), done);
  if (!tarei_rows_are_few(tarei_stats_rows(stats, &all, -1)) &&
      smoothed_take_ranges(&t, range, stats->n_profiles) && smoothed_take_energy(&t, &all, mode)) {
    smoothed_take_weights(&t);
    if (smoothed_decide(&t, mode)) {
      TAREI_TRY_GOTO(smoothed_add(&t, range, tensor->name, stats, err), done);
      status = tarei_smooth_site(plan->root.graph, &site, t.best, err);
    }
  }
done:
  smoothed_fini(&t);
  tarei_accumulator_fini(&all);
  return status;
}

tare_status tarei_smooth_tensors(tare_plan *const plan, const tarei_channels *const channels,
                                 const tare_smoothing mode, tare_stats *const stats,
                                 tare_error *const err) {
  for (int i = 0; i < channels->n; i++) {
    TAREI_TRY(smooth_one(plan, &channels->items[i], mode, stats, err));
  }
  tarei_named_sort(TAREI_NAMED(&stats->smoothings));
  return TARE_OK;
}
