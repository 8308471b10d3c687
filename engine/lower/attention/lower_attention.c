/* softmax(Q . K^T * scale + mask) . V for all heads; int8 where V is bytes, and Q and K too or rows
 * with scales of their own; bf16 where the node says so. */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/lower/attention/attention.h"
#include "engine/lower/products/bf16_products.h"

typedef struct attention_state {
  tarei_fused fused;
  size_t heads;
  float scale;
  const tarei_attention_form *form;
  int static_from; /* input, from which on Q, K and V are bytes of one scale */
  bool guard;
} attention_state;

/* Scores sum over a head's elements, whose number inference has as a constant. */
static tare_status check_bytes(const tarei_step *const step, const attention_state *const s,
                               tare_error *const err) {
  const tarei_graph *const g = step->graph;
  int64_t width = 0;
  for (int i = 0; i < 3; i++) {
    const int value = step->node->in[i];
    const bool rows = i < s->static_from;
    TAREI_TRY(rows ? TARE_OK : tarei_want_scales(step, value, err));
    if ((rows || i > 0) && tarei_u8_zero_point(step->graph, value) != 128) {
      return tarei_fail(err, TARE_E_MODEL, "'%s' needs a zero point of 128", g->values[value].name);
    }
  }
  (void)tarei_expr_is_const(g->exprs, g->values[step->node->in[1]].dims[2], &width);
  return tarei_want_int8_sum((size_t)width / s->heads, err);
}

static tare_status attention_read_form(const tarei_step *const step, attention_state *const s,
                                       tare_error *const err) {
  bool bf16;
  TAREI_TRY(tarei_bf16_read(step->node, &bf16, err));
  if (bf16 && s->static_from < 3) {
    return tarei_fail(err, TARE_E_MODEL, "attention over bytes cannot be in bf16");
  }
  s->form = s->static_from == 0  ? &tarei_attention_i8
            : s->static_from < 3 ? &tarei_attention_i8_rows
            : bf16               ? &tarei_attention_bf16
                                 : &tarei_attention_f32;
  return TARE_OK;
}

/* Inference lets bytes come with bytes, and those before it with scales of rows. */
static int static_from(const tarei_step *const step) {
  const bool rows = tarei_attr_int(step->node, TAREI_ATTR_ROW_SCALES, 0) != 0;
  const bool bytes = step->graph->values[step->node->in[2]].dtype == TARE_U8;
  return rows ? step->node->op->int8->row_factors : bytes ? 0 : 3;
}

static tare_status attention_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                     tare_error *const err) {
  (void)blobs;
  attention_state *const s = step->state;
  TAREI_TRY(tarei_fused_read(step, &s->fused, err));
  s->heads = (size_t)tarei_attr_int(step->node, "heads", 1);
  s->scale = tarei_attr_float(step->node, "scale", 1.0f);
  s->guard = tarei_attr_int(step->node, "guard", 0) != 0;
  s->static_from = static_from(step);
  TAREI_TRY(attention_read_form(step, s, err));
  for (int i = s->static_from < 3 ? 3 : 0; i < 4; i++) {
    TAREI_TRY(tarei_want_float(step, i, err));
  }
  return s->static_from < 3 ? check_bytes(step, s, err) : TARE_OK;
}

static size_t attention_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                                const tare_tensor *const *const out, const int threads) {
  (void)out;
  const attention_state *const s = step->state;
  const tarei_attention_layout layout =
      tarei_attention_layout_of(s->form, (size_t)in[1]->dims[1], (size_t)in[1]->dims[2] / s->heads,
                                (size_t)in[2]->dims[2] / s->heads);
  return tarei_times(layout.total, (size_t)threads);
}

