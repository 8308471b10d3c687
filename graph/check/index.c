/* Nodes and values of a message, and who reads what. */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "graph/check/check.h"

/* --- counts ----------------------------------------------------------------------------------- */

typedef struct index_counts {
  size_t nodes, values, uses;
} index_counts;

static void add_counts(const Onnx__GraphProto *const graph, index_counts *const n) {
  n->nodes += graph->n_node;
  n->values += graph->n_input + graph->n_initializer + graph->n_output;
  for (size_t i = 0; i < graph->n_node; i++) {
    const Onnx__NodeProto *const node = graph->node[i];
    n->values += node->n_output + node->n_input;
    n->uses += node->n_input;
    for (size_t a = 0; a < node->n_attribute; a++) {
      if (node->attribute[a]->g) {
        add_counts(node->attribute[a]->g, n);
      }
    }
  }
}

/* --- values ----------------------------------------------------------------------------------- */

static tarei_check_value *value_named(tarei_check *const c, const char *const name) {
  int v = tarei_names_find(&c->names, name);
  if (v < 0) {
    v = c->n_values++;
    c->values[v] = (tarei_check_value){.name = name, .producer = -1};
    tarei_names_add(&c->names, name, v);
  }
  return &c->values[v];
}

/* The tensor of a Constant node, or NULL. */
static const Onnx__TensorProto *tensor_of_constant(const Onnx__NodeProto *const node) {
  if (strcmp(tarei_onnx_text(node->op_type), "Constant") != 0 || node->n_attribute == 0) {
    return NULL;
  }
  return node->attribute[0]->t;
}

static void index_node(tarei_check *const c, const Onnx__NodeProto *const node) {
  const int number = c->n_nodes++;
  c->nodes[number] = node;
  for (size_t o = 0; o < node->n_output; o++) {
    if (*tarei_onnx_text(node->output[o])) {
      tarei_check_value *const value = value_named(c, node->output[o]);
      value->producer = value->producer < 0 ? number : value->producer;
      value->constant = value->constant ? value->constant : tensor_of_constant(node);
    }
  }
  for (size_t i = 0; i < node->n_input; i++) {
    if (*tarei_onnx_text(node->input[i])) {
      value_named(c, node->input[i])->n_uses++;
    }
  }
}

static void index_graph(tarei_check *const c, const Onnx__GraphProto *const graph) {
  for (size_t i = 0; i < graph->n_initializer; i++) {
    const Onnx__TensorProto *const tensor = graph->initializer[i];
    if (*tarei_onnx_text(tensor->name)) {
      tarei_check_value *const value = value_named(c, tensor->name);
      value->constant = value->constant ? value->constant : tensor;
    }
  }
  for (size_t i = 0; i < graph->n_output; i++) {
    if (*tarei_onnx_text(graph->output[i]->name)) {
      value_named(c, graph->output[i]->name)->is_output = true;
    }
  }
  for (size_t i = 0; i < graph->n_node; i++) {
    const Onnx__NodeProto *const node = graph->node[i];
    index_node(c, node);
    for (size_t a = 0; a < node->n_attribute; a++) {
      if (node->attribute[a]->g) {
        index_graph(c, node->attribute[a]->g);
      }
    }
  }
}

/* --- uses ------------------------------------------------------------------------------------- */

static void index_uses(tarei_check *const c) {
  int next = 0;
  for (int v = 0; v < c->n_values; v++) {
    c->values[v].first_use = next;
    next += c->values[v].n_uses;
    c->values[v].n_uses = 0;
  }
  for (int n = 0; n < c->n_nodes; n++) {
    for (size_t i = 0; i < c->nodes[n]->n_input; i++) {
      const int v = tarei_check_input(c, n, i);
      if (v >= 0) {
        tarei_check_value *const value = &c->values[v];
        c->uses[value->first_use + value->n_uses++] = (tarei_check_use){n, (int)i};
      }
    }
  }
}

