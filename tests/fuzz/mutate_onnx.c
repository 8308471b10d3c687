/* Mutations of an ONNX model by its message: dims, element types, attributes, operators and the
 * edges between nodes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/harness.h"
#include "fuzz/mutate_onnx.h"
#include "graph/op.h"

enum { ARENA_BYTES = 16 << 20, MOST_GRAPHS = 64 };

static _Alignas(16) uint8_t arena[ARENA_BYTES];
static size_t arena_used;
static uint64_t state;

static void *arena_take(void *const user, const size_t size) {
  (void)user;
  const size_t n = (size + 15) & ~(size_t)15;
  if (n < size || n > ARENA_BYTES - arena_used) {
    return NULL;
  }
  void *const out = arena + arena_used;
  arena_used += n;
  return out;
}

static void arena_release(void *const user, void *const memory) {
  (void)user, (void)memory;
}

void *fuzz_arena(const size_t size) {
  return arena_take(NULL, size);
}

uint32_t fuzz_pick(const size_t n) {
  return fuzz_random(&state, (uint32_t)n);
}

int64_t fuzz_integer(const int64_t old) {
  static const int64_t numbers[] = {0,     -1,    2,         -2,        3,         7,        8,
                                    16,    33,    64,        65,        127,       256,      1000,
                                    65536, -1000, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
  switch (fuzz_pick(6)) {
    case 0:
      return (int64_t)((uint64_t)old + 1);
    case 1:
      return (int64_t)((uint64_t)old - 1);
    case 2:
      return (int64_t) - (uint64_t)old;
    case 3:
      return numbers[fuzz_pick(sizeof numbers / 8)];
    default:
      return fuzz_pick(6);
  }
}

float fuzz_real(void) {
  static const float reals[] = {0,     -0.0f,  1,        -1,        0.5f, 1e-40f,
                                1e38f, -1e38f, INFINITY, -INFINITY, NAN,  127};
  return reals[fuzz_pick(sizeof reals / sizeof *reals)];
}

static const int32_t types[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 0, 99};
static int32_t onnx_type(void) {
  return types[fuzz_pick(sizeof types / sizeof *types)];
}

void *fuzz_grown(const void *const items, const size_t n, const size_t size) {
  void *const out = fuzz_arena((n + 1) * size);
  if (out && n) {
    memcpy(out, items, n * size);
  }
  return out;
}

void fuzz_mutate_integers(int64_t **const items, size_t *const n) {
  const uint32_t what = fuzz_pick(4);
  if (what == 0 && *n) {
    (*n)--;
    return;
  }
  if (what == 1 || !*n) {
    int64_t *const more = fuzz_grown(*items, *n, sizeof **items);
    if (more) {
      more[*n] = fuzz_pick(5);
      *items = more;
      (*n)++;
    }
    return;
  }
  int64_t *const item = &(*items)[fuzz_pick(*n)];
  *item = fuzz_integer(*item);
}

static void mutate_raw(Onnx__TensorProto *const t) {
  const size_t size = t->data_type == 7 ? 8 : t->data_type == 1 || t->data_type == 6 ? 4 : 1;
  if (t->raw_data.len < size) {
    return;
  }
  uint8_t *const at = t->raw_data.data + fuzz_pick(t->raw_data.len / size) * size;
  int64_t x = 0;
  memcpy(&x, at, size);
  x = fuzz_integer(x);
  const float f = fuzz_real();
  memcpy(at, t->data_type == 1 ? (const void *)&f : &x, size);
}

/* Dims and as many bytes as they need: what is wrong then is behind the first checks. */
static void mutate_shape(Onnx__TensorProto *const t) {
  const size_t size = tare_dtype_size((tare_dtype)t->data_type);
  const uint32_t rank = fuzz_pick(4);
  int64_t *const dims = fuzz_arena(sizeof *dims * 4);
  if (!size || !dims) {
    return;
  }
  size_t bytes = size;
  for (uint32_t i = 0; i < rank; i++) {
    dims[i] = fuzz_pick(5);
    bytes *= (size_t)dims[i];
  }
  uint8_t *const raw = fuzz_arena(bytes + 1);
  if (!raw) {
    return;
  }
  const size_t have = t->has_raw_data ? t->raw_data.len : 0;
  for (size_t i = 0; i < bytes; i++) {
    raw[i] = have ? t->raw_data.data[i % have] : 0;
  }
  t->dims = dims;
  t->n_dims = rank;
  t->has_raw_data = 1;
  t->raw_data = (ProtobufCBinaryData){.len = bytes, .data = raw};
  t->n_float_data = t->n_int64_data = t->n_int32_data = t->n_double_data = t->n_uint64_data = 0;
}

