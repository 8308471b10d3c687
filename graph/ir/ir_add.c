/* What is added to a graph: values, nodes, inputs and outputs. */
#include "graph/ir/ir.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/ir/ir_internal.h"
#include "graph/op.h"

/* `exprs` of a body, or NULL for a graph of its own. */
static tarei_graph *new_graph(const char *const name, tarei_exprs *const exprs) {
  tarei_graph *const graph = tarei_calloc(1, sizeof *graph);
  if (!graph) {
    return NULL;
  }
  graph->is_body = exprs != NULL;
  graph->name = tarei_strdup(name);
  graph->producer = tarei_strdup("");
  graph->exprs = exprs ? exprs : tarei_exprs_new();
  if (!graph->name || !graph->producer || !graph->exprs) {
    tarei_graph_free(graph);
    return NULL;
  }
  return graph;
}

tarei_graph *tarei_graph_new(const char *const name) {
  tarei_graph *const graph = new_graph(name, NULL);
  if (graph) {
    tare_limits_init(&graph->limits);
  }
  return graph;
}

tarei_graph *tarei_graph_new_body(const tarei_graph *const around, const char *const name) {
  tarei_graph *const body = new_graph(name, around->exprs);
  if (body) {
    body->opset = around->opset;
    body->ir_version = around->ir_version;
    body->limits = around->limits;
  }
  return body;
}

tarei_graph *tarei_node_body(const tarei_node *const node, int body) {
  for (int i = 0; i < node->n_attrs; i++) {
    if (node->attrs[i].kind == TAREI_ATTR_GRAPH && body-- == 0) {
      return node->attrs[i].graph;
    }
  }
  return NULL;
}

tarei_graph *tarei_node_body_named(const tarei_node *const node, const char *const attribute) {
  const tarei_attr *const attr = tarei_attr_find(node, attribute);
  return attr && attr->kind == TAREI_ATTR_GRAPH ? attr->graph : NULL;
}

