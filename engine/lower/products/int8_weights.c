#include "engine/lower/products/int8_weights.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/lower/operands.h"
#include "graph/quantize/lower_bound.h"

#define COARSEST_SUM (1.0 / 64) /* bytes that one unit of an accumulator may be worth */
#define SLIGHTEST 1e-4          /* of a byte */

float tarei_weight_scale(const float *const w, const size_t n, const size_t step) {
  float amax = 0;
  for (size_t i = 0; i < n; i++) {
    const float magnitude = fabsf(w[i * step]);
    amax = magnitude > amax ? magnitude : amax;
  }
  return tarei_weight_scale_of(amax);
}

int8_t tarei_weight_stated(const float w, const float scale) {
  const float q = rintf(w / scale);
  return (int8_t)(q > 127.0f ? 127.0f : q < -128.0f ? -128.0f : q);
}

bool tarei_weight_scales_stated(const tarei_step *const step, const size_t n, float *const scale) {
  const tarei_attr *const a = tarei_attr_find(step->node, TAREI_ATTR_WEIGHT_SCALES);
  if (!a || a->kind != TAREI_ATTR_FLOATS || (a->n != 1 && (size_t)a->n != n)) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    scale[i] = a->floats[a->n == 1 ? 0 : i];
  }
  return true;
}

/* The zero point of 16 bits, where the model states one. */
static tare_status take_offset(tarei_int8_layer *const layer, const tarei_step *const step,
                               tare_error *const err) {
  const int64_t zero = tarei_attr_int(step->node, TAREI_ATTR_ACTIVATION_ZERO, TAREI_SYMMETRIC_WIDE);
  if (zero == TAREI_SYMMETRIC_WIDE) {
    return TARE_OK;
  }
  if (zero < 0 || zero > UINT16_MAX || !layer->sixteen || layer->own_scales) {
    return tarei_fail(err, TARE_E_MODEL, "attribute '%s': %lld is no zero point of 16 bits",
                      TAREI_ATTR_ACTIVATION_ZERO, (long long)zero);
  }
  layer->x_offset = (int32_t)zero - TAREI_SYMMETRIC_WIDE;
  layer->x_bound =
      -(float)layer->x_offset * tarei_i16_scale(step->graph, step->node->in[0], 0 /* of all */);
  return TARE_OK;
}

float *tarei_int8_layer_move_bias(const tarei_int8_layer *const layer, const int32_t *const sums,
                                  const float *const bias) {
  float *const moved = tarei_calloc(layer->n, sizeof *moved);
  for (size_t i = 0; moved && i < layer->n; i++) {
    const size_t at = i / layer->group_n * layer->group_add + i % layer->group_n;
    const double of_bound = (double)layer->x_bound * (double)layer->weight_scale[i] * sums[at];
    moved[i] = (float)((bias ? (double)bias[i] : 0) + of_bound);
  }
  return moved;
}

tare_status tarei_int8_layer_read(tarei_int8_layer *const layer, const tarei_step *const step,
                                  tare_error *const err) {
  const int x = step->node->in[0];
  const int64_t bits = tarei_attr_int(step->node, TAREI_ATTR_ACTIVATION_BITS, 8);
  layer->float_rows = step->graph->values[x].dtype == TARE_F32;
  layer->own_scales = tarei_attr_int(step->node, TAREI_ATTR_ROW_SCALES, 0) != 0;
  layer->sixteen = bits == 16;
  layer->stated = step->graph->values[x].quant.stated;
  layer->run_time = tarei_attr_int(step->node, TAREI_ATTR_TENSOR_SCALE, 0) != 0;
  if (bits != 8 && bits != 16) {
    return tarei_fail(err, TARE_E_MODEL, "attribute '%s': expected 8 or 16, got %lld",
                      TAREI_ATTR_ACTIVATION_BITS, (long long)bits);
  }
  if (layer->float_rows && !layer->sixteen && !layer->own_scales) {
    return tarei_fail(err, TARE_E_MODEL, "rows of 8 bits have scales of their own");
  }
  if (!layer->own_scales) {
    TAREI_TRY(tarei_want_scales(step, x, err));
  }
  TAREI_TRY(tarei_fused_read(step, &layer->fused, err));
  if (layer->run_time) {
    layer->x_zero_point = -1; /* sums are multiplied by the zero point when it is known */
    return TARE_OK;
  }
  const bool row_bytes = layer->own_scales && !layer->float_rows;
  layer->x_bound = row_bytes ? tarei_rows_bound(step->graph, x) : 0;
  TAREI_TRY(take_offset(layer, step, err));
  if (row_bytes) {
    return tarei_rows_zero_point(step, x, &layer->x_zero_point, err);
  }
  layer->x_zero_point = layer->float_rows ? tarei_float_rows_zero_point(step->node)
                                          : tarei_u8_zero_point(step->graph, x);
  return TARE_OK;
}

