#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/refusals.h"
#include "base/str.h"
#include "engine/evaluate.h"
#include "engine/layers/layers.h"
#include "engine/lengths.h"
#include "engine/part.h"
#include "engine/plan.h"
#include "engine/plan_limits.h"
#include "engine/plan_ports.h"
#include "engine/plan_profiles.h"
#include "engine/sizes.h"
#include "graph/chains/form_chains.h"
#include "graph/fix_symbols.h"
#include "graph/model.h"
#include "graph/pass.h"
#include "graph/passes/convs/lone_convs.h"
#include "graph/quantize/levels.h"
#include "graph/quantize/never_negative.h"
#include "graph/quantize/output_types.h"
#include "graph/quantize/quantize.h"
#include "graph/quantize/weights/weight_types.h"
#include "graph/short_floats.h"
#include "graph/table/annotate.h"
#include "shapes/profiles.h"

void tare_build_options_init(tare_build_options *const options) {
  *options = (tare_build_options){0};
}

static tare_status quantize_and_note(tarei_graph *const graph,
                                     const tarei_quantize_options *const o, tare_error *const err) {
  tarei_pass_notes notes = {0};
  tare_status status = TARE_OK;
  TAREI_TRY_GOTO(tarei_pass_notes_take(&notes, graph, err), done);
  TAREI_TRY_GOTO(tarei_graph_quantize(graph, o, err), done);
  TAREI_TRY_GOTO(tarei_graph_compact(graph, err), done);
  TAREI_TRY_GOTO(tarei_graph_infer(graph, err), done);
  TAREI_TRY_GOTO(tarei_pass_notes_enter(&notes, graph, tarei_pass_quantize.name, o->log, err),
                 done);
  TAREI_TRY_GOTO(tarei_graph_fuse_quantize(graph, err), done);
  status = tarei_pass_notes_enter(&notes, graph, tarei_pass_fuse_quantize.name, o->log, err);
done:
  tarei_pass_notes_fini(&notes);
  return status;
}

static tare_status quantize_graph(tarei_graph *const graph, const tarei_quantize_options *const o,
                                  tare_error *const err) {
  tarei_quantize_options options = *o;
  int stated = 0;
  if (!o->build.fp32) {
    TAREI_TRY(tarei_graph_take_stated(graph, &stated, err));
  }
  options.int8 = o->int8 || stated > 0;
  options.stated_only = !o->int8;
  if (options.int8) {
    TAREI_TRY(tarei_graph_share_scales(graph, err));
    tarei_graph_expect_unsigned_rows(graph);
  }
  TAREI_TRY(tarei_output_types_mark(graph, o->requested, err));
  TAREI_TRY(tarei_weight_types_mark(graph, o->requested, err));
  TAREI_TRY(quantize_and_note(graph, &options, err));
  tarei_output_types_check(graph, o->requested);
  return tarei_weight_types_set(graph, o->requested, err);
}

static tare_status quantize_bodies(const tarei_graph *const graph,
                                   const tarei_quantize_options *const o, tare_error *const err) {
  for (int n = 0; n < graph->n_nodes; n++) {
    tarei_graph *body;
    for (int i = 0; (body = tarei_node_body(&graph->nodes[n], i)) != NULL; i++) {
      TAREI_TRY(quantize_graph(body, o, err));
      TAREI_TRY(quantize_bodies(body, o, err));
    }
  }
  return TARE_OK;
}

/* A table whose model is not known, such as TensorRT's cache, has the hash 0. */
static tare_status check_table(const tare_model *const model, const tare_build_options *const o,
                               tare_error *const err) {
  const uint64_t made = o->table ? tare_table_model_hash(o->table) : 0;
  const uint64_t given = model->graph->model_hash;
  return made == 0 || made == given || o->any_table
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE,
                          "the table was made for another model: it has hash %016" PRIx64
                          ", but '%s' has %016" PRIx64,
                          made, model->graph->name, given);
}

