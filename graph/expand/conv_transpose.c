/*
 * ConvTranspose as a convolution. Outputs that lie a stride apart meet the same inputs, each with
 * taps of its own; so each such phase becomes channels of a convolution of stride 1, whose outputs
 * are then laid out side by side:
 *
 *   y[q * stride + p] = sum over u of x[q - u] * w[u * stride + p],  p = 0 .. stride - 1
 *
 * Taps beyond the kernel are zeros; so are those between the taps of a dilated one, unless the
 * stride is 1, where the convolution is dilated. Depthwise ones read a copy of the input for each
 * phase, and stay depthwise. Padding cuts what it covers off both ends: whole strides are not even
 * computed. Channels come last between the steps, as the convolution has them anyway.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/expand/attend.h"

enum { X, W, BIAS, MOST_SPACE = TARE_MAX_RANK - 2, MOST_COPIES = 16 };

typedef struct conv_transpose_axis {
  int64_t kernel, stride, dilation;
  int64_t taps;   /* of a phase */
  int64_t spread; /* of the taps of a phase: the dilation of the convolution */
  int64_t length; /* of the input; -1: not constant */
  int64_t before; /* pads of the convolution */
  int64_t after;
  int64_t first; /* outputs of the convolution that are cut off in front */
  int64_t last;  /* and behind */
} conv_transpose_axis;

typedef struct conv_transpose_form {
  int n, phased; /* axes of space, those of a stride above 1 */
  int64_t group, in_per_group, out_per_group, phases;
  int64_t apart;   /* parts of the convolution's channels that have all phases */
  int64_t of_each; /* channels of a part */
  conv_transpose_axis axes[MOST_SPACE];
  int out;
  bool biased;
} conv_transpose_form;

/* --- reading ---------------------------------------------------------------------------------- */

static tare_status conv_transpose_const_dim(const tarei_graph *const graph,
                                            const tarei_value *const v, const int i,
                                            int64_t *const out, tare_error *const err) {
  return tarei_expr_is_const(graph->exprs, v->dims[i], out) && *out >= 1
             ? TARE_OK
             : tarei_fail(err, TARE_E_UNSUPPORTED, "axis %d of '%s' is not constant", i, v->name);
}

/* Length that the attribute output_shape asks for, or -1. */
static int64_t asked_length(const tarei_node *const node, const int n, const int i) {
  const tarei_attr *const a = tarei_attr_find(node, "output_shape");
  return a && a->kind == TAREI_ATTR_INTS && a->n >= n ? a->ints[a->n - n + i] : -1;
}

/* Sizes that no sum overflows for. */
static bool is_small(const int64_t v) {
  return v >= 0 && v <= INT32_MAX;
}

/* Outputs of the convolution along an axis of constant length, its phases laid out. */
static int64_t conv_transpose_length(const conv_transpose_axis *const a) {
  return (a->length + a->before + a->after - (a->taps - 1) * a->spread) * a->stride;
}

/* Whole strides among outputs that are cut off, as many as pads can be shorter. */
static int64_t whole_strides(const conv_transpose_axis *const a, const int64_t cut,
                             const int64_t reach) {
  return cut / a->stride < reach ? cut / a->stride : reach;
}

/* With pads as long as the taps reach, a phase has length + reach outputs, of all phases
 * stride * (length - 1) + span + output_padding - after are wanted. */
static void place_outputs(conv_transpose_axis *const a, const int64_t span,
                          const tarei_padding pads, const int64_t output_padding) {
  const int64_t reach = (a->taps - 1) * a->spread;
  const int64_t beyond = (reach + 1) * a->stride - span - output_padding + pads.after;
  const int64_t more = beyond < 0 ? (-beyond + a->stride - 1) / a->stride : 0;
  const int64_t front = whole_strides(a, pads.before, reach);
  const int64_t back = whole_strides(a, beyond + more * a->stride, reach);
  a->before = reach - front;
  a->after = reach + more - back;
  a->first = pads.before - front * a->stride;
  a->last = beyond + (more - back) * a->stride;
}