static void mutate_tensor(Onnx__TensorProto *const t) {
  switch (fuzz_pick(6)) {
    case 0:
      fuzz_mutate_integers(&t->dims, &t->n_dims);
      break;
    case 1:
      t->has_data_type = 1;
      t->data_type = onnx_type();
      break;
    case 2:
      if (t->n_int64_data) {
        fuzz_mutate_integers(&t->int64_data, &t->n_int64_data);
      } else if (t->n_float_data) {
        t->float_data[fuzz_pick(t->n_float_data)] = fuzz_real();
      }
      break;
    case 3:
      mutate_shape(t);
      break;
    default:
      mutate_raw(t);
  }
}

static void mutate_attribute(Onnx__AttributeProto *const a) {
  if (a->n_ints) {
    fuzz_mutate_integers(&a->ints, &a->n_ints);
  } else if (a->t) {
    mutate_tensor(a->t);
  } else if (a->has_s && a->s.len) {
    a->s.data[fuzz_pick(a->s.len)] = (uint8_t) "abcAij.->,_ SAMEreflect"[fuzz_pick(23)];
  } else if (a->has_f) {
    a->f = fuzz_real();
  } else if (a->n_floats) {
    a->floats[fuzz_pick(a->n_floats)] = fuzz_real();
  } else if (a->has_i) {
    a->i = fuzz_integer(a->i);
  } else {
    a->has_type = 1;
    a->type = (int)fuzz_pick(15);
  }
}

char *fuzz_any_name(const Onnx__GraphProto *const g) {
  char *name = NULL;
  const uint32_t what = fuzz_pick(3);
  if (what == 0 && g->n_input) {
    name = g->input[fuzz_pick(g->n_input)]->name;
  } else if (what == 1 && g->n_initializer) {
    name = g->initializer[fuzz_pick(g->n_initializer)]->name;
  } else if (g->n_node) {
    const Onnx__NodeProto *const node = g->node[fuzz_pick(g->n_node)];
    name = node->n_output ? node->output[fuzz_pick(node->n_output)] : NULL;
  }
  return name ? name : (char *)"";
}

static void set_operator(Onnx__NodeProto *const node) {
  const tarei_op *const op = tarei_op_at((tarei_op_id)fuzz_pick(TAREI_OP_COUNT));
  node->op_type = (char *)op->name;
  node->domain = (char *)op->domain;
}

static void add_input(const Onnx__GraphProto *const g, Onnx__NodeProto *const node) {
  char **const all = fuzz_grown(node->input, node->n_input, sizeof *all);
  if (all) {
    all[node->n_input++] = fuzz_any_name(g);
    node->input = all;
  }
}

/* A node that reads one, in place of it for an output of the graph. */
static void add_node(Onnx__GraphProto *const g) {
  static unsigned made;
  Onnx__NodeProto *const node = fuzz_arena(sizeof *node);
  Onnx__NodeProto **const all = fuzz_grown(g->node, g->n_node, sizeof *all);
  char *const name = fuzz_arena(24), **const outputs = fuzz_arena(sizeof *outputs);
  if (!node || !all || !name || !outputs) {
    return;
  }
  onnx__node_proto__init(node);
  snprintf(name, 24, "added_%u", made++);
  outputs[0] = name;
  node->output = outputs;
  node->n_output = 1;
  set_operator(node);
  for (uint32_t i = 1 + fuzz_pick(3); i > 0; i--) {
    add_input(g, node);
  }
  all[g->n_node++] = node;
  g->node = all;
  if (g->n_output) {
    g->output[fuzz_pick(g->n_output)]->name = name;
  }
}

static void mutate_node(Onnx__GraphProto *const g, Onnx__NodeProto *const node) {
  switch (fuzz_pick(9)) {
    case 0:
    case 1:
      if (node->n_attribute) {
        mutate_attribute(node->attribute[fuzz_pick(node->n_attribute)]);
      }
      break;
    case 2:
      if (node->n_attribute) {
        node->attribute[fuzz_pick(node->n_attribute)] = node->attribute[node->n_attribute - 1];
        node->n_attribute--;
      }
      break;
    case 3:
      fuzz_add_attribute(node);
      break;
    case 4:
      set_operator(node);
      break;
    case 5:
      if (node->n_input) {
        node->input[fuzz_pick(node->n_input)] = fuzz_pick(3) ? fuzz_any_name(g) : (char *)"";
      }
      break;
    case 6:
      add_input(g, node);
      break;
    case 7:
      node->n_input -= node->n_input > 0;
      break;
    default:
      if (node->n_output) {
        node->output[fuzz_pick(node->n_output)] = fuzz_any_name(g);
      }
  }
}

