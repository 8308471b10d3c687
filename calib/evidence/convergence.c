/* Ranges of nested parts of the samples: sums of slices. */
#include <math.h>
#include <tare/evidence.h>

#include "calib/stats.h"

_Static_assert((int)TARE_CONVERGENCE_STEPS >= (int)TAREI_SLICES, "a step for each slice");

enum { NEAR_PERCENT = 95 }; /* of the tensors */

/* Largest magnitudes of a tensor in the first slice, the first two, ...; over all profiles. */
static void convergence_magnitudes(const tarei_stats_tensor *const tensor, const int n_profiles,
                                   float *const out) {
  float amax = 0;
  for (int i = 0; i < TAREI_SLICES; i++) {
    for (int p = 0; p < n_profiles; p++) {
      const tarei_origins *const o = &tensor->buckets[p].origins;
      if (o->slice_min[i] <= o->slice_max[i]) {
        amax = fmaxf(amax, fmaxf(fabsf(o->slice_min[i]), fabsf(o->slice_max[i])));
      }
    }
    out[i] = amax;
  }
}

/* Slices without samples make no step. */
static void convergence_make_steps(const tare_stats *const stats, tare_convergence *const out,
                                   int *const slices) {
  int64_t counts[TAREI_SLICES] = {0}, sum = 0;
  for (size_t i = 0; i < stats->ledger.n; i++) {
    counts[tarei_slice_of(stats->ledger.items[i])]++;
  }
  for (int i = 0; i < TAREI_SLICES; i++) {
    sum += counts[i];
    if (counts[i]) {
      slices[out->n] = i;
      out->steps[out->n++] = (tare_convergence_step){.samples = sum, .part = 1};
    }
  }
}

static void convergence_add(tare_convergence *const out, const int *const slices,
                            const char *const name, const float *const magnitudes) {
  const float all = magnitudes[TAREI_SLICES - 1];
  if (all == 0) {
    return;
  }
  out->n_tensors++;
  for (int i = 0; i < out->n; i++) {
    tare_convergence_step *const step = &out->steps[i];
    const double part = (double)magnitudes[slices[i]] / (double)all;
    step->n_near += part >= TARE_CONVERGENCE_NEAR;
    if (!step->farthest || part < step->part) {
      step->farthest = name;
      step->part = part;
    }
  }
}

static int64_t convergence_enough(const tare_convergence *const c) {
  const int64_t all = c->n ? c->steps[c->n - 1].samples : 0;
  for (int i = 0; i < c->n && c->steps[i].samples <= all / 2; i++) {
    if (c->steps[i].n_near * 100 >= c->n_tensors * NEAR_PERCENT) {
      return c->steps[i].samples;
    }
  }
  return 0;
}

void tare_stats_convergence(const tare_stats *const stats, tare_convergence *const out) {
  int slices[TAREI_SLICES];
  *out = (tare_convergence){0};
  if (!stats->has_origins) {
    return;
  }
  convergence_make_steps(stats, out, slices);
  for (int t = 0; t < stats->n_tensors; t++) {
    float magnitudes[TAREI_SLICES];
    convergence_magnitudes(&stats->tensors[t], stats->n_profiles, magnitudes);
    convergence_add(out, slices, stats->tensors[t].name, magnitudes);
  }
  out->enough = convergence_enough(out);
}
