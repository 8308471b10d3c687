#undef NDEBUG /* who calls this wants it checked, in every build */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/ir/ir.h"
#include "graph/op.h"

static int compare_names(const void *const a, const void *const b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_names_unique(const tarei_graph *const graph) {
  const char **const names = tarei_calloc((size_t)graph->n_values, sizeof *names);
  if (!names) {
    return; /* nothing to look with; whoever makes something of the graph reports it */
  }
  for (int i = 0; i < graph->n_values; i++) {
    names[i] = graph->values[i].name;
    assert(names[i]);
  }
  qsort(names, (size_t)graph->n_values, sizeof *names, compare_names);
  for (int i = 1; i < graph->n_values; i++) {
    assert(strcmp(names[i - 1], names[i]) != 0);
  }
  free(names);
}

static void check_constant(const tarei_graph *const graph, const int index) {
  const tarei_value *const value = &graph->values[index];
  assert(value->producer < 0 && !value->is_input);
  const tare_tensor tensor = tarei_value_tensor(graph, index);
  const int64_t count = tare_tensor_count(&tensor);
  assert(count >= 0 && (size_t)count * tare_dtype_size(value->dtype) == value->data->size);
  (void)count;
}

static void check_quant(const tarei_quant *const quant) {
  assert(quant->n_scales >= 0 && (quant->n_scales == 0) == (quant->scales == NULL));
  for (int i = 0; i < quant->n_scales; i++) {
    assert(quant->scales[i] > 0 && isnormal(quant->scales[i]));
  }
}

static void check_value(const tarei_graph *const graph, const int index) {
  const tarei_value *const value = &graph->values[index];
  assert(value->rank >= -1 && value->rank <= TARE_MAX_RANK);
  assert(value->producer >= -1 && value->producer < graph->n_nodes);
  assert(!(value->is_input && value->producer >= 0));
  assert(value->dtype == TARE_DTYPE_NONE || tare_dtype_size(value->dtype) > 0);
  assert((value->n_contents == 0) || value->contents);
  check_quant(&value->quant);
  if (value->data) {
    check_constant(graph, index);
  }
}

static void check_node(const tarei_graph *const graph, const int index) {
  const tarei_node *const node = &graph->nodes[index];
  assert(node->name && node->in && node->out);
  for (int i = 0; i < node->n_in; i++) {
    assert(node->in[i] >= -1 && node->in[i] < graph->n_values);
    assert(node->in[i] < 0 || graph->values[node->in[i]].producer < index);
    assert(node->in[i] < 0 || graph->values[node->in[i]].producer >= 0 ||
           graph->values[node->in[i]].data || graph->values[node->in[i]].is_input);
  }
  for (int i = 0; i < node->n_out; i++) {
    assert(node->out[i] >= -1 && node->out[i] < graph->n_values);
    assert(node->out[i] < 0 || graph->values[node->out[i]].producer == index);
  }
}

/* Every input is in the list of the value that it reads, and nothing else is. */
static void check_uses(const tarei_graph *const graph) {
  int inputs = 0, uses = 0;
  for (int n = 0; n < graph->n_nodes; n++) {
    for (int i = 0; graph->nodes[n].op && i < graph->nodes[n].n_in; i++) {
      inputs += graph->nodes[n].in[i] >= 0;
    }
  }
  for (int v = 0; v < graph->n_values; v++) {
    int n = 0;
    tarei_use before = {-1, -1}, use = graph->values[v].first_use;
    for (; use.node >= 0; use = tarei_graph_next_use(graph, use)) {
      const tarei_node *const node = &graph->nodes[use.node];
      assert(node->op && use.input < node->n_in && node->in[use.input] == v);
      assert(node->links[use.input].before.node == before.node &&
             node->links[use.input].before.input == before.input);
      before = use;
      n++;
    }
    assert(n == graph->values[v].n_uses);
    uses += n;
  }
  assert(uses == inputs);
}

void tarei_graph_check(const tarei_graph *const graph) {
  check_names_unique(graph);
  for (int i = 0; i < graph->n_values; i++) {
    check_value(graph, i);
  }
  for (int i = 0; i < graph->n_nodes; i++) {
    if (graph->nodes[i].op) {
      check_node(graph, i);
    }
  }
  check_uses(graph);
  for (int i = 0; i < graph->n_inputs; i++) {
    assert(graph->values[graph->inputs[i]].is_input);
  }
  for (int i = 0; i < graph->n_outputs; i++) {
    assert(graph->values[graph->outputs[i]].is_output);
  }
}
