#include "graph/expand/ms_attention_form.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

tare_status tarei_ms_attention_read(const tarei_node *const node, tarei_ms_attention *const a,
                                    tare_error *const err) {
  a->heads = tarei_attr_int(node, "num_heads", 0);
  a->masked = (double)tarei_attr_float(node, "mask_filter_value", -10000.0f);
  a->causal = tarei_attr_int(node, "unidirectional", 0) != 0;
  a->out = node->out[0];
  return a->heads >= 1
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL,
                          "attribute 'num_heads': expected 1 or more, got %" PRId64, a->heads);
}

tare_status tarei_ms_attention_widths(const tarei_node *const node, tarei_ms_attention *const a,
                                      const int64_t q, const int64_t v, tare_error *const err) {
  if (q < 1 || v < 1 || q % a->heads || v % a->heads) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "widths %" PRId64 " and %" PRId64
                      " (-1: not constant) must be multiples of %" PRId64 " heads",
                      q, v, a->heads);
  }
  a->depth = q / a->heads;
  a->width = v / a->heads;
  const float scale = tarei_attr_float(node, "scale", 0);
  a->scale = scale != 0 ? (double)scale : 1.0 / sqrt((double)a->depth);
  return TARE_OK;
}

/* batch: that of the queries. */
tare_status tarei_ms_attention_mask(const tarei_graph *const graph, const tarei_node *const node,
                                    const int i, const tarei_expr batch,
                                    tarei_ms_attention *const a, tare_error *const err) {
  const tarei_value *const mask = tarei_ops_in(graph, node, i);
  a->mask = mask ? node->in[i] : -1;
  a->mask_rank = mask ? mask->rank : 0;
  if (!mask) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_ops_want_rank(mask, 1, 4, err));
  const tarei_expr two = tarei_expr_mul(graph->exprs, batch, tarei_expr_const(graph->exprs, 2));
  const tarei_expr sums = tarei_ops_plus(
      graph, tarei_expr_mul(graph->exprs, batch, tarei_expr_const(graph->exprs, 3)), 2);
  a->mask_parts = mask->rank > 1 || !tarei_ops_differ(graph, mask->dims[0], batch) ? 1
                  : mask->dims[0] == two                                           ? 2
                  : mask->dims[0] == sums                                          ? 3
                                                                                   : 0;
  return mask->rank == 4 || a->mask_parts == 0
             ? tarei_fail(err, TARE_E_UNSUPPORTED, "the form of mask '%s' is not supported",
                          mask->name)
             : TARE_OK;
}

int64_t tarei_ms_attention_dim(const tarei_graph *const graph, const tarei_value *const v,
                               const int axis) {
  int64_t n;
  return tarei_expr_is_const(graph->exprs, v->dims[axis], &n) ? n : -1;
}

/* Part 0 or 1 of a vector of ends and starts of sequences, as [B, 1, 1, 1]. */
static int ms_attention_form_part_of(tarei_build *const b, const tarei_ms_attention *const a,
                                     const int64_t part) {
  const int64_t column[] = {a->mask_parts, -1}, all[] = {-1, 1, 1, 1}, first = 0;
  int one = a->mask;
  if (a->mask_parts == 3) { /* what follows the ends are their sums */
    const int n = tarei_attend_unsqueeze(b, tarei_attend_length(b, a->q, 0), &first, 1);
    one =
        tarei_build_node(b, "Slice", (const int[]){a->mask, tarei_build_i64s(b, &first, 1), n}, 3);
  } else {
    one = tarei_attend_slice(b, tarei_attend_reshape(b, a->mask, column, 2), 0, part, part + 1, 1);
  }
  return tarei_build_cast(b, tarei_attend_reshape(b, one, all, 4), TARE_I64);
}

/* Keys that the mask lets queries meet, broadcast to [B, H, S, T]. */
static int unmasked(tarei_build *const b, const tarei_ms_attention *const a, const int k) {
  if (a->mask_rank > 1) {
    const int allowed = tarei_build_cast(b, a->mask, TARE_BOOL);
    return tarei_attend_unsqueeze(b, allowed, (const int64_t[]){1, 2}, 4 - a->mask_rank);
  }
  const int at = tarei_attend_positions(b, k, 2);
  const int allowed = tarei_build_binary(b, "Less", at, ms_attention_form_part_of(b, a, 0));
  return a->mask_parts != 2
             ? allowed
             : tarei_attend_and(
                   b, allowed,
                   tarei_build_binary(b, "GreaterOrEqual", at, ms_attention_form_part_of(b, a, 1)));
}

static int bias_of(tarei_build *const b, const tarei_ms_attention *const a, const int k) {
  int bias = -1;
  if (a->mask >= 0) {
    bias = tarei_attend_bias_of(b, a->dtype, unmasked(b, a, k), a->masked);
  }
  if (a->causal) {
    const int offset =
        tarei_build_binary(b, "Sub", tarei_attend_length(b, k, 2), tarei_attend_length(b, a->q, 2));
    const int allowed = tarei_attend_causal(b, a->q, k, offset);
    const int rule = tarei_attend_bias_of(b, a->dtype, allowed, -(double)FLT_MAX);
    bias = tarei_attend_add(b, bias, rule);
  }
  return tarei_attend_add(b, bias, a->bias);
}

/* Behind what is kept of earlier calls; `out` is a value that shows the whole, or -2. */
static int with_past(tarei_build *const b, const int past, const int x, int out) {
  const int parts[] = {past, x};
  if (past >= 0) {
    tarei_build_outputs(b, "Concat", parts, 2, &out, 1);
    tarei_build_int(b, "axis", 2);
    return out;
  }
  if (out >= 0) {
    tarei_build_into(b, "Identity", &x, 1, out);
  }
  return x;
}

void tarei_ms_attention_write(tarei_build *const b, tarei_ms_attention *const a) {
  a->k = with_past(b, a->past_k, a->k, a->present_k);
  a->v = with_past(b, a->past_v, a->v, a->present_v);
  tarei_attend attend = {.dtype = a->dtype,
                         .q = a->q,
                         .k = a->k,
                         .v = a->v,
                         .bias = bias_of(b, a, a->k),
                         .scale = a->scale};
  const int y = tarei_attend_write(b, &attend);
  const int turned = tarei_attend_transpose(b, y, (const int64_t[]){0, 2, 1, 3}, 4);
  const int64_t joined[] = {0, 0, a->heads * a->width};
  tarei_build_into(b, "Reshape", (const int[]){turned, tarei_build_i64s(b, joined, 3)}, 2, a->out);
}

/* Half 0 or 1 of a cache [2, B, H, P, d]. */
int tarei_ms_attention_half(tarei_build *const b, const int cache, const int64_t half) {
  const int64_t first = 0;
  return cache < 0
             ? -1
             : tarei_build_binary(b, "Squeeze", tarei_attend_slice(b, cache, 0, half, half + 1, 1),
                                  tarei_build_i64s(b, &first, 1));
}

void tarei_ms_attention_present(tarei_build *const b, const tarei_ms_attention *const a,
                                const int out) {
  const int64_t first = 0;
  const int halves[] = {tarei_attend_unsqueeze(b, a->k, &first, 1),
                        tarei_attend_unsqueeze(b, a->v, &first, 1)};
  tarei_build_into(b, "Concat", halves, 2, out);
  tarei_build_int(b, "axis", 0);
}
