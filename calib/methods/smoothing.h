/*
 * Smoothing (SmoothQuant: Xiao et al., 2022, arXiv:2211.10438; between layers it equalizes them:
 * Nagel et al., 2019, arXiv:1906.04721): the channels of a tensor get other scales, so that the
 * small ones have as many steps as the large ones. The noise that this takes from the tensor and
 * the noise that it adds to the weights are predicted from the ranges of the channels
 * (docs/numerics.md, "Smoothing").
 */
#ifndef TAREI_CALIB_METHODS_SMOOTHING_H
#define TAREI_CALIB_METHODS_SMOOTHING_H

#include "calib/methods/channels.h"
#include "calib/stats.h"

/* Decides for all tensors with ranges, and adds what it decided to the statistics, whose tensors
 * are in the order of the observable ones. The constants of the plan's graph change accordingly, so
 * that the plan is good only to read them. */
tare_status tarei_smooth_tensors(tare_plan *plan, const tarei_channels *channels,
                                 tare_smoothing mode, tare_stats *stats, tare_error *err);

#endif
