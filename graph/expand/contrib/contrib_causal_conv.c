/* CausalConvWithState, of com.microsoft and of ONNX: a depthwise convolution behind the last
 * elements of the run before, which it shows for the next. */
#include <inttypes.h>
#include <string.h>

#include "graph/expand/attend.h"
#include "graph/ir/internal_attrs.h"

enum { X, WEIGHT, BIAS, PAST };

typedef struct causal_conv_form {
  tare_dtype dtype;
  int64_t channels, kept, dilation; /* kept: elements in front of the first window's last one */
  bool silu, last, has_past;
} causal_conv_form;

static tare_status causal_conv_read_attrs(const tarei_node *const node, causal_conv_form *const f,
                                          tare_error *const err) {
  const char *const activation = tarei_attr_string(node, TAREI_ATTR_ACTIVATION, "none");
  const int64_t ndim = tarei_attr_int(node, "ndim", 1);
  f->silu = strcmp(activation, "silu") == 0 || strcmp(activation, "swish") == 0;
  f->last = tarei_attr_int(node, "channels_last", 0) != 0;
  f->dilation = tarei_attr_int(node, "dilation", 1);
  if (!f->silu && strcmp(activation, "none") != 0 && *activation) {
    return tarei_fail(err, TARE_E_MODEL,
                      "attribute 'activation': expected none, silu or swish, got '%.32s'",
                      activation);
  }
  if (f->dilation < 1) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'dilation': expected 1 or more, got %" PRId64,
                      f->dilation);
  }
  if (ndim != 1) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "attribute 'ndim': only 1 is supported, got %" PRId64, ndim);
  }
  return tarei_attr_int(node, "state_window", 0) != 0
             ? tarei_fail(err, TARE_E_UNSUPPORTED,
                          "states of several positions (attribute 'state_window') are not "
                          "supported: export the model without speculative decoding")
             : TARE_OK;
}

static tare_status causal_conv_read(const tarei_graph *const graph, const tarei_node *const node,
                                    causal_conv_form *const f, tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, X);
  const tarei_value *const w = tarei_ops_in(graph, node, WEIGHT);
  int64_t size;
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_rank(x, 3, 3, err));
  TAREI_TRY(tarei_ops_want_rank(w, 3, 3, err));
  *f = (causal_conv_form){.dtype = x->dtype, .has_past = tarei_ops_in(graph, node, PAST) != NULL};
  TAREI_TRY(causal_conv_read_attrs(node, f, err));
  if (f->has_past) {
    TAREI_TRY(tarei_ops_want_rank(tarei_ops_in(graph, node, PAST), 3, 3, err));
  }
  if (!tarei_expr_is_const(graph->exprs, w->dims[0], &f->channels) || f->channels < 1 ||
      !tarei_expr_is_const(graph->exprs, w->dims[2], &size) || size < 1 ||
      f->dilation > INT32_MAX / size) {
    return tarei_fail(err, TARE_E_MODEL, "the dims of '%s' must be constant and at least 1",
                      w->name);
  }
  f->kept = (size - 1) * f->dilation;
  return TARE_OK;
}

/* [B, C, L] from [B, L, C] or back. */
static int causal_conv_turn(tarei_build *const b, const causal_conv_form *const f, const int x) {
  return f->last ? tarei_attend_transpose(b, x, (const int64_t[]){0, 2, 1}, 3) : x;
}

/* x behind the state, or behind zeros. */
static int causal_conv_whole(tarei_build *const b, const causal_conv_form *const f) {
  const int x = causal_conv_turn(b, f, tarei_build_in(b, X));
  if (f->has_past) {
    const int past = causal_conv_turn(b, f, tarei_build_in(b, PAST));
    return tarei_attend_concat(b, (const int[]){past, x}, 2, 2);
  }
  const int64_t pads[] = {0, 0, f->kept, 0, 0, 0};
  return tarei_build_binary(b, "Pad", x, tarei_build_i64s(b, pads, 6));
}

/* The last elements of `whole`. */
static void causal_conv_keep(tarei_build *const b, const causal_conv_form *const f, const int whole,
                             const int out) {
  const int64_t first = f->kept ? -f->kept : INT64_MAX, end = INT64_MAX, axis = 2;
  const int in[] = {whole, tarei_build_i64s(b, &first, 1), tarei_build_i64s(b, &end, 1),
                    tarei_build_i64s(b, &axis, 1)};
  const int y = causal_conv_turn(b, f, tarei_build_node(b, "Slice", in, 4));
  tarei_build_into(b, "Identity", &y, 1, out);
}

static tare_status causal_conv_expand(tarei_graph *const graph, const int node,
                                      tare_error *const err) {
  causal_conv_form f;
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 2, err));
  TAREI_TRY(causal_conv_read(graph, n, &f, err));
  const int out = n->out[0], present = n->n_out > 1 ? n->out[1] : -1;
  tarei_build b = tarei_build_at(graph, node);
  const int whole = causal_conv_whole(&b, &f), bias = tarei_build_in(&b, BIAS);
  const int in[] = {whole, tarei_build_in(&b, WEIGHT), bias};
  int y = tarei_build_node(&b, "Conv", in, bias < 0 ? 2 : 3);
  tarei_build_int(&b, "group", f.channels);
  tarei_build_ints(&b, "dilations", &f.dilation, 1);
  y = f.silu ? tarei_build_unary(&b, "Swish", y) : y;
  y = causal_conv_turn(&b, &f, y);
  tarei_build_into(&b, "Identity", &y, 1, out);
  if (present >= 0) {
    causal_conv_keep(&b, &f, whole, present);
  }
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_ms_causal_conv_with_state = {
    .name = "CausalConvWithState",
    .domain = "com.microsoft",
    .min_in = 2,
    .max_in = 4,
    .min_out = 1,
    .max_out = 2,
    .expand = causal_conv_expand,
};

const tarei_op tarei_op_causal_conv_with_state = {
    .name = "CausalConvWithState",
    .domain = "",
    .min_in = 2,
    .max_in = 4,
    .min_out = 1,
    .max_out = 2,
    .expand = causal_conv_expand,
};
