/* Mean absolute error of all values. */
#include <math.h>

#include "calib/metrics/pairs.h"

static tare_status metric_mae_add(const tarei_metric_case *const c,
                                  tare_metric_states *const states, tare_error *const err) {
  tarei_pairs pairs;
  double sums[] = {0, 0}; /* errors, values */
  tare_status status = tarei_pairs_make("mae", c, &pairs, err);
  for (int64_t i = 0; status == TARE_OK && i < pairs.n; i++) {
    sums[0] += fabs(pairs.got[i] - pairs.want[i]);
    sums[1]++;
  }
  tarei_pairs_fini(&pairs);
  return status == TARE_OK && sums[1] > 0 ? tarei_metric_states_add(states, sums, 2, err) : status;
}

const tarei_metric tarei_metric_mae = {.name = "mae",
                                       .summary = "mean absolute error",
                                       .unit = TAREI_PLAIN,
                                       .lower_is_better = true,
                                       .truth = TARE_TRUTH_EITHER,
                                       .add = metric_mae_add,
                                       .n_sums = 2,
                                       .of_sums = tarei_metric_ratio};
