/*
 * Clipping of weights: the int8 scale of an output channel is the one with which the errors of its
 * weights cost its outputs least, instead of the largest magnitude / 127. Errors of a weight count
 * with the mean square of its input (Nagel et al., 2021, arXiv:2106.08295, "mse" and "weighted
 * mse").
 */
#ifndef TAREI_CALIB_METHODS_CLIPPING_H
#define TAREI_CALIB_METHODS_CLIPPING_H

#include "calib/gram_rows.h"
#include "calib/stats.h"

/* Whether other scales are worth it to a layer, by what its outputs lose. */
bool tarei_clipping_gains(tare_clipping mode, double before, double after);

/* Decides for all layers with weights, and adds what it decided to the statistics. Without rows of
 * a layer all its inputs count alike. The result does not depend on the number of threads. */
tare_status tarei_clip_weights(const tare_plan *plan, const tarei_grams *grams, tare_clipping mode,
                               int threads, tare_stats *stats, tare_error *err);

#endif
