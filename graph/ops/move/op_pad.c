/* Pad: amounts as attribute before opset 11, as input since; axes as input since opset 18. */
#include <string.h>

#include "graph/ops/ops_common.h"

enum { FILL = 2 }; /* input */

static tare_status pad_check_mode(const tarei_node *const node, const char **const mode,
                                  tare_error *const err) {
  static const char *const modes[] = {"constant", "edge", "reflect", "wrap"};
  *mode = tarei_attr_string(node, "mode", "constant");
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (strcmp(*mode, modes[i]) == 0) {
      return TARE_OK;
    }
  }
  return tarei_fail(err, TARE_E_MODEL, "attribute 'mode' is '%s', which is not supported", *mode);
}

/* An element that reflection needs stands as far behind the edge as the pad is long. */
static tare_status check_reflected(const tarei_graph *const graph, const tarei_expr begin,
                                   const tarei_expr end, const tarei_expr dim,
                                   tare_error *const err) {
  tarei_exprs *const pool = graph->exprs;
  const tarei_expr more = tarei_expr_max(pool, begin, end);
  int64_t most, length;
  if (tarei_expr_is_const(pool, dim, &length) && tarei_expr_is_const(pool, more, &most) &&
      most > 0 && most >= length) {
    const tarei_shape seen = {2, {more, dim}};
    char text[256];
    return tarei_fail(err, TARE_E_MODEL,
                      "reflection needs pads shorter than the axis, got pad and length %s",
                      tarei_ops_show(graph, &seen, text, sizeof text));
  }
  return TARE_OK;
}

/* The filling has the input's type, but where it fills nothing. */
static tare_status check_fill(const tarei_graph *const graph, const tarei_node *const node,
                              const char *const mode, tare_error *const err) {
  const tarei_value *const fill = tarei_ops_in(graph, node, 2);
  if (!fill || strcmp(mode, "constant") != 0) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_ops_want_same_dtype(tarei_ops_in(graph, node, 0), fill, err));
  const int n = tarei_ops_count(graph, fill);
  return n == 1 || n < 0 ? TARE_OK
                         : tarei_fail(err, TARE_E_MODEL, "input '%s' has %d elements, expected 1",
                                      fill->name, n);
}

/* A vector of known contents between fillings. */
static tare_status pad_contents(tarei_graph *const graph, const tarei_node *const node,
                                const char *const mode, const tarei_expr begin,
                                tare_error *const err) {
  tarei_expr in[TAREI_MAX_CONTENTS], out[TAREI_MAX_CONTENTS];
  tarei_expr fill[TAREI_MAX_CONTENTS] = {tarei_expr_const(graph->exprs, 0)};
  const int n_in = tarei_ops_contents(graph, node->in[0], in);
  const int n = node->out[0] < 0 ? -1 : tarei_ops_count(graph, &graph->values[node->out[0]]);
  int64_t first;
  if (n_in < 0 || n < 0 || strcmp(mode, "constant") != 0 ||
      !tarei_expr_is_const(graph->exprs, begin, &first) ||
      first < -n_in || /* cuts more than there is, which a run refuses */
      (tarei_ops_in(graph, node, 2) && tarei_ops_contents(graph, node->in[2], fill) != 1)) {
    return TARE_OK;
  }
  for (int64_t i = 0; i < n; i++) {
    out[i] = i >= first && i - first < n_in ? in[i - first] : fill[0];
  }
  return tarei_ops_give_contents(graph, node, 0, out, n, err);
}

/* Adds the amounts of the axes to the dims; what only a run tells is measured. */
static tare_status pad_dims(const tarei_graph *const graph, const tarei_node *const node,
                            const tarei_list *const pads, const bool reflect,
                            const tarei_axes *const axes, tarei_shape *const out,
                            tare_error *const err) {
  for (int i = 0, measured = 0; i < axes->n; i++) {
    tarei_expr *const dim = &out->dims[axes->at[i]];
    const tarei_expr begin = pads->at[i], end = pads->at[axes->n + i];
    if (begin == TAREI_EXPR_NONE || end == TAREI_EXPR_NONE) {
      *dim = tarei_ops_measured(graph, node, measured++);
      continue;
    }
    TAREI_TRY(reflect ? check_reflected(graph, begin, end, *dim, err) : TARE_OK);
    *dim = tarei_expr_add(graph->exprs, *dim, tarei_expr_add(graph->exprs, begin, end));
  }
  return TARE_OK;
}

static tare_status infer_pad(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  tarei_shape out = tarei_ops_shape(x);
  const char *mode;
  tarei_list pads;
  tarei_axes axes;
  TAREI_TRY(pad_check_mode(node, &mode, err));
  TAREI_TRY(check_fill(graph, node, mode, err));
  /* rank 2 in files of old exporters: [1, n] */
  TAREI_TRY(tarei_ops_list(graph, node, 1, "pads", 2, &pads, err));
  if (!pads.given) {
    return tarei_fail(err, TARE_E_MODEL, "has no list of pads");
  }
  if (!pads.counted || !tarei_ops_is_known(graph, node, 3)) {
    out = tarei_ops_measured_shape(graph, node, x->rank);
    return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
  }
  TAREI_TRY(tarei_ops_axes(graph, node, 3, x->rank, &axes, err));
  for (int i = 0; !axes.given && i < x->rank; i++) {
    axes.at[axes.n++] = i;
  }
  if (pads.n != 2 * axes.n) {
    return tarei_fail(err, TARE_E_MODEL, "has %d pads for %d axes, expected %d", pads.n, axes.n,
                      2 * axes.n);
  }
  TAREI_TRY(pad_dims(graph, node, &pads, strcmp(mode, "reflect") == 0, &axes, &out, err));
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  return x->rank == 1 && axes.n == 1 ? pad_contents(graph, node, mode, pads.at[0], err) : TARE_OK;
}

static tarei_fill pad_fills(const tarei_graph *const graph, const tarei_node *const node) {
  float value = tarei_attr_float(node, "value", 0);
  if (strcmp(tarei_attr_string(node, "mode", "constant"), "constant") != 0) {
    return TAREI_FILL_NONE;
  }
  const bool given = node->n_in > FILL && node->in[FILL] >= 0;
  const bool known = !given || tarei_value_const_float(graph, node->in[FILL], &value);
  return known && value == 0 ? TAREI_FILL_ZEROS : TAREI_FILL_OTHER;
}

const tarei_op tarei_op_pad = {
    .name = "Pad",
    .domain = "",
    .min_in = 1,
    .max_in = 4,
    .min_out = 1,
    .max_out = 1,
    .selects = true,
    .fill_input = FILL,
    .fills = pad_fills,
    .axes = &(const tarei_named_axes){.input = 3},
    .infer = infer_pad,
};