int tarei_graph_find_value(const tarei_graph *const graph, const char *const name) {
  for (int i = 0; i < graph->n_values; i++) {
    if (strcmp(graph->values[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

tare_status tarei_graph_name_values(const tarei_graph *const graph, tarei_names *const out,
                                    tare_error *const err) {
  if (!tarei_names_init(out, (size_t)graph->n_values)) {
    return tarei_fail_memory(err, "values of the model", (size_t)graph->n_values);
  }
  for (int v = 0; v < graph->n_values; v++) {
    if (tarei_names_find(out, graph->values[v].name) < 0) {
      tarei_names_add(out, graph->values[v].name, v);
    }
  }
  return TARE_OK;
}

/* Keeps a name in the table, where there is one. */
static bool keep_name(tarei_graph *const graph, const char *const name, const int index) {
  if (!graph->names.n_slots || tarei_names_find(&graph->names, name) >= 0) {
    return true;
  }
  if (!tarei_names_grow(&graph->names)) {
    return false;
  }
  tarei_names_add(&graph->names, name, index);
  return true;
}

/* Takes `name` over, also on failure. */
static int append_value(tarei_graph *const graph, char *const name) {
  if (!name || graph->n_values == INT32_MAX ||
      !TAREI_GROW(graph->values, graph->n_values, graph->cap_values) ||
      !keep_name(graph, name, graph->n_values)) {
    free(name);
    return -1;
  }
  tarei_value *const value = &graph->values[graph->n_values];
  *value = (tarei_value){
      .name = name, .dtype = TARE_DTYPE_NONE, .rank = -1, .producer = -1, .first_use = {-1, -1}};
  for (int i = 0; i < TARE_MAX_RANK; i++) {
    value->dims[i] = TAREI_EXPR_NONE;
  }
  return graph->n_values++;
}

int tarei_graph_add_value(tarei_graph *const graph, const char *const name) {
  return append_value(graph, tarei_strdup(name));
}

static bool make_names(tarei_graph *const graph) {
  if (graph->names.n_slots) {
    return true;
  }
  bool good = tarei_names_init(&graph->names, (size_t)graph->n_values + 1);
  for (int i = 0; good && i < graph->n_values; i++) {
    good = keep_name(graph, graph->values[i].name, i);
  }
  return good;
}

/* Length of what a generated name keeps of its base: names that are made from one another, node
 * after node, would else grow with the graph. No character of UTF-8 is cut. */
static int base_length(const char *const base) {
  enum { MOST = 1000 };
  size_t n = strnlen(base, MOST + 1);
  if (n > MOST) {
    for (n = MOST; n > 0 && (base[n] & 0xc0) == 0x80;) {
      n--;
    }
  }
  return (int)n;
}

/* The base itself where it is free, else the base with a number behind it. */
static char *unique_name(tarei_graph *const graph, const char *const base, const int first) {
  if (!make_names(graph)) {
    return NULL;
  }
  const int length = base_length(base);
  if (!base[length] && tarei_names_find(&graph->names, base) < 0) {
    return tarei_strdup(base);
  }
  const size_t size = (size_t)length + 24;
  char *const name = tarei_realloc(NULL, size);
  for (int i = first; name; i++) {
    (void)snprintf(name, size, "%.*s_%d", length, base, i);
    if (tarei_names_find(&graph->names, name) < 0) {
      break;
    }
  }
  return name;
}

int tarei_graph_add_unique(tarei_graph *const graph, const char *const name_base) {
  return append_value(graph, unique_name(graph, name_base, graph->n_values));
}

int tarei_graph_add_counted(tarei_graph *const graph, const char *const name_base) {
  return append_value(graph, unique_name(graph, name_base, 1));
}

int tarei_graph_add_value_like(tarei_graph *const graph, const char *const name_base,
                               const int like) {
  assert(like >= 0 && like < graph->n_values);
  const int index = tarei_graph_add_unique(graph, name_base);
  if (index < 0) {
    return -1;
  }
  const tarei_value *const from = &graph->values[like];
  tarei_value *const value = &graph->values[index];
  value->dtype = from->dtype;
  value->rank = from->rank;
  memcpy(value->dims, from->dims, sizeof value->dims);
  return index;
}

static bool fill_const(tarei_graph *const graph, tarei_value *const value, const tare_dtype dtype,
                       const int rank, const int64_t *const dims, const void *const data) {
  size_t bytes = tare_dtype_size(dtype);
  value->dtype = dtype;
  value->rank = rank;
  for (int i = 0; i < rank; i++) {
    assert(dims[i] >= 0);
    value->dims[i] = tarei_expr_const(graph->exprs, dims[i]);
    if (value->dims[i] == TAREI_EXPR_NONE || !tarei_mul_size(bytes, (size_t)dims[i], &bytes)) {
      return false;
    }
  }
  value->data = tarei_buffer_new(bytes);
  if (value->data && data && bytes) {
    memcpy(value->data->data, data, bytes);
  }
  return value->data != NULL;
}

int tarei_graph_add_const(tarei_graph *const graph, const char *const name_base,
                          const tare_dtype dtype, const int rank, const int64_t *const dims,
                          const void *const data) {
  assert(tare_dtype_size(dtype) > 0 && rank >= 0 && rank <= TARE_MAX_RANK);
  const int index = append_value(graph, unique_name(graph, name_base, graph->n_values));
  if (index < 0) {
    return -1;
  }
  if (!fill_const(graph, &graph->values[index], dtype, rank, dims, data)) {
    tarei_names_fini(&graph->names);
    tarei_value_fini(&graph->values[index]);
    graph->n_values--;
    return -1;
  }
  return index;
}

static char *default_node_name(const tarei_op *const op, const int index) {
  const size_t size = strlen(op->name) + 24;
  char *const name = tarei_realloc(NULL, size);
  if (name) {
    (void)snprintf(name, size, "%s_%d", op->name, index);
  }
  return name;
}

int tarei_graph_add_node(tarei_graph *const graph, const char *const op, const char *const domain,
                         const char *const name, const int opset, const int *const in,
                         const int n_in, const int *const out, const int n_out) {
  const int index = graph->n_nodes;
  tarei_node node = {.op = tarei_op_find(op, domain),
                     .number = tarei_exprs_new_owner(graph->exprs),
                     .opset = opset,
                     .n_in = n_in,
                     .n_out = n_out};
  assert(node.op && n_in >= 0 && n_out >= 0);
  node.name = name && *name ? tarei_strdup(name) : default_node_name(node.op, index);
  node.in = tarei_memdup(in, (size_t)n_in * sizeof *in);
  node.out = tarei_memdup(out, (size_t)n_out * sizeof *out);
  node.links = tarei_calloc((size_t)n_in, sizeof *node.links);
  if (!node.name || !node.in || !node.out || !node.links || index == INT32_MAX ||
      !TAREI_GROW(graph->nodes, graph->n_nodes, graph->cap_nodes)) {
    tarei_node_fini(&node);
    return -1;
  }
  for (int i = 0; i < n_out; i++) {
    assert(out[i] >= -1 && out[i] < graph->n_values);
    if (out[i] >= 0) {
      graph->values[out[i]].producer = index;
    }
  }
  graph->nodes[graph->n_nodes++] = node;
  tarei_uses_link_node(graph, index);
  return index;
}

static bool append_index(int **const list, int *const n, const int value) {
  int *const grown = tarei_realloc(*list, ((size_t)*n + 1) * sizeof *grown);
  if (!grown) {
    return false;
  }
  *list = grown;
  grown[(*n)++] = value;
  return true;
}

int tarei_graph_add_capture(tarei_graph *const body, const char *const name, const int node_input) {
  const int n = body->n_inputs - body->n_formal;
  int *const grown = tarei_realloc(body->captures, ((size_t)n + 1) * sizeof *grown);
  if (!grown) {
    return -1;
  }
  body->captures = grown;
  grown[n] = node_input;
  const int value = tarei_graph_add_value(body, name);
  if (value < 0 || !tarei_graph_mark_input(body, value)) {
    return -1;
  }
  body->values[value].observable = true;
  return value;
}

bool tarei_graph_mark_input(tarei_graph *const graph, const int value) {
  assert(value >= 0 && value < graph->n_values && !graph->values[value].is_input);
  graph->values[value].is_input = true;
  return append_index(&graph->inputs, &graph->n_inputs, value);
}

bool tarei_graph_mark_output(tarei_graph *const graph, const int value) {
  assert(value >= 0 && value < graph->n_values && !graph->values[value].is_output);
  graph->values[value].is_output = true;
  return append_index(&graph->outputs, &graph->n_outputs, value);
}
