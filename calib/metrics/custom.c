#include "calib/metrics/custom.h"

#include <math.h>

#include "base/mem.h"
#include "calib/metrics/states.h"

static const tare_custom_metric *custom_of(const tare_metric_states *const states) {
  return &((const tarei_custom_metric *)states->metric)->given;
}

static tare_status custom_add(const tarei_metric_case *const c, tare_metric_states *const states,
                              tare_error *const err) {
  const tare_custom_metric *const m = custom_of(states);
  const tare_metric_case shown = {.sample = c->sample,
                                  .output = c->output,
                                  .got = c->got,
                                  .want = c->want,
                                  .extents = c->extents};
  double sums[TARE_METRIC_SUMS] = {0};
  bool counts = true;
  tare_error own = {0};
  const tare_status status = m->add(m->user, &shown, sums, &counts, &own);
  if (status != TARE_OK) { /* programs may leave the error empty */
    return tarei_fail(err, status, "%s", *own.message ? own.message : "the metric failed");
  }
  for (int i = 0; counts && i < m->n_sums; i++) {
    if (!isfinite(sums[i])) {
      return tarei_fail(err, TARE_E_INPUT, "metric '%s': number %d of the sample is %g", m->name, i,
                        sums[i]);
    }
  }
  return counts ? tarei_metric_states_add(states, sums, m->n_sums, err) : TARE_OK;
}

static tare_status custom_value(const tarei_metric_choice *const choice, double *const out,
                                tare_error *const err) {
  const tare_custom_metric *const m = custom_of(choice->states);
  double sums[TARE_METRIC_SUMS];
  (void)err;
  *out = tarei_metric_choice_sum(choice, m->n_sums, sums) ? m->value(m->user, sums) : NAN;
  return TARE_OK;
}

static tarei_metric *custom_copy(const tarei_metric *const metric) {
  tarei_custom_metric *const copy = tarei_calloc(1, sizeof *copy);
  if (!copy) {
    return NULL;
  }
  *copy = *(const tarei_custom_metric *)metric;
  return &copy->base;
}

tare_status tarei_custom_metric_make(const tare_custom_metric *const given,
                                     tarei_custom_metric *const out, tare_error *const err) {
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_custom_metric, given, err));
  if (!given->name || !given->add || !given->value) {
    return tarei_fail(err, TARE_E_USAGE, "a metric of the program needs name, add and value");
  }
  if (given->n_sums < 1 || given->n_sums > TARE_METRIC_SUMS) {
    return tarei_fail(err, TARE_E_USAGE, "metric '%s': %d sums: expected 1 to %d", given->name,
                      given->n_sums, TARE_METRIC_SUMS);
  }
  *out = (tarei_custom_metric){.base = {.name = given->name,
                                        .summary = "",
                                        .lower_is_better = given->lower_is_better,
                                        .truth = given->truth,
                                        .custom = true,
                                        .copy = custom_copy,
                                        .add = custom_add,
                                        .value = custom_value},
                               .given = *given};
  return TARE_OK;
}
