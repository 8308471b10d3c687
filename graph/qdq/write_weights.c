/* Constant weights and biases as integers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/qdq/write.h"
#include "graph/quantize/weights/weight_scale.h"

static const tarei_value *weight_value(const tarei_qdq_writer *const w,
                                       const tarei_placed_layer *const layer) {
  return &w->place->graph->values[layer->w];
}

/* Elements between one index of the channel axis and the next. */
static int64_t inner_size(const tare_tensor *const t, const int axis) {
  int64_t n = 1;
  for (int d = axis + 1; axis >= 0 && d < t->rank; d++) {
    n *= t->dims[d];
  }
  return n;
}

static int64_t channel_of(const tare_tensor *const t, const int axis, const int64_t inner,
                          const int64_t i) {
  return axis < 0 ? 0 : i / inner % t->dims[axis];
}

/* --- scales ---------------------------------------------------------------------------------- */

static void largest_of_channels(const tare_tensor *const t, const int axis, float *const amax) {
  const float *const x = t->data;
  const int64_t n = tare_tensor_count(t), inner = inner_size(t, axis);
  for (int64_t i = 0; i < n; i++) {
    const int64_t c = channel_of(t, axis, inner, i);
    const float magnitude = fabsf(x[i]);
    amax[c] = magnitude > amax[c] ? magnitude : amax[c];
  }
}

/* The bias of a layer where it is a constant with one number for each channel; else NULL. */
static const float *constant_bias(const tarei_qdq_writer *const w,
                                  const tarei_placed_layer *const layer, const int64_t n) {
  const tarei_graph *const g = w->place->graph;
  if (!w->place->target->int32_bias || layer->bias < 0 || !g->values[layer->bias].data) {
    return NULL;
  }
  const tare_tensor bias = tarei_value_tensor(g, layer->bias);
  const bool fits = bias.dtype == TARE_F32 && bias.rank == 1 && bias.dims[0] == n;
  for (int64_t i = 0; fits && i < n; i++) {
    if (!isfinite(((const float *)bias.data)[i])) {
      return NULL;
    }
  }
  return fits ? bias.data : NULL;
}

/* Scale of the input, as it is stored. */
static float input_scale(const tarei_qdq_writer *const w, const tarei_placed_layer *const layer) {
  const tare_dtype real = layer->real;
  return tarei_stored_scale(tarei_byte_form(w->place, layer->x).scale, real);
}

/* A channel whose bias would not fit into int32 gets coarser weights. */
static void make_room(const tarei_qdq_writer *const w, const tarei_placed_layer *const layer,
                      float *const scales, const int64_t n) {
  const float *const bias = layer->form == TAREI_FORM_INT8 ? constant_bias(w, layer, n) : NULL;
  const float most = 1 << 30;
  const float input = bias ? input_scale(w, layer) : 1;
  for (int64_t c = 0; bias && c < n; c++) {
    const float least = fabsf(bias[c]) / most / input;
    scales[c] = scales[c] < least ? least : scales[c];
  }
}

/* Layers that share weights share their scales. */
static void make_room_for_all(const tarei_qdq_writer *const w, const int value, float *const scales,
                              const int64_t n) {
  for (int i = 0; i < w->place->n_layers; i++) {
    if (w->place->layers[i].w == value) {
      make_room(w, &w->place->layers[i], scales, n);
    }
  }
}

float *tarei_weight_scales(tarei_qdq_writer *const w, const tarei_placed_layer *const layer,
                           int64_t *const n) {
  const tare_tensor t = tarei_value_tensor(w->place->graph, layer->w);
  const tare_dtype real = layer->real;
  *n = layer->channel_axis < 0 ? 1 : t.dims[layer->channel_axis];
  float *const scales = tarei_calloc((size_t)*n, sizeof *scales);
  if (!scales) {
    w->edit.failed = true;
    return NULL;
  }
  largest_of_channels(&t, layer->channel_axis, scales);
  const tarei_layer_numbers *const clipping = layer->choice.clipping;
  for (int64_t c = 0; c < *n; c++) {
    scales[c] = clipping ? clipping->values[c] : tarei_weight_scale_of(scales[c]);
    scales[c] *= w->place->options.weights == TARE_EXPORT_WEIGHTS_INT7 ? TAREI_SEVEN_BITS : 1;
  }
  make_room_for_all(w, layer->w, scales, *n);
  for (int64_t c = 0; c < *n; c++) {
    scales[c] = tarei_stored_scale(scales[c], real);
  }
  return scales;
}

