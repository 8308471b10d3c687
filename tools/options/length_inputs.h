/* Inputs that hold the length of another: as declared, or as the data show them. */
#ifndef TAREI_TOOLS_OPTIONS_LENGTH_INPUTS_H
#define TAREI_TOOLS_OPTIONS_LENGTH_INPUTS_H

#include "tools/options/options.h"

typedef struct length_inputs {
  tare_length_input *items;
  int n;
} length_inputs;

/* Takes those that were declared. Where samples are fitted and none were, it reads the data to find
 * some, and says which; `fits` is false where every sample runs as it is. Streams have none but
 * declared ones. */
tare_status length_inputs_choose(const opt_inputs *options, bool fits, const tare_port *inputs,
                                 int n_inputs, tare_dataset *const *datasets, int n_datasets,
                                 const tare_streaming *streaming, length_inputs *out,
                                 tare_error *err);
void length_inputs_fini(length_inputs *l);

/* Whether these options change any sample. */
bool opt_fit_changes(const opt_fit *options);

#endif
