/* LSTM, GRU and RNN, and QLSTM, QGRU and QRNN. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/lower/operands.h"
#include "engine/lower/fused.h"
#include "engine/lower/products/row_scales.h"
#include "engine/lower/recurrent/recurrent.h"

/* --- before it runs --------------------------------------------------------------------------- */

static tare_status recurrent_want_types(const tarei_recurrent *const s,
                                        const tarei_step *const step, tare_error *const err) {
  for (int i = 0; i < step->node->n_in; i++) {
    const int value = step->node->in[i];
    if (value < 0 || i == TAREI_RECURRENT_LENGTHS || s->f64) {
      continue;
    }
    if (i == TAREI_RECURRENT_X && s->bytes && !s->row_scales) {
      TAREI_TRY(tarei_want_scales(step, value, err));
    } else if (i == TAREI_RECURRENT_W || i == TAREI_RECURRENT_R) {
      continue; /* when they are packed */
    } else {
      TAREI_TRY(tarei_want_float(step, i, err));
    }
  }
  return TARE_OK;
}

static tare_status read_layer(tarei_step *const step, const bool bytes, tarei_recurrent *const s,
                              tare_error *const err) {
  const tarei_value *const values = step->graph->values;
  const tare_dtype x = values[step->node->in[TAREI_RECURRENT_X]].dtype;
  const tare_dtype w = values[step->node->in[TAREI_RECURRENT_W]].dtype;
  TAREI_TRY(tarei_recurrent_read(step->node, &s->form, err));
  s->f64 = w == TARE_F64;
  s->bytes = bytes;
  s->row_scales = bytes && x == TARE_F32;
  s->x_zero_point = s->row_scales
                        ? tarei_float_rows_zero_point(step->node)
                        : tarei_u8_zero_point(step->graph, step->node->in[TAREI_RECURRENT_X]);
  if (tarei_attr_find(step->node, TAREI_ATTR_ACTIVATION_BITS)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "recurrent layers have no 16-bit activations");
  }
  for (int d = 0; d < s->form.dirs; d++) {
    s->plain[d] =
        tarei_recurrent_is_plain(&s->form, d) && (s->form.gates > 1 || isinf(s->form.clip));
  }
  if ((s->f64 && bytes) || (!s->f64 && w != TARE_F32)) {
    return tarei_refuse_dtype(w, err);
  }
  return recurrent_want_types(s, step, err);
}

static tare_status prepare_as(tarei_step *const step, tarei_blobs *const blobs, const bool bytes,
                              tare_error *const err) {
  tarei_recurrent *const s = step->state;
  TAREI_TRY(read_layer(step, bytes, s, err));
  return s->f64 ? TARE_OK : tarei_recurrent_pack(s, step, blobs, err);
}

static tare_status recurrent_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                     tare_error *const err) {
  return prepare_as(step, blobs, false, err);
}

static tare_status prepare_int8(tarei_step *const step, tarei_blobs *const blobs,
                                tare_error *const err) {
  return prepare_as(step, blobs, true, err);
}

/* --- sizes ------------------------------------------------------------------------------------ */

static tarei_recurrent_sizes recurrent_sizes_of(const tarei_recurrent *const s,
                                                const tare_tensor *const *const in) {
  const tare_tensor *const x = in[TAREI_RECURRENT_X];
  const int time = s->form.batch_first ? 1 : 0;
  tarei_recurrent_sizes z = {.steps = (size_t)x->dims[time],
                             .batch = (size_t)x->dims[1 - time],
                             .input = (size_t)x->dims[2],
                             .hidden = (size_t)in[TAREI_RECURRENT_R]->dims[2]};
  z.gate = tarei_recurrent_gate(&s->form, z.hidden);
  z.columns = tarei_round_up((size_t)s->form.gates * z.gate, TAREI_F32_PANEL);
  return z;
}

