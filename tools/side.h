/* A plan to run, from a plan file or built on the spot from a model. */
#ifndef TAREI_TOOLS_SIDE_H
#define TAREI_TOOLS_SIDE_H

#include "tools/options/options.h"

typedef struct side {
  const char *path;
  tare_model *model; /* NULL for a plan file */
  tare_plan *plan;   /* NULL until built */
} side;

/* Loads a plan, or a model that is still to be built. */
tare_status side_load(const char *path, const opt_common *common, side *out, tare_error *err);
/* The same for a plan alone. */
tare_status side_load_plan(const char *path, const opt_common *common, side *out, tare_error *err);
void side_fini(side *s);

/* TARE_E_USAGE when options were given that only a model can heed, and this is a plan. */
/* Fixes inputs of the models among two sides, each in those that have it: a quantized model that
 * was written with an input fixed has it no more. */
tare_status side_set_inputs(side *a, side *b, const opt_model *options, tare_error *err);

tare_status side_refuse_options(const side *s, const opt_profiles *profiles, const opt_model *model,
                                const opt_common *common, tare_error *err);

int side_inputs(const side *s, const tare_port **ports);

/* Builds the float plan of a model; does nothing for a plan. */
tare_status side_build(side *s, const tare_profiles *profiles, const opt_common *common,
                       tare_error *err);

#endif
