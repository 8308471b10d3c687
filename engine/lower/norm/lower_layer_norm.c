/* LayerNormalization and RMSNormalization over the dims from an axis on, written as float, as u8
 * with one scale or one for each row, or as both. */
#include <math.h>

#include "base/mem.h"
#include "engine/lower/fused.h"
#include "engine/threads.h"
#include "shapes/number.h"

enum { X, GAIN, SHIFT, INPUTS };

#define NEAR_FLOATS 4096 /* that are still in L1 when they are quantized */

static int layer_norm_axis_of(const tarei_step *const step, const tare_tensor *const x) {
  const int64_t axis = tarei_attr_int(step->node, "axis", -1);
  return (int)(axis < 0 ? axis + x->rank : axis);
}

static bool is_rms(const tarei_step *const step) {
  return tarei_node_is(step->node, &tarei_op_rms_normalization);
}

static tare_status layer_norm_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                      tare_error *const err) {
  (void)blobs;
  const tarei_value *const values = step->graph->values;
  const int *const in = step->node->in;
  if (values[in[X]].dtype != TARE_F64) {
    for (int i = 0; i < INPUTS; i++) {
      TAREI_TRY(tarei_want_float(step, i, err));
    }
    return tarei_fused_read(step, step->state, err);
  }
  for (int i = 0; i < step->node->n_in; i++) {
    if (in[i] >= 0 && values[in[i]].dtype != TARE_F64) {
      return tarei_refuse_dtype(values[in[i]].dtype, err);
    }
  }
  return TARE_OK;
}

typedef struct layer_norm_job {
  const tarei_run *run;
  size_t n;
  float epsilon;
  bool rms, any_values;              /* any_values: the kernels do not compute them */
  const tare_tensor *gain, *shift;   /* or NULL */
  const tare_tensor *mean, *inverse; /* statistics that somebody reads, or NULL */
  tarei_epilogue to;
  size_t k;       /* of rows with scales of their own */
  uint8_t *bytes; /* of these, or NULL */
  float *scales;
  int32_t zero_point;
} layer_norm_job;

static void layer_norm_row(const layer_norm_job *const j, const size_t row,
                           const tarei_epilogue *const to) {
  const float *const x = (const float *)j->run->in[X]->data + row * j->n;
  const float *const gain = j->gain->data, *const shift = j->shift ? j->shift->data : NULL;
  if (j->rms) {
    j->run->kernels->rms_norm(x, j->n, j->epsilon, gain, to->out_f32, to->out_u8, to->inv_scale,
                              to->zero_point);
  } else {
    j->run->kernels->layer_norm(x, NULL, j->n, j->epsilon, gain, shift, to->out_f32, to->out_u8,
                                to->inv_scale, to->zero_point);
  }
}

/* --- any type, parameters of any shape, statistics -------------------------------------------- */

/* The element of a parameter that belongs to element `flat` of x. */
static size_t layer_norm_element_of(const tare_tensor *const parameter, const tare_tensor *const x,
                                    size_t flat) {
  size_t at = 0, step = 1;
  for (int d = 1; d <= parameter->rank; d++) {
    const size_t size = (size_t)x->dims[x->rank - d];
    const size_t own = (size_t)parameter->dims[parameter->rank - d];
    at += own == 1 ? 0 : step * (flat % size);
    step *= own;
    flat /= size;
  }
  return at;
}

/* Element i of a row, and element `at` of all. */
static void layer_norm_put(const layer_norm_job *const j, const tarei_epilogue *const to,
                           const size_t i, const size_t at, const double y) {
  if (j->run->in[X]->dtype == TARE_F64) {
    ((double *)j->run->out[0]->data)[at] = y;
    return;
  }
  const float rounded = (float)y;
  if (to->out_f32) {
    to->out_f32[i] = rounded;
  }
  if (to->out_u8) {
    j->run->kernels->quantize(&rounded, 1, to->inv_scale, to->zero_point, to->out_u8 + i);
  }
}