/* --- weights --------------------------------------------------------------------------------- */

/* Weights of the channels that have the scale of the table: one with room for its bias has another.
 */
static void store_chosen(const tarei_placed_layer *const layer, const float *const x,
                         const float *const scales, const int zero, const int64_t rows,
                         const int64_t columns, uint8_t *const to) {
  const tarei_weight_view *const view = &layer->view;
  for (int64_t j = 0; j < view->n; j++) {
    const bool same = scales[j] == tarei_chosen_scale(&layer->choice, x, view, j);
    for (int64_t i = 0; same && i < view->k; i++) {
      const int64_t from = tarei_weight_view_at(view, j, i);
      to[from % columns * rows + from / columns] =
          (uint8_t)(tarei_chosen_weight(&layer->choice, x, view, scales[j], j, i) + zero);
    }
  }
}

void tarei_store_weights(const tarei_qdq_writer *const w, const tarei_placed_layer *const layer,
                         const float *const scales, const int zero, const bool transposed,
                         uint8_t *const to) {
  const tare_tensor t = tarei_value_tensor(w->place->graph, layer->w);
  const float *const x = t.data;
  const int64_t n = tare_tensor_count(&t), inner = inner_size(&t, layer->channel_axis);
  const int64_t rows = transposed ? t.dims[0] : 1, columns = transposed ? t.dims[1] : n;
  for (int64_t i = 0; i < n; i++) {
    const int64_t c = channel_of(&t, layer->channel_axis, inner, i);
    const int64_t at = transposed ? i % columns * rows + i / columns : i;
    to[at] = (uint8_t)(tarei_weight_quantize(x[i], scales[c]) + zero);
  }
  if (layer->choice.rounding) {
    store_chosen(layer, x, scales, zero, rows, columns, to);
  }
}

static bool weights_are_u8(const tarei_qdq_writer *const w) {
  return w->place->options.weights == TARE_EXPORT_WEIGHTS_UINT8;
}

int tarei_weights_zero(const tarei_qdq_writer *const w) {
  return weights_are_u8(w) ? 128 : 0;
}

/* The constants that quantize weights: scale and zero point, for each channel or for all. */
static void write_parameters(tarei_qdq_writer *const w, const tarei_placed_layer *const layer,
                             const float *const scales, const int64_t n, const char **const out) {
  const char *const base = weight_value(w, layer)->name;
  const tare_dtype real = layer->real;
  const int64_t channels = layer->channel_axis < 0 ? 0 : n;
  out[0] = tarei_write_reals(w, base, "_scale", real, scales, channels);
  out[1] = tarei_edit_name(&w->edit, base, "_zero_point");
  uint8_t *const zero = tarei_edit_constant(&w->edit, out[1], weights_are_u8(w) ? TARE_U8 : TARE_I8,
                                            &channels, channels > 0);
  if (zero) {
    memset(zero, tarei_weights_zero(w), channels > 0 ? (size_t)channels : 1);
  }
}

static const char *quantized_weights(tarei_qdq_writer *const w,
                                     const tarei_placed_layer *const layer,
                                     const float *const scales) {
  const tare_tensor t = tarei_value_tensor(w->place->graph, layer->w);
  const char *const name = tarei_edit_name(&w->edit, weight_value(w, layer)->name, "_quantized");
  uint8_t *const bytes =
      tarei_edit_constant(&w->edit, name, weights_are_u8(w) ? TARE_U8 : TARE_I8, t.dims, t.rank);
  if (bytes) {
    tarei_store_weights(w, layer, scales, tarei_weights_zero(w), false, bytes);
  }
  return name;
}

