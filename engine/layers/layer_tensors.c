/* What a layer reads and writes: types in memory, shapes and scales. */
#include "base/mem.h"
#include "engine/layers/layers.h"
#include "engine/lower/fused.h"
#include "graph/quantize/lower_bound.h"
#include "engine/plan_ports.h"
#include "graph/quantize/weights/weight_types.h"

/* Whether input i of a node is the weights of a layer. */
static bool is_weight(const tarei_graph *const g, const tarei_node *const node,
                      const tarei_int8_form *const form, const int i) {
  return form && i >= form->activations && i < form->activations + form->weights &&
         node->in[i] >= 0 && g->values[node->in[i]].data;
}

static const char *keep_shape(tare_plan *const plan, const tarei_graph *const g,
                              const tarei_value *const v) {
  tarei_str text = {0};
  tarei_str_add(&text, "[");
  for (int d = 0; d < v->rank; d++) {
    tarei_str_add(&text, "%s", d ? ", " : "");
    tarei_expr_print(g->exprs, v->dims[d], &text);
  }
  tarei_str_add(&text, "]");
  return tarei_plan_keep(plan, &text);
}

static int scales_of(const tarei_value *const v) {
  return v->dtype == TARE_U8 ? v->quant.n_scales : 0;
}

static tare_status layer_tensors_describe(tare_plan *const plan, const tarei_layer *const layer,
                                          const int value, float *const scales,
                                          tare_layer_tensor *const out, tare_error *const err) {
  const tarei_graph *const g = layer->part->graph;
  const tarei_value *const v = &g->values[value];
  *out = (tare_layer_tensor){
      .name = v->name,
      .memory = g->values[layer->part->slots[value].root].name,
      .dtype = v->dtype,
      .rank = v->rank,
      .shape = keep_shape(plan, g, v),
      .constant = v->data != NULL,
      .stated = v->quant.stated,
      .n_scales = scales_of(v),
      .row_scales = v->dtype == TARE_U8 && v->quant.granularity == TAREI_PER_ROW};
  out->lower_bound = out->row_scales ? tarei_rows_bound(g, value) : 0;
  if (!out->shape) {
    return tarei_fail_memory(err, "layers", sizeof *out);
  }
  for (int s = 0; s < out->n_scales; s++) {
    scales[s] = tarei_u8_scale(g, value, s);
  }
  out->scales = out->n_scales ? scales : NULL;
  if (out->n_scales || out->row_scales) {
    out->zero_point = tarei_u8_zero_point(g, value);
  }
  return TARE_OK;
}

/* Numbers of the values that are there; returns how many scales they have. */
static int layer_tensors_list(tarei_layer *const layer, const tarei_node *const node) {
  const tarei_value *const values = layer->part->graph->values;
  int n_scales = 0;
  for (int i = 0; i < node->n_in + node->n_out; i++) {
    const bool input = i < node->n_in;
    const int value = input ? node->in[i] : node->out[i - node->n_in];
    if (value >= 0) {
      layer->values[layer->facts.n_inputs + layer->facts.n_outputs] = value;
      *(input ? &layer->facts.n_inputs : &layer->facts.n_outputs) += 1;
      n_scales += scales_of(&values[value]);
    }
  }
  return n_scales;
}

/* Packed weights have another type than the graph has. */
static void set_weight_type(tarei_layer *const layer, const tarei_node *const node) {
  const tarei_int8_form *const form = tarei_op_int8_form(node->op);
  for (int i = 0, at = 0; i < node->n_in; i++) {
    if (is_weight(layer->part->graph, node, form, i)) {
      tare_dtype *const dtype = &layer->tensors[at].dtype;
      *dtype = *dtype == TARE_F32 ? tarei_weights_dtype(node) : *dtype;
      layer->facts.weights = *dtype;
    }
    at += node->in[i] >= 0;
  }
}

tare_status tarei_layer_find_tensors(tare_plan *const plan, tarei_layer *const layer,
                                     tare_error *const err) {
  const tarei_node *const node = tarei_layer_step(layer)->node;
  const size_t most = (size_t)node->n_in + (size_t)node->n_out;
  layer->values = tarei_calloc(most, sizeof *layer->values);
  layer->tensors = tarei_calloc(most, sizeof *layer->tensors);
  if (!layer->values || !layer->tensors) {
    return tarei_fail_memory(err, "layers", most * sizeof *layer->tensors);
  }
  const size_t n_scales = (size_t)layer_tensors_list(layer, node);
  layer->scales = tarei_calloc(n_scales, sizeof *layer->scales);
  if (!layer->scales) {
    return tarei_fail_memory(err, "layers", n_scales * sizeof *layer->scales);
  }
  float *scales = layer->scales;
  for (int i = 0; i < layer->facts.n_inputs + layer->facts.n_outputs; i++) {
    tare_layer_tensor *const tensor = &layer->tensors[i];
    TAREI_TRY(layer_tensors_describe(plan, layer, layer->values[i], scales, tensor, err));
    scales += tensor->n_scales;
  }
  set_weight_type(layer, node);
  layer->facts.inputs = layer->tensors;
  layer->facts.outputs = layer->tensors + layer->facts.n_inputs;
  return TARE_OK;
}
