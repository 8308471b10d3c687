/* Shapes as data, and operators whose output shape the data tell. */
#include <stdlib.h>
#include <string.h>

#include "random/operators.h"

value *form_shape(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 5, NULL, NULL);
  if (!v) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  const int64_t start = pick(m, v->rank);
  if (m->opset >= 15 && chance(m, 3)) {
    node_set_int(node, "start", start);
    node_set_int(node, "end", start + 1);
  }
  add_results(m, node, 1);
  return keep(m, node, false);
}

static bool is_short(const value *const v, const void *const with) {
  (void)with;
  const int64_t n = fixed_dim(v, 0);
  return n > 0 && n < 5;
}

/* Whether the numbers depend on data is not known here: the sizes pass for measured where any
 * could. */
value *form_constant_of_shape(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 1, is_short, NULL);
  return v ? apply(m, row->op, v, NULL) : NULL;
}

static bool is_scalar(const value *const v, const void *const with) {
  (void)with;
  return v->rank == 0;
}

value *form_range(maker *const m, const operator_row *const row) {
  value *const limit = choose(m, row->types, 0, 0, is_scalar, NULL);
  if (!limit) {
    return NULL;
  }
  const int64_t start = pick(m, 2), step = 1 + pick(m, 2);
  Onnx__NodeProto *const node = node_message(row->op);
  node_add_input(node, constant_ints(m, 0, 1, &start));
  add_operand(node, limit);
  node_add_input(node, constant_ints(m, 0, 1, &step));
  add_results(m, node, 1);
  return keep(m, node, limit->measured);
}

value *form_non_zero(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 4, NULL, NULL);
  if (!v) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  add_results(m, node, 1);
  return keep(m, node, true);
}

static bool is_condition(const value *const v, const void *const with) {
  (void)with;
  return v->rank == 1;
}

value *form_compress(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 4, NULL, NULL);
  value *const condition = choose(m, BOOLS, 1, 1, is_condition, NULL);
  if (!v || (!condition && least_dim(v, 0) < 1)) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  if (condition) {
    add_operand(node, condition);
  } else {
    bool bits[2] = {true, chance(m, 2)};
    const tare_tensor t = {TARE_BOOL, 1, {2}, bits};
    node_add_input(node, constant_of(m, &t));
  }
  if (chance(m, 2)) {
    node_set_int(node, "axis", pick(m, v->rank));
  }
  add_results(m, node, 1);
  return keep(m, node, true);
}

value *form_unique(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 3, NULL, NULL);
  if (!v) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  if (v->rank == 1 && chance(m, 2)) {
    node_set_int(node, "axis", 0);
  }
  node_set_int(node, "sorted", pick(m, 2));
  const int first = chance(m, 4) ? 0 : 1 + (int)pick(m, 4);
  add_results(m, node, first ? first : 1);
  return keep(m, node, true);
}

static bool is_list_of_one(const value *const v, const void *const with) {
  (void)with;
  return fixed_dim(v, 0) == 1;
}

value *form_top_k(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 4, NULL, NULL);
  value *const k = chance(m, 2) ? choose(m, INTS, 1, 1, is_list_of_one, NULL) : NULL;
  if (!v) {
    return NULL;
  }
  const int axis = (int)pick(m, v->rank);
  const int64_t n = least_dim(v, axis), fixed = n > 0 ? 1 + pick(m, n) : 1;
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  if (k) {
    add_operand(node, k);
  } else {
    node_add_input(node, constant_ints(m, 1, 1, &fixed));
  }
  node_set_int(node, "axis", axis);
  node_set_int(node, "largest", pick(m, 2));
  add_results(m, node, 2);
  return keep(m, node, k && k->measured);
}

value *form_one_hot(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 0, 3, NULL, NULL);
  if (!v) {
    return NULL;
  }
  const int64_t depth = 2 + pick(m, 4);
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  node_add_input(node, constant_ints(m, 0, 1, &depth));
  node_add_input(node, constant_floats(m, 1, (int64_t[]){2}, -1, 1));
  node_set_int(node, "axis", chance(m, 2) ? -1 : 0);
  add_results(m, node, 1);
  return keep(m, node, false);
}
