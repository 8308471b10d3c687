#include "graph/passes/passes.h"

#define TARE_PASS(name) &tarei_pass_##name,
static const tarei_pass *const passes[] = {
#include "graph/passes/passes.inc"
};
#undef TARE_PASS

enum { N_PASSES = sizeof passes / sizeof *passes, MAX_ROUNDS = 8 };

static tare_status run_and_tidy(tarei_graph *const graph, const tarei_pass *const pass,
                                const tarei_pass_options *const options, bool *const changed,
                                tare_error *const err) {
  TARE_TRY(pass->run(graph, options, changed, err));
  if (!*changed) {
    return TARE_OK;
  }
  TARE_TRY(tarei_graph_compact(graph, err));
  TARE_TRY(tarei_graph_infer(graph, err));
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

tare_status tarei_graph_optimize(tarei_graph *const graph, const tarei_pass_options *const options,
                                 tare_error *const err) {
  static const tarei_pass_options defaults = {0};
  const tarei_pass_options *const chosen = options ? options : &defaults;
  bool any = true;
  TARE_TRY(tarei_graph_compact(graph, err));
  for (int round = 0; any && round < MAX_ROUNDS; round++) {
    any = false;
    for (int i = 0; i < N_PASSES; i++) {
      if (passes[i]->removes_tensors && chosen->keep_all_tensors) {
        continue;
      }
      bool changed;
      TARE_TRY(tarei_pass_run(graph, passes[i], chosen, &changed, err));
      any = any || changed;
    }
  }
  for (int n = 0; n < graph->n_nodes; n++) {
    tarei_graph *body;
    for (int i = 0; (body = tarei_node_body(&graph->nodes[n], i)) != NULL; i++) {
      TARE_TRY(tarei_graph_optimize(body, chosen, err));
    }
  }
  return TARE_OK;
}
