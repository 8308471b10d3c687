#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "graph/ops/ops_common.h"

#define MOST_STEP INT32_MAX /* with larger ones, offsets that kernels compute ahead overflow */

static tare_status read_auto_pad(const tarei_node *const node, tarei_auto_pad *const out,
                                 tare_error *const err) {
  static const char *const names[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
  const char *const name = tarei_attr_string(node, "auto_pad", "NOTSET");
  for (int i = 0; i < 4; i++) {
    if (strcmp(name, names[i]) == 0) {
      *out = (tarei_auto_pad)i;
      return TARE_OK;
    }
  }
  return tarei_fail(
      err, TARE_E_MODEL,
      "attribute 'auto_pad': expected NOTSET, SAME_UPPER, SAME_LOWER or VALID, got '%s'", name);
}

static tare_status want_range(const char *const name, const int64_t *const values, const int n,
                              const int64_t least, const int64_t most, tare_error *const err) {
  for (int i = 0; i < n; i++) {
    if (values[i] < least) {
      return tarei_fail(err, TARE_E_MODEL,
                        "attribute '%s' holds %" PRId64 ", expected %" PRId64 " or more", name,
                        values[i], least);
    }
    if (values[i] > most) {
      return tarei_fail(err, TARE_E_MODEL,
                        "attribute '%s' holds %" PRId64 ", expected at most %" PRId64, name,
                        values[i], most);
    }
  }
  return TARE_OK;
}

/* kernel_shape is optional where there are weights, and has to agree with them. */
static tare_status read_kernel(const tarei_graph *const graph, const tarei_node *const node,
                               const tarei_expr *const weights, tarei_window *const w,
                               tare_error *const err) {
  const bool given = tarei_attr_find(node, "kernel_shape") != NULL;
  if (!given && !weights) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'kernel_shape' is missing");
  }
  TAREI_TRY(tarei_ops_ints(node, "kernel_shape", w->n, 1, w->kernel, err));
  for (int i = 0; weights && i < w->n; i++) {
    int64_t k;
    if (!tarei_expr_is_const(graph->exprs, weights[i], &k)) {
      if (!given) {
        return tarei_fail(err, TARE_E_UNSUPPORTED,
                          "the kernel size of the weights is not constant");
      }
      continue;
    }
    if (given && k != w->kernel[i]) {
      return tarei_fail(err, TARE_E_MODEL,
                        "attribute 'kernel_shape' has %" PRId64
                        " at %d, but the weights have %" PRId64,
                        w->kernel[i], i, k);
    }
    w->kernel[i] = k;
  }
  return want_range("kernel_shape", w->kernel, w->n, 1, INT64_MAX, err);
}

tare_status tarei_ops_window(const tarei_graph *const graph, const tarei_node *const node,
                             const int n, const tarei_expr *const weights, tarei_window *const out,
                             tare_error *const err) {
  *out = (tarei_window){.n = n, .ceil_mode = tarei_attr_int(node, "ceil_mode", 0) != 0};
  TAREI_TRY(read_auto_pad(node, &out->auto_pad, err));
  TAREI_TRY(read_kernel(graph, node, weights, out, err));
  TAREI_TRY(tarei_ops_ints(node, "strides", n, 1, out->strides, err));
  TAREI_TRY(tarei_ops_ints(node, "dilations", n, 1, out->dilations, err));
  TAREI_TRY(want_range("strides", out->strides, n, 1, MOST_STEP, err));
  TAREI_TRY(want_range("dilations", out->dilations, n, 1, MOST_STEP, err));
  if (out->auto_pad != TAREI_PAD_EXPLICIT) {
    return TARE_OK; /* pads, if any, have no meaning */
  }
  TAREI_TRY(tarei_ops_ints(node, "pads", 2 * n, 0, out->pads, err));
  return want_range("pads", out->pads, 2 * n, 0, INT64_MAX, err);
}