tarei_row_form tarei_int8_layer_rows(const tarei_int8_layer *const layer,
                                     const tarei_step *const step, const int profile) {
  return (tarei_row_form){
      .sixteen = layer->sixteen,
      .scale = layer->own_scales ? 0 : tarei_i16_scale(step->graph, step->node->in[0], profile),
      .zero_point = layer->x_zero_point,
      .offset = layer->x_offset};
}

/* --- requantization --------------------------------------------------------------------------- */

/* Tables of a layer whose only output is bytes that an activation makes, for all profiles or none.
 * A model that states the scale of these bytes gets the nearest ones. */
static tare_status take_tables(tarei_int8_layer *const layer, const tarei_step *const step,
                               tarei_blobs *const blobs, tare_error *const err) {
  const tarei_fused *const fused = &layer->fused;
  tarei_act_table table = {{0}};
  if (fused->u8_output < 0 || fused->f32_output >= 0 ||
      (step->node->n_in > 3 && step->node->in[3] >= 0) ||
      step->graph->values[step->node->out[fused->u8_output]].quant.stated) {
    return TARE_OK;
  }
  for (int p = 0; p < step->n_profiles; p++) {
    if (!tarei_fused_table(fused, step, p, &table)) {
      return TARE_OK;
    }
  }
  void *data;
  bool fresh;
  TAREI_TRY(tarei_blobs_take(blobs, (size_t)step->n_profiles * sizeof table, &data, &fresh, err));
  layer->tables = data;
  for (int p = 0; fresh && p < step->n_profiles; p++) {
    (void)tarei_fused_table(fused, step, p, (tarei_act_table *)data + p);
  }
  return TARE_OK;
}

/* Scale of what the factors make, with which they are divided; 1 for the real value. */
static double unit_of(const tarei_int8_layer *const layer, const tarei_step *const step,
                      const int profile) {
  if (layer->tables) {
    return (double)layer->tables[profile].scale;
  }
  const int out = layer->requant.folded ? step->node->out[layer->fused.u8_output] : -1;
  return out < 0 ? 1.0 : (double)tarei_u8_scale(step->graph, out, profile);
}

static tare_status take_factors(tarei_int8_layer *const layer, const tarei_step *const step,
                                tarei_blobs *const blobs, const float *const bias,
                                tare_error *const err) {
  const size_t floats = (size_t)step->n_profiles * layer->n;
  const bool has_bias = layer->x_bound != 0 || (step->node->n_in > 2 && step->node->in[2] >= 0);
  void *data;
  bool fresh;
  TAREI_TRY(
      tarei_blobs_take(blobs, floats * (has_bias ? 2 : 1) * sizeof(float), &data, &fresh, err));
  float *const mult = data, *const bias_out = has_bias ? mult + floats : NULL;
  layer->requant.mult = mult;
  layer->requant.bias = bias_out;
  for (int p = 0; fresh && p < step->n_profiles; p++) {
    const size_t at = (size_t)p * layer->n;
    assert(!has_bias || bias);
    tarei_requant_fill(step, p, unit_of(layer, step, p), layer->n, layer->weight_scale, bias,
                       mult + at, has_bias ? bias_out + at : NULL);
  }
  return TARE_OK;
}

/* A bias in units of the accumulator; false where rounding it to them would show in the bytes, or
 * where the sum could leave the integers. Bytes whose scale the model states are to be those of
 * other engines: what rounding changes must stay below what the order of float operations does. */
static bool bias_as_sum(const tarei_int8_layer *const layer, const size_t i, int32_t *const out) {
  const double mult = (double)layer->requant.mult[i], bias = (double)layer->requant.bias[i];
  const double sum = bias == 0 ? 0 : rint(bias / mult);
  const double room = (double)INT32_MAX - 255.0 * 127.0 * (double)layer->k;
  *out = 0;
  if ((bias != 0 && !(mult <= COARSEST_SUM)) || !(fabs(sum) <= room) ||
      (layer->stated && fabs(sum * mult - bias) > SLIGHTEST)) {
    return false;
  }
  *out = (int32_t)sum;
  return true;
}

static bool biases_are_sums(const tarei_int8_layer *const layer, const size_t n) {
  for (size_t i = 0; i < n; i++) {
    int32_t ignored;
    if (!bias_as_sum(layer, i, &ignored)) {
      return false;
    }
  }
  return true;
}

