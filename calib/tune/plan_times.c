#include "calib/tune/plan_times.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "engine/layers/layers.h"

tare_status tarei_plan_times_init(tarei_plan_times *const t, const tare_plan *const plan,
                                  tare_dataset *const data, const tare_eval_options *const options,
                                  tare_timings *const timings, tare_error *const err) {
  tarei_timing_machine machine;
  *t = (tarei_plan_times){.timings = timings};
  if (!timings) {
    TAREI_TRY(tare_timings_new(&t->own, err));
    t->timings = t->own;
  }
  tare_status status = tarei_timing_machine_init(&machine, plan->isa, options->threads, err);
  if (status == TARE_OK) {
    status = tarei_timings_section(t->timings, &machine, &t->section, err);
  }
  tarei_timing_machine_fini(&machine);
  return status == TARE_OK ? tarei_latency_init(&t->latency, plan, data, options, err) : status;
}

void tarei_plan_times_fini(tarei_plan_times *const t) {
  tarei_latency_fini(&t->latency);
  tare_timings_free(&t->own);
}

/* --- one plan --------------------------------------------------------------------------------- */

/* What the layers of a plan do, [sample][layer]. */
typedef struct timed_plan {
  const tare_plan *plan;
  char **works; /* owned */
  int n_layers, n;
  bool known; /* the times of all of them */
} timed_plan;

static void timed_plan_fini(timed_plan *const w) {
  for (int i = 0; w->works && i < w->n; i++) {
    free(w->works[i]);
  }
  free(w->works);
}

static int64_t timed_plan_time(const tarei_plan_times *const t, const timed_plan *const w,
                               const int i) {
  return tarei_timing_find(&t->timings->sections[t->section], w->works[i]);
}

static tare_status timed_plan_find(const tarei_plan_times *const t, const tare_plan *const plan,
                                   timed_plan *const w, tare_error *const err) {
  const int n_layers = tare_plan_n_layers(plan);
  *w = (timed_plan){
      .plan = plan, .n_layers = n_layers, .n = n_layers * t->latency.n_samples, .known = true};
  w->works = tarei_calloc((size_t)w->n, sizeof *w->works);
  if (!w->works) {
    return tarei_fail_memory(err, "times of layers", (size_t)w->n * sizeof *w->works);
  }
  for (int i = 0; i < w->n; i++) {
    tarei_str text = {0};
    tare_status status = tarei_layer_describe_work(
        plan, i % n_layers, t->latency.samples[i / n_layers].symbols, &text, err);
    if (status == TARE_OK && !(w->works[i] = tarei_strdup(tarei_str_get(&text)))) {
      status = tarei_fail_memory(err, "times of layers", text.length);
    }
    tarei_str_free(&text);
    TAREI_TRY(status);
    w->known &= timed_plan_time(t, w, i) >= 0;
  }
  return TARE_OK;
}

static tare_status timed_plan_learn(tarei_plan_times *const t, const timed_plan *const w,
                                    const double *const seconds, tare_error *const err) {
  for (int i = 0; i < w->n; i++) {
    TAREI_TRY(tarei_timing_add(&t->timings->sections[t->section], w->works[i],
                               llround(1e9 * seconds[i]), err));
  }
  t->n_measured += w->n_layers;
  return TARE_OK;
}

static tare_status timed_plan_sum(const tarei_plan_times *const t, const timed_plan *const w,
                                  double *const seconds, double **const layers,
                                  tare_error *const err) {
  double *const each = tarei_calloc((size_t)w->n_layers, sizeof *each);
  if (!each) {
    return tarei_fail_memory(err, "times of layers", (size_t)w->n_layers * sizeof *each);
  }
  *seconds = 0;
  for (int i = 0; i < w->n; i++) {
    const double time = 1e-9 * (double)timed_plan_time(t, w, i);
    each[i % w->n_layers] += time;
    *seconds += time;
  }
  if (layers) {
    *layers = each;
  } else {
    free(each);
  }
  return TARE_OK;
}

/* --- several ---------------------------------------------------------------------------------- */

static tare_status measure_unknown(tarei_plan_times *const t, const timed_plan *const works,
                                   const int n, tare_error *const err) {
  const tare_plan *plans[TAREI_LATENCY_PLANS];
  double *seconds[TAREI_LATENCY_PLANS];
  int n_plans = 0, at = 0;
  for (int i = 0; i < n; i++) {
    t->n_known += works[i].known ? works[i].n_layers : 0;
    if (!works[i].known) {
      plans[n_plans++] = works[i].plan;
    }
  }
  if (!n_plans) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_latency_measure(&t->latency, plans, n_plans, seconds, err));
  tare_status status = TARE_OK;
  for (int i = 0; i < n; i++) {
    if (!works[i].known) {
      status = status == TARE_OK ? timed_plan_learn(t, &works[i], seconds[at], err) : status;
      free(seconds[at++]);
    }
  }
  return status;
}

static tare_status get_times(tarei_plan_times *const t, const tare_plan *const *const plans,
                             timed_plan *const works, const int n, double *const seconds,
                             double **const layers, tare_error *const err) {
  for (int i = 0; i < n; i++) {
    TAREI_TRY(timed_plan_find(t, plans[i], &works[i], err));
  }
  TAREI_TRY(measure_unknown(t, works, n, err));
  for (int i = 0; i < n; i++) {
    TAREI_TRY(timed_plan_sum(t, &works[i], &seconds[i], layers ? &layers[i] : NULL, err));
  }
  return TARE_OK;
}

tare_status tarei_plan_times_get(tarei_plan_times *const t, const tare_plan *const *const plans,
                                 const int n, double *const seconds, double **const layers,
                                 tare_error *const err) {
  timed_plan works[TAREI_LATENCY_PLANS] = {0};
  assert(n <= TAREI_LATENCY_PLANS);
  for (int i = 0; i < n && layers; i++) {
    layers[i] = NULL;
  }
  const tare_status status = get_times(t, plans, works, n, seconds, layers, err);
  for (int i = 0; i < n; i++) {
    timed_plan_fini(&works[i]);
    if (status != TARE_OK && layers) {
      free(layers[i]);
      layers[i] = NULL;
    }
  }
  return status;
}
