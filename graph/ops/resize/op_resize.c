/* Resize, by scales or to sizes. Opset 10 has X and scales, 11 adds a region and sizes, 18 axes. */
#include <limits.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "graph/ops/ops_common.h"
#include "graph/ops/resize/ops_resize.h"

tarei_resize_inputs tarei_resize_inputs_of(const tarei_node *const node) {
  return node->opset < 11 ? (tarei_resize_inputs){-1, 1, -1} : (tarei_resize_inputs){1, 2, 3};
}

int64_t tarei_resize_length(const int64_t n, const float scale) {
  const float length = floorf((float)n * scale);
  return scale > 0 && length <= 9007199254740992.0f ? (int64_t)length : -1;
}

tarei_resize_policy tarei_resize_policy_of(const tarei_node *const node) {
  static const char *const names[] = {"stretch", "not_larger", "not_smaller"};
  const char *const name = tarei_attr_string(node, "keep_aspect_ratio_policy", "stretch");
  int policy = TAREI_RESIZE_STRETCH;
  while (policy < TAREI_RESIZE_POLICIES && strcmp(name, names[policy]) != 0) {
    policy++;
  }
  return (tarei_resize_policy)policy;
}

float tarei_resize_keep_ratio(const tarei_resize_policy policy, const int64_t *const from,
                              int64_t *const sizes, const int n) {
  float best = policy == TAREI_RESIZE_NOT_LARGER ? INFINITY : 0;
  for (int i = 0; i < n; i++) {
    const float scale = (float)sizes[i] / (float)from[i];
    best = policy == TAREI_RESIZE_NOT_LARGER ? fminf(best, scale) : fmaxf(best, scale);
  }
  for (int i = 0; i < n; i++) {
    const float length = floorf(best * (float)from[i] + 0.5f);
    sizes[i] = length < 0x1p62f ? (int64_t)length : INT64_MAX; /* which no tensor has room for */
  }
  return best;
}

static bool resize_is_one_of(const char *const text, const char *const *const list,
                             const size_t n) {
  size_t i = 0;
  while (i < n && strcmp(text, list[i]) != 0) {
    i++;
  }
  return i < n;
}

static tare_status check_choice(const tarei_node *const node, const char *const name,
                                const char *const fallback, const char *const *const list,
                                const size_t n, tare_error *const err) {
  const char *const text = tarei_attr_string(node, name, fallback);
  return resize_is_one_of(text, list, n)
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL, "attribute '%s' is '%s', which is not supported", name,
                          text);
}

static tare_status check_attributes(const tarei_node *const node, tare_error *const err) {
  static const char *const modes[] = {"nearest", "linear", "cubic"};
  static const char *const coordinates[] = {
      "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",  "align_corners",
      "asymmetric", "tf_crop_and_resize",   "tf_half_pixel_for_nn"};
  static const char *const roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                          "ceil"};
  TAREI_TRY(check_choice(node, "mode", "nearest", modes, sizeof modes / sizeof *modes, err));
  TAREI_TRY(check_choice(node, "coordinate_transformation_mode", "half_pixel", coordinates,
                         sizeof coordinates / sizeof *coordinates, err));
  TAREI_TRY(check_choice(node, "nearest_mode", "floor", roundings,
                         sizeof roundings / sizeof *roundings, err));
  if (tarei_resize_policy_of(node) == TAREI_RESIZE_POLICIES) {
    return tarei_fail(err, TARE_E_MODEL,
                      "attribute 'keep_aspect_ratio_policy' is '%s', which is not supported",
                      tarei_attr_string(node, "keep_aspect_ratio_policy", ""));
  }
  return TARE_OK;
}

/* Input i, or NULL where it is absent or an empty tensor, as files of opset 11 have it. */
static const tarei_value *resize_operand(const tarei_graph *const graph,
                                         const tarei_node *const node, const int i) {
  const tarei_value *const value = i < 0 ? NULL : tarei_ops_in(graph, node, i);
  int64_t n;
  return value && value->rank == 1 && tarei_expr_is_const(graph->exprs, value->dims[0], &n) &&
                 n == 0
             ? NULL
             : value;
}

/* floor(n * scale) of a symbolic n. A scale is the fraction of the smallest denominator that is the
 * same float: 0.7f means 7/10. */
static tarei_expr scaled(const tarei_graph *const graph, const tarei_expr dim, const float scale) {
  tarei_exprs *const pool = graph->exprs;
  int64_t n;
  if (tarei_expr_is_const(pool, dim, &n)) {
    const int64_t length = tarei_resize_length(n, scale);
    return length < 0 ? TAREI_EXPR_NONE : tarei_expr_const(pool, length);
  }
  if (!(scale > 0 && scale < 65536.0f)) {
    return TAREI_EXPR_NONE;
  }
  for (int64_t below = 1; below <= 4096; below++) {
    const double above = floor((double)scale * (double)below + 0.5);
    if ((float)(above / (double)below) == scale) {
      return tarei_expr_floordiv(pool,
                                 tarei_expr_mul(pool, dim, tarei_expr_const(pool, (int64_t)above)),
                                 tarei_expr_const(pool, below));
    }
  }
  return TAREI_EXPR_NONE;
}

