/* The layers of models that are written for another engine. */
#ifndef TAREI_CALIB_TUNE_WRITTEN_H
#define TAREI_CALIB_TUNE_WRITTEN_H

#include <tare/tune.h>

#include "calib/tune/forms.h"

/* Lists the layers that are quantized without requests. `fp32` is the plan of the float model,
 * whose multiply-adds they share. */
tare_status tarei_written_find(const tare_raise_written *written, const tare_plan *fp32,
                               tarei_tune_layers *out, tare_error *err);

/* Notes which forms layers get by a request for all of them. */
tare_status tarei_written_learn(const tare_raise_written *written, const char *request,
                                tarei_tune_layers *layers, tare_error *err);

#endif
