/* The settings of a run, as its options, its model and its data have them. */
#ifndef TAREI_CALIB_PARTS_RUN_SETTINGS_H
#define TAREI_CALIB_PARTS_RUN_SETTINGS_H

#include <tare/calib.h>

#include "calib/parts/settings.h"

/* Names of what is decided about weights and channels, as in the options of the command. */
#define TAREI_SETTING_NORMS "batch-normalization"
#define TAREI_SETTING_ROUNDING "weight-rounding"
#define TAREI_SETTING_CLIPPING "weight-clipping"
#define TAREI_SETTING_CORRECTION "bias-correction"
#define TAREI_SETTING_SMOOTHING "smoothing"
#define TAREI_SETTING_WEIGHT "weight"

tare_status tarei_run_settings(const tare_model *model, const tare_dataset *dataset,
                               const tare_calibrate_options *options, tarei_settings *out,
                               tare_error *err);

/* Sets the decisions in options to those of settings; false if one of them is unknown. */
bool tarei_run_settings_decisions(const tarei_settings *settings, tare_calibrate_options *options);

#endif
