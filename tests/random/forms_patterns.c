/* What exporters write as several nodes and passes make one of. */
#include <stdlib.h>
#include <string.h>

#include "random/operators.h"

static value *with_number(maker *const m, const char *const op, value *const v, const float number,
                          const bool first) {
  if (!v) {
    return NULL;
  }
  const tare_tensor t = {TARE_F32, 0, {0}, &(float){number}};
  Onnx__NodeProto *const node = node_message(op);
  const char *const name = constant_of(m, &t);
  if (first) {
    node_add_input(node, name);
  }
  add_operand(node, v);
  if (!first) {
    node_add_input(node, name);
  }
  add_results(m, node, 1);
  return keep(m, node, false);
}

static value *mean(maker *const m, value *const v, const int64_t *const axes, const int n) {
  if (!v) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message("ReduceMean");
  add_operand(node, v);
  if (m->opset >= 18) {
    node_add_input(node, constant_ints(m, 1, n, axes));
  } else {
    node_set_ints(node, "axes", axes, n);
  }
  add_results(m, node, 1);
  return keep(m, node, false);
}

static bool last_is_fixed(const value *const v, const void *const with) {
  const int64_t n = fixed_dim(v, v->rank - 1);
  return n >= *(const int *)with && n > 0;
}

/* (x - mean) / sqrt(variance + eps), scaled and shifted; or without the mean, as RMS norms. */
value *form_norm_of_nodes(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 2, 4, last_is_fixed, &(int){2});
  if (!v) {
    return NULL;
  }
  const int64_t last = -1;
  const bool centered = chance(m, 2);
  value *const x = centered ? apply(m, "Sub", v, mean(m, v, &last, 1)) : v;
  value *const square = chance(m, 2) ? with_number(m, "Pow", x, 2, false) : apply(m, "Mul", x, x);
  value *const root =
      apply(m, "Sqrt", with_number(m, "Add", mean(m, square, &last, 1), 1e-3f, false), NULL);
  if (!x || !root) {
    return NULL;
  }
  value *const unit = apply(m, "Div", x, root);
  if (!unit) {
    return NULL;
  }
  const int64_t n = fixed_dim(v, v->rank - 1);
  Onnx__NodeProto *const node = node_message("Mul");
  add_operand(node, unit);
  node_add_input(node, constant_floats(m, 1, &n, 0.5f, 1.5f));
  add_results(m, node, 1);
  value *const scaled = keep(m, node, false);
  return scaled && centered ? with_number(m, "Add", scaled, 0.25f, false) : scaled;
}

static value *with_channels(maker *const m, const char *const op, value *const v) {
  if (!v) {
    return NULL;
  }
  const int64_t dims[] = {fixed_dim(v, 1), 1, 1};
  Onnx__NodeProto *const node = node_message(op);
  add_operand(node, v);
  node_add_input(node, constant_floats(m, v->rank - 1, dims, 0.5f, 1.5f));
  add_results(m, node, 1);
  return keep(m, node, false);
}

static bool has_channels(const value *const v, const void *const with) {
  (void)with;
  return fixed_dim(v, 1) > 0;
}

/* Mean over all axes but the first, or the mean of means. */
static value *global_mean(maker *const m, value *const v, const bool nested) {
  static const int64_t axes[] = {1, 2, 3};
  return !v       ? NULL
         : nested ? mean(m, mean(m, v, axes, 1), axes + 1, v->rank - 2)
                  : mean(m, v, axes, v->rank - 1);
}

/* The same over channels and space, as Conv-TasNet has it. */
value *form_global_norm_of_nodes(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 3, 4, has_channels, NULL);
  if (!v) {
    return NULL;
  }
  const bool nested = chance(m, 2), early = chance(m, 2);
  value *const x = apply(m, "Sub", v, global_mean(m, v, nested));
  value *const square = chance(m, 2) ? with_number(m, "Pow", x, 2, false) : apply(m, "Mul", x, x);
  value *const sum = with_number(m, "Add", global_mean(m, square, nested), 1e-3f, false);
  value *const root =
      chance(m, 2) ? apply(m, "Sqrt", sum, NULL) : with_number(m, "Pow", sum, 0.5f, false);
  value *const scaled = early ? with_channels(m, "Mul", x) : x;
  if (!scaled || !root) {
    return NULL;
  }
  value *const unit = apply(m, "Div", scaled, root);
  return with_channels(m, "Add", early ? unit : with_channels(m, "Mul", unit));
}

