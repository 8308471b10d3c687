/* Inference across the border of a body. */
#include <string.h>

#include "graph/ops/ops_common.h"
#include "graph/pass.h"

tare_status tarei_ops_set_input(tarei_graph *const body, const int input, const tare_dtype dtype,
                                const tarei_shape *const shape, const tarei_expr *const contents,
                                const int n_contents, tare_error *const err) {
  const int index = body->inputs[input];
  tarei_value *const value = &body->values[index];
  value->dtype = dtype;
  value->rank = shape->rank;
  for (int d = 0; d < shape->rank; d++) {
    value->dims[d] = shape->dims[d];
  }
  return tarei_value_set_contents(body, index, contents, n_contents)
             ? TARE_OK
             : tarei_fail_memory(err, value->name, (size_t)n_contents * sizeof *contents);
}

/* Of a value of the graph around. */
static tare_status hand_in(tarei_graph *const graph, tarei_graph *const body, const int input,
                           const int outside, tare_error *const err) {
  const tarei_shape shape = tarei_ops_shape(&graph->values[outside]);
  int n = 0;
  const tarei_expr *const contents = tarei_value_contents(graph, outside, &n);
  return tarei_ops_set_input(body, input, graph->values[outside].dtype, &shape, contents,
                             contents ? n : 0, err);
}

/* What is constant outside has become so since the model was read, or by folding. */
static void make_constant(tarei_graph *const graph, const tarei_node *const node,
                          tarei_graph *const body, const int captured) {
  const int input = body->n_formal + captured, place = body->captures[captured];
  const tarei_value *const from = &graph->values[node->in[place]];
  tarei_value *const to = &body->values[body->inputs[input]];
  to->data = tarei_buffer_retain(from->data);
  to->is_input = false;
  tarei_graph_set_in(graph, (int)(node - graph->nodes), place, -1);
  body->n_inputs--;
  const size_t behind = (size_t)(body->n_inputs - input);
  memmove(&body->inputs[input], &body->inputs[input + 1], behind * sizeof *body->inputs);
  memmove(&body->captures[captured], &body->captures[captured + 1],
          behind * sizeof *body->captures);
}

tare_status tarei_ops_hand_captures(tarei_graph *const graph, tarei_node *const node,
                                    tarei_graph *const body, tare_error *const err) {
  body->equal = graph->equal;
  for (int i = 0; i < body->n_inputs - body->n_formal;) {
    const int outside = node->in[body->captures[i]];
    TAREI_TRY(hand_in(graph, body, body->n_formal + i, outside, err));
    if (graph->values[outside].data && !body->values[body->inputs[body->n_formal + i]].is_output) {
      make_constant(graph, node, body, i);
    } else {
      i++;
    }
  }
  return TARE_OK;
}

tare_status tarei_ops_body(const tarei_node *const node, const char *const name,
                           tarei_graph **const out, tare_error *const err) {
  *out = tarei_node_body_named(node, name);
  return *out ? TARE_OK : tarei_fail(err, TARE_E_MODEL, "attribute '%s' has no graph", name);
}
