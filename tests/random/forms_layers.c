/* Layers with weights, pools and norms. */
#include <stdlib.h>
#include <string.h>

#include "random/operators.h"

static bool last_is_fixed(const value *const v, const void *const with) {
  (void)with;
  return fixed_dim(v, v->rank - 1) > 0;
}

static bool channels_are_fixed(const value *const v, const void *const with) {
  (void)with;
  return fixed_dim(v, 1) > 0;
}

static bool multiplies(const value *const v, const void *const with) {
  const value *const a = with;
  bool ok = true;
  for (int l = 0; l < MAX_LENGTHS && ok; l++) {
    const int64_t *const x = a->at[l]->dims, *const y = v->at[l]->dims;
    ok = v->rank <= a->rank && x[a->rank - 1] == y[v->rank - 2];
    for (int d = 3; d <= v->rank && ok; d++) {
      ok = x[a->rank - d] == y[v->rank - d] || y[v->rank - d] == 1;
    }
  }
  return ok;
}

value *form_matmul(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 5, last_is_fixed, NULL);
  value *const b =
      v && v->rank > 1 && chance(m, 3) ? choose(m, row->types, 2, 4, multiplies, v) : NULL;
  if (!v) {
    return NULL;
  }
  const int64_t k = fixed_dim(v, v->rank - 1);
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  if (b) {
    add_operand(node, b);
  } else {
    node_add_input(node, constant_floats(m, 2, (int64_t[]){k, pick_width(m, 8)}, -0.5f, 0.5f));
  }
  add_results(m, node, 1);
  return keep(m, node, false);
}

value *form_linear(maker *const m, const operator_row *const row) {
  (void)row;
  value *const v = choose(m, FLOATS, 2, 4, last_is_fixed, NULL);
  if (!v) {
    return NULL;
  }
  const int64_t k = fixed_dim(v, v->rank - 1), n = pick_width(m, 8);
  Onnx__NodeProto *const node = node_message("MatMul");
  add_operand(node, v);
  node_add_input(node, constant_floats(m, 2, (int64_t[]){k, n}, -0.5f, 0.5f));
  add_results(m, node, 1);
  value *const product = keep(m, node, false);
  if (!product) {
    return NULL;
  }
  Onnx__NodeProto *const sum = node_message("Add");
  add_operand(sum, product);
  node_add_input(sum, constant_floats(m, 1, &n, -1, 1));
  add_results(m, sum, 1);
  value *const out = keep(m, sum, false);
  return out && chance(m, 2) ? apply(m, chance(m, 2) ? "Relu" : "Tanh", out, NULL) : out;
}

value *form_gemm(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 2, 2, NULL, NULL);
  if (!v) {
    return NULL;
  }
  const bool across = chance(m, 4), turned = chance(m, 2);
  const int64_t k = fixed_dim(v, across ? 0 : 1), n = pick_width(m, 6);
  if (k < 1) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  node_add_input(node,
                 constant_floats(m, 2, turned ? (int64_t[]){n, k} : (int64_t[]){k, n}, -1, 1));
  if (chance(m, 2)) {
    node_add_input(node, constant_floats(m, 1, &n, -1, 1));
  }
  node_set_int(node, "transA", across);
  node_set_int(node, "transB", turned);
  if (chance(m, 3)) {
    node_set_float(node, "alpha", 0.5f);
  }
  add_results(m, node, 1);
  return keep(m, node, false);
}

value *form_einsum(maker *const m, const operator_row *const row) {
  static const char *const equations[] = {"...k,kn->...n", "...k,nk->...n", "...k,kn->n..."};
  value *const v = choose(m, row->types, 2, 4, last_is_fixed, NULL);
  if (!v) {
    return NULL;
  }
  const int which = (int)pick(m, 2);
  const int64_t k = fixed_dim(v, v->rank - 1), n = 1 + pick(m, 4);
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  node_add_input(node,
                 constant_floats(m, 2, which == 1 ? (int64_t[]){n, k} : (int64_t[]){k, n}, -1, 1));
  node_set_text(node, "equation", equations[which]);
  add_results(m, node, 1);
  return keep(m, node, false);
}

static void set_windows(maker *const m, Onnx__NodeProto *const node, const int axes,
                        const int64_t *const kernel, const bool dilated) {
  int64_t strides[2], dilations[2], pads[4];
  for (int i = 0; i < axes; i++) {
    strides[i] = chance(m, 3) ? 2 : 1;
    dilations[i] = dilated && chance(m, 4) ? 2 : 1;
    pads[i] = pick(m, kernel[i]);
    pads[axes + i] = pick(m, kernel[i]);
  }
  node_set_ints(node, "kernel_shape", kernel, axes);
  node_set_ints(node, "strides", strides, axes);
  if (dilated) {
    node_set_ints(node, "dilations", dilations, axes);
  }
  if (chance(m, 4)) {
    node_set_text(node, "auto_pad", chance(m, 2) ? "SAME_UPPER" : "VALID");
  } else {
    node_set_ints(node, "pads", pads, 2 * axes);
  }
}

