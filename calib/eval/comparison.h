/* The part of a comparison of tensors that the evaluation drives. */
#ifndef TAREI_CALIB_EVAL_COMPARISON_H
#define TAREI_CALIB_EVAL_COMPARISON_H

#include <tare/comparison.h>

#include "shapes/fit.h"

/* Watches the runs of two contexts, of which that of the plan runs first on each sample. n_levels:
 * those of the gain range, 0 without one. TARE_E_MEMORY */
tare_status tarei_comparison_attach(tare_comparison *comparison, tare_context *plan,
                                    tare_context *against, int n_levels, tare_error *err);

/* A muted run of the reference (engine/observe/muted.h) before its own: what no layer decides in
 * its tensors. A model that cannot run so has none. TARE_E_MEMORY */
tare_status tarei_comparison_mute(tare_comparison *comparison, tare_context *against,
                                  const tarei_fitted *fitted, tare_error *err);

/* Whether the comparison was made for these plans. */
bool tarei_comparison_is_of(const tare_comparison *comparison, const tare_plan *plan,
                            const tare_plan *against);

/* Discards what the current sample brought, or counts it at a level. */
void tarei_comparison_begin(tare_comparison *comparison);
void tarei_comparison_commit(tare_comparison *comparison, int level);

#endif
