#include "engine/lower/fused.h"

#include <assert.h>
#include <string.h>

#include "graph/quantize/quantize.h"

tare_status tarei_fused_read(const tarei_step *const step, tarei_fused *const out,
                             tare_error *const err) {
  const tarei_node *const node = step->node;
  const char *const act = tarei_attr_string(node, TAREI_ATTR_ACTIVATION, "none");
  const char *const outputs = tarei_attr_string(node, TAREI_ATTR_OUTPUTS, "f32");
  *out = (tarei_fused){.act_a = tarei_attr_float(node, TAREI_ATTR_ACTIVATION_A, 0),
                       .act_b = tarei_attr_float(node, TAREI_ATTR_ACTIVATION_B, 0),
                       .act_last = tarei_attr_int(node, TAREI_ATTR_ACTIVATION_LAST, 0) != 0,
                       .f32_output = 0,
                       .u8_output = -1,
                       .rows_output = -1};
  if (!tarei_act_parse(act, &out->act)) {
    return tarei_fail(err, TARE_E_MODEL, "unknown activation '%s'", act);
  }
  if (strcmp(outputs, "both") == 0 && node->n_out == 2) {
    out->u8_output = 1;
  } else if (strcmp(outputs, "u8") == 0) {
    out->f32_output = -1;
    out->u8_output = 0;
  } else if (strcmp(outputs, "rows") == 0) {
    out->f32_output = -1;
    out->rows_output = 0;
  } else if (strcmp(outputs, "f32+rows") == 0) {
    out->rows_output = 1;
  } else if (strcmp(outputs, "f32") != 0) {
    return tarei_fail(err, TARE_E_MODEL, "unknown outputs '%s'", outputs);
  }
  if (out->rows_output >= 0) {
    return tarei_rows_zero_point(step, node->out[out->rows_output], &out->rows_zero_point, err);
  }
  return out->u8_output < 0 ? TARE_OK : tarei_want_scales(step, node->out[out->u8_output], err);
}

tare_status tarei_want_residual(const tarei_step *const step, tare_error *const err) {
  const tarei_node *const node = step->node;
  const int value = node->n_in > 3 ? node->in[3] : -1;
  return value >= 0 && step->graph->values[value].dtype == TARE_U8
             ? tarei_want_scales(step, value, err)
             : tarei_want_float(step, 3, err);
}

tare_status tarei_fused_residual(const tarei_step *const step, const tarei_run *const run,
                                 const tare_tensor **const out, tare_error *const err) {
  *out = step->node->n_in > 3 ? run->in[3] : NULL;
  return tarei_want_count(step, run, 3, tare_tensor_count(run->out[0]), err);
}

float tarei_u8_scale(const tarei_graph *const graph, const int value, const int profile) {
  const tarei_quant *const q = &graph->values[value].quant;
  assert(q->n_scales > 0);
  const float scale = q->scales[q->n_scales == 1 ? 0 : profile];
  return q->stated ? scale : scale * (127.0f / (float)(255 - q->zero_point));
}

bool tarei_fused_table(const tarei_fused *const fused, const tarei_step *const step,
                       const int profile, tarei_act_table *const out) {
  const int value = step->node->out[fused->u8_output];
  const tarei_quant *const q = &step->graph->values[value].quant;
  const float even = q->scales[q->n_scales == 1 ? 0 : profile]; /* of bytes around 128, or stated */
  return tarei_act_table_make(fused->act, tarei_u8_scale(step->graph, value, profile),
                              q->zero_point, even, step->kernels, out);
}

float tarei_i16_scale(const tarei_graph *const graph, const int value, const int profile) {
  const tarei_quant *const q = &graph->values[value].quant;
  const int32_t above = 255 - q->zero_point;
  const int32_t steps = !q->stated ? 127 : above > q->zero_point ? above : q->zero_point;
  assert(q->n_scales > 0);
  return (float)((double)q->scales[q->n_scales == 1 ? 0 : profile] * steps / 32767);
}

int32_t tarei_u8_zero_point(const tarei_graph *const graph, const int value) {
  return graph->values[value].quant.zero_point;
}

tare_status tarei_rows_zero_point(const tarei_step *const step, const int value, int32_t *const out,
                                  tare_error *const err) {
  *out = tarei_u8_zero_point(step->graph, value);
  return *out == 0 || *out == TAREI_SYMMETRIC
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL, "rows of '%s' have zero point %d, expected 0 or %d",
                          step->graph->values[value].name, (int)*out, TAREI_SYMMETRIC);
}

tarei_epilogue tarei_fused_epilogue(const tarei_fused *const fused, const tarei_step *const step,
                                    const tarei_run *const run, const tare_tensor *const residual,
                                    const size_t n) {
  tarei_epilogue e = {
      .act = fused->act, .act_a = fused->act_a, .act_b = fused->act_b, .act_last = fused->act_last};
  if (residual && residual->dtype == TARE_U8) {
    const int value = step->node->in[3];
    e.residual_u8 = residual->data;
    e.residual_scale = tarei_u8_scale(step->graph, value, run->profile);
    e.residual_zero_point = tarei_u8_zero_point(step->graph, value);
  } else if (residual) {
    e.residual = residual->data;
  }
  e.ld_residual = n;
  if (fused->f32_output >= 0) {
    e.out_f32 = run->out[fused->f32_output]->data;
    e.ld_f32 = n;
  }
  if (fused->u8_output >= 0) {
    const int value = step->node->out[fused->u8_output];
    e.out_u8 = run->out[fused->u8_output]->data;
    e.ld_u8 = n;
    e.inv_scale = 1.0f / tarei_u8_scale(step->graph, value, run->profile);
    e.zero_point = tarei_u8_zero_point(step->graph, value);
  }
  return e;
}

bool tarei_requant_folds(const tarei_fused *const fused, const bool has_float_residual) {
  const tarei_act act = fused->act;
  const bool scales_along = act == TAREI_ACT_none || act == TAREI_ACT_relu ||
                            act == TAREI_ACT_leaky_relu || act == TAREI_ACT_clip;
  return fused->u8_output >= 0 && fused->f32_output < 0 && !has_float_residual && scales_along;
}

void tarei_requant_fold(tarei_epilogue *const e, const double unit) {
  e->residual_scale = (float)((double)e->residual_scale / unit);
  e->inv_scale = 1.0f;
  if (e->act == TAREI_ACT_clip) {
    e->act_a = (float)((double)e->act_a / unit);
    e->act_b = (float)((double)e->act_b / unit);
  }
}

/* Rows that are quantized at run time, each by its own scale, bring it with them. */
static double input_factor(const tarei_step *const step, const int profile) {
  const int x = step->node->in[0];
  if (tarei_attr_int(step->node, TAREI_ATTR_ROW_SCALES, 0) != 0) {
    return 1.0;
  }
  return step->graph->values[x].dtype == TARE_F32 ? (double)tarei_i16_scale(step->graph, x, profile)
                                                  : (double)tarei_u8_scale(step->graph, x, profile);
}

void tarei_requant_fill(const tarei_step *const step, const int profile, const double unit,
                        const size_t n, const float *const weight_scale, const float *const bias,
                        float *const mult, float *const bias_out) {
  const double x_scale = input_factor(step, profile);
  for (size_t i = 0; i < n; i++) {
    mult[i] = (float)(x_scale * (double)weight_scale[i] / unit);
    if (bias) {
      bias_out[i] = (float)((double)bias[i] / unit);
    }
  }
}
