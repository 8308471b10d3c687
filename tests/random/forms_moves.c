/* Operators that move, cut and join. */
#include <stdlib.h>
#include <string.h>

#include "random/operators.h"

static Onnx__NodeProto *begin(const operator_row *const row, value *const v) {
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, v);
  return node;
}

static value *end(maker *const m, Onnx__NodeProto *const node) {
  add_results(m, node, 1);
  return keep(m, node, false);
}

value *form_transpose(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 2, 5, NULL, NULL);
  if (!v) {
    return NULL;
  }
  int64_t perm[TARE_MAX_RANK];
  for (int d = 0; d < v->rank; d++) {
    const int64_t at = pick(m, d + 1);
    perm[d] = perm[at];
    perm[at] = d;
  }
  Onnx__NodeProto *const node = begin(row, v);
  if (!chance(m, 8)) {
    node_set_ints(node, "perm", perm, v->rank);
  }
  return end(m, node);
}

/* Joins two neighbours, splits a fixed dim, or makes one row of all. */
value *form_reshape(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 5, NULL, NULL);
  if (!v) {
    return NULL;
  }
  int64_t dims[TARE_MAX_RANK + 1];
  int n = 0;
  const int at = (int)pick(m, v->rank);
  const int64_t fixed = fixed_dim(v, at);
  const bool splits = fixed > 3 && fixed % 2 == 0 && !chance(m, 3);
  bool free_dim = false;
  for (int d = 0; d < v->rank; d++) {
    const int64_t dim = fixed_dim(v, d);
    if (d == at && splits) {
      dims[n++] = 2;
      dims[n++] = fixed / 2;
    } else if (d == at && d + 1 < v->rank && !splits) {
      dims[n++] = -1;
      free_dim = true;
      d++;
    } else if (n == d && (dim < 0 || chance(m, 2))) {
      dims[n++] = 0;
    } else if (dim > 0) {
      dims[n++] = dim;
    } else if (!free_dim) {
      dims[n++] = -1;
      free_dim = true;
    } else {
      return NULL;
    }
  }
  Onnx__NodeProto *const node = begin(row, v);
  node_add_input(node, constant_ints(m, 1, n, dims));
  return end(m, node);
}

/* One element of a shape, as a list of one. */
static value *dim_of(maker *const m, value *const v, const int64_t at, const bool sliced) {
  value *const shape = apply(m, "Shape", v, NULL);
  if (!shape) {
    return NULL;
  }
  const int64_t end = at + 1;
  Onnx__NodeProto *const node = node_message(sliced ? "Slice" : "Gather");
  add_operand(node, shape);
  node_add_input(node, constant_ints(m, sliced ? 1 : 0, 1, &at));
  if (sliced) {
    node_add_input(node, constant_ints(m, 1, 1, &end));
  }
  add_results(m, node, 1);
  value *const dim = keep(m, node, false);
  if (!dim || sliced) {
    return dim;
  }
  Onnx__NodeProto *const list = node_message("Unsqueeze");
  add_operand(list, dim);
  node_add_input(list, constant_ints(m, 1, 1, &(int64_t){0}));
  add_results(m, list, 1);
  return keep(m, list, false);
}

/* Shape, Gather, Concat, Reshape: the first dims stay, the others are joined. */
value *form_reshape_computed(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 2, 5, NULL, NULL);
  if (!v) {
    return NULL;
  }
  const int stay = 1 + (int)pick(m, v->rank - 1);
  value *dims[TARE_MAX_RANK];
  for (int d = 0; d < stay; d++) {
    dims[d] = dim_of(m, v, d, chance(m, 2));
    if (!dims[d]) {
      return NULL;
    }
  }
  Onnx__NodeProto *const join = node_message("Concat");
  for (int d = 0; d < stay; d++) {
    add_operand(join, dims[d]);
  }
  node_add_input(join, constant_ints(m, 1, 1, &(int64_t){-1}));
  node_set_int(join, "axis", 0);
  value *const shape = end(m, join);
  return shape ? apply(m, row->op, v, shape) : NULL;
}

value *form_flatten(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 5, NULL, NULL);
  if (!v) {
    return NULL;
  }
  Onnx__NodeProto *const node = begin(row, v);
  node_set_int(node, "axis", pick(m, v->rank + 1));
  return end(m, node);
}

