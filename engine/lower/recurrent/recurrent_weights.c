/* Weights of recurrent layers. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "engine/lower/products/int8_weights.h"
#include "engine/lower/recurrent/recurrent.h"
#include "engine/lower/products/row_scales.h"

#define MOST_UNITS_SHARED 128 /* so few that they are not cut into parts */
#define MOST_UNITS_TOGETHER 8 /* whose gates fill one panel at most */

static_assert(TAREI_I8_PANEL == TAREI_F32_PANEL, "gates begin at panels of both");

/* Gates share panels, but for a GRU that multiplies some of them before the others, or whose
 * vectors of sixteen units would reach from one panel into another. */
size_t tarei_recurrent_gate(const tarei_recurrent_form *const form, const size_t hidden) {
  const bool whole = hidden <= MOST_UNITS_TOGETHER || hidden % (TAREI_F32_PANEL / 2) == 0;
  const bool shares = form->gates != 3 || (form->linear_before_reset && whole);
  return shares && hidden <= MOST_UNITS_SHARED ? hidden : tarei_round_up(hidden, TAREI_F32_PANEL);
}

/* W or R of a node: [dirs][gates][hidden][k]. A piece is what is packed alone, from a panel on: all
 * gates where they share panels, or one of them. */
typedef struct matrix {
  size_t dirs, pieces; /* of a direction */
  size_t rows, k;      /* of a piece */
  size_t step;         /* columns from a piece to the next */
} matrix;

static matrix matrix_of(const tarei_recurrent_form *const form, const size_t hidden,
                        const size_t k) {
  const size_t gates = (size_t)form->gates, gate = tarei_recurrent_gate(form, hidden);
  const size_t pieces = gate == hidden ? 1 : gates, rows = gates / pieces * hidden;
  return (matrix){(size_t)form->dirs, pieces, rows, k, tarei_round_up(rows, TAREI_F32_PANEL)};
}

/* Of all directions. */
static size_t recurrent_columns_of(const matrix *const m) {
  return m->dirs * m->pieces * m->step;
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
  *out = matrix_of(&s->form, rows / gates, (size_t)dims[2]);
  return TARE_OK;
}

/* --- floats ----------------------------------------------------------------------------------- */

static void pack_floats(const matrix *const m, const float *const w,
                        const tarei_kernels *const kernels, float *const packed) {
  for (size_t i = 0; i < m->dirs * m->pieces; i++) {
    kernels->f32_pack(w + i * m->rows * m->k, m->k, true, m->k, m->rows,
                      packed + i * m->step * m->k);
  }
}

void tarei_recurrent_pack_floats(const tarei_recurrent *const s,
                                 const tarei_recurrent_sizes *const z, const float *const w,
                                 const size_t k, const tarei_kernels *const kernels,
                                 float *const packed) {
  const matrix m = matrix_of(&s->form, z->hidden, k);
  pack_floats(&m, w, kernels, packed);
}

static tare_status take_floats(const matrix *const m, const tarei_step *const step, const int input,
                               tarei_blobs *const blobs, tarei_recurrent_weights *const out,
                               tare_error *const err) {
  void *data;
  bool fresh;
  TAREI_TRY(tarei_blobs_take(blobs, tarei_f32_packed_size(m->k, recurrent_columns_of(m)), &data,
                             &fresh, err));
  if (fresh) {
    pack_floats(m, step->graph->values[step->node->in[input]].data->data, step->kernels, data);
  }
  out->packed = data;
  return TARE_OK;
}

/* --- int8 ------------------------------------------------------------------------------------- */

/* One piece; q holds rows * k bytes. */
static void quantize_piece(const matrix *const m, const float *const w, const float *const scales,
                           int8_t *const q) {
  for (size_t i = 0; i < m->rows; i++) {
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
  int8_t *const q = tarei_calloc(m->rows, m->k);
  if (!q) {
    return tarei_fail_memory(err, "weights", m->rows * m->k);
  }
  for (size_t i = 0; i < m->dirs * m->pieces; i++) {
    const size_t column = i * m->step;
    quantize_piece(m, w + i * m->rows * m->k, to->scales + i * m->rows, q);
    tarei_i8_pack(q, m->k, true, m->k, m->rows, to->packed + tarei_i8_packed_size(m->k, column),
                  to->add + column);
    for (size_t c = 0; c < m->step; c++) {
      to->add[column + c] *= -zero_point;
    }
  }
  free(q);
  return TARE_OK;
}

/* Those that the node states are of W. */
static void take_weight_scales(const matrix *const m, const tarei_step *const step, const int input,
                               const float *const w, float *const scales) {
  const size_t n = m->dirs * m->pieces * m->rows;
  if (input == TAREI_RECURRENT_W && tarei_weight_scales_stated(step, n, scales)) {
    return;
  }
  for (size_t i = 0; i < n; i++) {
    scales[i] = tarei_weight_scale(w + i * m->k, m->k, 1);
  }
}

/* Factors of a profile: those of the weights times the scale of what they are multiplied with. */
static void fill_factors(const matrix *const m, const float *const scales, const double scale,
                         float *const mult) {
  for (size_t i = 0; i < m->dirs * m->pieces * m->rows; i++) {
    mult[i / m->rows * m->step + i % m->rows] = (float)((double)scales[i] * scale);
  }
}

static tare_status take_bytes(const tarei_recurrent *const s, const matrix *const m,
                              const tarei_step *const step, const int input,
                              tarei_blobs *const blobs, tarei_recurrent_weights *const out,
                              tare_error *const err) {
  const int x = step->node->in[TAREI_RECURRENT_X];
  const bool scaled = input == TAREI_RECURRENT_W && step->graph->values[x].dtype == TARE_U8;
  const size_t n = recurrent_columns_of(m), profiles = scaled ? (size_t)step->n_profiles : 1;
  const size_t n_scales = m->dirs * m->pieces * m->rows;
  void *packed, *scales, *add, *mult;
  bool fresh;
  TAREI_TRY(tarei_blobs_take(blobs, tarei_i8_packed_size(m->k, n), &packed, &fresh, err));
  TAREI_TRY(tarei_blobs_take(blobs, n_scales * sizeof(float), &scales, &fresh, err));
  TAREI_TRY(tarei_blobs_take(blobs, n * sizeof(int32_t), &add, &fresh, err));
  TAREI_TRY(tarei_blobs_take(blobs, profiles * n * sizeof(float), &mult, &fresh, err));
  *out = (tarei_recurrent_weights){packed, add, mult, scales, n_scales};
  if (!fresh) {
    return TARE_OK;
  }
  const float *const w = step->graph->values[step->node->in[input]].data->data;
  const recurrent_weights_target to = {packed, add, scales};
  take_weight_scales(m, step, input, w, scales);
  TAREI_TRY(
      pack_bytes(m, w, input == TAREI_RECURRENT_W ? s->x_zero_point : TAREI_SYMMETRIC, &to, err));
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
  return s->bytes ? take_bytes(s, &m, step, input, blobs, out, err)
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
