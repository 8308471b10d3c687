#include "random/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *need(void *const p) {
  if (!p) {
    fprintf(stderr, "random_graphs: out of memory\n");
    abort();
  }
  return p;
}

/* ---- tensors ---- */

size_t tensor_bytes(const tare_tensor *const t) {
  return (size_t)tare_tensor_count(t) * tare_dtype_size(t->dtype);
}

tare_tensor tensor_new(const tare_dtype dtype, const int rank, const int64_t *const dims) {
  tare_tensor t = {.dtype = dtype, .rank = rank};
  for (int d = 0; d < rank; d++) {
    t.dims[d] = dims[d];
  }
  t.data = need(calloc(1, tensor_bytes(&t) + 1));
  return t;
}

tare_tensor tensor_copy(const tare_tensor *const from) {
  tare_tensor t = tensor_new(from->dtype, from->rank, from->dims);
  if (tensor_bytes(from)) {
    memcpy(t.data, from->data, tensor_bytes(from));
  }
  return t;
}

bool same_dims(const tare_tensor *const a, const tare_tensor *const b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

/* ---- lists ---- */

static void append(void *const list, size_t *const n, void *const item) {
  void **grown;
  memcpy(&grown, list, sizeof grown);
  grown = need(realloc(grown, (*n + 1) * sizeof *grown));
  grown[(*n)++] = item;
  memcpy(list, &grown, sizeof grown);
}

static char *text(const char *const from) {
  return need(strdup(from));
}

/* ---- nodes ---- */

Onnx__NodeProto *node_message(const char *const op) {
  Onnx__NodeProto *const node = need(malloc(sizeof *node));
  onnx__node_proto__init(node);
  node->op_type = text(op);
  return node;
}

void node_add_input(Onnx__NodeProto *const node, const char *const name) {
  append(&node->input, &node->n_input, text(name));
}

void node_add_output(Onnx__NodeProto *const node, const char *const name) {
  append(&node->output, &node->n_output, text(name));
}

static Onnx__AttributeProto *attribute(Onnx__NodeProto *const node, const char *const name,
                                       const Onnx__AttributeProto__AttributeType type) {
  Onnx__AttributeProto *const a = need(malloc(sizeof *a));
  onnx__attribute_proto__init(a);
  a->name = text(name);
  a->has_type = 1;
  a->type = type;
  append(&node->attribute, &node->n_attribute, a);
  return a;
}

#define ATTRIBUTE(kind) attribute(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__##kind)

void node_set_int(Onnx__NodeProto *const node, const char *const name, const int64_t value) {
  Onnx__AttributeProto *const a = ATTRIBUTE(INT);
  a->has_i = 1;
  a->i = value;
}

void node_set_float(Onnx__NodeProto *const node, const char *const name, const float value) {
  Onnx__AttributeProto *const a = ATTRIBUTE(FLOAT);
  a->has_f = 1;
  a->f = value;
}

void node_set_text(Onnx__NodeProto *const node, const char *const name, const char *const value) {
  Onnx__AttributeProto *const a = ATTRIBUTE(STRING);
  a->has_s = 1;
  a->s.len = strlen(value);
  a->s.data = (uint8_t *)text(value);
}

void node_set_ints(Onnx__NodeProto *const node, const char *const name, const int64_t *const values,
                   const int n) {
  Onnx__AttributeProto *const a = ATTRIBUTE(INTS);
  a->n_ints = (size_t)n;
  a->ints = need(malloc(((size_t)n + 1) * sizeof *a->ints));
  memcpy(a->ints, values, (size_t)n * sizeof *values);
}

void node_set_floats(Onnx__NodeProto *const node, const char *const name, const float *const values,
                     const int n) {
  Onnx__AttributeProto *const a = ATTRIBUTE(FLOATS);
  a->n_floats = (size_t)n;
  a->floats = need(malloc(((size_t)n + 1) * sizeof *a->floats));
  memcpy(a->floats, values, (size_t)n * sizeof *values);
}

void node_set_graph(Onnx__NodeProto *const node, const char *const name,
                    Onnx__GraphProto *const value) {
  ATTRIBUTE(GRAPH)->g = value;
}

const Onnx__AttributeProto *node_attribute(const Onnx__NodeProto *const node,
                                           const char *const name) {
  for (size_t i = 0; i < node->n_attribute; i++) {
    if (strcmp(node->attribute[i]->name, name) == 0) {
      return node->attribute[i];
    }
  }
  return NULL;
}

/* ---- graphs ---- */

Onnx__GraphProto *graph_message(const char *const name) {
  Onnx__GraphProto *const graph = need(malloc(sizeof *graph));
  onnx__graph_proto__init(graph);
  graph->name = text(name);
  return graph;
}

void graph_add_node(Onnx__GraphProto *const graph, Onnx__NodeProto *const node) {
  append(&graph->node, &graph->n_node, node);
}

void graph_add_constant(Onnx__GraphProto *const graph, const char *const name,
                        const tare_tensor *const value) {
  Onnx__TensorProto *const t = need(malloc(sizeof *t));
  onnx__tensor_proto__init(t);
  t->name = text(name);
  t->has_data_type = 1;
  t->data_type = (int32_t)value->dtype;
  t->n_dims = (size_t)value->rank;
  t->dims = need(malloc(sizeof value->dims));
  memcpy(t->dims, value->dims, sizeof value->dims);
  t->has_raw_data = 1;
  t->raw_data.len = tensor_bytes(value);
  t->raw_data.data = need(malloc(t->raw_data.len + 1));
  memcpy(t->raw_data.data, value->data, t->raw_data.len);
  append(&graph->initializer, &graph->n_initializer, t);
}

static Onnx__TensorShapeProto *shape_message(const int rank, const int64_t *const dims,
                                             const char *const *const symbols) {
  Onnx__TensorShapeProto *const shape = need(malloc(sizeof *shape));
  onnx__tensor_shape_proto__init(shape);
  for (int d = 0; d < rank; d++) {
    Onnx__TensorShapeProto__Dimension *const dim = need(malloc(sizeof *dim));
    onnx__tensor_shape_proto__dimension__init(dim);
    if (symbols && symbols[d]) {
      dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
      dim->dim_param = text(symbols[d]);
    } else {
      dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
      dim->dim_value = dims[d];
    }
    append(&shape->dim, &shape->n_dim, dim);
  }
  return shape;
}

static Onnx__ValueInfoProto *port_message(const char *const name, const tare_dtype dtype) {
  Onnx__ValueInfoProto *const port = need(malloc(sizeof *port));
  onnx__value_info_proto__init(port);
  port->name = text(name);
  port->type = need(malloc(sizeof *port->type));
  onnx__type_proto__init(port->type);
  port->type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
  port->type->tensor_type = need(malloc(sizeof *port->type->tensor_type));
  onnx__type_proto__tensor__init(port->type->tensor_type);
  port->type->tensor_type->has_elem_type = 1;
  port->type->tensor_type->elem_type = (int32_t)dtype;
  return port;
}

void graph_add_input(Onnx__GraphProto *const graph, const char *const name, const tare_dtype dtype,
                     const int rank, const int64_t *const dims, const char *const *const symbols) {
  Onnx__ValueInfoProto *const port = port_message(name, dtype);
  if (rank >= 0) {
    port->type->tensor_type->shape = shape_message(rank, dims, symbols);
  }
  append(&graph->input, &graph->n_input, port);
}

void graph_set_scalar(Onnx__ValueInfoProto *const input) {
  input->type->tensor_type->shape = shape_message(0, NULL, NULL);
}

void graph_add_output(Onnx__GraphProto *const graph, const char *const name,
                      const tare_dtype dtype) {
  append(&graph->output, &graph->n_output, port_message(name, dtype));
}

/* Whether a graph, or one inside of it, reads a name. */
static bool node_reads(const Onnx__NodeProto *node, const char *name);

static bool graph_reads(const Onnx__GraphProto *const graph, const char *const name) {
  bool reads = false;
  for (size_t i = 0; i < graph->n_output && !reads; i++) {
    reads = strcmp(graph->output[i]->name, name) == 0;
  }
  for (size_t i = 0; i < graph->n_node && !reads; i++) {
    reads = graph->node[i] && node_reads(graph->node[i], name);
  }
  return reads;
}

static bool node_reads(const Onnx__NodeProto *const node, const char *const name) {
  bool reads = false;
  for (size_t i = 0; i < node->n_input && !reads; i++) {
    reads = strcmp(node->input[i], name) == 0;
  }
  for (size_t i = 0; i < node->n_attribute && !reads; i++) {
    reads = node->attribute[i]->g && graph_reads(node->attribute[i]->g, name);
  }
  return reads;
}

static bool node_is_read(const Onnx__GraphProto *const graph, const Onnx__NodeProto *const node) {
  bool read = false;
  for (size_t i = 0; i < node->n_output && !read; i++) {
    read = graph_reads(graph, node->output[i]);
  }
  return read;
}

void graph_prune(Onnx__GraphProto *const graph) {
  for (size_t i = graph->n_node; i-- > 0;) {
    if (!node_is_read(graph, graph->node[i])) {
      onnx__node_proto__free_unpacked(graph->node[i], NULL);
      graph->node[i] = NULL;
    }
  }
  size_t n = 0;
  for (size_t i = 0; i < graph->n_node; i++) {
    if (graph->node[i]) {
      graph->node[n++] = graph->node[i];
    }
  }
  graph->n_node = n;
  n = 0;
  for (size_t i = 0; i < graph->n_initializer; i++) {
    if (graph_reads(graph, graph->initializer[i]->name)) {
      graph->initializer[n++] = graph->initializer[i];
    } else {
      onnx__tensor_proto__free_unpacked(graph->initializer[i], NULL);
    }
  }
  graph->n_initializer = n;
}

/* ---- models ---- */

Onnx__ModelProto *model_message(Onnx__GraphProto *const graph, const int opset) {
  Onnx__ModelProto *const model = need(malloc(sizeof *model));
  onnx__model_proto__init(model);
  model->has_ir_version = 1;
  model->ir_version = 8;
  model->graph = graph;
  Onnx__OperatorSetIdProto *const set = need(malloc(sizeof *set));
  onnx__operator_set_id_proto__init(set);
  set->has_version = 1;
  set->version = opset;
  append(&model->opset_import, &model->n_opset_import, set);
  return model;
}

Onnx__ModelProto *model_clone(const Onnx__ModelProto *const model) {
  const size_t bytes = onnx__model_proto__get_packed_size(model);
  uint8_t *const data = need(malloc(bytes + 1));
  onnx__model_proto__pack(model, data);
  Onnx__ModelProto *const clone = need(onnx__model_proto__unpack(NULL, bytes, data));
  free(data);
  return clone;
}
