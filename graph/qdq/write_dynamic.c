/* Layers whose activations are quantized at run time: integers from DynamicQuantizeLinear and int8
 * weights into MatMulInteger or ConvInteger, and their sums back to reals. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/qdq/write.h"

/* What a layer is made of, by name. */
typedef struct dynamic_parts {
  const char *op;   /* the integer operator */
  const char *bias; /* or NULL */
  const char *out;
  int rank; /* of the constants for channels: 1 behind the rows, or [C, 1, ...] */
  bool transposed;
  int zero; /* of the weights */
} dynamic_parts;

static void quantize_dynamic(tarei_qdq_writer *const w, const tarei_placed_layer *const layer) {
  tarei_written *const written = &w->written[layer->x];
  const char *const value = layer->node->input[0];
  if (written->dynamic) {
    return;
  }
  written->dynamic = tarei_edit_name(&w->edit, value, "_DynamicQuantized");
  written->scale = tarei_edit_name(&w->edit, value, "_dynamic_scale");
  written->zero_point = tarei_edit_name(&w->edit, value, "_dynamic_zero_point");
  const char *const out[] = {written->dynamic, written->scale, written->zero_point};
  tarei_edit_node(&w->edit, "DynamicQuantizeLinear", "",
                  tarei_edit_name(&w->edit, value, "_DynamicQuantizeLinear"), &value, 1, out, 3);
}

/* A constant for each channel, in a shape that meets the channels of the output. */
static const char *write_channels(tarei_qdq_writer *const w, const char *const base,
                                  const char *const suffix, const float *const values,
                                  const int64_t n, const int rank) {
  int64_t dims[TARE_MAX_RANK] = {n};
  for (int d = 1; d < rank; d++) {
    dims[d] = 1;
  }
  const char *const name = tarei_edit_name(&w->edit, base, suffix);
  float *const to = tarei_edit_constant(&w->edit, name, TARE_F32, dims, rank);
  if (to) {
    memcpy(to, values, (size_t)n * sizeof *to);
  }
  return name;
}

static const char *write_integers(tarei_qdq_writer *const w, const tarei_placed_layer *const layer,
                                  const dynamic_parts *const parts, const float *const scales,
                                  const char **const zero_point) {
  tare_tensor t = tarei_value_tensor(w->place->graph, layer->w);
  const char *const base = w->place->graph->values[layer->w].name;
  if (parts->transposed) {
    const int64_t rows = t.dims[0];
    t.dims[0] = t.dims[1];
    t.dims[1] = rows;
  }
  const tare_dtype type = parts->zero ? TARE_U8 : TARE_I8;
  const char *const name = tarei_edit_name(&w->edit, base, "_quantized");
  uint8_t *const bytes = tarei_edit_constant(&w->edit, name, type, t.dims, t.rank);
  *zero_point = tarei_edit_name(&w->edit, base, "_zero_point");
  uint8_t *const zero = tarei_edit_constant(&w->edit, *zero_point, type, NULL, 0);
  if (bytes && zero) {
    *zero = (uint8_t)parts->zero;
    tarei_store_weights(w, layer, scales, parts->zero, parts->transposed, bytes);
  }
  return name;
}

/* out = sums * (scale of x * scales of w) + bias */
static void write_reals_again(tarei_qdq_writer *const w, const tarei_placed_layer *const layer,
                              const dynamic_parts *const parts, const char *const sums,
                              const char *const scales) {
  tarei_edit *const e = &w->edit;
  const char *const real = tarei_edit_name(e, parts->out, "_real");
  const char *const scale = tarei_edit_name(e, parts->out, "_scales");
  const char *const scaled = parts->bias ? tarei_edit_name(e, parts->out, "_scaled") : parts->out;
  const char *const both[] = {w->written[layer->x].scale, scales}, *const times[] = {real, scale};
  Onnx__NodeProto *const cast =
      tarei_edit_node(e, "Cast", "", tarei_edit_name(e, parts->out, "_Cast"), &sums, 1, &real, 1);
  tarei_edit_attr(e, cast, "to", TARE_F32);
  tarei_edit_node(e, "Mul", "", tarei_edit_name(e, parts->out, "_MulScales"), both, 2, &scale, 1);
  tarei_edit_node(e, "Mul", "", tarei_edit_name(e, parts->out, "_Mul"), times, 2, &scaled, 1);
  if (parts->bias) {
    const char *const add[] = {scaled, parts->bias};
    tarei_edit_node(e, "Add", "", tarei_edit_name(e, parts->out, "_Add"), add, 2, &parts->out, 1);
  }
}

/* The bias in a shape that meets the channels; a Gemm's does as it is. */
static const char *bias_name(tarei_qdq_writer *const w, const tarei_placed_layer *const layer,
                             const int rank) {
  if (layer->bias < 0) {
    return NULL;
  }
  const tare_tensor t = tarei_value_tensor(w->place->graph, layer->bias);
  return rank > 1 && t.data
             ? write_channels(w, layer->node->input[2], "_column", t.data, t.dims[0], rank)
             : layer->node->input[2];
}

static dynamic_parts parts_of(tarei_qdq_writer *const w, const tarei_placed_layer *const layer) {
  const bool conv = strcmp(layer->node->op_type, "Conv") == 0;
  const bool gemm = strcmp(layer->node->op_type, "Gemm") == 0;
  const int rank = conv ? w->place->graph->values[layer->w].rank - 1 : 1;
  return (dynamic_parts){.op = conv ? "ConvInteger" : "MatMulInteger",
                         .bias = bias_name(w, layer, rank),
                         .out = layer->node->output[0],
                         .rank = rank,
                         .transposed = gemm && layer->channel_axis == 0,
                         .zero = conv ? 128 : tarei_weights_zero(w)};
}

/* Those of a Gemm, which MatMulInteger does not have; placement takes their defaults only. */
static const char *const GEMM_ATTRS[] = {"alpha", "beta", "transA", "transB"};

void tarei_write_dynamic(tarei_qdq_writer *const w, const tarei_placed_layer *const layer) {
  int64_t n = 0;
  float *const scales = tarei_weight_scales(w, layer, &n);
  if (!scales) {
    return;
  }
  quantize_dynamic(w, layer);
  const dynamic_parts parts = parts_of(w, layer);
  const tarei_written *const x = &w->written[layer->x];
  const char *zero = NULL;
  const char *const weights = write_integers(w, layer, &parts, scales, &zero);
  const char *const channels = write_channels(w, w->place->graph->values[layer->w].name, "_scale",
                                              scales, n, layer->channel_axis < 0 ? 0 : parts.rank);
  const char *const in[] = {x->dynamic, weights, x->zero_point, zero};
  for (size_t i = 0; i < sizeof GEMM_ATTRS / sizeof *GEMM_ATTRS; i++) {
    tarei_edit_drop_attr(&w->edit, layer->node, GEMM_ATTRS[i]);
  }
  const char *const sums = tarei_edit_name(&w->edit, parts.out, "_sums");
  tarei_edit_become(&w->edit, layer->node, parts.op, in, 4, sums);
  tarei_edit_lay(&w->edit, layer->node);
  write_reals_again(w, layer, &parts, sums, channels);
  free(scales);
}
