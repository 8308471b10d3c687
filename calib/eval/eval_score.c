/* The score over some of the samples of an evaluation. */
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "calib/eval/eval_tally.h"

/* The metric over some of the samples. */
static tare_status eval_metric_of(const tare_eval_result *const result,
                                  const int64_t *const samples, const int64_t n, double *const out,
                                  tare_error *const err) {
  const int64_t n_all = tare_metric_states_count(result->states);
  int32_t *const times = tarei_calloc((size_t)n_all, sizeof *times);
  if (!times) {
    return tarei_fail_memory(err, "metric", (size_t)n_all * sizeof *times);
  }
  for (int64_t i = 0; i < n; i++) {
    times[samples[i]]++;
  }
  const tare_status status = tare_metric_states_value(result->states, times, out, err);
  free(times);
  return status;
}

tare_status tare_eval_score_of(const tare_eval_result *const result, const int64_t *const samples,
                               const int64_t n, tare_eval_score *const out, tare_error *const err) {
  tarei_tally sum = {.samples = n, .compared = n > 0 && result->n_errors > 0};
  for (int64_t i = 0; i < n; i++) {
    TAREI_TRY(tarei_check_number("sample", samples[i], result->n_samples, err));
    if (result->n_errors > 0) {
      const tare_error_tally *const e = &result->errors[samples[i]];
      const tarei_tally one = {.got2 = e->got,
                               .want2 = e->signal,
                               .diff2 = e->noise,
                               .dot = e->dot,
                               .max_abs = e->max_abs,
                               .rows = e->rows,
                               .agreed = e->agreed};
      tarei_tally_add(&sum, &one);
    }
  }
  *out = tarei_tally_score(&sum);
  return result->states ? eval_metric_of(result, samples, n, &out->metric, err) : TARE_OK;
}
