#include <string.h>

#include "base/mem.h"
#include "graph/chains/form_chains.h"
#include "graph/passes/passes.h"
#include "graph/quantize/quantize.h"

#define TAREI_PASS(name) &tarei_pass_##name,
static const tarei_pass *const passes[] = {
#include "graph/passes/passes.inc"
};
#undef TAREI_PASS

enum { N_PASSES = sizeof passes / sizeof *passes, MAX_ROUNDS = 8 };

static tare_status run_and_tidy(tarei_graph *const graph, const tarei_pass *const pass,
                                const tarei_pass_options *const options, bool *const changed,
                                tare_error *const err) {
  TAREI_TRY(pass->run(graph, options, changed, err));
  if (!*changed) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_graph_compact(graph, err));
  TAREI_TRY(tarei_graph_infer(graph, err));
#ifndef NDEBUG
  tarei_graph_check(graph);
#endif
  return TARE_OK;
}

tare_status tarei_pass_run(tarei_graph *const graph, const tarei_pass *const pass,
                           const tarei_pass_options *const options, bool *const changed,
                           tare_error *const err) {
  *changed = false;
  const tare_status status = run_and_tidy(graph, pass, options, changed, err);
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "pass '%s'", pass->name);
}

static tare_status run_and_note(tarei_graph *const graph, const tarei_pass *const pass,
                                const tarei_pass_options *const options,
                                tarei_pass_notes *const notes, bool *const changed,
                                tare_error *const err) {
  TAREI_TRY(tarei_pass_run(graph, pass, options, changed, err));
  return *changed && options->log
             ? tarei_pass_notes_enter(notes, graph, pass->name, options->log, err)
             : TARE_OK;
}

static bool pass_is_skipped(const tarei_pass *const pass, const tarei_pass_options *const options) {
  return pass->removes_tensors && options->keep_all_tensors &&
         !(pass == &tarei_pass_fold_batchnorm && options->fold_norms);
}

static tare_status run_rounds(tarei_graph *const graph, const tarei_pass_options *const options,
                              tarei_pass_notes *const notes, tare_error *const err) {
  bool any = true;
  for (int round = 0; any && round < MAX_ROUNDS; round++) {
    any = false;
    for (int i = 0; i < N_PASSES; i++) {
      if (pass_is_skipped(passes[i], options)) {
        continue;
      }
      bool changed;
      TAREI_TRY(run_and_note(graph, passes[i], options, notes, &changed, err));
      any = any || changed;
    }
  }
  return TARE_OK;
}

static tare_status optimize(tarei_graph *const graph, const tarei_pass_options *const options,
                            tare_error *const err) {
  tarei_pass_notes notes = {0};
  TAREI_TRY(tarei_graph_compact(graph, err));
  tare_status status = options->log ? tarei_pass_notes_take(&notes, graph, err) : TARE_OK;
  status = status == TARE_OK ? run_rounds(graph, options, &notes, err) : status;
  tarei_pass_notes_fini(&notes);
  TAREI_TRY(status);
  for (int n = 0; n < graph->n_nodes; n++) {
    tarei_graph *body;
    for (int i = 0; (body = tarei_node_body(&graph->nodes[n], i)) != NULL; i++) {
      TAREI_TRY(optimize(body, options, err));
    }
  }
  return TARE_OK;
}

const char *tarei_pass_summary(const char *const name) {
  for (int i = 0; i < N_PASSES; i++) {
    if (strcmp(passes[i]->name, name) == 0) {
      return passes[i]->summary;
    }
  }
  static const tarei_pass *const later[] = {&tarei_pass_quantize, &tarei_pass_fuse_quantize,
                                            &tarei_pass_form_chains};
  for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
    if (strcmp(later[i]->name, name) == 0) {
      return later[i]->summary;
    }
  }
  return "";
}

/* What folding may make of constants: int8 weights become floats, and a few are there twice;
 * besides that one tensor of the largest size. */
static int64_t folding_room(const tarei_graph *const graph) {
  enum { GROWTH = 8 };
  int64_t bytes = 0;
  for (int i = 0; i < graph->n_values; i++) {
    bytes += graph->values[i].data ? (int64_t)graph->values[i].data->size : 0;
  }
  int64_t room;
  return tarei_add_i64(GROWTH * bytes, graph->limits.tensor, &room) ? room : INT64_MAX;
}

tare_status tarei_graph_optimize(tarei_graph *const graph, const tarei_pass_options *const options,
                                 tare_error *const err) {
  tarei_pass_options chosen = options ? *options : (tarei_pass_options){0};
  int64_t room = folding_room(graph);
  chosen.room = chosen.room ? chosen.room : &room;
  return optimize(graph, &chosen, err);
}