static void mutate_dim(Onnx__TensorShapeProto__Dimension *const dim) {
  static const char *const symbols[] = {"n", "m", "batch", "n + 1", "~Loop_0.0", ""};
  if (fuzz_pick(3)) {
    dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
    dim->dim_value = fuzz_integer(3);
  } else {
    dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
    dim->dim_param = (char *)symbols[fuzz_pick(6)];
  }
}

static void mutate_port(const Onnx__ValueInfoProto *const port) {
  if (!port->type || port->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE) {
    return;
  }
  Onnx__TypeProto__Tensor *const type = port->type->tensor_type;
  Onnx__TensorShapeProto *const shape = type->shape;
  switch (fuzz_pick(4)) {
    case 0:
      type->has_elem_type = 1;
      type->elem_type = onnx_type();
      break;
    case 1:
      if (shape && shape->n_dim) {
        shape->n_dim--;
      }
      break;
    default:
      if (shape && shape->n_dim) {
        mutate_dim(shape->dim[fuzz_pick(shape->n_dim)]);
      }
  }
}

static void mutate_graph(Onnx__GraphProto *const g) {
  const uint32_t what = fuzz_pick(15);
  if (what > 11) {
    fuzz_grow_graph(g);
  } else if (what < 5 && g->n_node) {
    mutate_node(g, g->node[fuzz_pick(g->n_node)]);
  } else if (what < 7 && g->n_initializer) {
    mutate_tensor(g->initializer[fuzz_pick(g->n_initializer)]);
  } else if (what < 9 && g->n_input) {
    mutate_port(g->input[fuzz_pick(g->n_input)]);
  } else if (what == 9 && g->n_node > 1) {
    g->node[fuzz_pick(g->n_node)] = g->node[g->n_node - 1];
    g->n_node--;
  } else if (what == 10 && g->n_output) {
    g->output[fuzz_pick(g->n_output)]->name = fuzz_any_name(g);
  } else {
    add_node(g);
  }
}

static void collect_graphs(Onnx__GraphProto *const g, Onnx__GraphProto *all[MOST_GRAPHS],
                           size_t *const n) {
  if (*n == MOST_GRAPHS) {
    return;
  }
  all[(*n)++] = g;
  for (size_t i = 0; i < g->n_node; i++) {
    for (size_t k = 0; k < g->node[i]->n_attribute; k++) {
      if (g->node[i]->attribute[k]->g) {
        collect_graphs(g->node[i]->attribute[k]->g, all, n);
      }
    }
  }
}

/* Without the shapes that it states for results, those that follow from the mutation count. */
static void forget_shapes(const Onnx__GraphProto *const g) {
  for (size_t i = 0; i < g->n_output; i++) {
    const Onnx__TypeProto *const type = g->output[i]->type;
    if (type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE) {
      type->tensor_type->shape = NULL;
    }
  }
}

size_t fuzz_mutate_onnx(uint8_t *const data, const size_t size, const size_t most,
                        const unsigned seed) {
  state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
  arena_used = 0;
  ProtobufCAllocator allocator = {arena_take, arena_release, NULL};
  Onnx__ModelProto *const model =
      fuzz_pick(20) ? onnx__model_proto__unpack(&allocator, size, data) : NULL;
  if (!model || !model->graph) {
    static const fuzz_target none = {0};
    return fuzz_mutate_bytes(&none, data, size, most, seed);
  }
  for (uint32_t i = 1 + fuzz_pick(4); i > 0; i--) {
    Onnx__GraphProto *all[MOST_GRAPHS];
    size_t n = 0;
    collect_graphs(model->graph, all, &n);
    mutate_graph(all[fuzz_pick(n)]);
  }
  if (fuzz_pick(4)) {
    forget_shapes(model->graph);
  }
  if (fuzz_pick(20) == 0 && model->n_opset_import) {
    model->opset_import[0]->version = 1 + fuzz_pick(25);
  }
  const size_t packed = onnx__model_proto__get_packed_size(model);
  return packed && packed <= most ? onnx__model_proto__pack(model, data) : size;
}
