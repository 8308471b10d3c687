/* Operators that work element by element or along axes. */
#include <stdlib.h>
#include <string.h>

#include "random/operators.h"

value *form_unary(maker *const m, const operator_row *const row) {
  const bool matrix = strcmp(row->op, "EyeLike") == 0;
  value *const v = choose(m, row->types, matrix ? 2 : 0, matrix ? 2 : 8, NULL, NULL);
  return v ? apply(m, row->op, v, NULL) : NULL;
}

typedef struct pair {
  const value *a;
} pair;

static bool broadcasts(const value *const v, const void *const with) {
  const value *const a = ((const pair *)with)->a;
  bool ok = v->dtype == a->dtype;
  for (int l = 0; l < MAX_LENGTHS && ok; l++) {
    const int n = v->rank < a->rank ? v->rank : a->rank;
    for (int d = 1; d <= n; d++) {
      const int64_t x = v->at[l]->dims[v->rank - d], y = a->at[l]->dims[a->rank - d];
      ok &= x == y || x == 1 || y == 1;
    }
  }
  return ok;
}

/* A constant that broadcasts with v without making it larger. */
static const char *beside(maker *const m, const value *const v, const bool positive) {
  int64_t dims[TARE_MAX_RANK];
  const int rank = (int)pick(m, v->rank + 1);
  for (int d = 0; d < rank; d++) {
    const int64_t dim = fixed_dim(v, v->rank - rank + d);
    dims[d] = dim > 0 && !chance(m, 3) ? dim : 1;
  }
  if (v->dtype == TARE_F32) {
    return constant_floats(m, rank, dims, positive ? 0.5f : -1.5f, 1.5f);
  }
  const tare_tensor t = tensor_new(v->dtype, rank, dims);
  const size_t width = tare_dtype_size(v->dtype);
  for (int64_t i = 0; i < tare_tensor_count(&t); i++) {
    const int64_t number = v->dtype == TARE_BOOL ? pick(m, 2) : 1 + pick(m, 4);
    memcpy((char *)t.data + (size_t)i * width, &number, width);
  }
  const char *const name = constant_of(m, &t);
  free(t.data);
  return name;
}

value *form_binary(maker *const m, const operator_row *const row) {
  value *const a = choose(m, row->types, 0, 6, NULL, NULL);
  if (!a) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  const bool swapped = chance(m, 2);
  value *const b = chance(m, 3) ? NULL : choose(m, row->types, 0, 6, broadcasts, &(pair){a});
  if (swapped && b) {
    add_operand(node, b);
  } else if (swapped) {
    node_add_input(node, beside(m, a, false));
  }
  add_operand(node, a);
  if (!swapped && b) {
    add_operand(node, b);
  } else if (!swapped) {
    node_add_input(node, beside(m, a, false));
  }
  add_results(m, node, 1);
  return keep(m, node, false);
}

value *form_by_constant(maker *const m, const operator_row *const row) {
  value *const a = choose(m, row->types, 0, 6, NULL, NULL);
  if (!a) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, a);
  if (strcmp(row->op, "Pow") == 0 && chance(m, 2)) {
    const tare_tensor two = {TARE_F32, 0, {0}, &(float){2}};
    node_add_input(node, constant_of(m, &two));
  } else {
    node_add_input(node, beside(m, a, true));
  }
  add_results(m, node, 1);
  return keep(m, node, false);
}

value *form_where(maker *const m, const operator_row *const row) {
  value *const a = choose(m, row->types, 0, 5, NULL, NULL);
  value *const b = a ? choose(m, row->types, 0, 5, broadcasts, &(pair){a}) : NULL;
  if (!b) {
    return NULL;
  }
  const value as_bool = {.dtype = TARE_BOOL, .rank = a->rank};
  value like = as_bool;
  memcpy(like.at, a->at, sizeof like.at);
  value *const condition = choose(m, BOOLS, 0, 5, broadcasts, &(pair){&like});
  Onnx__NodeProto *const node = node_message(row->op);
  if (condition && !chance(m, 4)) {
    add_operand(node, condition);
  } else {
    node_add_input(node, beside(m, &like, false));
  }
  add_operand(node, a);
  if (chance(m, 3)) {
    node_add_input(node, beside(m, a, false));
  } else {
    add_operand(node, b);
  }
  add_results(m, node, 1);
  return keep(m, node, false);
}

value *form_clip(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 0, 8, NULL, NULL);
  if (!v) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  node_add_input(node, chance(m, 3) ? "" : constant_floats(m, 0, NULL, -1, 0));
  node_add_input(node, constant_floats(m, 0, NULL, 0.5f, 2));
  add_results(m, node, 1);
  return keep(m, node, false);
}

value *form_cast(maker *const m, const operator_row *const row) {
  static const tare_dtype to[] = {TARE_F32, TARE_F32, TARE_I64, TARE_I32, TARE_BOOL};
  value *const v = choose(m, row->types, 0, 8, NULL, NULL);
  if (!v) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  node_set_int(node, "to", to[pick(m, 5)]);
  add_results(m, node, 1);
  return keep(m, node, false);
}

value *form_reduce(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 5, NULL, NULL);
  if (!v) {
    return NULL;
  }
  int64_t axes[TARE_MAX_RANK];
  int n = 0;
  for (int d = 0; d < v->rank; d++) {
    if (chance(m, 2)) {
      axes[n++] = chance(m, 2) ? d : d - v->rank;
    }
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  const bool by_input = m->opset >= 18 || strcmp(row->op, "ReduceSum") == 0;
  if (n && by_input) {
    node_add_input(node, constant_ints(m, 1, n, axes));
  } else if (n) {
    node_set_ints(node, "axes", axes, n);
  }
  node_set_int(node, "keepdims", pick(m, 2));
  add_results(m, node, 1);
  return keep(m, node, false);
}

static int64_t some_axis(maker *const m, const int rank) {
  const int64_t axis = pick(m, rank);
  return chance(m, 2) ? axis : axis - rank;
}

value *form_along(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 5, NULL, NULL);
  if (!v) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  node_set_int(node, "axis", chance(m, 2) ? -1 : some_axis(m, v->rank));
  add_results(m, node, 1);
  return keep(m, node, false);
}

value *form_cumulate(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 5, NULL, NULL);
  if (!v) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  const int64_t axis = some_axis(m, v->rank);
  node_add_input(node, constant_ints(m, 0, 1, &axis));
  node_set_int(node, "exclusive", pick(m, 2));
  node_set_int(node, "reverse", pick(m, 2));
  add_results(m, node, 1);
  return keep(m, node, false);
}

value *form_arg_extreme(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 5, NULL, NULL);
  if (!v) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  node_set_int(node, "axis", some_axis(m, v->rank));
  node_set_int(node, "keepdims", pick(m, 2));
  add_results(m, node, 1);
  return keep(m, node, false);
}
