/* The number that a command of the user prints; higher is better. */
#include "calib/metrics/printed.h"

const tarei_metric tarei_metric_score = {
    .name = "score",
    .summary = "the number that your command prints; higher is better",
    .unit = TAREI_PLAIN,
    .truth = TARE_TRUTH_EITHER,
    .takes = TAREI_METRIC_BIT(COMMAND) | TAREI_METRIC_BIT(TIMEOUT),
    .check = tarei_printed_check,
    .value = tarei_printed_value,
    .accepts = tarei_printed_accepts};
