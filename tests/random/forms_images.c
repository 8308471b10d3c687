/* Operators of images. */
#include <string.h>

#include "random/operators.h"

static bool batch_is_fixed(const value *const v, const void *const with) {
  (void)with;
  return fixed_dim(v, 0) > 0;
}

/* A grid that is constant, some of it outside of the image. */
value *form_grid_sample(maker *const m, const operator_row *const row) {
  static const char *const modes[] = {"linear", "nearest", "cubic"};
  static const char *const paddings[] = {"zeros", "border", "reflection"};
  value *const v = choose(m, row->types, 4, 5, batch_is_fixed, NULL);
  if (!v) {
    return NULL;
  }
  const int axes = v->rank - 2;
  int64_t dims[TARE_MAX_RANK] = {fixed_dim(v, 0)};
  for (int d = 0; d < axes; d++) {
    dims[1 + d] = 1 + pick(m, 3);
  }
  dims[axes + 1] = axes;
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  node_add_input(node, constant_floats(m, v->rank, dims, -1.3f, 1.3f));
  node_set_text(node, "mode", modes[pick(m, axes == 2 ? 3 : 2)]);
  node_set_text(node, "padding_mode", paddings[pick(m, 3)]);
  node_set_int(node, "align_corners", pick(m, 2));
  add_results(m, node, 1);
  return keep(m, node, false);
}

static bool columns_are_fixed(const value *const v, const void *const with) {
  (void)with;
  return fixed_dim(v, 1) > 0 && fixed_dim(v, 2) > 0;
}

/* Blocks of some of the channels, side by side or overlapping. */
value *form_col2im(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 3, 3, columns_are_fixed, NULL);
  if (!v) {
    return NULL;
  }
  const int64_t channels = fixed_dim(v, 1), least = 1 + pick(m, 4);
  const int64_t block = channels % least == 0 ? least : channels;
  const int64_t stride = 1 + pick(m, 2), dilation = 1 + pick(m, 2);
  const int64_t image = (fixed_dim(v, 2) - 1) * stride + dilation * (block - 1) + 1;
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  node_add_input(node, constant_ints(m, 1, 1, &image));
  node_add_input(node, constant_ints(m, 1, 1, &block));
  node_set_ints(node, "strides", &stride, 1);
  node_set_ints(node, "dilations", &dilation, 1);
  add_results(m, node, 1);
  return keep(m, node, false);
}

/* Behind the MaxPool whose places it takes; often with the shape of what that had. */
value *form_max_unpool(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 3, 4, NULL, NULL);
  if (!v) {
    return NULL;
  }
  const int64_t kernel[] = {1 + pick(m, 3), 1 + pick(m, 3)};
  Onnx__NodeProto *const pool = node_message("MaxPool");
  add_operand(pool, v);
  node_set_ints(pool, "kernel_shape", kernel, v->rank - 2);
  node_set_ints(pool, "strides", kernel, v->rank - 2);
  add_results(m, pool, 2);
  value *const maxima = keep(m, pool, false);
  value *const shape = maxima && !chance(m, 3) ? apply(m, "Shape", v, NULL) : NULL;
  if (!maxima) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, maxima);
  add_operand(node, maxima + 1);
  if (shape) {
    add_operand(node, shape);
  }
  node_set_ints(node, "kernel_shape", kernel, v->rank - 2);
  node_set_ints(node, "strides", kernel, v->rank - 2);
  add_results(m, node, 1);
  return keep(m, node, false);
}