static tare_status read_axis(const tarei_node *const node, const tarei_window *const w, const int i,
                             const int64_t output_padding, conv_transpose_axis *const a,
                             tare_error *const err) {
  const int64_t asked = asked_length(node, w->n, i);
  a->kernel = w->kernel[i];
  a->stride = w->strides[i];
  a->dilation = w->dilations[i];
  tarei_padding pads = {w->pads[i], w->pads[w->n + i]};
  if (!is_small(a->kernel) || !is_small(a->stride) || !is_small(a->dilation) ||
      !is_small(pads.before) || !is_small(pads.after) || !is_small(output_padding) ||
      a->kernel * a->dilation > INT32_MAX || a->length > INT32_MAX || asked > INT32_MAX ||
      a->stride > 1 << 16) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "the window along spatial axis %d is too large", i);
  }
  const int64_t span = (a->kernel - 1) * a->dilation + 1;
  if (asked >= 0) {
    if (a->length < 0) {
      return tarei_fail(
          err, TARE_E_UNSUPPORTED,
          "attribute 'output_shape' with an input of dynamic length is not supported");
    }
    pads = tarei_padding_share(w->auto_pad,
                               a->stride * (a->length - 1) + output_padding + span - asked);
  } else if (w->auto_pad == TAREI_PAD_SAME_UPPER || w->auto_pad == TAREI_PAD_SAME_LOWER) {
    pads = tarei_padding_share(w->auto_pad, output_padding + span - a->stride);
  }
  a->spread = a->stride == 1 ? a->dilation : 1;
  a->taps = a->stride == 1 ? a->kernel : (span + a->stride - 1) / a->stride;
  place_outputs(a, span, pads, output_padding);
  return a->length < 0 || a->first + a->last <= conv_transpose_length(a)
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL, "the pads leave nothing of spatial axis %d", i);
}

static tare_status conv_transpose_read_channels(const tarei_graph *const graph,
                                                const tarei_value *const x,
                                                const tarei_value *const w,
                                                conv_transpose_form *const f,
                                                tare_error *const err) {
  int64_t channels;
  TAREI_TRY(conv_transpose_const_dim(graph, w, 0, &channels, err));
  TAREI_TRY(conv_transpose_const_dim(graph, w, 1, &f->out_per_group, err));
  if (f->group < 1 || channels % f->group) {
    return tarei_fail(err, TARE_E_MODEL,
                      "%" PRId64 " channels are not a multiple of attribute 'group', %" PRId64,
                      channels, f->group);
  }
  if (tarei_ops_differ(graph, x->dims[1], w->dims[0])) {
    return tarei_fail(err, TARE_E_MODEL,
                      "the input's channels differ from those of the weights, %" PRId64, channels);
  }
  f->in_per_group = channels / f->group;
  return TARE_OK;
}

