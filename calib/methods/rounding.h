/*
 * Rounding of weights by least squares: each weight is rounded down or up so that the outputs of
 * the layer change least over the rows that calibration saw, not each weight alone. With rows X,
 * weights w of a channel and rounded ones v, |X (w - v)|^2 = (w - v)' X'X (w - v) is made small by
 * Babai's nearest plane, one input after the other, each with the errors of those before it (GPTQ:
 * Frantar et al., 2022, arXiv:2210.17323; the same as Babai's by Chen et al., 2025,
 * arXiv:2507.18553).
 */
#ifndef TAREI_CALIB_METHODS_ROUNDING_H
#define TAREI_CALIB_METHODS_ROUNDING_H

#include "calib/gram_rows.h"
#include "calib/stats.h"

/* Decides for all layers that have rows, and adds what it decided to the statistics. The result
 * does not depend on the number of threads. Of the options, it reports the progress: TARE_E_CHECK
 * if that ends the rounding. */
tare_status tarei_round_weights(const tare_plan *plan, const tarei_grams *grams,
                                const tarei_kernels *kernels, int threads,
                                const tare_calibrate_options *options, tare_stats *stats,
                                tare_error *err);

#endif
