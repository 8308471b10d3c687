/*
 * Muted runs: layers of products give no more than their bias and what is added to them. What the
 * outputs then have is what no layer decides: constants of masks, and data that pass by.
 */
#ifndef TAREI_ENGINE_OBSERVE_MUTED_H
#define TAREI_ENGINE_OBSERVE_MUTED_H

#include "engine/context.h"

/* Whether a plan has muted runs: it has layers of products, but no loops, which may run as often as
 * one of them says. */
bool tarei_plan_is_mutable(const tare_plan *plan);

/*
 * As tarei_context_run_valid, with all layers muted. Steps that the outputs do not need are left
 * out, unless somebody watches the tensors. Outputs whose dims a layer decides may have others.
 * TARE_E_MEMORY, or what steps fail with where they do not expect such values.
 */
tare_status tarei_context_run_muted(tare_context *context, const tare_tensor *inputs,
                                    const int64_t *valid_symbols, int bucket, tare_tensor *outputs,
                                    tare_error *err);

#endif
