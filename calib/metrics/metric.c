#include "calib/metrics/metric.h"

#include <math.h>

#include "base/str.h"
#include "calib/metrics/rows.h"
#include "shapes/number.h"

#define TAREI_METRIC(id) extern const tarei_metric tarei_metric_##id;
#include "calib/metrics/metrics.inc"
#undef TAREI_METRIC

static const tarei_metric *const METRICS[] = {
#define TAREI_METRIC(id) &tarei_metric_##id,
#include "calib/metrics/metrics.inc"
#undef TAREI_METRIC
};
enum { N_METRICS = sizeof METRICS / sizeof *METRICS };

/* NULL out of range. */
static const tarei_metric *metric_at(const int metric) {
  return tarei_has_number(metric, N_METRICS) ? METRICS[metric] : NULL;
}

int tare_n_metrics(void) {
  return N_METRICS;
}

const char *tare_metric_name(const int metric) {
  const tarei_metric *const m = metric_at(metric);
  return m ? m->name : NULL;
}

int tarei_metric_number(const tarei_metric *const metric) {
  int number = N_METRICS - 1;
  while (number >= 0 && METRICS[number] != metric) {
    number--;
  }
  return number;
}

const char *tare_metric_summary(const int metric) {
  const tarei_metric *const m = metric_at(metric);
  return m ? m->summary : NULL;
}

bool tare_metric_lower_is_better(const int metric) {
  const tarei_metric *const m = metric_at(metric);
  return m && m->lower_is_better;
}

tare_metric_truth tare_metric_get_truth(const int metric) {
  const tarei_metric *const m = metric_at(metric);
  return m ? m->truth : TARE_TRUTH_LABELS;
}

tare_metric_unit tare_metric_get_unit(const int metric) {
  const tarei_metric *const m = metric_at(metric);
  return m ? m->unit : (tare_metric_unit){0};
}

bool tare_metric_takes(const int metric, const int option) {
  const tarei_metric *const m = metric_at(metric);
  return m && tare_metric_option_at(option) && m->takes >> option & 1;
}

double tarei_metric_ratio(const double *const sums) {
  return sums[1] > 0 ? sums[0] / sums[1] : NAN;
}

tare_status tarei_metric_read_classes(const tarei_metric_case *const c,
                                      const tarei_metric_settings *const settings,
                                      tarei_str *const out, tare_error *const err) {
  (void)settings;
  (void)err;
  tarei_rows_read(c->got, c->extents, out);
  return TARE_OK;
}

tare_status tarei_metric_find(const char *const name, const tarei_metric **const out,
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

static tare_status metric_read(const tarei_metric *const metric,
                               const tare_metric_setting *const settings, const int n,
                               tarei_metric_settings *const read, tare_error *const err) {
  TAREI_TRY(tarei_metric_settings_read(metric->name, metric->takes, settings, n, read, err));
  return metric->check ? metric->check(read, err) : TARE_OK;
}

tare_status tare_metric_check(const int metric, const tare_metric_setting *const settings,
                              const int n, tare_error *const err) {
  TAREI_TRY(tarei_check_number("metric", metric, N_METRICS, err));
  tarei_metric_settings read;
  const tare_status status = metric_read(METRICS[metric], settings, n, &read, err);
  tarei_metric_settings_fini(&read);
  return status;
}

tare_status tarei_metric_pick(const char *const name, const tare_metric_setting *const settings,
                              const int n, const tarei_metric **const out,
                              tarei_metric_settings *const read, tare_error *const err) {
  *read = (tarei_metric_settings){0};
  TAREI_TRY(tarei_metric_find(name, out, err));
  return metric_read(*out, settings, n, read, err);
}

tare_status tarei_metric_check_output(const tarei_metric *const metric,
                                      const tare_port *const output, const bool has_reference,
                                      tare_error *const err) {
  if (metric->truth == TARE_TRUTH_REFERENCE && !has_reference) {
    return tarei_fail(err, TARE_E_USAGE,
                      "metric %s compares outputs with those of a reference: give one",
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
  return TARE_OK;
}
