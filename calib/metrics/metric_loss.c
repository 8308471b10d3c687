/* The number that a command of the user prints; lower is better. */
#include "calib/metrics/printed.h"

const tarei_metric tarei_metric_loss = {
    .name = "loss",
    .summary = "the number that your command prints; lower is better",
    .unit = TAREI_PLAIN,
    .lower_is_better = true,
    .truth = TARE_TRUTH_EITHER,
    .takes = TAREI_METRIC_BIT(COMMAND) | TAREI_METRIC_BIT(TIMEOUT),
    .check = tarei_printed_check,
    .value = tarei_printed_value,
    .accepts = tarei_printed_accepts};