value *form_gelu_of_nodes(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 4, NULL, NULL);
  if (!v) {
    return NULL;
  }
  value *const erf = apply(m, "Erf", with_number(m, "Div", v, 1.41421356f, false), NULL);
  value *const one = with_number(m, "Add", erf, 1, false);
  return one ? with_number(m, "Mul", apply(m, "Mul", v, one), 0.5f, chance(m, 2)) : NULL;
}

value *form_silu_of_nodes(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 4, NULL, NULL);
  value *const gate = v ? apply(m, "Sigmoid", v, NULL) : NULL;
  return gate ? chance(m, 2) ? apply(m, "Mul", v, gate) : apply(m, "Mul", gate, v) : NULL;
}

static bool is_like(const value *const v, const void *const with) {
  const value *const other = with;
  return v != other && v->rank == other->rank && all_same_dims(v, other);
}

value *form_residual(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 2, 4, NULL, NULL);
  value *const other = v ? choose(m, row->types, v->rank, v->rank, is_like, v) : NULL;
  return other ? apply(m, "Add", v, other) : NULL;
}

/* Two halves along an axis, by Split or by two Slices; *second is the other one. */
static value *halves_of(maker *const m, value *const v, const int64_t axis, value **const second) {
  const int64_t half = fixed_dim(v, (int)axis) / 2, bounds[] = {0, half, 2 * half};
  value *parts[2] = {NULL, NULL};
  if (chance(m, 2)) {
    Onnx__NodeProto *const split = node_message("Split");
    add_operand(split, v);
    node_add_input(split, constant_ints(m, 1, 2, (int64_t[]){half, half}));
    node_set_int(split, "axis", axis);
    add_results(m, split, 2);
    parts[0] = keep(m, split, false);
    *second = parts[0] ? parts[0] + 1 : NULL;
    return parts[0];
  }
  for (int i = 0; i < 2; i++) {
    Onnx__NodeProto *const slice = node_message("Slice");
    add_operand(slice, v);
    node_add_input(slice, constant_ints(m, 1, 1, &bounds[i]));
    node_add_input(slice, constant_ints(m, 1, 1, &bounds[i + 1]));
    node_add_input(slice, constant_ints(m, 1, 1, &axis));
    add_results(m, slice, 1);
    parts[i] = keep(m, slice, false);
  }
  *second = parts[1];
  return parts[1] ? parts[0] : NULL;
}

/* tanh(a) sigmoid(b) of the halves of a tensor, or a sigmoid(b), and what follows such gates. */
value *form_gates(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 2, 4, NULL, NULL);
  const int64_t axis = v ? pick(m, v->rank) : 0;
  value *second = NULL;
  if (!v || fixed_dim(v, (int)axis) < 2 || fixed_dim(v, (int)axis) % 2) {
    return NULL;
  }
  value *const first = halves_of(m, v, axis, &second);
  if (!first) {
    return NULL;
  }
  value *const left = chance(m, 2) ? apply(m, "Tanh", first, NULL) : first;
  value *const gate = left ? apply(m, "Sigmoid", second, NULL) : NULL;
  value *const gated = gate ? apply(m, "Mul", left, gate) : NULL;
  value *const sum = gated && chance(m, 2) ? apply(m, "Add", gated, first) : gated;
  return sum && chance(m, 2) ? with_number(m, "Mul", sum, 0.70710678f, chance(m, 2)) : sum;
}

/* x by weights, as heads: [batch, heads, rows, width], or [batch, heads, width, rows] when turned.
 */
static value *heads_of(maker *const m, value *const x, const int64_t heads, const int64_t width,
                       const bool turned) {
  const int64_t n = heads * width;
  Onnx__NodeProto *const product = node_message("MatMul");
  add_operand(product, x);
  node_add_input(product, constant_floats(m, 2, (int64_t[]){fixed_dim(x, 2), n}, -0.5f, 0.5f));
  add_results(m, product, 1);
  value *const flat = keep(m, product, false);
  if (!flat) {
    return NULL;
  }
  Onnx__NodeProto *const split = node_message("Reshape");
  add_operand(split, flat);
  node_add_input(split, constant_ints(m, 1, 4, (int64_t[]){0, 0, heads, width}));
  add_results(m, split, 1);
  value *const parts = keep(m, split, false);
  if (!parts) {
    return NULL;
  }
  Onnx__NodeProto *const turn = node_message("Transpose");
  add_operand(turn, parts);
  node_set_ints(turn, "perm", turned ? (int64_t[]){0, 2, 3, 1} : (int64_t[]){0, 2, 1, 3}, 4);
  add_results(m, turn, 1);
  return keep(m, turn, false);
}

