/* Weights of recurrent layers: each gate is packed apart, so that it begins at a panel. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "engine/lower/products/int8_weights.h"
#include "engine/lower/recurrent/recurrent.h"
#include "engine/lower/products/row_scales.h"

static_assert(TAREI_I8_PANEL == TAREI_F32_PANEL, "gates begin at panels of both");

/* W or R of a node: [dirs][gates][hidden][k]. */
typedef struct matrix {
  size_t dirs, gates, hidden, k;
  size_t columns; /* of a direction */
} matrix;

static size_t gate_step(const matrix *const m) {
  return m->columns / m->gates;
}

static size_t recurrent_weights_offset_of(const matrix *const m, const size_t dir,
                                          const size_t gate) {
  return (dir * m->gates + gate) * m->hidden * m->k;
}

static tare_status read_matrix(const tarei_recurrent *const s, const tarei_step *const step,
                               const int input, matrix *const out, tare_error *const err) {
  const tarei_value *const v = &step->graph->values[step->node->in[input]];
  int64_t dims[3];
  for (int d = 0; d < 3; d++) {
    if (v->rank != 3 || v->dtype != TARE_F32 ||
        !tarei_expr_is_const(step->graph->exprs, v->dims[d], &dims[d]) || dims[d] < 1) {
      return tarei_fail(err, TARE_E_UNSUPPORTED, "weights '%s' must be float32 and not empty",
                        v->name);
    }
  }
  const size_t gates = (size_t)s->form.gates, rows = (size_t)dims[1];
  if (dims[0] != s->form.dirs || rows % gates) {
    return tarei_fail(err, TARE_E_MODEL, "the shape of weights '%s' does not match the layer",
                      v->name);
  }
  *out = (matrix){(size_t)dims[0], gates, rows / gates, (size_t)dims[2],
                  gates * tarei_round_up(rows / gates, TAREI_I8_PANEL)};
  return TARE_OK;
}

/* --- floats ----------------------------------------------------------------------------------- */

static void pack_floats(const matrix *const m, const float *const w,
                        const tarei_kernels *const kernels, float *const packed) {
  for (size_t d = 0; d < m->dirs; d++) {
    for (size_t g = 0; g < m->gates; g++) {
      kernels->f32_pack(w + recurrent_weights_offset_of(m, d, g), m->k, true, m->k, m->hidden,
                        packed + (d * m->columns + g * gate_step(m)) * m->k);
    }
  }
}

void tarei_recurrent_pack_floats(const tarei_recurrent *const s,
                                 const tarei_recurrent_sizes *const z, const float *const w,
                                 const size_t k, const tarei_kernels *const kernels,
                                 float *const packed) {
  const matrix m = {(size_t)s->form.dirs, (size_t)s->form.gates, z->hidden, k, z->columns};
  pack_floats(&m, w, kernels, packed);
}

static tare_status take_floats(const matrix *const m, const tarei_step *const step, const int input,
                               tarei_blobs *const blobs, tarei_recurrent_weights *const out,
                               tare_error *const err) {
  void *data;
  bool fresh;
  TAREI_TRY(tarei_blobs_take(blobs, m->dirs * tarei_f32_packed_size(m->k, m->columns), &data,
                             &fresh, err));
  if (fresh) {
    pack_floats(m, step->graph->values[step->node->in[input]].data->data, step->kernels, data);
  }
  out->packed = data;
  return TARE_OK;
}

/* --- int8 ------------------------------------------------------------------------------------- */

/* One gate of a direction; q holds hidden * k bytes. */
static void quantize_gate(const matrix *const m, const float *const w, int8_t *const q,
                          float *const scales) {
  for (size_t i = 0; i < m->hidden; i++) {
    scales[i] = tarei_weight_scale(w + i * m->k, m->k, 1);
    for (size_t j = 0; j < m->k; j++) {
      q[i * m->k + j] = tarei_weight_quantize(w[i * m->k + j], scales[i]);
    }
  }
}

typedef struct recurrent_weights_target {
  int8_t *packed;
  int32_t *add;
  float *scales;
} recurrent_weights_target;

static tare_status pack_bytes(const matrix *const m, const float *const w, const int32_t zero_point,
                              const recurrent_weights_target *const to, tare_error *const err) {
  int8_t *const q = tarei_calloc(m->hidden, m->k);
  if (!q) {
    return tarei_fail_memory(err, "weights", m->hidden * m->k);
  }
  for (size_t i = 0; i < m->dirs * m->gates; i++) {
    const size_t column = i * gate_step(m);
    quantize_gate(m, w + i * m->hidden * m->k, q, to->scales + i * m->hidden);
    tarei_i8_pack(q, m->k, true, m->k, m->hidden, to->packed + tarei_i8_packed_size(m->k, column),
                  to->add + column);
    for (size_t c = 0; c < gate_step(m); c++) {
      to->add[column + c] *= -zero_point;
    }
  }
  free(q);
  return TARE_OK;
}