void tarei_window_widen(tarei_window *const w, const int n) {
  assert(w->n <= n && n <= TARE_MAX_RANK);
  const tarei_window from = *w;
  const int more = n - from.n;
  w->n = n;
  for (int i = 0; i < n; i++) {
    const bool added = i < more;
    w->kernel[i] = added ? 1 : from.kernel[i - more];
    w->strides[i] = added ? 1 : from.strides[i - more];
    w->dilations[i] = added ? 1 : from.dilations[i - more];
    w->pads[i] = added ? 0 : from.pads[i - more];
    w->pads[n + i] = added ? 0 : from.pads[from.n + i - more];
  }
}

static bool is_same_pad(const tarei_auto_pad auto_pad) {
  return auto_pad == TAREI_PAD_SAME_UPPER || auto_pad == TAREI_PAD_SAME_LOWER;
}

tarei_padding tarei_padding_share(const tarei_auto_pad auto_pad, const int64_t total) {
  const int64_t half = total / 2;
  const int64_t before = total <= 0 ? 0 : auto_pad == TAREI_PAD_SAME_UPPER ? half : total - half;
  return (tarei_padding){before, total - before};
}

tarei_padding tarei_window_padding(const tarei_window *const w, const int i, const int64_t in,
                                   const int64_t out) {
  if (!is_same_pad(w->auto_pad)) {
    return (tarei_padding){w->pads[i], w->pads[w->n + i]};
  }
  const int64_t span = (w->kernel[i] - 1) * w->dilations[i] + 1;
  const int64_t total = (out - 1) * w->strides[i] + span - in;
  return tarei_padding_share(w->auto_pad, total > 0 ? total : 0);
}

/* The number of window positions. With ceil_mode a last window may hang over the end, but it does
 * not start behind the data; both limits have the form (in + c) / stride + 1, so the smaller
 * constant decides. */
static tarei_expr count_windows(const tarei_graph *const graph, const tarei_window *const w,
                                const int i, const int64_t padding, const int64_t extent,
                                const tarei_expr in) {
  const int64_t stride = w->strides[i];
  int64_t slack = padding - extent;
  if (w->ceil_mode) {
    const int64_t starts_inside = w->pads[i] - 1;
    if (!tarei_add_i64(slack, stride - 1, &slack) || slack > starts_inside) {
      slack = starts_inside;
    }
  }
  tarei_exprs *const pool = graph->exprs;
  const tarei_expr steps =
      tarei_expr_floordiv(pool, tarei_ops_plus(graph, in, slack), tarei_expr_const(pool, stride));
  return tarei_ops_plus(graph, steps, 1);
}

tare_status tarei_ops_window_dim(const tarei_graph *const graph, const tarei_window *const w,
                                 const int i, const tarei_expr in, tarei_expr *const out,
                                 tare_error *const err) {
  if (is_same_pad(w->auto_pad)) {
    *out = tarei_expr_ceildiv(graph->exprs, in, tarei_expr_const(graph->exprs, w->strides[i]));
    return TARE_OK;
  }
  int64_t extent, padding, padded, n;
  if (!tarei_mul_i64(w->dilations[i], w->kernel[i] - 1, &extent) ||
      !tarei_add_i64(extent, 1, &extent) ||
      !tarei_add_i64(w->pads[i], w->pads[w->n + i], &padding)) {
    return tarei_fail(err, TARE_E_MODEL, "the window along spatial axis %d is too large", i);
  }
  if (tarei_expr_is_const(graph->exprs, in, &n) &&
      (!tarei_add_i64(n, padding, &padded) || padded < extent)) {
    return tarei_fail(err, TARE_E_MODEL,
                      "a window of %" PRId64 " does not fit into input length %" PRId64
                      " with padding %" PRId64,
                      extent, n, padding);
  }
  *out = count_windows(graph, w, i, padding, extent, in);
  return TARE_OK;
}
