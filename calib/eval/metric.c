#include "calib/eval/metric.h"

#include <assert.h>

#include "base/str.h"
#include "calib/eval/eval_rows.h"
#include "shapes/number.h"

#define TAREI_METRIC(id) extern const tarei_metric tarei_metric_##id;
#include "calib/eval/metrics.inc"
#undef TAREI_METRIC

static const tarei_metric *const METRICS[] = {
#define TAREI_METRIC(id) &tarei_metric_##id,
#include "calib/eval/metrics.inc"
#undef TAREI_METRIC
};
enum { N_METRICS = sizeof METRICS / sizeof *METRICS };

int tare_n_metrics(void) {
  return N_METRICS;
}

const char *tare_metric_name(const int metric) {
  return metric < 0 || metric >= N_METRICS ? NULL : METRICS[metric]->name;
}

const char *tare_metric_summary(const int metric) {
  return metric < 0 || metric >= N_METRICS ? NULL : METRICS[metric]->summary;
}

bool tare_metric_lower_is_better(const int metric) {
  assert(metric >= 0 && metric < N_METRICS);
  return METRICS[metric]->lower_is_better;
}

bool tare_metric_needs_alphabet(const int metric) {
  assert(metric >= 0 && metric < N_METRICS);
  return METRICS[metric]->needs_alphabet;
}

tare_metric_unit tare_metric_get_unit(const int metric) {
  assert(metric >= 0 && metric < N_METRICS);
  return METRICS[metric]->unit;
}

static tare_status metric_find(const char *const name, const tarei_metric **const out,
                               tare_error *const err) {
  const char *names[N_METRICS];
  for (int i = 0; i < N_METRICS; i++) {
    names[i] = METRICS[i]->name;
  }
  int index = 0;
  TAREI_TRY(tarei_pick("metric", name, names, N_METRICS, &index, err));
  *out = METRICS[index];
  return TARE_OK;
}

tare_status tarei_metric_pick(const tare_eval_options *const options, const tare_port *const output,
                              const tarei_metric **const out, tare_error *const err) {
  const tarei_metric *metric = NULL;
  TAREI_TRY(metric_find(options->metric, &metric, err));
  if (metric->needs_alphabet && (!options->alphabet || !*options->alphabet)) {
    return tarei_fail(err, TARE_E_USAGE,
                      "metric %s needs an alphabet: the characters of classes 1, 2, ...",
                      metric->name);
  }
  if (!tarei_is_float(output->dtype)) {
    return tarei_fail(err, TARE_E_USAGE, "metric %s needs a float output, but '%s' is %s",
                      metric->name, output->name, tare_dtype_name(output->dtype));
  }
  if (output->rank < metric->least_rank) {
    return tarei_fail(err, TARE_E_USAGE,
                      "metric %s needs an output of rank %d or more, but '%s' has rank %d",
                      metric->name, metric->least_rank, output->name, output->rank);
  }
  *out = metric;
  return TARE_OK;
}
