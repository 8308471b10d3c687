/* Pearson's correlation of all values. */
#include "calib/metrics/pairs.h"

static tare_status metric_pearson_add(const tarei_metric_case *const c,
                                      tare_metric_states *const states, tare_error *const err) {
  return tarei_pairs_add("pearson", c, states, err);
}

static tare_status metric_pearson_value(const tarei_metric_choice *const choice, double *const out,
                                        tare_error *const err) {
  (void)err;
  *out = tarei_pairs_correlation(choice, choice->states->numbers);
  return TARE_OK;
}

const tarei_metric tarei_metric_pearson = {.name = "pearson",
                                           .summary = "Pearson's correlation",
                                           .unit = TAREI_PLAIN,
                                           .truth = TARE_TRUTH_EITHER,
                                           .add = metric_pearson_add,
                                           .value = metric_pearson_value,
                                           .brief = tarei_pairs_brief,
                                           .accepts = tarei_pairs_accept};
