/* Symbols that a profile leaves out, and that are 1 in it. */
#ifndef TAREI_TOOLS_OPTIONS_MISSING_RANGES_H
#define TAREI_TOOLS_OPTIONS_MISSING_RANGES_H

#include "tools/options/options.h"

/* Warns of those that are lengths, not batches: axes behind the first of an input, or the only one. */
void missing_ranges_say(const opt_profiles *options, const opt_common *common,
                        const tare_profiles *profiles, const tare_port *inputs, int n_inputs);

#endif