/* Factors of a profile: those of the weights times the scale of what they are multiplied with. */
static void fill_factors(const matrix *const m, const float *const scales, const double scale,
                         float *const mult) {
  for (size_t i = 0; i < m->dirs * m->gates * m->hidden; i++) {
    mult[i / m->hidden * gate_step(m) + i % m->hidden] = (float)((double)scales[i] * scale);
  }
}

static tare_status take_bytes(const matrix *const m, const tarei_step *const step, const int input,
                              tarei_blobs *const blobs, tarei_recurrent_weights *const out,
                              tare_error *const err) {
  const int x = step->node->in[TAREI_RECURRENT_X];
  const bool scaled = input == TAREI_RECURRENT_W && step->graph->values[x].dtype == TARE_U8;
  const size_t n = m->dirs * m->columns, profiles = scaled ? (size_t)step->n_profiles : 1;
  const size_t n_scales = m->dirs * m->gates * m->hidden;
  void *packed, *scales, *add, *mult;
  bool fresh;
  TAREI_TRY(tarei_blobs_take(blobs, m->dirs * tarei_i8_packed_size(m->k, m->columns), &packed,
                             &fresh, err));
  TAREI_TRY(tarei_blobs_take(blobs, n_scales * sizeof(float), &scales, &fresh, err));
  TAREI_TRY(tarei_blobs_take(blobs, n * sizeof(int32_t), &add, &fresh, err));
  TAREI_TRY(tarei_blobs_take(blobs, profiles * n * sizeof(float), &mult, &fresh, err));
  *out = (tarei_recurrent_weights){packed, add, mult, scales, n_scales};
  if (!fresh) {
    return TARE_OK;
  }
  const recurrent_weights_target to = {packed, add, scales};
  TAREI_TRY(pack_bytes(m, step->graph->values[step->node->in[input]].data->data,
                       scaled ? tarei_u8_zero_point(step->graph, x) : TAREI_ROW_SCALES_ZERO_POINT,
                       &to, err));
  for (size_t p = 0; p < profiles; p++) {
    fill_factors(m, scales, scaled ? (double)tarei_u8_scale(step->graph, x, (int)p) : 1.0,
                 (float *)mult + p * n);
  }
  return TARE_OK;
}

/* --- both ------------------------------------------------------------------------------------- */

size_t tarei_recurrent_packed_bytes(const tarei_recurrent *const s, const size_t k,
                                    const size_t columns) {
  return s->bytes ? tarei_i8_packed_size(k, columns) : tarei_f32_packed_size(k, columns);
}

static tare_status recurrent_weights_take(tarei_recurrent *const s, const tarei_step *const step,
                                          const int input, tarei_blobs *const blobs,
                                          tarei_recurrent_weights *const out,
                                          tare_error *const err) {
  const tarei_value *const v = &step->graph->values[step->node->in[input]];
  matrix m = {0};
  if (!v->data) {
    return s->bytes ? tarei_fail(err, TARE_E_MODEL, "weights '%s' must be constant", v->name)
                    : TARE_OK;
  }
  TAREI_TRY(read_matrix(s, step, input, &m, err));
  return s->bytes ? take_bytes(&m, step, input, blobs, out, err)
                  : take_floats(&m, step, input, blobs, out, err);
}

tare_status tarei_recurrent_pack(tarei_recurrent *const s, const tarei_step *const step,
                                 tarei_blobs *const blobs, tare_error *const err) {
  TAREI_TRY(recurrent_weights_take(s, step, TAREI_RECURRENT_W, blobs, &s->w, err));
  return recurrent_weights_take(s, step, TAREI_RECURRENT_R, blobs, &s->r, err);
}

size_t tarei_recurrent_weight_scales(const tarei_step *const step, const int input,
                                     float *const out) {
  static const tarei_recurrent_weights none = {0};
  const tarei_recurrent *const s = step->state;
  const tarei_recurrent_weights *const weights = input == TAREI_RECURRENT_W   ? &s->w
                                                 : input == TAREI_RECURRENT_R ? &s->r
                                                                              : &none;
  if (out && weights->n_scales) {
    memcpy(out, weights->scales, weights->n_scales * sizeof *out);
  }
  return weights->n_scales;
}