tare_status tarei_check_index(tarei_check *const c, const tare_limits *const limits,
                              tare_error *const err) {
  index_counts n = {0};
  add_counts(c->file.model->graph, &n);
  if (n.nodes > (size_t)limits->nodes) {
    return tarei_fail_limit(err, limits, TAREI_LIMIT_nodes, (int64_t)n.nodes, "the model has");
  }
  c->nodes = tarei_calloc(n.nodes, sizeof *c->nodes);
  c->quantizer_of = tarei_calloc(n.nodes, sizeof *c->quantizer_of);
  c->values = tarei_calloc(n.values, sizeof *c->values);
  c->uses = tarei_calloc(n.uses, sizeof *c->uses);
  if (!c->nodes || !c->quantizer_of || !c->values || !c->uses ||
      !tarei_names_init(&c->names, n.values)) {
    return tarei_fail_memory(err, "names of the model", n.values);
  }
  index_graph(c, c->file.model->graph);
  index_uses(c);
  return TARE_OK;
}

void tarei_check_index_fini(tarei_check *const c) {
  free(c->nodes);
  free(c->quantizer_of);
  free(c->values);
  free(c->uses);
  tarei_names_fini(&c->names);
}

/* --- questions -------------------------------------------------------------------------------- */

int tarei_check_input(const tarei_check *const c, const int node, const size_t i) {
  const Onnx__NodeProto *const proto = c->nodes[node];
  const char *const name = i < proto->n_input ? tarei_onnx_text(proto->input[i]) : "";
  return *name ? tarei_names_find(&c->names, name) : -1;
}

int tarei_check_output(const tarei_check *const c, const int node, const size_t i) {
  const Onnx__NodeProto *const proto = c->nodes[node];
  const char *const name = i < proto->n_output ? tarei_onnx_text(proto->output[i]) : "";
  return *name ? tarei_names_find(&c->names, name) : -1;
}

int tarei_check_producer(const tarei_check *const c, const int node, const size_t i) {
  const int value = tarei_check_input(c, node, i);
  return value < 0 ? -1 : c->values[value].producer;
}

const char *tarei_check_op(const tarei_check *const c, const int node) {
  return tarei_onnx_text(c->nodes[node]->op_type);
}

const char *tarei_check_name(const tarei_check *const c, const int node) {
  const Onnx__NodeProto *const proto = c->nodes[node];
  const char *const name = tarei_onnx_text(proto->name);
  return *name || !proto->n_output ? name : tarei_onnx_text(proto->output[0]);
}

bool tarei_check_is(const tarei_check *const c, const int node, const char *const op) {
  return strcmp(tarei_check_op(c, node), op) == 0;
}

bool tarei_check_is_any(const tarei_check *const c, const int node, const char *const *const ops) {
  for (int i = 0; ops[i]; i++) {
    if (tarei_check_is(c, node, ops[i])) {
      return true;
    }
  }
  return false;
}

bool tarei_check_moves(const tarei_check *const c, const int node) {
  static const char *const MOVES[] = {"MaxPool", "Reshape", "Transpose", "Squeeze", "Unsqueeze",
                                      "Slice",   "Flatten", "Identity",  NULL};
  return tarei_check_is_any(c, node, MOVES);
}

bool tarei_check_bounds(const tarei_check *const c, const int node) {
  static const char *const BOUNDS[] = {"Clip", "Relu", "Min", "Max", NULL};
  return tarei_check_is_any(c, node, BOUNDS);
}

bool tarei_check_takes_integers(const tarei_check *const c, const int node) {
  static const char *const INTEGERS[] = {"DequantizeLinear",
                                         "MatMulInteger",
                                         "ConvInteger",
                                         "QGemm",
                                         "Cast",
                                         "Concat",
                                         "Gather",
                                         "Split",
                                         "Pad",
                                         "Expand",
                                         "Tile",
                                         "If",
                                         "Loop",
                                         "Scan",
                                         "Resize",
                                         "GatherND",
                                         "Where",
                                         "ArgMax",
                                         "MatMulNBits",
                                         "MatMulIntegerToFloat",
                                         "QAttention",
                                         "QEmbedLayerNormalization",
                                         NULL};
  return strncmp(tarei_check_op(c, node), "QLinear", 7) == 0 || tarei_check_moves(c, node) ||
         tarei_check_is_any(c, node, INTEGERS);
}
