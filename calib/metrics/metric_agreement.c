/* Share of positions where the first largest class is that of the reference. */
#include "calib/metrics/metric.h"
#include "calib/metrics/rows.h"
#include "calib/metrics/states.h"

static tare_status metric_agreement_add(const tarei_metric_case *const c,
                                        tare_metric_states *const states, tare_error *const err) {
  tarei_rows rows;
  double sums[] = {0, 0};
  tarei_rows_begin(c->got, c->extents, &rows);
  for (int64_t offset = 0; tarei_rows_next(&rows, &offset) && rows.length >= 2;) {
    const int64_t wanted = tarei_argmax(c->want, offset, rows.length);
    sums[0] += tarei_argmax(c->got, offset, rows.length) == wanted;
    sums[1]++;
  }
  return sums[1] > 0 ? tarei_metric_states_add(states, sums, 2, err) : TARE_OK;
}

const tarei_metric tarei_metric_agreement = {.name = "agreement",
                                             .summary = "share of answers that are those of float",
                                             .unit = TAREI_PERCENT,
                                             .truth = TARE_TRUTH_REFERENCE,
                                             .least_rank = 1,
                                             .add = metric_agreement_add,
                                             .read = tarei_metric_read_classes,
                                             .n_sums = 2,
                                             .of_sums = tarei_metric_ratio};