static void layer_norm_any_row(const layer_norm_job *const j, const size_t row,
                               const tarei_epilogue *const to) {
  const tare_tensor *const x = j->run->in[X];
  const size_t first = row * j->n;
  double mean = 0, squares = 0;
  for (size_t i = 0; !j->rms && i < j->n; i++) {
    mean += tarei_real_at(x, (int64_t)(first + i));
  }
  mean /= (double)j->n;
  for (size_t i = 0; i < j->n; i++) {
    const double d = tarei_real_at(x, (int64_t)(first + i)) - mean;
    squares += d * d;
  }
  const double inverse = 1 / sqrt(squares / (double)j->n + (double)j->epsilon);
  for (size_t i = 0; j->any_values && i < j->n; i++) {
    const size_t at = first + i;
    const double shift =
        j->shift ? tarei_real_at(j->shift, (int64_t)layer_norm_element_of(j->shift, x, at)) : 0;
    const double gain = tarei_real_at(j->gain, (int64_t)layer_norm_element_of(j->gain, x, at));
    layer_norm_put(j, to, i, at, (tarei_real_at(x, (int64_t)at) - mean) * inverse * gain + shift);
  }
  if (j->mean) {
    ((float *)j->mean->data)[row] = (float)mean;
  }
  if (j->inverse) {
    ((float *)j->inverse->data)[row] = (float)inverse;
  }
}

/* Whether a parameter has one number for each element of a row, and the same for all rows. */
static bool is_row(const tare_tensor *const parameter, const tare_tensor *const x, const int axis) {
  for (int d = 1; parameter && (d <= parameter->rank || d <= x->rank - axis); d++) {
    const int64_t own = d <= parameter->rank ? parameter->dims[parameter->rank - d] : 1;
    if (own != (d <= x->rank - axis ? x->dims[x->rank - d] : 1)) {
      return false;
    }
  }
  return true;
}

static tare_status check_parameter(const tarei_step *const step, const tarei_run *const r,
                                   const int i, const size_t n, tare_error *const err) {
  const tare_tensor *const x = r->in[X], *const parameter = i < step->node->n_in ? r->in[i] : NULL;
  for (int d = 1; parameter && d <= parameter->rank; d++) {
    const int64_t own = parameter->dims[parameter->rank - d];
    if (own != 1 && own != x->dims[x->rank - d]) {
      TAREI_TRY(tarei_want_count(step, r, i, (int64_t)n, err));
      return tarei_fail(err, TARE_E_SHAPE, "the shape of '%s' does not match the input",
                        step->graph->values[step->node->in[i]].name);
    }
  }
  return TARE_OK;
}

/* --- both ------------------------------------------------------------------------------------- */

static void layer_norm_one(const layer_norm_job *const j, const size_t row,
                           const tarei_epilogue *const to) {
  if (j->any_values || j->mean || j->inverse) {
    layer_norm_any_row(j, row, to);
  }
  if (!j->any_values) {
    layer_norm_row(j, row, to);
  }
}

static void layer_norm_range(const void *const user, const size_t first, const size_t end,
                             const int thread) {
  (void)thread;
  const layer_norm_job *const j = user;
  for (size_t row = first; row < end; row++) {
    const tarei_epilogue to = tarei_epilogue_at(&j->to, row, 0);
    layer_norm_one(j, row, &to);
  }
}

/* Of a thread; a whole number of rows, but one at least. */
static size_t near_floats(const size_t n) {
  return n < NEAR_FLOATS ? NEAR_FLOATS : n;
}

/* Some rows at a time, as floats and then as bytes; their own are along the last axis alone. */
static void layer_norm_quantized_range(const void *const user, const size_t first, const size_t end,
                                       const int thread) {
  const layer_norm_job *const j = user;
  const size_t n = j->n, k = j->k, most = near_floats(n) / n;
  float *const scratch = tarei_thread_scratch(j->run, thread, near_floats(n) * sizeof(float));
  for (size_t i = first; i < end; i += most) {
    const size_t rows = end - i < most ? end - i : most;
    float *const floats = j->to.out_f32 ? j->to.out_f32 + i * n : scratch;
    for (size_t r = 0; r < rows; r++) {
      const tarei_epilogue to = {.out_f32 = floats + r * n};
      layer_norm_one(j, i + r, &to);
    }
    j->run->kernels->quantize_rows(floats, k, rows * n / k, k, j->bytes + i * n, k,
                                   j->scales + i * n / k, j->zero_point);
  }
}