typedef struct resize_target {
  tarei_shape *shape;
  const tarei_axes *axes;
  int measured;
} resize_target;

static tare_status check_length(const tarei_graph *const graph, const tarei_value *const list,
                                const int n, tare_error *const err) {
  return tarei_ops_want_vector(graph, list, tarei_expr_const(graph->exprs, n), err);
}

static void scale_dims(const tarei_graph *const graph, const tarei_node *const node,
                       const int scales, resize_target *const t) {
  const tare_tensor tensor = graph->values[scales].data ? tarei_value_tensor(graph, scales)
                                                        : (tare_tensor){.dtype = TARE_DTYPE_NONE};
  for (int i = 0; i < t->axes->n; i++) {
    tarei_expr *const dim = &t->shape->dims[t->axes->at[i]];
    const tarei_expr length = tensor.dtype == TARE_F32
                                  ? scaled(graph, *dim, ((const float *)tensor.data)[i])
                                  : TAREI_EXPR_NONE;
    *dim = length == TAREI_EXPR_NONE ? tarei_ops_measured(graph, node, t->measured++) : length;
  }
}

/* Sizes that keep a ratio follow from numbers only. */
static void keep_ratio(const tarei_graph *const graph, const tarei_node *const node,
                       const tarei_list *const sizes, resize_target *const t) {
  int64_t from[TARE_MAX_RANK], to[TARE_MAX_RANK];
  bool known = sizes->counted;
  for (int i = 0; known && i < t->axes->n; i++) {
    known = tarei_expr_is_const(graph->exprs, sizes->at[i], &to[i]) &&
            tarei_expr_is_const(graph->exprs, t->shape->dims[t->axes->at[i]], &from[i]) &&
            from[i] > 0 && to[i] >= 0;
  }
  if (known) {
    (void)tarei_resize_keep_ratio(tarei_resize_policy_of(node), from, to, t->axes->n);
  }
  for (int i = 0; i < t->axes->n; i++) {
    t->shape->dims[t->axes->at[i]] = known ? tarei_expr_const(graph->exprs, to[i])
                                           : tarei_ops_measured(graph, node, t->measured++);
  }
}

static tare_status resize_take_sizes(const tarei_graph *const graph, const tarei_node *const node,
                                     const int input, resize_target *const t,
                                     tare_error *const err) {
  tarei_list sizes;
  TAREI_TRY(tarei_ops_list(graph, node, input, "sizes", 1, &sizes, err));
  if (tarei_resize_policy_of(node) != TAREI_RESIZE_STRETCH) {
    keep_ratio(graph, node, &sizes, t);
    return TARE_OK;
  }
  for (int i = 0; i < t->axes->n; i++) {
    const tarei_expr size = sizes.counted ? sizes.at[i] : TAREI_EXPR_NONE;
    t->shape->dims[t->axes->at[i]] =
        size == TAREI_EXPR_NONE ? tarei_ops_measured(graph, node, t->measured++) : size;
  }
  return TARE_OK;
}

static tare_status infer_resize(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  TAREI_TRY(check_attributes(node, err));
  const tarei_resize_inputs in = tarei_resize_inputs_of(node);
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const scales = resize_operand(graph, node, in.scales);
  const tarei_value *const sizes = resize_operand(graph, node, in.sizes);
  tarei_shape out = tarei_ops_shape(x);
  tarei_axes axes;
  TAREI_TRY(tarei_ops_axes(graph, node, node->n_in /* no input */, x->rank, &axes, err));
  for (int d = 0; !axes.given && d < x->rank; d++) {
    axes.at[axes.n++] = d;
  }
  if (!scales == !sizes) {
    return tarei_fail(err, TARE_E_MODEL, "has %s scales %s sizes, expected one of them",
                      scales ? "both" : "neither", scales ? "and" : "nor");
  }
  TAREI_TRY(check_length(graph, scales ? scales : sizes, axes.n, err));
  resize_target t = {&out, &axes, 0};
  if (sizes) {
    TAREI_TRY(resize_take_sizes(graph, node, in.sizes, &t, err));
  } else {
    TAREI_TRY(tarei_ops_want_dtype(scales, TARE_F32, err));
    scale_dims(graph, node, node->in[in.scales], &t);
  }
  return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
}

/* By the nearest alone, and without a value for what lies outside. */
static bool resize_selects(const tarei_node *const node) {
  return strcmp(tarei_attr_string(node, "mode", "nearest"), "nearest") == 0 &&
         strcmp(tarei_attr_string(node, "coordinate_transformation_mode", ""),
                "tf_crop_and_resize") != 0;
}

const tarei_op tarei_op_resize = {
    .name = "Resize",
    .domain = "",
    .sign = TAREI_SIGN_RESIZED,
    .min_in = 1,
    .max_in = 4,
    .min_out = 1,
    .max_out = 1,
    .selects = true,
    .selects_when = resize_selects,
    .axes = &(const tarei_named_axes){.input = INT_MAX /* only the attribute */},
    .infer = infer_resize,
};