static tare_status conv_transpose_read_form(const tarei_graph *const graph,
                                            const tarei_node *const node,
                                            conv_transpose_form *const f, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, X), *const w =
                                                                 tarei_ops_in(graph, node, W);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_same_dtype(x, w, err));
  TAREI_TRY(tarei_ops_want_rank(x, 3, TARE_MAX_RANK, err));
  TAREI_TRY(tarei_ops_want_rank(w, x->rank, x->rank, err));
  *f = (conv_transpose_form){.n = x->rank - 2,
                             .group = tarei_attr_int(node, "group", 1),
                             .phases = 1,
                             .out = node->out[0],
                             .biased = tarei_ops_in(graph, node, BIAS) != NULL};
  TAREI_TRY(conv_transpose_read_channels(graph, x, w, f, err));
  int64_t padding[MOST_SPACE];
  tarei_window window;
  TAREI_TRY(tarei_ops_window(graph, node, f->n, w->dims + 2, &window, err));
  TAREI_TRY(tarei_ops_ints(node, "output_padding", f->n, 0, padding, err));
  for (int i = 0; i < f->n; i++) {
    conv_transpose_axis *const a = &f->axes[i];
    a->length = -1;
    (void)tarei_expr_is_const(graph->exprs, x->dims[2 + i], &a->length);
    TAREI_TRY(read_axis(node, &window, i, padding[i], a, err));
    f->phased += a->stride > 1;
    if (!tarei_mul_i64(f->phases, a->stride, &f->phases) || f->phases > INT32_MAX) {
      return tarei_fail(err, TARE_E_UNSUPPORTED, "the strides are too large");
    }
  }
  const bool depthwise = f->in_per_group == 1 && f->out_per_group == 1 && f->phases <= MOST_COPIES;
  f->apart = depthwise ? 1 : f->group;
  f->of_each = depthwise ? f->group : f->out_per_group;
  const int rank = 2 + f->n + f->phased + (f->group > 1);
  return rank <= TARE_MAX_RANK
             ? TARE_OK
             : tarei_fail(err, TARE_E_UNSUPPORTED,
                          "strides over %d axes with %" PRId64 " groups are not supported",
                          f->phased, f->group);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Zeros behind the elements of one axis. */
static int pad_end(tarei_build *const b, const int x, const int rank, const int at,
                   const int64_t zeros) {
  int64_t pads[2 * TARE_MAX_RANK] = {0};
  pads[rank + at] = zeros;
  return zeros ? tarei_build_binary(b, "Pad", x, tarei_build_i64s(b, pads, 2 * rank)) : x;
}

/* Puts zeros between the taps of one axis, which stay a list of kernel * dilation. */
static int dilate(tarei_build *const b, const conv_transpose_form *const f, const int w,
                  const int i) {
  const int64_t d = f->axes[i].spread == 1 ? f->axes[i].dilation : 1;
  int64_t dims[TARE_MAX_RANK] = {0}; /* those in front stay */
  if (d == 1) {
    return w;
  }
  const int64_t own = 2 + i;
  dims[own] = f->axes[i].kernel * d;
  for (int a = i + 1; a < f->n; a++) {
    dims[2 + a] = f->axes[a].taps * f->axes[a].stride;
  }
  const int apart = tarei_attend_unsqueeze(b, w, (const int64_t[]){own + 1}, 1);
  const int wide = pad_end(b, apart, 3 + f->n, (int)own + 1, d - 1);
  return tarei_attend_reshape(b, wide, dims, 2 + f->n);
}

/* Exactly taps * stride elements along one axis, zeros behind the kernel. */
static int conv_transpose_fit(tarei_build *const b, const conv_transpose_form *const f, const int w,
                              const int i) {
  const conv_transpose_axis *const a = &f->axes[i];
  const int64_t have = a->stride == 1 ? a->kernel : a->kernel * a->dilation;
  const int64_t want = a->taps * a->stride;
  return have > want ? tarei_attend_slice(b, w, 2 + i, 0, want, 1)
                     : pad_end(b, w, 2 + f->n, 2 + i, want - have);
}

