/* Mutations that add several nodes which belong together: blind ones never meet by chance. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/mutate_onnx.h"

enum { FLOATS = 1, BYTES = 2, INTS = 7, BOOLS = 9, MOST_IN = 6, GRAPH_NAME = 24 };

static char *grow_name(void) {
  static unsigned made;
  char *const name = fuzz_arena(GRAPH_NAME);
  if (name) {
    snprintf(name, GRAPH_NAME, "grown_%u", made++);
  }
  return name ? name : (char *)"";
}

static void grow_initializer(Onnx__GraphProto *const g, char *const name, const int32_t type,
                             const int64_t *const dims, const size_t rank, const void *const data,
                             const size_t bytes) {
  Onnx__TensorProto *const t = fuzz_arena(sizeof *t);
  Onnx__TensorProto **const all = fuzz_grown(g->initializer, g->n_initializer, sizeof *all);
  int64_t *const own_dims = fuzz_arena(rank * sizeof *dims);
  uint8_t *const raw = fuzz_arena(bytes);
  if (!t || !all || !own_dims || !raw) {
    return;
  }
  onnx__tensor_proto__init(t);
  memcpy(own_dims, dims, rank * sizeof *dims);
  memcpy(raw, data, bytes);
  t->name = name;
  t->has_data_type = t->has_raw_data = 1;
  t->data_type = type;
  t->dims = own_dims;
  t->n_dims = rank;
  t->raw_data = (ProtobufCBinaryData){.len = bytes, .data = raw};
  all[g->n_initializer++] = t;
  g->initializer = all;
}

/* A constant of one to four small integers. */
static char *grow_ints(Onnx__GraphProto *const g) {
  static const int64_t values[] = {0, 1, -1, 2, 3, -2, 4, 7, 0, 1};
  int64_t ints[4];
  const int64_t n = 1 + fuzz_pick(4);
  for (int64_t i = 0; i < n; i++) {
    ints[i] = values[fuzz_pick(sizeof values / sizeof *values)];
  }
  char *const name = grow_name();
  grow_initializer(g, name, INTS, &n, 1, ints, (size_t)n * sizeof *ints);
  return name;
}

static char *grow_scalar(Onnx__GraphProto *const g, const int32_t type, const void *const data,
                         const size_t bytes) {
  char *const name = grow_name();
  grow_initializer(g, name, type, &(int64_t){0}, 0, data, bytes);
  return name;
}

static Onnx__NodeProto *grow_node(Onnx__GraphProto *const g, const char *const op,
                                  char *const *const in, const size_t n_in, char *const out) {
  Onnx__NodeProto *const node = fuzz_arena(sizeof *node);
  Onnx__NodeProto **const all = fuzz_grown(g->node, g->n_node, sizeof *all);
  char **const inputs = fuzz_arena(MOST_IN * sizeof *inputs);
  char **const outputs = fuzz_arena(sizeof *outputs);
  if (!node || !all || !inputs || !outputs) {
    return NULL;
  }
  onnx__node_proto__init(node);
  memcpy(inputs, in, n_in * sizeof *in);
  outputs[0] = out;
  node->op_type = (char *)op;
  node->input = inputs;
  node->n_input = n_in;
  node->output = outputs;
  node->n_output = 1;
  all[g->n_node++] = node;
  g->node = all;
  return node;
}

static Onnx__AttributeProto *grow_attribute(Onnx__NodeProto *const node, const char *const name,
                                            const int type) {
  Onnx__AttributeProto *const a = fuzz_arena(sizeof *a);
  Onnx__AttributeProto **const all = fuzz_grown(node->attribute, node->n_attribute, sizeof *all);
  if (!a || !all) {
    return NULL;
  }
  onnx__attribute_proto__init(a);
  a->name = (char *)name;
  a->has_type = 1;
  a->type = type;
  all[node->n_attribute++] = a;
  node->attribute = all;
  return a;
}

static void grow_integer(Onnx__NodeProto *const node, const char *const name, const int64_t value) {
  Onnx__AttributeProto *const a =
      node ? grow_attribute(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT) : NULL;
  if (a) {
    a->has_i = 1;
    a->i = value;
  }
}

static Onnx__ValueInfoProto *grow_port(char *const name, const int32_t type) {
  Onnx__ValueInfoProto *const port = fuzz_arena(sizeof *port);
  Onnx__TypeProto *const of = fuzz_arena(sizeof *of);
  Onnx__TypeProto__Tensor *const tensor = fuzz_arena(sizeof *tensor);
  if (!port || !of || !tensor) {
    return NULL;
  }
  onnx__value_info_proto__init(port);
  onnx__type_proto__init(of);
  onnx__type_proto__tensor__init(tensor);
  tensor->has_elem_type = 1;
  tensor->elem_type = type;
  of->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
  of->tensor_type = tensor;
  port->name = name;
  port->type = of;
  return port;
}

