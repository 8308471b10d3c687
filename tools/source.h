/* Data for a model or plan, and the states and chunks of a streaming one. */
#ifndef TAREI_TOOLS_SOURCE_H
#define TAREI_TOOLS_SOURCE_H

#include "tools/options/length_inputs.h"
#include "tools/options/options.h"

/* Inputs and outputs of the model or plan. */
typedef struct ports {
  const tare_port *inputs, *outputs;
  int n_inputs, n_outputs;
  int n_random; /* nodes that draw random numbers */
} ports;

ports ports_of_model(const tare_model *model);
ports ports_of_plan(const tare_plan *plan);

/* Makes a streaming from the options; NULL if they ask for none. */
tare_status streaming_new(const opt_streaming *options, const ports *p, tare_streaming **out,
                          tare_error *err);

/* Opens data that have all inputs. Along symbols, their tensors may have length 0. */
tare_status source_open_whole(const opt_data *data, const opt_common *common, const cli_list *paths,
                              const ports *p, tare_dataset **out, tare_error *err);

/* Inputs that the data lack and that pair with outputs, as states; NULL: the data have all inputs,
 * or lack others. */
tare_status source_find_states(const opt_data *data, const opt_common *common,
                               const cli_list *paths, const ports *p, tare_streaming **out,
                               tare_error *err);

/* Opens the data of the options. *streaming is NULL for the first data set of a model, and that of
 * the first call for another. If it is NULL, it is made as the options say; without options, inputs
 * that the data lack and that pair with outputs become states, which is reported. NULL afterwards:
 * a sample is a run. */
tare_status source_open(const opt_inputs *options, const ports *p, tare_streaming **streaming,
                        tare_dataset **out, tare_error *err);

/* Opens the data of the options again: the first `limit` samples, or fewer if the options say so,
 * without labels. Nothing is said of them. `streaming` is what source_open found; NULL: nothing. */
tare_status source_open_first(const opt_inputs *options, const ports *p, tare_streaming *streaming,
                              int64_t limit, tare_dataset **out, tare_error *err);

/* What calibrations and evaluations take from the options. */
tare_calibrate_options source_calibrate_options(const opt_inputs *options,
                                                const length_inputs *lengths,
                                                const tare_streaming *streaming);
tare_eval_options source_eval_options(const opt_inputs *options, const opt_metric *metric,
                                      const length_inputs *lengths,
                                      const tare_streaming *streaming);

#endif