/* [C, M / group, k..] as [group * phases * M / group, C / group, taps..]. */
static int write_weights(tarei_build *const b, const conv_transpose_form *const f) {
  int w = tarei_build_in(b, W);
  for (int i = f->n - 1; i >= 0; i--) { /* the later axes have their length when it is asked for */
    w = conv_transpose_fit(b, f, dilate(b, f, w, i), i);
  }
  int64_t split[TARE_MAX_RANK], flat[TARE_MAX_RANK], perm[TARE_MAX_RANK];
  int64_t tap_at[MOST_SPACE], phase_at[MOST_SPACE];
  int rank = 0, to = 0;
  if (f->group > 1) {
    split[rank++] = f->group;
  }
  const int in_at = rank;
  split[rank++] = f->in_per_group;
  const int out_at = rank;
  split[rank++] = f->out_per_group;
  for (int i = 0; i < f->n; i++) {
    tap_at[i] = rank;
    split[rank++] = f->axes[i].taps;
    if (f->axes[i].stride > 1) {
      phase_at[i] = rank;
      split[rank++] = f->axes[i].stride;
    }
  }
  w = tarei_attend_reshape(b, w, split, rank);
  for (int i = 0; i < f->n; i++) { /* the last tap comes first */
    if (f->axes[i].taps > 1) {
      w = tarei_attend_slice(b, w, tap_at[i], -1, INT64_MIN, -1);
    }
  }
  if (f->apart > 1) {
    perm[to++] = 0;
  }
  for (int i = 0; i < f->n; i++) {
    if (f->axes[i].stride > 1) {
      perm[to++] = phase_at[i];
    }
  }
  if (f->group > f->apart) {
    perm[to++] = 0;
  }
  perm[to++] = out_at;
  perm[to++] = in_at;
  flat[0] = f->group * f->phases * f->out_per_group;
  flat[1] = f->in_per_group;
  for (int i = 0; i < f->n; i++) {
    perm[to++] = tap_at[i];
    flat[2 + i] = f->axes[i].taps;
  }
  return tarei_attend_reshape(b, tarei_attend_transpose(b, w, perm, rank), flat, 2 + f->n);
}

/* The bias of each channel for all its phases. */
static int write_bias(tarei_build *const b, const conv_transpose_form *const f) {
  const int64_t apart[] = {f->apart, 1, f->of_each};
  const int64_t all[] = {f->apart, f->phases, f->of_each}, flat[] = {-1};
  if (!f->biased || f->phases == 1) {
    return tarei_build_in(b, BIAS);
  }
  const int rows = tarei_attend_reshape(b, tarei_build_in(b, BIAS), apart, 3);
  const int wide = tarei_build_binary(b, "Expand", rows, tarei_build_i64s(b, all, 3));
  return tarei_attend_reshape(b, wide, flat, 1);
}

/* A copy of the input for each phase of a depthwise one. */
static int input_of_phases(tarei_build *const b, const conv_transpose_form *const f) {
  const int x = tarei_build_in(b, X);
  int copies[MOST_COPIES];
  if (f->group == f->apart || f->phases == 1) {
    return x;
  }
  for (int i = 0; i < f->phases; i++) {
    copies[i] = x;
  }
  return tarei_attend_concat(b, copies, (int)f->phases, 1);
}

static int conv_transpose_convolve(tarei_build *const b, const conv_transpose_form *const f) {
  const int in[] = {input_of_phases(b, f), write_weights(b, f), write_bias(b, f)};
  const int y = tarei_build_node(b, "Conv", in, f->biased ? 3 : 2);
  int64_t pads[2 * MOST_SPACE], dilations[MOST_SPACE];
  for (int i = 0; i < f->n; i++) {
    pads[i] = f->axes[i].before;
    pads[f->n + i] = f->axes[i].after;
    dilations[i] = f->axes[i].spread;
  }
  tarei_build_int(b, "group", f->group > f->apart ? f->group * f->phases : f->group);
  tarei_build_ints(b, "dilations", dilations, f->n);
  tarei_build_ints(b, "pads", pads, 2 * f->n);
  return y;
}

/* Length of an axis of the result, as a vector of one. */
static int conv_transpose_length_of(tarei_build *const b, const conv_transpose_form *const f,
                                    const int y, const int i) {
  const conv_transpose_axis *const a = &f->axes[i];
  const int64_t known = conv_transpose_length(a);
  if (a->length >= 0 || f->n == 1) {
    return tarei_build_i64s(b, a->length >= 0 ? &known : &(const int64_t){-1}, 1);
  }
  const int length = tarei_build_unary(b, "Shape", y);
  tarei_build_int(b, "start", 1 + i);
  tarei_build_int(b, "end", 2 + i);
  return tarei_build_binary(b, "Mul", length, tarei_build_i64s(b, &a->stride, 1));
}