static void add_port(Onnx__ValueInfoProto ***const ports, size_t *const n, char *const name,
                     const int32_t type) {
  Onnx__ValueInfoProto *const port = grow_port(name, type);
  Onnx__ValueInfoProto **const all = fuzz_grown(*ports, *n, sizeof *all);
  if (port && all) {
    all[(*n)++] = port;
    *ports = all;
  }
}

/* A node by another name, which shares everything else. */
static Onnx__NodeProto *copy_of(const Onnx__NodeProto *const node) {
  Onnx__NodeProto *const copy = fuzz_arena(sizeof *copy);
  char **const inputs = fuzz_arena((node->n_input + 1) * sizeof *inputs);
  char **const outputs = fuzz_arena((node->n_output + 1) * sizeof *outputs);
  if (!copy || !inputs || !outputs) {
    return NULL;
  }
  *copy = *node;
  for (size_t i = 0; i < node->n_input; i++) {
    inputs[i] = node->input[i];
  }
  for (size_t i = 0; i < node->n_output; i++) {
    outputs[i] = grow_name();
  }
  copy->input = inputs;
  copy->output = outputs;
  return copy;
}

static bool append(Onnx__GraphProto *const g, Onnx__NodeProto *const node) {
  Onnx__NodeProto **const all = fuzz_grown(g->node, g->n_node, sizeof *all);
  if (all && node) {
    all[g->n_node++] = node;
    g->node = all;
  }
  return all && node;
}

/* A body with a copy of the node, whose first output is that of the body. */
static Onnx__GraphProto *grow_body(const Onnx__NodeProto *const node) {
  Onnx__GraphProto *const body = fuzz_arena(sizeof *body);
  Onnx__NodeProto *const copy = copy_of(node);
  if (!body || !copy || !copy->n_output) {
    return NULL;
  }
  onnx__graph_proto__init(body);
  body->name = (char *)"body";
  append(body, copy);
  add_port(&body->output, &body->n_output, copy->output[0], FLOATS);
  return body;
}

/* The outer node takes the place of one whose other outputs are lost. */
static bool take_place(Onnx__GraphProto *const g, Onnx__NodeProto *const of, const char *const op,
                       char *const *const in, const size_t n_in, Onnx__NodeProto **const outer) {
  *outer = of->n_output ? grow_node(g, op, in, n_in, of->output[0]) : NULL;
  if (*outer) {
    of->output[0] = grow_name();
  }
  return *outer;
}

static void set_body(Onnx__NodeProto *const node, const char *const name,
                     Onnx__GraphProto *const body) {
  Onnx__AttributeProto *const a =
      grow_attribute(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH);
  if (a) {
    a->g = body;
  }
}

static void wrap_in_if(Onnx__GraphProto *const g, Onnx__NodeProto *const node) {
  const uint8_t yes = fuzz_pick(2);
  Onnx__GraphProto *const bodies[] = {grow_body(node), grow_body(g->node[fuzz_pick(g->n_node)])};
  char *const condition = fuzz_pick(2) ? grow_scalar(g, BOOLS, &yes, 1) : fuzz_any_name(g);
  Onnx__NodeProto *outer;
  if (bodies[0] && bodies[1] && take_place(g, node, "If", &condition, 1, &outer)) {
    set_body(outer, "then_branch", bodies[0]);
    set_body(outer, "else_branch", bodies[1]);
  }
}

static void wrap_in_loop(Onnx__GraphProto *const g, Onnx__NodeProto *const node) {
  static const int64_t counts[] = {0, 1, 2, 3, 100, -1, INT64_MAX};
  const int64_t turns = counts[fuzz_pick(sizeof counts / sizeof *counts)];
  Onnx__GraphProto *const body = grow_body(node);
  if (!body || !node->n_input) {
    return;
  }
  char *const in[] = {fuzz_pick(4) ? grow_scalar(g, INTS, &turns, sizeof turns) : fuzz_any_name(g),
                      (char *)"", node->input[0]};
  char *const turn = grow_name(), *const go_on = grow_name(), *const carried = grow_name();
  add_port(&body->input, &body->n_input, turn, INTS);
  add_port(&body->input, &body->n_input, go_on, BOOLS);
  if (fuzz_pick(3)) { /* or its results are collected */
    add_port(&body->input, &body->n_input, carried, FLOATS);
    body->node[0]->input[0] = carried;
  }
  char *const condition = grow_name();
  grow_node(body, "Identity", &go_on, 1, condition);
  Onnx__ValueInfoProto *const result = body->output[0], *const first = grow_port(condition, BOOLS);
  body->n_output = 0;
  body->output = NULL;
  Onnx__ValueInfoProto **const outputs = fuzz_arena(2 * sizeof *outputs);
  Onnx__NodeProto *outer;
  if (outputs && first && take_place(g, node, "Loop", in, body->n_input == 3 ? 3 : 2, &outer)) {
    outputs[0] = first;
    outputs[1] = result;
    body->output = outputs;
    body->n_output = 2;
    set_body(outer, "body", body);
  }
}

