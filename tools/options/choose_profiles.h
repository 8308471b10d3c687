/* Profiles: where they come from when a command needs some. */
#ifndef TAREI_TOOLS_OPTIONS_CHOOSE_PROFILES_H
#define TAREI_TOOLS_OPTIONS_CHOOSE_PROFILES_H

#include "tools/options/lengths.h"

/* Takes those at which a model cannot run out of what was read, whose samples are bad: of this data
 * set from now on, which is read to its end again where there are some. */
tare_status lengths_judge(lengths *l, const opt_data *data, const tare_model *model,
                          tare_dataset *dataset, tare_error *err);

/* Profiles for a model: what the user gave, else a copy of `other` where its symbols are those of
 * the model, else one profile from the data sets, which is said on stderr. */
tare_status profiles_choose(const opt_profiles *options, const opt_common *common,
                            const tare_port *inputs, int n_inputs, const tare_profiles *other,
                            tare_dataset *const *datasets, int n_datasets, tare_profiles **out,
                            tare_error *err);

/* The same for what a command was given. A profile from the data holds lengths at which the model
 * (NULL: it is not known) can run: the other samples are refused, or as the options say. */
tare_status profiles_choose_for(const opt_inputs *in, const tare_model *model,
                                const tare_port *inputs, int n_inputs, const tare_profiles *other,
                                tare_dataset *const *datasets, int n_datasets,
                                tare_streaming *streaming /* NULL: none */, tare_profiles **out,
                                tare_error *err);

#endif