static tare_status quantize(tare_plan *const plan, const tare_build_options *const o,
                            tare_error *const err) {
  if (o->table) {
    TAREI_TRY(tarei_table_annotate(o->table, plan->root.graph, plan->profiles, err));
    TAREI_TRY(tarei_plan_smooth(plan, o, err));
    TAREI_TRY(tarei_graph_mark_levels(plan->root.graph, err));
  }
  tarei_graph_mark_never_negative(plan->root.graph);
  tarei_requested requested;
  const tarei_quantize_options options = {.build = *o,
                                          .requested = &requested,
                                          .profiles = plan->profiles,
                                          .int8 = o->table != NULL,
                                          .widens_bytes = tarei_isa_widens_bytes(plan->isa),
                                          .log = &plan->passes};
  tare_status status;
  TAREI_TRY_GOTO(tarei_requested_init(o, &requested, err), done);
  TAREI_TRY_GOTO(quantize_graph(plan->root.graph, &options, err), done);
  TAREI_TRY_GOTO(quantize_bodies(plan->root.graph, &options, err), done);
  TAREI_TRY_GOTO(tarei_requested_check(&requested, plan->root.graph, err), done);
  status = tarei_plan_round_weights(plan, o, err);
done:
  tarei_requested_fini(&requested);
  return status;
}

/* What is inside a chain is shown to nobody, nor are layers in a form without int8. */
static tare_status rewrite_last(tare_plan *const plan, const tare_build_options *const o,
                                tare_error *const err) {
  if (o->observable || plan->is_observed) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_graph_restore_lone_convs(plan->root.graph, &plan->passes, err));
  return tarei_graph_form_chains(plan->root.graph, &plan->passes, err);
}

/* Everything that changes the graph. */
static tare_status rewrite_graph(tare_plan *const plan, const tare_build_options *const o,
                                 tare_error *const err) {
  tarei_short_floats found;
  tarei_evaluation evaluation;
  tarei_evaluation_start(&evaluation, &plan->kernels);
  const tarei_pass_options passes = {.evaluate = tarei_evaluate,
                                     .evaluate_user = &evaluation,
                                     .keep_all_tensors = o->observable,
                                     .fold_norms = o->fold_norms,
                                     .log = &plan->passes};
  tare_status status;
  TAREI_TRY_GOTO(tarei_short_floats_find(plan->root.graph, &found, err), done);
  TAREI_TRY_GOTO(tarei_graph_optimize(plan->root.graph, &passes, err), done);
  TAREI_TRY_GOTO(quantize(plan, o, err), done);
  TAREI_TRY_GOTO(rewrite_last(plan, o, err), done);
  status = tarei_short_floats_note(&found, plan->root.graph, err);
done:
  tarei_short_floats_fini(&found);
  return status;
}

/* Whether a dim is zero whatever the lengths. */
static bool output_is_empty(const tarei_graph *const g, const int output) {
  const tarei_value *const v = &g->values[g->outputs[output]];
  for (int d = 0; d < v->rank; d++) {
    int64_t size;
    if (tarei_expr_is_const(g->exprs, v->dims[d], &size) && size == 0) {
      return true;
    }
  }
  return false;
}

/* A symbol may be zero in every profile, as the length of a past that there is not, unless that
 * leaves nothing to compute. */
static tare_status check_outputs(const tare_plan *const plan, const tarei_graph *const read,
                                 tare_error *const err) {
  const tarei_graph *const g = plan->root.graph;
  for (int o = 0; o < g->n_outputs; o++) {
    if (!output_is_empty(g, o) || output_is_empty(read, o)) {
      return TARE_OK;
    }
  }
  tarei_str zeros = {0};
  for (int s = 0; s < tare_profiles_n_symbols(plan->profiles); s++) {
    int64_t value;
    if (tarei_profiles_fix(plan->profiles, s, &value) && value == 0) {
      tarei_str_add(&zeros, "%s%s=0", zeros.length ? ", " : "",
                    tare_profiles_symbol(plan->profiles, s));
    }
  }
  const tare_status status =
      zeros.length
          ? tarei_fail(err, TARE_E_SHAPE, "every output is empty at %s: expected a larger maximum",
                       tarei_str_get(&zeros))
          : TARE_OK; /* it is empty at all lengths */
  tarei_str_free(&zeros);
  return status;
}

