/* Share of labelled positions whose label is the first largest class, or among the largest. */
#include "calib/metrics/class_labels.h"
#include "calib/metrics/states.h"

static tare_status metric_accuracy_add(const tarei_metric_case *const c,
                                       tare_metric_states *const states, tare_error *const err) {
  const tarei_metric_settings *const settings = &states->settings;
  tarei_class_labels labels;
  double sums[] = {0, 0}; /* right, of all */
  TAREI_TRY(tarei_class_labels_begin("accuracy", c, settings, 0, &labels, err));
  if (!labels.rows.empty && settings->top > labels.rows.length) {
    return tarei_fail(err, TARE_E_USAGE, "top %d: output '%s' has only %lld classes", settings->top,
                      c->output, (long long)labels.rows.length);
  }
  for (bool more = true;;) {
    TAREI_TRY(tarei_class_labels_next(&labels, &more, err));
    if (!more) {
      break;
    }
    sums[0] += tarei_is_among(c->got, labels.offset, labels.rows.length, labels.label,
                              settings->top ? settings->top : 1);
    sums[1]++;
  }
  return sums[1] > 0 ? tarei_metric_states_add(states, sums, 2, err) : TARE_OK;
}

const tarei_metric tarei_metric_accuracy = {
    .name = "accuracy",
    .summary = "share of correct labels",
    .unit = TAREI_PERCENT,
    .takes = TAREI_METRIC_BIT(TOP) | TAREI_METRIC_BIT(IGNORE_INDEX),
    .least_rank = 1,
    .add = metric_accuracy_add,
    .read = tarei_metric_read_classes,
    .n_sums = 2,
    .of_sums = tarei_metric_ratio};