/* Dims that inference could not compare. */
static tare_status attention_check_dims(const tarei_step *const step, const tarei_run *const run,
                                        tare_error *const err) {
  const attention_state *const s = step->state;
  for (int i = 0; s->form->row_scales && i < s->static_from; i++) {
    const tare_tensor *const x = run->in[i];
    TAREI_TRY(tarei_want_count(step, run, TAREI_INT8_ROW_SCALES + i,
                               x->dims[0] * x->dims[1] * (int64_t)s->heads, err));
  }
  for (int i = 1; i < 3; i++) {
    TAREI_TRY(tarei_want_dim(step, run, i, 0, run->in[0]->dims[0], err));
  }
  TAREI_TRY(tarei_want_dim(step, run, 1, 2, run->in[0]->dims[2], err));
  return tarei_want_dim(step, run, 2, 1, run->in[1]->dims[1], err);
}

static tare_status attention_read_mask(tarei_attention *const a, const tare_tensor *const mask,
                                       tare_error *const err) {
  const size_t dims[] = {a->batch, a->heads, a->rows, a->keys};
  size_t step = 1;
  for (int d = 3; d >= 0; d--) {
    const int own = d - (4 - mask->rank);
    const size_t size = own < 0 ? 1 : (size_t)mask->dims[own];
    if (size != dims[d] && (size != 1 || d == 3)) {
      return tarei_fail(err, TARE_E_SHAPE,
                        "axis %d of the mask has length %zu, expected %zu as in the scores", own,
                        size, dims[d]);
    }
    if (d < 3) {
      a->mask_step[d] = size > 1 ? step : 0;
    }
    step *= size;
  }
  a->mask = mask->data;
  return TARE_OK;
}

/* What the scales of bytes make of the factors. */
static void take_scales(const attention_state *const s, tarei_attention *const a) {
  const tarei_graph *const g = a->step->graph;
  const int *const in = a->step->node->in;
  const int profile = a->run->profile;
  double values = (double)tarei_u8_scale(g, in[2], profile);
  if (s->static_from == 0) { /* else scales of rows make real scores */
    a->scale = (float)((double)s->scale * (double)tarei_u8_scale(g, in[0], profile) *
                       (double)tarei_u8_scale(g, in[1], profile));
  }
  if (tarei_requant_folds(&s->fused, false)) {
    const double unit =
        (double)tarei_u8_scale(g, a->step->node->out[s->fused.u8_output], profile);
    values /= unit;
    tarei_requant_fold(&a->epilogue, unit);
  }
  a->value_scale = (float)values;
  a->query_zero_point = s->static_from == 0 ? tarei_u8_zero_point(g, in[0]) : 128;
}

static tare_status attention_run(const tarei_step *const step, const tarei_run *const run,
                                 tare_error *const err) {
  const attention_state *const s = step->state;
  const tare_tensor *const q = run->in[0], *const k = run->in[1], *const v = run->in[2];
  const tare_tensor *const mask = step->node->n_in > 3 ? run->in[3] : NULL;
  TAREI_TRY(attention_check_dims(step, run, err));
  tarei_attention a = {.step = step,
                       .run = run,
                       .form = s->form,
                       .batch = (size_t)q->dims[0],
                       .heads = s->heads,
                       .rows = (size_t)q->dims[1],
                       .keys = (size_t)k->dims[1],
                       .depth = (size_t)k->dims[2] / s->heads,
                       .width = (size_t)v->dims[2] / s->heads,
                       .scale = s->scale,
                       .guard = s->guard};
  if (mask) {
    TAREI_TRY(attention_read_mask(&a, mask, err));
  }
  a.epilogue = tarei_fused_epilogue(&s->fused, step, run, NULL, a.heads * a.width);
  if (s->static_from < 3) {
    TAREI_TRY(tarei_want_int8_sum(a.keys, err));
    take_scales(s, &a);
  }
  a.layout = tarei_attention_layout_of(s->form, a.keys, a.depth, a.width);
  tarei_attention_run(&a);
  return TARE_OK;
}

static const char *attention_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  return ((const attention_state *)step->state)->form->kernel(k);
}

const tarei_lowering tarei_lower_attention = {.state_bytes = sizeof(attention_state),
                                              .prepare = attention_prepare,
                                              .scratch = attention_scratch,
                                              .run = attention_run,
                                              .operations = tarei_operations_by_keys,
                                              .kernel = attention_kernel};
