#include "graph/qdq/correct_biases.h"

#include "graph/quantize/weights/correct_bias.h"

/* What is added to the output of a layer: its bias, or what an Add behind a MatMul adds; or -1. */
static int placed_bias(const tarei_placement *const place, const tarei_placed_layer *const layer) {
  const tarei_graph *const g = place->graph;
  const int out = tarei_placed_output(place, layer->node, 0);
  const int reader = layer->bias >= 0 || out < 0 ? -1 : tarei_graph_sole_consumer(g, out);
  const tarei_node *const add = reader < 0 ? NULL : &g->nodes[reader];
  return !add || !tarei_node_is(add, &tarei_op_add) ? layer->bias
                                                    : add->in[add->in[0] == out ? 1 : 0];
}

/* A constant with one number for each channel that nothing else reads. */
static bool is_own_bias(const tarei_graph *const g, const int bias, const int64_t n) {
  if (bias < 0 || !g->values[bias].data || g->values[bias].model_dtype != TARE_DTYPE_NONE) {
    return false;
  }
  const tare_tensor t = tarei_value_tensor(g, bias);
  return t.dtype == TARE_F32 && t.rank == 1 && t.dims[0] == n &&
         tarei_graph_count_uses(g, bias) == 1;
}

tare_status tarei_correct_biases(tarei_placement *const place, tarei_graph *const g,
                                 bool *const changed, tare_error *const err) {
  for (int l = 0; l < place->n_layers; l++) {
    tarei_placed_layer *const layer = &place->layers[l];
    const int value = layer->choice.means ? placed_bias(place, layer) : -1;
    if (!is_own_bias(g, value, layer->view.n)) {
      continue;
    }
    tarei_value *const bias = &g->values[value];
    tarei_buffer *const data = tarei_buffer_new(bias->data->size);
    if (!data) {
      return tarei_fail_memory(err, bias->name, bias->data->size);
    }
    const float *const old = bias->data->data;
    const float *const w = g->values[layer->view.value].data->data;
    float *const to = data->data;
    for (int64_t j = 0; j < layer->view.n; j++) {
      const float scale = tarei_chosen_scale(&layer->choice, w, &layer->view, j);
      to[j] = old[j] + tarei_bias_correction(&layer->choice, w, &layer->view, scale, j);
    }
    tarei_buffer_release(bias->data);
    bias->data = data;
    changed[value] = true;
    layer->corrected = true;
  }
  return TARE_OK;
}