static size_t recurrent_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                                const tare_tensor *const *const out, const int threads) {
  (void)out;
  const tarei_recurrent *const s = step->state;
  const tarei_recurrent_sizes z = recurrent_sizes_of(s, in);
  return s->f64 ? tarei_recurrent_f64_scratch(s, &z, threads)
                : tarei_recurrent_scratch(s, &z, threads);
}

typedef struct dims {
  int input, n;
  size_t at[3];
} dims;

/* Dims that inference could not compare. */
static tare_status recurrent_check(const tarei_step *const step, const tarei_run *const run,
                                   const tarei_recurrent_sizes *const z, tare_error *const err) {
  const tarei_recurrent *const s = step->state;
  const size_t d = (size_t)s->form.dirs, n = z->hidden, all = (size_t)s->form.gates * n;
  const size_t outer = s->form.batch_first ? z->batch : d,
               inner = s->form.batch_first ? d : z->batch;
  const dims wanted[] = {
      {TAREI_RECURRENT_W, 3, {d, all, z->input}},
      {TAREI_RECURRENT_R, 3, {d, all, n}},
      {TAREI_RECURRENT_BIAS, 2, {d, 2 * all}},
      {TAREI_RECURRENT_LENGTHS, 1, {z->batch}},
      {TAREI_RECURRENT_FIRST_H, 3, {outer, inner, n}},
      {TAREI_RECURRENT_FIRST_C, 3, {outer, inner, n}},
      {TAREI_RECURRENT_PEEPHOLES, 2, {d, 3 * n}},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    for (int k = 0; k < wanted[i].n; k++) {
      if (tarei_recurrent_in(step, run, wanted[i].input)) {
        TAREI_TRY(tarei_want_dim(step, run, wanted[i].input, k, (int64_t)wanted[i].at[k], err));
      }
    }
  }
  return TARE_OK;
}

/* --- runs ------------------------------------------------------------------------------------- */

static tare_status recurrent_run(const tarei_step *const step, const tarei_run *const r,
                                 tare_error *const err) {
  const tarei_recurrent *const s = step->state;
  const tarei_recurrent_sizes z = recurrent_sizes_of(s, r->in);
  const int32_t *lengths;
  TAREI_TRY(recurrent_check(step, r, &z, err));
  TAREI_TRY(tarei_recurrent_lengths(step, r, &z, &lengths, err));
  if (s->f64) {
    tarei_recurrent_f64_run(step, r, &z, lengths);
  } else {
    tarei_recurrent_run(step, r, &z, lengths);
  }
  return TARE_OK;
}

static const char *recurrent_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  const tarei_recurrent *const s = step->state;
  return s->f64 ? "" : s->bytes ? k->i8_gemm_name : k->f32_gemm_name;
}

static void recurrent_row(const tarei_step *const step, const tarei_run *const r,
                          const size_t position, float *const out) {
  const tare_tensor *const x = r->in[TAREI_RECURRENT_X];
  const size_t k = (size_t)x->dims[2];
  (void)step;
  memcpy(out, (const float *)x->data + position * k, k * sizeof *out);
}

#define LOWERING(id, prepare_as_what, row_or_null)    \
  const tarei_lowering tarei_lower_##id = {           \
      .state_bytes = sizeof(tarei_recurrent),         \
      .prepare = prepare_as_what,                     \
      .scratch = recurrent_scratch,                   \
      .run = recurrent_run,                           \
      .operations = tarei_operations_by_recurrence,   \
      .row = row_or_null,                             \
      .rows_of_input = true,                          \
      .weight_scales = tarei_recurrent_weight_scales, \
      .kernel = recurrent_kernel,                     \
      .packs = 1u << TAREI_RECURRENT_W | 1u << TAREI_RECURRENT_R}

LOWERING(gru, recurrent_prepare, recurrent_row);
LOWERING(lstm, recurrent_prepare, recurrent_row);
LOWERING(rnn, recurrent_prepare, recurrent_row);
LOWERING(qgru, prepare_int8, NULL);
LOWERING(qlstm, prepare_int8, NULL);
LOWERING(qrnn, prepare_int8, NULL);
