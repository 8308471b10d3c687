/* RoiAlign and MaxRoiPool: regions of images at one size. */
#include <inttypes.h>
#include <string.h>

#include "graph/ops/ops_common.h"

static tare_status roi_want_choice(const tarei_node *const node, const char *const name,
                                   const char *const first, const char *const second,
                                   tare_error *const err) {
  const char *const text = tarei_attr_string(node, name, first);
  return strcmp(text, first) == 0 || strcmp(text, second) == 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL, "attribute '%s': expected %s or %s, got '%s'", name,
                          first, second, text);
}

/* Images and regions, each of so many numbers. */
static tare_status check_regions(const tarei_graph *const graph, const tarei_node *const node,
                                 const int64_t numbers, tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0), *const rois =
                                                                 tarei_ops_in(graph, node, 1);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_same_dtype(x, rois, err));
  TAREI_TRY(tarei_ops_want_rank(x, 4, 4, err));
  TAREI_TRY(tarei_ops_want_rank(rois, 2, 2, err));
  return tarei_ops_differ(graph, rois->dims[1], tarei_expr_const(graph->exprs, numbers))
             ? tarei_fail(err, TARE_E_MODEL,
                          "the last axis of regions '%s' has not length %" PRId64, rois->name,
                          numbers)
             : TARE_OK;
}

static tare_status give_regions(tarei_graph *const graph, const tarei_node *const node,
                                const int64_t height, const int64_t width, tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  if (height < 1 || height > INT32_MAX || width < 1 || width > INT32_MAX) {
    return tarei_fail(err, TARE_E_MODEL,
                      "the output has %" PRId64 " x %" PRId64
                      " places for each region, expected 1 or more",
                      height, width);
  }
  const tarei_shape out = {
      4,
      {tarei_ops_in(graph, node, 1)->dims[0], x->dims[1], tarei_expr_const(graph->exprs, height),
       tarei_expr_const(graph->exprs, width)}};
  return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
}

static tare_status infer_roi_align(tarei_graph *const graph, tarei_node *const node,
                                   tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 3, err));
  TAREI_TRY(check_regions(graph, node, 4, err));
  TAREI_TRY(roi_want_choice(node, "mode", "avg", "max", err));
  TAREI_TRY(roi_want_choice(node, "coordinate_transformation_mode", "half_pixel",
                            "output_half_pixel", err));
  const tarei_value *const which = tarei_ops_in(graph, node, 2);
  TAREI_TRY(tarei_ops_want_dtype(which, TARE_I64, err));
  TAREI_TRY(tarei_ops_want_vector(graph, which, tarei_ops_in(graph, node, 1)->dims[0], err));
  const int64_t samples = tarei_attr_int(node, "sampling_ratio", 0);
  if (samples < 0 || samples > INT16_MAX) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'sampling_ratio': expected 0..%d, got %" PRId64,
                      INT16_MAX, samples);
  }
  return give_regions(graph, node, tarei_attr_int(node, "output_height", 1),
                      tarei_attr_int(node, "output_width", 1), err);
}

static tare_status infer_max_roi_pool(tarei_graph *const graph, tarei_node *const node,
                                      tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  TAREI_TRY(check_regions(graph, node, 5, err));
  int64_t shape[2];
  if (!tarei_attr_find(node, "pooled_shape")) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'pooled_shape' is missing");
  }
  TAREI_TRY(tarei_ops_ints(node, "pooled_shape", 2, 1, shape, err));
  return give_regions(graph, node, shape[0], shape[1], err);
}

const tarei_op tarei_op_roi_align = {
    .name = "RoiAlign",
    .domain = "",
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_roi_align,
};

const tarei_op tarei_op_max_roi_pool = {
    .name = "MaxRoiPool",
    .domain = "",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_max_roi_pool,
};