static void wrap_in_scan(Onnx__GraphProto *const g, Onnx__NodeProto *const node) {
  Onnx__GraphProto *const body = grow_body(node);
  if (!body || !node->n_input) {
    return;
  }
  char *const row = grow_name();
  add_port(&body->input, &body->n_input, row, FLOATS);
  body->node[0]->input[0] = row;
  Onnx__NodeProto *outer;
  if (take_place(g, node, "Scan", node->input, 1, &outer)) {
    set_body(outer, "body", body);
    grow_integer(outer, "num_scan_inputs", 1);
  }
}

/* Q and DQ on an edge. */
static void quantize_edge(Onnx__GraphProto *const g, Onnx__NodeProto *const node) {
  static const float scales[] = {0.0078125f, 1, 0.1f, 1e-30f, 1e30f, 0, -1};
  if (!node->n_input) {
    return;
  }
  char **const edge = &node->input[fuzz_pick(node->n_input)];
  const uint8_t zero = fuzz_pick(3) ? 0 : 128;
  char *const scale = grow_scalar(g, FLOATS, &scales[fuzz_pick(7)], 4);
  char *const point = grow_scalar(g, fuzz_pick(2) ? BYTES : 3, &zero, 1);
  char *const quantized = grow_name(), *const back = grow_name();
  grow_node(g, "QuantizeLinear", (char *[]){*edge, scale, point}, 3, quantized);
  grow_node(g, "DequantizeLinear", (char *[]){quantized, scale, point}, 3, back);
  *edge = back;
}

/* x reshaped by what is computed from its shape. */
static void reshape_edge(Onnx__GraphProto *const g, Onnx__NodeProto *const node) {
  if (!node->n_input) {
    return;
  }
  char **const edge = &node->input[fuzz_pick(node->n_input)];
  char *const shape = grow_name(), *const some = grow_name(), *const all = grow_name(),
              *const back = grow_name();
  grow_node(g, "Shape", edge, 1, shape);
  grow_node(g, "Gather", (char *[]){shape, grow_ints(g)}, 2, some);
  grow_integer(grow_node(g, "Concat", (char *[]){some, grow_ints(g)}, 2, all), "axis", 0);
  static const char *const ops[] = {"Reshape", "Expand", "Tile", "ConstantOfShape"};
  const uint32_t op = fuzz_pick(4);
  grow_node(g, ops[op], op < 3 ? (char *[]){*edge, all} : (char *[]){all, NULL}, op < 3 ? 2 : 1,
            back);
  *edge = back;
}

/* x by an operator whose other operands are constants, or lengths known in the run alone. */
static void move_edge(Onnx__GraphProto *const g, Onnx__NodeProto *const node) {
  static const struct {
    const char *op;
    int constants;
  } moves[] = {
      {"Slice", 4},     {"Slice", 2},   {"Pad", 1},      {"Gather", 1},         {"Reshape", 1},
      {"Expand", 1},    {"Tile", 1},    {"TopK", 1},     {"Split", 1},          {"ReduceSum", 1},
      {"Unsqueeze", 1}, {"Squeeze", 1}, {"NonZero", 0},  {"Flatten", 0},        {"Transpose", 0},
      {"Shape", 0},     {"CumSum", 1},  {"Compress", 1}, {"GatherElements", 1}, {"ArgMax", 0}};
  if (!node->n_input) {
    return;
  }
  char **const edge = &node->input[fuzz_pick(node->n_input)];
  const uint32_t move = fuzz_pick(sizeof moves / sizeof *moves);
  char *in[MOST_IN] = {*edge};
  for (int i = 0; i < moves[move].constants; i++) {
    in[1 + i] = fuzz_pick(8) ? grow_ints(g) : fuzz_any_name(g);
  }
  char *const moved = grow_name();
  Onnx__NodeProto *const made =
      grow_node(g, moves[move].op, in, 1 + (size_t)moves[move].constants, moved);
  if (fuzz_pick(4) == 0) {
    grow_integer(made, "axis", (int64_t)fuzz_pick(4) - 1);
  }
  *edge = moved;
}

static void twin(Onnx__GraphProto *const g, Onnx__NodeProto *const node) {
  Onnx__NodeProto *const copy = copy_of(node), *const reader = g->node[fuzz_pick(g->n_node)];
  if (append(g, copy) && copy->n_output && reader->n_input) {
    reader->input[fuzz_pick(reader->n_input)] = copy->output[0];
  }
}

void fuzz_grow_graph(Onnx__GraphProto *const g) {
  static void (*const ways[])(Onnx__GraphProto *, Onnx__NodeProto *) = {
      wrap_in_if,   wrap_in_loop, wrap_in_scan, quantize_edge, quantize_edge,
      reshape_edge, move_edge,    move_edge,    twin};
  if (g->n_node) {
    ways[fuzz_pick(sizeof ways / sizeof *ways)](g, g->node[fuzz_pick(g->n_node)]);
  }
}