static bool has_one(const value *const v, const void *const with) {
  (void)with;
  bool has = false;
  for (int d = 0; d < v->rank; d++) {
    has |= fixed_dim(v, d) == 1;
  }
  return has;
}

value *form_squeeze(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 6, has_one, NULL);
  if (!v) {
    return NULL;
  }
  int64_t axes[TARE_MAX_RANK];
  int n = 0;
  for (int d = 0; d < v->rank; d++) {
    if (fixed_dim(v, d) == 1 && (n == 0 || chance(m, 2))) {
      axes[n++] = chance(m, 2) ? d : d - v->rank;
    }
  }
  Onnx__NodeProto *const node = begin(row, v);
  node_add_input(node, constant_ints(m, 1, n, axes));
  return end(m, node);
}

value *form_unsqueeze(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 0, 4, NULL, NULL);
  if (!v) {
    return NULL;
  }
  const int64_t axes[] = {pick(m, v->rank + 1), -1};
  Onnx__NodeProto *const node = begin(row, v);
  node_add_input(node, constant_ints(m, 1, 1 + pick(m, 2), axes));
  return end(m, node);
}

typedef struct beside {
  const value *a;
  int axis;
} beside;

static bool joins(const value *const v, const void *const with) {
  const beside *const b = with;
  bool ok = v->dtype == b->a->dtype && v->rank == b->a->rank;
  for (int l = 0; l < MAX_LENGTHS && ok; l++) {
    for (int d = 0; d < v->rank; d++) {
      ok &= d == b->axis || v->at[l]->dims[d] == b->a->at[l]->dims[d];
    }
  }
  return ok;
}

value *form_concat(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 5, NULL, NULL);
  if (!v) {
    return NULL;
  }
  const int axis = (int)pick(m, v->rank);
  Onnx__NodeProto *const node = begin(row, v);
  for (int64_t i = 1 + pick(m, 3); i > 0; i--) {
    add_operand(node, choose(m, row->types, 1, 5, joins, &(beside){v, axis}));
  }
  node_set_int(node, "axis", chance(m, 2) ? axis : axis - v->rank);
  return end(m, node);
}

value *form_split(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 5, NULL, NULL);
  if (!v) {
    return NULL;
  }
  const int axis = (int)pick(m, v->rank);
  const int64_t dim = fixed_dim(v, axis);
  if (dim < 2) {
    return NULL;
  }
  const int64_t first = 1 + pick(m, dim - 1);
  Onnx__NodeProto *const node = begin(row, v);
  if (dim % 2 == 0 && chance(m, 2)) {
    if (m->opset >= 18) {
      node_set_int(node, "num_outputs", 2);
    }
  } else {
    node_add_input(node, constant_ints(m, 1, 2, (int64_t[]){first, dim - first}));
  }
  node_set_int(node, "axis", axis);
  add_results(m, node, 2);
  return keep(m, node, false);
}

value *form_slice(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 5, NULL, NULL);
  if (!v) {
    return NULL;
  }
  const int64_t axis = pick(m, v->rank), least = least_dim(v, (int)axis);
  const bool backwards = chance(m, 5);
  int64_t start = least > 1 ? pick(m, least) : 0,
          end_at = chance(m, 2) ? INT64_MAX : -pick(m, 2) - 1;
  int64_t step = chance(m, 3) ? 2 : 1;
  if (fixed_dim(v, (int)axis) > 1 && chance(m, 2)) {
    end_at = start + 1 + pick(m, least);
  }
  if (backwards) {
    start = chance(m, 2) ? -1 : INT32_MAX;
    end_at = chance(m, 2) ? INT64_MIN : 0;
    step = -1;
  }
  Onnx__NodeProto *const node = begin(row, v);
  node_add_input(node, constant_ints(m, 1, 1, &start));
  node_add_input(node, constant_ints(m, 1, 1, &end_at));
  node_add_input(node, constant_ints(m, 1, 1, &axis));
  if (step != 1) {
    node_add_input(node, constant_ints(m, 1, 1, &step));
  }
  return end(m, node);
}

static bool is_list_of_one(const value *const v, const void *const with) {
  (void)with;
  return v->rank == 1 && fixed_dim(v, 0) == 1;
}