static int channels_last(tarei_build *const b, const int x, const int rank, const bool last) {
  int64_t perm[TARE_MAX_RANK] = {0};
  for (int i = 1; i < rank; i++) {
    perm[i] = last ? (i + 1 < rank ? i + 1 : 1) : (i == 1 ? rank - 1 : i - 1);
  }
  return tarei_attend_transpose(b, x, perm, rank);
}

/* Phases, which are channels, become neighbours along their axes. */
static int conv_transpose_lay_out(tarei_build *const b, const conv_transpose_form *const f,
                                  const int y) {
  int64_t split[TARE_MAX_RANK] = {0}, perm[TARE_MAX_RANK];
  int parts[2 + MOST_SPACE], n_parts = 0, rank = 1 + f->n, to = 0;
  if (f->phases == 1) {
    return y;
  }
  const int last = channels_last(b, y, 2 + f->n, true);
  const int group_at = f->apart > 1 ? rank : -1;
  if (group_at >= 0) {
    split[rank++] = f->apart;
  }
  int phase_at = rank;
  for (int i = 0; i < f->n; i++) {
    if (f->axes[i].stride > 1) {
      split[rank++] = f->axes[i].stride;
    }
  }
  split[rank++] = f->of_each;
  int z = tarei_attend_reshape(b, last, split, rank);
  parts[n_parts++] = tarei_build_i64s(b, (const int64_t[]){0}, 1);
  perm[to++] = 0;
  for (int i = 0; i < f->n; i++) {
    perm[to++] = 1 + i;
    if (f->axes[i].stride > 1) {
      perm[to++] = phase_at++;
    }
    parts[n_parts++] = conv_transpose_length_of(b, f, last, i);
  }
  if (group_at >= 0) {
    perm[to++] = group_at;
  }
  perm[to++] = rank - 1;
  const int64_t channels = f->group * f->out_per_group;
  parts[n_parts++] = tarei_build_i64s(b, &channels, 1);
  z = tarei_attend_transpose(b, z, perm, rank);
  z = tarei_build_binary(b, "Reshape", z, tarei_attend_concat(b, parts, n_parts, 0));
  return channels_last(b, z, 2 + f->n, false);
}

/* Leaves out what padding covers. */
static void crop(tarei_build *const b, const conv_transpose_form *const f, const int y) {
  int64_t from[MOST_SPACE], to[MOST_SPACE], axes[MOST_SPACE];
  int n = 0;
  for (int i = 0; i < f->n; i++) {
    if (f->axes[i].first || f->axes[i].last) {
      from[n] = f->axes[i].first;
      to[n] = f->axes[i].last ? -f->axes[i].last : INT64_MAX;
      axes[n++] = 2 + i;
    }
  }
  if (n == 0) {
    tarei_build_into(b, "Identity", &y, 1, f->out);
    return;
  }
  const int in[] = {y, tarei_build_i64s(b, from, n), tarei_build_i64s(b, to, n),
                    tarei_build_i64s(b, axes, n)};
  tarei_build_into(b, "Slice", in, 4, f->out);
}

static tare_status conv_transpose_expand(tarei_graph *const graph, const int node,
                                         tare_error *const err) {
  conv_transpose_form f;
  TAREI_TRY(conv_transpose_read_form(graph, &graph->nodes[node], &f, err));
  tarei_build b = tarei_build_at(graph, node);
  crop(&b, &f, conv_transpose_lay_out(&b, &f, conv_transpose_convolve(&b, &f)));
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_conv_transpose = {
    .name = "ConvTranspose",
    .domain = "",
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .expand = conv_transpose_expand,
};
