#include "graph/chains/form_chains.h"

#include "graph/chains/chain_group.h"
#include "graph/passes/rewrite.h"

const tarei_pass tarei_pass_form_chains = {
    .name = "form_chains",
    .summary = "joins elementwise operators, so that what is between them stays in the cache"};

/* Whether a node with several operands makes the same without the Expand before operand k, because
 * another one has the whole shape. */
static bool needs_no_expand(const tarei_graph *const graph, const tarei_node *const node,
                            const int k) {
  const tarei_node *const expand = tarei_producer_is(graph, node->in[k], &tarei_op_expand);
  if (!expand || tarei_node_measures(graph, expand) ||
      (node->op == &tarei_op_prelu && k == 0 /* whose shape is that of the output */)) {
    return false;
  }
  for (int i = 0; i < node->n_in; i++) {
    if (i != k && tarei_values_same_shape(graph, node->in[i], node->out[0])) {
      return true;
    }
  }
  return false;
}

/* Operators that broadcast their operands read what is before an Expand. */
static void skip_expands(const tarei_chain_nodes *const f, bool *const changed) {
  tarei_graph *const graph = f->graph;
  for (int n = 0; n < graph->n_nodes; n++) {
    const tarei_node *const node = &graph->nodes[n];
    for (int k = 0; tarei_chain_can_link(f, n) && k < tarei_chain_operands_of(node); k++) {
      if (needs_no_expand(graph, node, k)) {
        tarei_graph_set_in(graph, n, k, tarei_producer(graph, node->in[k])->in[0]);
        *changed = true;
      }
    }
  }
}

static bool reads_slices(const tarei_chain_nodes *const f, const int index) {
  const tarei_node *const node = &f->graph->nodes[index];
  bool any = false;
  for (int k = 0; k < tarei_chain_operands_of(node); k++) {
    tarei_chain_slice slice;
    int whole;
    any |= tarei_chain_replaces_slice(f, node->in[k], &whole, &slice);
  }
  return any;
}

static tare_status form_chains_in(tarei_graph *const graph, bool *const changed,
                                  tare_error *const err) {
  tarei_chain_nodes f;
  tare_status status = tarei_chain_nodes_init(&f, graph, err);
  if (status == TARE_OK) {
    skip_expands(&f, changed);
  }
  for (int n = graph->n_nodes - 1; status == TARE_OK && n >= 0; n--) {
    if (!tarei_chain_can_link(&f, n)) {
      continue;
    }
    tarei_chain_group group = {n, 1, tarei_chain_links_of(&graph->nodes[n]), {n}};
    tarei_chain_group_grow(&f, &group);
    if (group.n > 1 || reads_slices(&f, n)) {
      *changed = true;
      status = tarei_chain_group_replace(&f, &group, err);
    }
  }
  tarei_chain_nodes_fini(&f);
  return status;
}

static tare_status form_chains_and_tidy(tarei_graph *const graph, tarei_pass_log *const log,
                                        tare_error *const err) {
  tarei_pass_notes notes = {0};
  bool changed = false;
  tare_status status;
  TAREI_TRY_GOTO(tarei_pass_notes_take(&notes, graph, err), done);
  TAREI_TRY_GOTO(form_chains_in(graph, &changed, err), done);
  if (changed) {
    TAREI_TRY_GOTO(tarei_graph_compact(graph, err), done);
    TAREI_TRY_GOTO(tarei_graph_infer(graph, err), done);
    status = tarei_pass_notes_enter(&notes, graph, tarei_pass_form_chains.name, log, err);
  }
done:
  tarei_pass_notes_fini(&notes);
  return status;
}

tare_status tarei_graph_form_chains(tarei_graph *const graph, tarei_pass_log *const log,
                                    tare_error *const err) {
  TAREI_TRY(form_chains_and_tidy(graph, log, err));
  for (int n = 0; n < graph->n_nodes; n++) {
    tarei_graph *body;
    for (int i = 0; (body = tarei_node_body(&graph->nodes[n], i)) != NULL; i++) {
      TAREI_TRY(tarei_graph_form_chains(body, log, err));
    }
  }
  return TARE_OK;
}
