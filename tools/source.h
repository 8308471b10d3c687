/* Data for a model or plan, with what has to be carried and cut on the way. */
#ifndef TARE_TOOLS_SOURCE_H
#define TARE_TOOLS_SOURCE_H

#include "tools/options/options.h"

/* The ports of what is fed. */
typedef struct ports {
  const tare_port *inputs, *outputs;
  int n_inputs, n_outputs;
} ports;

ports ports_of_model(const tare_model *model);
ports ports_of_plan(const tare_plan *plan);

/* A streaming as the options say; NULL where they ask for none. */
tare_status streaming_new(const opt_streaming *options, const ports *p, tare_streaming **out,
                          tare_error *err);

/* Opens data. *streaming is NULL at first, and stays so where samples are runs; where the data lack
 * inputs that pair with outputs, these become states, which is said. */
tare_status source_open(const opt_streaming *options, const opt_data *data, const cli_list *paths,
                        const opt_common *common, const ports *p, tare_streaming **streaming,
                        tare_dataset **out, tare_error *err);

#endif