static bool is_sequence(const value *const v, const void *const with) {
  const value *const other = with;
  bool ok = fixed_dim(v, 2) > 0;
  for (int l = 0; other && l < MAX_LENGTHS; l++) {
    ok &= v->at[l]->dims[0] == other->at[l]->dims[0];
  }
  return ok;
}

value *form_attention_of_nodes(maker *const m, const operator_row *const row) {
  value *const x = choose(m, row->types, 3, 3, is_sequence, NULL);
  value *const y = x && chance(m, 3) ? choose(m, row->types, 3, 3, is_sequence, x) : x;
  if (!x) {
    return NULL;
  }
  const int64_t heads = 1 + pick(m, 3), width = 1 + pick_width(m, 3);
  value *const q = heads_of(m, x, heads, width, false);
  value *const k = q ? heads_of(m, y, heads, width, true) : NULL;
  value *const v = k ? heads_of(m, y, heads, width, false) : NULL;
  value *scores = v ? apply(m, "MatMul", q, k) : NULL;
  scores = scores && chance(m, 2) ? with_number(m, "Mul", scores, 0.5f, false) : scores;
  if (!scores) {
    return NULL;
  }
  Onnx__NodeProto *const softmax = node_message("Softmax");
  add_operand(softmax, scores);
  node_set_int(softmax, "axis", -1);
  add_results(m, softmax, 1);
  value *const weights = keep(m, softmax, false);
  value *const mixed = weights ? apply(m, "MatMul", weights, v) : NULL;
  if (!mixed) {
    return NULL;
  }
  Onnx__NodeProto *const turn = node_message("Transpose");
  add_operand(turn, mixed);
  node_set_ints(turn, "perm", (int64_t[]){0, 2, 1, 3}, 4);
  add_results(m, turn, 1);
  value *const rows = keep(m, turn, false);
  if (!rows) {
    return NULL;
  }
  Onnx__NodeProto *const join = node_message("Reshape");
  add_operand(join, rows);
  node_add_input(join, constant_ints(m, 1, 3, (int64_t[]){0, 0, heads * width}));
  add_results(m, join, 1);
  return keep(m, join, false);
}

/* Range over a dim, compared with a number: what masks and positions are made of. */
value *form_length_mask(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 2, 4, NULL, NULL);
  value *const shape = v ? apply(m, "Shape", v, NULL) : NULL;
  if (!shape) {
    return NULL;
  }
  const int64_t axis = v->rank - 1, zero = 0, one = 1, half = 1 + pick(m, 3);
  Onnx__NodeProto *const gather = node_message("Gather");
  add_operand(gather, shape);
  node_add_input(gather, constant_ints(m, 0, 1, &axis));
  add_results(m, gather, 1);
  value *const length = keep(m, gather, false);
  if (!length) {
    return NULL;
  }
  Onnx__NodeProto *const range = node_message("Range");
  node_add_input(range, constant_ints(m, 0, 1, &zero));
  add_operand(range, length);
  node_add_input(range, constant_ints(m, 0, 1, &one));
  add_results(m, range, 1);
  value *const places = keep(m, range, false);
  if (!places) {
    return NULL;
  }
  Onnx__NodeProto *const less = node_message("Less");
  add_operand(less, places);
  node_add_input(less, constant_ints(m, 0, 1, &half));
  add_results(m, less, 1);
  value *const mask = keep(m, less, false);
  if (!mask || chance(m, 3)) {
    return mask;
  }
  Onnx__NodeProto *const where = node_message("Where");
  add_operand(where, mask);
  add_operand(where, v);
  node_add_input(where, constant_floats(m, 0, NULL, -4, 0));
  add_results(m, where, 1);
  return keep(m, where, false);
}