static const char *weights_domain(const tarei_qdq_writer *const w,
                                  const tarei_placed_layer *const layer) {
  const tare_dtype real = layer->real;
  const tarei_qdq_needs needs = {.real = real, .channels = layer->channel_axis >= 0};
  return tarei_qdq_domain(w->place, needs);
}

static void set_axis(tarei_edit *const e, Onnx__NodeProto *const node,
                     const tarei_placed_layer *const layer) {
  if (layer->channel_axis >= 0) {
    tarei_edit_attr(e, node, "axis", layer->channel_axis);
  }
}

const char *tarei_write_weights(tarei_qdq_writer *const w, const tarei_placed_layer *const layer) {
  tarei_written *const written = &w->written[layer->w];
  if (written->weights && written->channel_axis == layer->channel_axis) {
    return written->weights;
  }
  int64_t n = 0;
  float *const scales = tarei_weight_scales(w, layer, &n);
  if (!scales) {
    return "";
  }
  tarei_edit *const e = &w->edit;
  const char *const base = weight_value(w, layer)->name, *const domain = weights_domain(w, layer);
  const char *in[3];
  write_parameters(w, layer, scales, n, &in[1]);
  if (w->place->options.weights == TARE_EXPORT_WEIGHTS_FLOAT) {
    const char *const read[] = {layer->node->input[1], in[1], in[2]};
    in[0] = tarei_edit_name(e, base, "_QuantizeLinear_Output");
    Onnx__NodeProto *const quantize = tarei_edit_node(
        e, "QuantizeLinear", domain, tarei_edit_name(e, base, "_QuantizeLinear"), read, 3, in, 1);
    set_axis(e, quantize, layer);
  } else {
    in[0] = quantized_weights(w, layer, scales);
  }
  const char *const out = tarei_edit_name(e, base, "_DequantizeLinear_Output");
  Onnx__NodeProto *const restore = tarei_edit_node(
      e, "DequantizeLinear", domain, tarei_edit_name(e, base, "_DequantizeLinear"), in, 3, &out, 1);
  set_axis(e, restore, layer);
  tarei_edit_import(e, domain, 1);
  free(scales);
  written->weights = out;
  written->channel_axis = layer->channel_axis;
  return out;
}

/* --- biases ---------------------------------------------------------------------------------- */

static const char *int32_bias(tarei_qdq_writer *const w, const tarei_placed_layer *const layer,
                              const float *const bias, float *const scales, const int64_t n) {
  tarei_edit *const e = &w->edit;
  const char *const base = w->place->graph->values[layer->bias].name;
  const char *const domain = weights_domain(w, layer);
  const tare_dtype real = layer->real;
  const float input = input_scale(w, layer);
  const char *const in[] = {tarei_edit_name(e, base, "_quantized"), NULL, NULL};
  int32_t *const words = tarei_edit_constant(e, in[0], TARE_I32, &n, 1);
  for (int64_t c = 0; c < n; c++) {
    scales[c] = tarei_stored_scale(scales[c] * input, real); /* what it is multiplied by again */
    if (words) {
      words[c] = (int32_t)rintf(bias[c] / scales[c]);
    }
  }
  const char *const scale = tarei_write_reals(w, base, "_quantized_scale", real, scales, n);
  const char *const zero = tarei_edit_name(e, base, "_quantized_zero_point");
  (void)tarei_edit_constant(e, zero, TARE_I32, &n, 1);
  const char *const read[] = {in[0], scale, zero};
  const char *const out = tarei_edit_name(e, base, "_DequantizeLinear_Output");
  Onnx__NodeProto *const restore =
      tarei_edit_node(e, "DequantizeLinear", domain, tarei_edit_name(e, base, "_DequantizeLinear"),
                      read, 3, &out, 1);
  tarei_edit_attr(e, restore, "axis", 0);
  return out;
}

const char *tarei_write_bias(tarei_qdq_writer *const w, const tarei_placed_layer *const layer) {
  int64_t n = 0;
  float *const scales = layer->bias < 0 ? NULL : tarei_weight_scales(w, layer, &n);
  const float *const bias = scales ? constant_bias(w, layer, n) : NULL;
  const char *const out = bias ? int32_bias(w, layer, bias, scales, n) : NULL;
  free(scales);
  return out;
}
