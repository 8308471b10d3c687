/* The evaluation of `tare compare`: the float plan and all strategies over one pass of the data. */
#ifndef TAREI_TOOLS_COMPARE_COMPARE_EVAL_H
#define TAREI_TOOLS_COMPARE_COMPARE_EVAL_H

#include "tools/compare/compare_budget.h"
#include "tools/compare/resume/kept.h"

typedef struct compare_eval {
  const opt_common *common;
  const tare_model *model;
  const char *model_path;
  const opt_model *sets; /* values of inputs, for models of the user */
  const tare_profiles *profiles;
  tare_dataset *data;
  const tare_build_options *build; /* as given */
  tare_eval_options eval;          /* without a reference */
  compare_budget *budget;
  const kept *kept; /* where results are kept as soon as they are there */
} compare_eval;

/* Builds the plan of a table (NULL: the float plan) in a form of compare_precisions.h. */
tare_status compare_build(const compare_eval *e, const tare_table *table, int precision,
                          tare_plan **plan, tare_error *err);

enum { COMPARE_ALL_PASSES = -1 };

/* Fills the results of the float plan and of the strategies of a calibration (files of the user
 * belong to the first one), or of all, that have a table and are not done. One that cannot be built
 * is noted, and the others go on. Plans stand side by side as far as memory and the budget allow;
 * what is left takes another pass. A signal ends it, which is no error: strategies are done or not.
 */
tare_status compare_evaluate(const compare_eval *e, grid *g, int pass, tare_error *err);

#endif