static tare_status plan_fill(tare_plan *const plan, const tare_model *const model,
                             const tare_profiles *const profiles, const tare_build_options *const o,
                             tare_error *const err) {
  if (tare_profiles_count(profiles) < 1) {
    return tarei_fail(err, TARE_E_USAGE, "a plan needs at least one profile");
  }
  TAREI_TRY(check_table(model, o, err));
  plan->observe_all = o->observable;
  TAREI_TRY(tarei_isa_read(o->isa, &plan->isa, err));
  TAREI_TRY(tarei_profiles_clone(profiles, &plan->profiles, err));
  TAREI_TRY(tarei_plan_make_inputs(plan, model->graph, err));
  TAREI_TRY(tarei_graph_decide(model->graph, &model->waits, profiles, &plan->root.graph, err));
  TAREI_TRY(check_outputs(plan, model->graph, err));
  tarei_kernels_select(plan->isa, &plan->kernels);
  TAREI_TRY(rewrite_graph(plan, o, err));
  TAREI_TRY(tarei_plan_finish(plan, err));
  TAREI_TRY(tarei_plan_check_limits(plan, 1 /* thread */, err));
  TAREI_TRY(tarei_plan_make_outputs(plan, err));
  return tarei_plan_describe_layers(plan, err);
}

tare_status tarei_plan_make(const tare_model *const model, const tare_profiles *const profiles,
                            const tare_build_options *const options, const bool is_observed,
                            tare_plan **const out, tare_error *const err) {
  tare_build_options defaults;
  tare_build_options_init(&defaults);
  *out = NULL;
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_build_options, options, err));
  tare_plan *plan = tarei_calloc(1, sizeof *plan);
  if (!plan) {
    return tarei_fail_memory(err, "plan", sizeof *plan);
  }
  plan->is_observed = is_observed;
  const unsigned refusals = tarei_refusals();
  const tare_status built = plan_fill(plan, model, profiles, options ? options : &defaults, err);
  const tare_status status = tarei_settle(refusals, built, model->graph->name, err);
  if (status != TARE_OK) {
    tare_plan_free(&plan);
    return status;
  }
  *out = plan;
  return TARE_OK;
}

static tare_status plan_fill_graph(tare_plan *const plan, const tare_model *const model,
                                   const tare_profiles *const profiles, const bool optimizes,
                                   tare_error *const err) {
  tare_build_options defaults;
  tare_build_options_init(&defaults);
  if (tare_profiles_count(profiles) < 1) {
    return tarei_fail(err, TARE_E_USAGE, "a plan needs at least one profile");
  }
  TAREI_TRY(tarei_isa_read(NULL, &plan->isa, err));
  TAREI_TRY(tarei_profiles_clone(profiles, &plan->profiles, err));
  TAREI_TRY(tarei_graph_decide(model->graph, &model->waits, profiles, &plan->root.graph, err));
  tarei_kernels_select(plan->isa, &plan->kernels);
  TAREI_TRY(optimizes ? rewrite_graph(plan, &defaults, err) : TARE_OK);
  plan->root.plan = plan;
  TAREI_TRY(tarei_plan_map_symbols(plan, err));
  return tarei_part_place(&plan->root, err);
}

tare_status tarei_plan_build_graph(const tare_model *const model,
                                   const tare_profiles *const profiles, const bool optimizes,
                                   tare_plan **const out, tare_error *const err) {
  *out = NULL;
  tare_plan *plan = tarei_calloc(1, sizeof *plan);
  if (!plan) {
    return tarei_fail_memory(err, "plan", sizeof *plan);
  }
  plan->is_observed = true; /* before operators become chains, whose names say little */
  const tare_status status = plan_fill_graph(plan, model, profiles, optimizes, err);
  if (status != TARE_OK) {
    tare_plan_free(&plan);
    return status;
  }
  *out = plan;
  return TARE_OK;
}

void tare_plan_free(tare_plan **const handle) {
  tare_plan *const plan = *handle;
  if (!plan) {
    return;
  }
  for (int i = 0; i < plan->n_strings; i++) {
    free(plan->strings[i]);
  }
  free(plan->strings);
  free(plan->unused_roundings.names);
  free(plan->unused_clippings.names);
  free(plan->unused_corrections.names);
  free(plan->unused_smoothings.names);
  free(plan->observables);
  free(plan->readers);
  tarei_plan_free_layers(plan);
  free(plan->inputs);
  free(plan->outputs);
  tarei_part_fini(&plan->root);
  tarei_sizes_fini(&plan->sizes);
  tarei_lengths_fini(&plan->lengths);
  free(plan->symbols);
  tarei_blobs_fini(&plan->blobs);
  tarei_graph_free(plan->root.graph);
  tare_profiles_free(&plan->profiles);
  free(plan);
  *handle = NULL;
}