/* The bias moves into what is added to the products, which costs nothing there. */
static tare_status take_biased(tarei_int8_layer *const layer, const tarei_step *const step,
                               tarei_blobs *const blobs, tare_error *const err) {
  const size_t n_add = layer->n / layer->group_n * layer->group_add;
  const size_t profiles = (size_t)step->n_profiles;
  if (!layer->requant.bias || !layer->requant.folded || layer->float_rows || layer->own_scales ||
      !biases_are_sums(layer, profiles * layer->n)) {
    return TARE_OK;
  }
  void *data;
  bool fresh;
  TAREI_TRY(tarei_blobs_take(blobs, profiles * n_add * sizeof(int32_t), &data, &fresh, err));
  int32_t *const add = data;
  for (size_t p = 0; fresh && p < profiles; p++) {
    memcpy(add + p * n_add, layer->add, n_add * sizeof *add);
    for (size_t i = 0; i < layer->n; i++) {
      int32_t sum;
      (void)bias_as_sum(layer, p * layer->n + i, &sum);
      int32_t *const to = add + p * n_add + i / layer->group_n * layer->group_add;
      to[i % layer->group_n] += sum;
    }
  }
  layer->biased = add;
  return TARE_OK;
}

tare_status tarei_int8_layer_requant(tarei_int8_layer *const layer, const tarei_step *const step,
                                     tarei_blobs *const blobs, const float *const bias,
                                     tare_error *const err) {
  const int residual = step->node->n_in > 3 ? step->node->in[3] : -1;
  const bool has_floats = residual >= 0 && step->graph->values[residual].dtype == TARE_F32;
  TAREI_TRY(take_tables(layer, step, blobs, err));
  layer->requant.folded = layer->tables || tarei_requant_folds(&layer->fused, has_floats);
  TAREI_TRY(take_factors(layer, step, blobs, bias, err));
  return take_biased(layer, step, blobs, err);
}

size_t tarei_int8_layer_scales(const tarei_int8_layer *const layer, const int input,
                               float *const out) {
  if (input == 1 && out) {
    memcpy(out, layer->weight_scale, layer->n * sizeof *out);
  }
  return input == 1 ? layer->n : 0;
}

/* --- runs ------------------------------------------------------------------------------------- */

tarei_epilogue tarei_int8_layer_epilogue(const tarei_int8_layer *const layer,
                                         const tarei_step *const step, const tarei_run *const run,
                                         const tare_tensor *const residual) {
  tarei_epilogue e = tarei_fused_epilogue(&layer->fused, step, run, residual, layer->n);
  const size_t at = (size_t)run->profile * layer->n;
  e.mult = layer->requant.mult + at;
  e.bias = layer->requant.bias && !layer->biased ? layer->requant.bias + at : NULL;
  if (layer->requant.folded) {
    tarei_requant_fold(&e, unit_of(layer, step, run->profile));
  }
  if (layer->tables) {
    const tarei_act_table *const table = &layer->tables[run->profile];
    e.act = TAREI_ACT_none;
    e.zero_point = table->zero_point;
    e.table = table->bytes;
  }
  return e;
}

const int32_t *tarei_int8_layer_add(const tarei_int8_layer *const layer, const int profile) {
  const size_t n_add = layer->n / layer->group_n * layer->group_add;
  return layer->biased ? layer->biased + (size_t)profile * n_add : layer->add;
}

static size_t int8_adds(const tarei_int8_layer *const layer) {
  return layer->n / layer->group_n * layer->group_add;
}

static size_t int8_mult_size(const tarei_int8_layer *const layer) {
  return tarei_round_up(tarei_times(layer->n, sizeof(float)), TAREI_ALIGN);
}

size_t tarei_int8_factors_size(const tarei_int8_layer *const layer) {
  return layer->run_time
             ? tarei_plus(int8_mult_size(layer), tarei_times(int8_adds(layer), sizeof(int32_t)))
             : 0;
}

tare_status tarei_int8_factors_take(const tarei_int8_layer *const layer,
                                    const tarei_step *const step, const tarei_run *const run,
                                    void *const memory, tarei_epilogue *const epilogue,
                                    tarei_int8_factors *const out, tare_error *const err) {
  *out = (tarei_int8_factors){.mult = epilogue->mult,
                              .add = tarei_int8_layer_add(layer, run->profile),
                              .zero_point = layer->x_zero_point};
  if (!layer->run_time) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_want_count(step, run, TAREI_INT8_ROW_SCALES, 1, err));
  TAREI_TRY(tarei_want_count(step, run, TAREI_INT8_ZERO_POINT, 1, err));
  const float scale = *(const float *)run->in[TAREI_INT8_ROW_SCALES]->data;
  out->zero_point = *(const uint8_t *)run->in[TAREI_INT8_ZERO_POINT]->data;
  float *const mult = memory;
  int32_t *const add = (int32_t *)(void *)((char *)memory + int8_mult_size(layer));
  for (size_t i = 0; i < layer->n; i++) {
    mult[i] = scale * epilogue->mult[i];
  }
  for (size_t i = 0; i < int8_adds(layer); i++) {
    add[i] = -out->zero_point * layer->add[i];
  }
  out->mult = epilogue->mult = mult;
  out->add = add;
  return TARE_OK;
}