value *form_slice_computed(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 5, NULL, NULL);
  value *const bound = choose(m, INTS, 1, 1, is_list_of_one, NULL);
  if (!v || !bound) {
    return NULL;
  }
  const int64_t axis = pick(m, v->rank), edge = chance(m, 2) ? 0 : INT64_MAX;
  Onnx__NodeProto *const node = begin(row, v);
  if (edge) {
    add_operand(node, bound);
  }
  node_add_input(node, constant_ints(m, 1, 1, &edge));
  if (!edge) {
    add_operand(node, bound);
  }
  node_add_input(node, constant_ints(m, 1, 1, &axis));
  add_results(m, node, 1);
  return keep(m, node, bound->measured);
}

static const char *indices(maker *const m, const int rank, const int64_t *const dims,
                           const int64_t least, const int64_t most) {
  const tare_tensor t = tensor_new(TARE_I64, rank, dims);
  for (int64_t i = 0; i < tare_tensor_count(&t); i++) {
    ((int64_t *)t.data)[i] = least + pick(m, most - least);
  }
  const char *const name = constant_of(m, &t);
  free(t.data);
  return name;
}

value *form_gather(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 4, NULL, NULL);
  if (!v) {
    return NULL;
  }
  const int axis = (int)pick(m, v->rank);
  const int64_t n = least_dim(v, axis), dims[] = {1 + pick(m, 3), 2};
  if (n < 1) {
    return NULL;
  }
  Onnx__NodeProto *const node = begin(row, v);
  node_add_input(node, indices(m, (int)pick(m, 3), dims, -n, n));
  node_set_int(node, "axis", axis);
  return end(m, node);
}

value *form_gather_computed(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 3, NULL, NULL);
  value *const at = choose(m, INTS | INTS32, 0, 2, NULL, NULL);
  if (!v || !at) {
    return NULL;
  }
  Onnx__NodeProto *const node = begin(row, v);
  add_operand(node, at);
  node_set_int(node, "axis", pick(m, v->rank));
  return end(m, node);
}

static bool is_fixed(const value *const v, const void *const with) {
  (void)with;
  bool fixed = true;
  for (int d = 0; d < v->rank; d++) {
    fixed &= fixed_dim(v, d) > 0;
  }
  return fixed;
}

value *form_gather_elements(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 4, is_fixed, NULL);
  if (!v) {
    return NULL;
  }
  const int axis = (int)pick(m, v->rank);
  int64_t dims[TARE_MAX_RANK];
  memcpy(dims, v->at[0]->dims, sizeof dims);
  const int64_t n = dims[axis];
  dims[axis] = 1 + pick(m, 4);
  Onnx__NodeProto *const node = begin(row, v);
  node_add_input(node, indices(m, v->rank, dims, -n, n));
  node_set_int(node, "axis", axis);
  return end(m, node);
}

value *form_gather_nd(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 4, NULL, NULL);
  const int64_t n = v ? least_dim(v, 0) : 0;
  if (n < 1) {
    return NULL;
  }
  Onnx__NodeProto *const node = begin(row, v);
  node_add_input(node, indices(m, 2, (int64_t[]){1 + pick(m, 3), 1}, 0, n));
  return end(m, node);
}

value *form_scatter_elements(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 4, is_fixed, NULL);
  if (!v) {
    return NULL;
  }
  const int axis = (int)pick(m, v->rank);
  int64_t dims[TARE_MAX_RANK];
  memcpy(dims, v->at[0]->dims, sizeof dims);
  const int64_t n = dims[axis];
  dims[axis] = 1;
  Onnx__NodeProto *const node = begin(row, v);
  node_add_input(node, indices(m, v->rank, dims, 0, n));
  node_add_input(node, constant_floats(m, v->rank, dims, -1, 1));
  node_set_int(node, "axis", axis);
  if (chance(m, 2)) {
    node_set_text(node, "reduction", "add");
  }
  return end(m, node);
}

