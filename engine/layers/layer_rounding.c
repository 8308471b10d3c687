/* Weights whose scales and rounding are those of the table of a build, and biases for them. */

#include "engine/layers/layers.h"
#include "engine/layers/unused.h"
#include "graph/quantize/weights/round_weights.h"

tare_status tarei_plan_round_weights(tare_plan *const plan, const tare_build_options *const o,
                                     tare_error *const err) {
  if (!o->table) {
    return TARE_OK;
  }
  tarei_rounder rounder;
  tare_status status;
  TAREI_TRY_GOTO(
      tarei_rounder_init(&rounder, o->table, o->weight_rounding == TARE_ROUNDING_NEAREST, err),
      done);
  TAREI_TRY_GOTO(tarei_rounder_apply(&rounder, plan->root.graph, err), done);
  status = tarei_plan_keep_unused(plan, rounder.roundings.list, rounder.roundings.unused,
                                  &plan->unused_roundings, err);
  if (status == TARE_OK) {
    status = tarei_plan_keep_unused(plan, rounder.clippings.list, rounder.clippings.unused,
                                    &plan->unused_clippings, err);
  }
  if (status == TARE_OK) {
    status = tarei_plan_keep_unused(plan, rounder.means.list, rounder.means.unused,
                                    &plan->unused_corrections, err);
  }
done:
  tarei_rounder_fini(&rounder);
  return status;
}

int tare_plan_n_unused_roundings(const tare_plan *const plan) {
  return plan->unused_roundings.n;
}

const char *tare_plan_unused_rounding(const tare_plan *const plan, const int i) {
  if (!tarei_has_number(i, plan->unused_roundings.n)) {
    return NULL;
  }
  return plan->unused_roundings.names[i];
}

int tare_plan_n_unused_clippings(const tare_plan *const plan) {
  return plan->unused_clippings.n;
}

const char *tare_plan_unused_clipping(const tare_plan *const plan, const int i) {
  if (!tarei_has_number(i, plan->unused_clippings.n)) {
    return NULL;
  }
  return plan->unused_clippings.names[i];
}

int tare_plan_n_unused_corrections(const tare_plan *const plan) {
  return plan->unused_corrections.n;
}

const char *tare_plan_unused_correction(const tare_plan *const plan, const int i) {
  if (!tarei_has_number(i, plan->unused_corrections.n)) {
    return NULL;
  }
  return plan->unused_corrections.names[i];
}
