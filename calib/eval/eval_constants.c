#include "calib/eval/eval_constants.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "engine/observe/muted.h"
#include "shapes/number.h"

tare_status tarei_eval_constants_init(tarei_eval_constants *const c,
                                      const tare_plan *const reference, const int n_sides,
                                      const int n_outputs, tare_error *const err) {
  const size_t outputs = (size_t)n_outputs, all = (size_t)n_sides * outputs;
  *c = (tarei_eval_constants){.n_outputs = n_outputs,
                              .extents = tarei_calloc(all, sizeof *c->extents),
                              .bounds = tarei_calloc(all, sizeof *c->bounds),
                              .plain = tarei_calloc(all, sizeof *c->plain),
                              .muted = tarei_calloc(outputs, sizeof *c->muted),
                              .kept = tarei_calloc(outputs, sizeof *c->kept),
                              .suspect = tarei_calloc(outputs, sizeof *c->suspect),
                              .seen = tarei_calloc(1, sizeof *c->seen),
                              .is_mutable = reference && tarei_plan_is_mutable(reference)};
  return c->extents && c->bounds && c->plain && c->muted && c->kept && c->suspect && c->seen
             ? TARE_OK
             : tarei_fail_memory(err, "evaluation", all * sizeof *c->extents);
}

void tarei_eval_constants_fini(tarei_eval_constants *const c) {
  for (int o = 0; c->kept && o < c->n_outputs; o++) {
    tarei_kept_tensor_fini(&c->kept[o]);
  }
  free(c->extents);
  free(c->bounds);
  free(c->plain);
  free(c->muted);
  free(c->kept);
  free(c->suspect);
  free(c->seen);
  *c = (tarei_eval_constants){0};
}

static const tarei_fitted *fitted_of(const tarei_eval_runs *const r, const int s) {
  return r->fitted ? r->fitted : &r->sides[s].fitted;
}

static tare_status find_extents(tarei_eval_constants *const c, const tarei_eval_runs *const r,
                                tare_error *const err) {
  for (int s = 0; s < r->n_sides; s++) {
    for (int o = 0; o < c->n_outputs; o++) {
      TAREI_TRY(tarei_context_output_valid(r->sides[s].context, o, fitted_of(r, s)->valid,
                                           c->extents[s * c->n_outputs + o].of, err));
    }
  }
  return TARE_OK;
}

tarei_output_pair tarei_eval_constants_pair(const tarei_eval_constants *const c,
                                            const tarei_eval_runs *const r, const int s,
                                            const int o) {
  return (tarei_output_pair){
      .got = &r->sides[s].outputs[o],
      .want = &r->sides[r->reference].outputs[o],
      .muted = c->muted[o].data && !c->plain[s * c->n_outputs + o] ? &c->muted[o] : NULL,
      .got_extents = c->extents[s * c->n_outputs + o].of,
      .want_extents = c->extents[r->reference * c->n_outputs + o].of};
}

/* Whether an output has values to compare: other types and ranks are an error elsewhere. */
static bool is_real_pair(const tarei_output_pair *const pair) {
  return tarei_is_float(pair->got->dtype) && pair->got->dtype == pair->want->dtype &&
         pair->got->rank == pair->want->rank;
}

/* Sets the bound of a side, and says whether values of an output may be constants. */
static bool bound_side(tarei_eval_constants *const c, const tarei_eval_runs *const r, const int s,
                       const int o) {
  const int at = s * c->n_outputs + o;
  c->plain[at] = false;
  const tarei_output_pair pair = tarei_eval_constants_pair(c, r, s, o);
  c->bounds[at] = INFINITY;
  if (s == r->reference || !is_real_pair(&pair)) {
    return false;
  }
  tarei_sizes_forget(c->seen);
  tarei_pair_see(&pair, c->seen);
  if (!pair.muted && !tarei_sizes_suspect(c->seen)) {
    return false;
  }
  c->bounds[at] = tarei_sizes_bound(c->seen);
  c->plain[at] = isinf(c->bounds[at]) && !c->seen->passes;
  return true;
}

static bool bound_output(tarei_eval_constants *const c, const tarei_eval_runs *const r,
                         const int o) {
  bool any = false;
  for (int s = 0; s < r->n_sides; s++) {
    any |= bound_side(c, r, s, o);
  }
  return any;
}

/* The next run of the reference takes the memory of its outputs. */
static tare_status constants_keep_outputs(tarei_eval_constants *const c,
                                          tarei_eval_side *const reference, tare_error *const err) {
  for (int o = 0; o < c->n_outputs; o++) {
    TAREI_TRY(tarei_kept_tensor_set(&c->kept[o], &reference->outputs[o], err));
    reference->outputs[o] = c->kept[o].tensor;
  }
  return TARE_OK;
}

/* A model that cannot run so has no muted values. */
static tare_status run_muted(tarei_eval_constants *const c, const tarei_eval_runs *const r,
                             tare_error *const err) {
  tarei_eval_side *const reference = &r->sides[r->reference];
  const tarei_fitted *const fitted = fitted_of(r, r->reference);
  tare_error why = {0};
  TAREI_TRY(constants_keep_outputs(c, reference, err));
  const tare_status status = tarei_context_run_muted(
      reference->context, fitted->tensors, fitted->valid, fitted->profile, c->muted, &why);
  for (int o = 0; o < c->n_outputs; o++) {
    if (status != TARE_OK || !c->suspect[o] || !tarei_same_dims(&c->muted[o], &c->kept[o].tensor)) {
      c->muted[o].data = NULL;
    } else {
      (void)bound_output(c, r, o);
    }
  }
  return status == TARE_E_MEMORY ? tarei_fail(err, status, "%s", why.message) : TARE_OK;
}

tare_status tarei_eval_constants_find(tarei_eval_constants *const c, const tarei_eval_runs *const r,
                                      tare_error *const err) {
  bool any = false;
  TAREI_TRY(find_extents(c, r, err));
  if (r->reference < 0) {
    return TARE_OK;
  }
  for (int o = 0; o < c->n_outputs; o++) {
    c->muted[o].data = NULL;
    c->suspect[o] = bound_output(c, r, o);
    any = any || c->suspect[o];
  }
  return any && c->is_mutable ? run_muted(c, r, err) : TARE_OK;
}