value *form_scatter_nd(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 4, NULL, NULL);
  const int64_t n = v ? least_dim(v, 0) : 0;
  int64_t dims[TARE_MAX_RANK] = {1};
  for (int d = 1; v && d < v->rank; d++) {
    dims[d] = fixed_dim(v, d);
    if (dims[d] < 1) {
      return NULL;
    }
  }
  if (n < 1) {
    return NULL;
  }
  Onnx__NodeProto *const node = begin(row, v);
  node_add_input(node, indices(m, 2, (int64_t[]){1, 1}, 0, n));
  node_add_input(node, constant_floats(m, v->rank, dims, -1, 1));
  return end(m, node);
}

value *form_expand(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 4, has_one, NULL);
  if (!v) {
    return NULL;
  }
  Onnx__NodeProto *const node = begin(row, v);
  if (chance(m, 2)) {
    value *const like = choose(m, ALL, v->rank, 5, NULL, NULL);
    value *const shape = like ? apply(m, "Shape", like, NULL) : NULL;
    if (!shape) {
      onnx__node_proto__free_unpacked(node, NULL);
      return NULL;
    }
    add_operand(node, shape);
    return end(m, node);
  }
  int64_t dims[TARE_MAX_RANK];
  for (int d = 0; d < v->rank; d++) {
    dims[d] = fixed_dim(v, d) == 1 ? 1 + pick(m, 3) : 1;
  }
  node_add_input(node, constant_ints(m, 1, v->rank, dims));
  return end(m, node);
}

value *form_tile(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 1, 4, NULL, NULL);
  if (!v) {
    return NULL;
  }
  int64_t times[TARE_MAX_RANK];
  for (int d = 0; d < v->rank; d++) {
    times[d] = chance(m, 3) ? 2 : 1;
  }
  Onnx__NodeProto *const node = begin(row, v);
  node_add_input(node, constant_ints(m, 1, v->rank, times));
  return end(m, node);
}

value *form_pad(maker *const m, const operator_row *const row) {
  static const char *const modes[] = {"constant", "constant", "edge", "reflect"};
  value *const v = choose(m, row->types, 1, 4, NULL, NULL);
  if (!v) {
    return NULL;
  }
  int64_t pads[2 * TARE_MAX_RANK] = {0};
  for (int d = 0; d < 2 * v->rank; d++) {
    pads[d] = chance(m, 2) ? pick(m, 3) : 0;
  }
  Onnx__NodeProto *const node = begin(row, v);
  node_set_text(node, "mode", modes[pick(m, 4)]);
  node_add_input(node, constant_ints(m, 1, 2 * v->rank, pads));
  if (chance(m, 3)) {
    node_add_input(node, constant_floats(m, 0, NULL, -1, 1));
  }
  return end(m, node);
}

value *form_trilu(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 2, 4, NULL, NULL);
  if (!v) {
    return NULL;
  }
  Onnx__NodeProto *const node = begin(row, v);
  node_set_int(node, "upper", pick(m, 2));
  return end(m, node);
}

value *form_reverse_sequence(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 2, 4, NULL, NULL);
  const int64_t batch = v ? fixed_dim(v, 1) : 0, time = v ? least_dim(v, 0) : 0;
  if (batch < 1 || time < 1) {
    return NULL;
  }
  Onnx__NodeProto *const node = begin(row, v);
  node_add_input(node, indices(m, 1, &batch, 1, time + 1));
  return end(m, node);
}

value *form_depth_to_space(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 4, 4, NULL, NULL);
  if (!v) {
    return NULL;
  }
  Onnx__NodeProto *const node = begin(row, v);
  node_set_int(node, "blocksize", 2);
  return end(m, node);
}

value *form_resize(maker *const m, const operator_row *const row) {
  value *const v = choose(m, row->types, 3, 4, NULL, NULL);
  if (!v) {
    return NULL;
  }
  float scales[TARE_MAX_RANK];
  for (int d = 0; d < v->rank; d++) {
    scales[d] = d < 2 ? 1 : chance(m, 2) ? 2 : 1;
  }
  const tare_tensor t = {TARE_F32, 1, {v->rank}, scales};
  Onnx__NodeProto *const node = begin(row, v);
  node_add_input(node, "");
  node_add_input(node, constant_of(m, &t));
  node_set_text(node, "mode", chance(m, 2) ? "nearest" : "linear");
  node_set_text(node, "coordinate_transformation_mode", chance(m, 2) ? "half_pixel" : "asymmetric");
  node_set_text(node, "nearest_mode", "floor");
  return end(m, node);
}
