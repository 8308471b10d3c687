/*
 * Means of the inputs of layers, with which a build corrects biases: what rounding takes from the
 * weights changes the mean of each output, by the product of these errors and the means (Nagel et
 * al., 2019, arXiv:1906.04721, section 4.2, with means of the data).
 */
#ifndef TAREI_CALIB_METHODS_INPUT_MEANS_H
#define TAREI_CALIB_METHODS_INPUT_MEANS_H

#include "calib/gram_rows.h"
#include "calib/stats.h"

/* Adds the means of all layers that have sums of their inputs to the statistics, but for those
 * whose input follows the level of the model's (graph/quantize/levels.h): its mean is that of loud
 * rows, and what makes up for these is an error of quiet ones. The values of the plan's graph are
 * annotated for that. */
tare_status tarei_take_input_means(tare_plan *plan, const tarei_grams *grams, tare_stats *stats,
                                   tare_error *err);

#endif