/* Statistics that are outputs, where nothing else is output 1. */
static void find_statistics(const tarei_step *const step, const tarei_run *const r,
                            layer_norm_job *const j) {
  const bool has_them = !is_rms(step) && !tarei_attr_find(step->node, TAREI_ATTR_OUTPUTS);
  j->mean = has_them && step->node->n_out > 1 ? r->out[1] : NULL;
  j->inverse = has_them && step->node->n_out > 2 ? r->out[2] : NULL;
}

static size_t elements_from(const tare_tensor *const x, const int axis) {
  size_t n = 1;
  for (int d = axis; d < x->rank; d++) {
    n *= (size_t)x->dims[d];
  }
  return n;
}

static size_t layer_norm_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                                 const tare_tensor *const *const out, const int threads) {
  (void)out;
  const tarei_fused *const fused = step->state;
  const size_t n = elements_from(in[X], layer_norm_axis_of(step, in[X]));
  return n && in[X]->dtype == TARE_F32 && fused->rows_output >= 0 && fused->f32_output < 0
             ? tarei_times(tarei_times(near_floats(n), sizeof(float)), (size_t)threads)
             : 0;
}

static void find_outputs(const tarei_step *const step, layer_norm_job *const j) {
  const tarei_fused *const fused = step->state;
  const tarei_run *const r = j->run;
  j->to = tarei_fused_epilogue(fused, step, r, NULL, j->n);
  if (fused->rows_output >= 0) {
    j->k = elements_from(r->in[X], r->in[X]->rank - 1);
    j->bytes = r->out[fused->rows_output]->data;
    j->scales = r->out[fused->rows_output + 1]->data;
    j->zero_point = fused->rows_zero_point;
  }
}

static tare_status layer_norm_run(const tarei_step *const step, const tarei_run *const r,
                                  tare_error *const err) {
  const tare_tensor *const x = r->in[X];
  const int axis = layer_norm_axis_of(step, x);
  layer_norm_job j = {.run = r,
                      .n = elements_from(x, axis),
                      .epsilon = tarei_attr_float(step->node, "epsilon", 1e-5f),
                      .rms = is_rms(step),
                      .gain = r->in[GAIN],
                      .shift = step->node->n_in > SHIFT ? r->in[SHIFT] : NULL};
  TAREI_TRY(check_parameter(step, r, GAIN, j.n, err));
  TAREI_TRY(check_parameter(step, r, SHIFT, j.n, err));
  find_statistics(step, r, &j);
  const size_t rows = j.n ? (size_t)tare_tensor_count(x) / j.n : 0;
  const bool is_f32 = x->dtype == TARE_F32;
  j.any_values = !is_f32 || !is_row(j.gain, x, axis) || !is_row(j.shift, x, axis);
  if (is_f32) {
    find_outputs(step, &j);
  }
  tarei_row_ranges(r, rows, j.n, 4096, j.bytes ? layer_norm_quantized_range : layer_norm_range, &j);
  return TARE_OK;
}

static const char *layer_norm_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  return is_rms(step) ? k->rms_norm_name : k->layer_norm_name;
}

const tarei_lowering tarei_lower_layer_normalization = {.state_bytes = sizeof(tarei_fused),
                                                        .prepare = layer_norm_prepare,
                                                        .scratch = layer_norm_scratch,
                                                        .run = layer_norm_run,
                                                        .kernel = layer_norm_kernel};
const tarei_lowering tarei_lower_rms_normalization = {.state_bytes = sizeof(tarei_fused),
                                                      .prepare = layer_norm_prepare,
                                                      .scratch = layer_norm_scratch,
                                                      .run = layer_norm_run,
                                                      .kernel = layer_norm_kernel};