static value *convolve(maker *const m, value *const v, const char *const op) {
  const int axes = v->rank - 2;
  const bool turned = strcmp(op, "ConvTranspose") == 0;
  const int64_t c = fixed_dim(v, 1), groups = c % 2 == 0 && chance(m, 3) ? chance(m, 2) ? c : 2 : 1;
  const int64_t n = groups * (groups == 1 ? pick_width(m, 6) : 1 + pick(m, 2));
  int64_t kernel[2], w[4] = {turned ? c : n, turned ? n / groups : c / groups};
  for (int i = 0; i < axes; i++) {
    w[2 + i] = kernel[i] = 1 + pick(m, 3);
  }
  Onnx__NodeProto *const node = node_message(op);
  add_operand(node, v);
  node_add_input(node, constant_floats(m, v->rank, w, -0.5f, 0.5f));
  if (chance(m, 2)) {
    node_add_input(node, constant_floats(m, 1, &n, -1, 1));
  }
  node_set_int(node, "group", groups);
  set_windows(m, node, axes, kernel, true);
  add_results(m, node, 1);
  return keep(m, node, false);
}

value *form_conv(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 3, 4, channels_are_fixed, NULL);
  return v ? convolve(m, v, row->op) : NULL;
}

static value *normalize(maker *const m, value *const v, const char *const op) {
  const int64_t c = fixed_dim(v, 1);
  Onnx__NodeProto *const node = node_message(op);
  add_operand(node, v);
  if (strcmp(op, "LRN") == 0) {
    node_set_int(node, "size", 3);
  } else {
    node_add_input(node, constant_floats(m, 1, &c, 0.5f, 1.5f));
    node_add_input(node, constant_floats(m, 1, &c, -1, 1));
  }
  if (strcmp(op, "BatchNormalization") == 0) {
    node_add_input(node, constant_floats(m, 1, &c, -1, 1));
    node_add_input(node, constant_floats(m, 1, &c, 0.5f, 1.5f));
  } else if (strcmp(op, "GroupNormalization") == 0) {
    node_set_int(node, "num_groups", c % 2 ? 1 : 2);
  }
  add_results(m, node, 1);
  return keep(m, node, false);
}

value *form_channel_norm(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 3, 4, channels_are_fixed, NULL);
  return v ? normalize(m, v, row->op) : NULL;
}

/* Conv, BatchNormalization, activation. */
value *form_conv_block(maker *const m, const operator_row *const row) {
  static const char *const activations[] = {"Relu", "Sigmoid", "HardSwish", "Tanh"};
  value *v = choose(m, row->types, 3, 4, channels_are_fixed, NULL);
  v = v ? convolve(m, v, "Conv") : NULL;
  v = v && chance(m, 2) ? normalize(m, v, "BatchNormalization") : v;
  return v ? apply(m, activations[pick(m, 4)], v, NULL) : NULL;
}

value *form_pool(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 3, 4, NULL, NULL);
  if (!v) {
    return NULL;
  }
  const int64_t kernel[] = {1 + pick(m, 3), 1 + pick(m, 3)};
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  set_windows(m, node, v->rank - 2, kernel, false);
  if (chance(m, 3) && !node_attribute(node, "auto_pad")) {
    node_set_int(node, "ceil_mode", 1);
  }
  if (strcmp(row->op, "AveragePool") == 0) {
    node_set_int(node, "count_include_pad", pick(m, 2));
  }
  add_results(m, node, 1);
  return keep(m, node, false);
}

value *form_global_pool(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 3, 4, NULL, NULL);
  return v ? apply(m, row->op, v, NULL) : NULL;
}

value *form_layer_norm(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 2, 4, last_is_fixed, NULL);
  if (!v) {
    return NULL;
  }
  const int64_t n = fixed_dim(v, v->rank - 1);
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  node_add_input(node, constant_floats(m, 1, &n, 0.5f, 1.5f));
  if (chance(m, 2)) {
    node_add_input(node, constant_floats(m, 1, &n, -1, 1));
  }
  add_results(m, node, 1);
  return keep(m, node, false);
}

value *form_recurrent(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 3, 3, last_is_fixed, NULL);
  if (!v) {
    return NULL;
  }
  const int64_t gates = strcmp(row->op, "LSTM") == 0 ? 4 : strcmp(row->op, "GRU") == 0 ? 3 : 1;
  const int64_t hidden = pick_width(m, 5), in = fixed_dim(v, 2);
  const int which = (int)pick(m, 3);
  const int64_t d = which == 2 ? 2 : 1;
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  node_add_input(node, constant_floats(m, 3, (int64_t[]){d, gates * hidden, in}, -0.5f, 0.5f));
  node_add_input(node, constant_floats(m, 3, (int64_t[]){d, gates * hidden, hidden}, -0.5f, 0.5f));
  if (chance(m, 2)) {
    node_add_input(node, constant_floats(m, 2, (int64_t[]){d, 2 * gates * hidden}, -0.5f, 0.5f));
  }
  node_set_int(node, "hidden_size", hidden);
  node_set_text(node, "direction",
                which == 2   ? "bidirectional"
                : which == 1 ? "reverse"
                             : "forward");
  if (gates == 3) {
    node_set_int(node, "linear_before_reset", pick(m, 2));
  }
  add_results(m, node, 1 + (int)pick(m, 2));
  return keep(m, node, false);
}
