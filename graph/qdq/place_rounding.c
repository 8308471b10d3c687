/* Weights that the table rounds, in the layers of the model: they have the same floats where no
 * pass of the calibration changed them, as one that folds a batch norm. */
#include "graph/qdq/place.h"
#include "graph/quantize/round_weights.h"

/* Layers that share weights share their integers, which suit the data of one of them alone. */
static bool place_has_own_weights(const tarei_placement *const p,
                                  const tarei_placed_layer *const layer) {
  int n = 0;
  for (int i = 0; i < p->n_layers; i++) {
    n += p->layers[i].w == layer->w;
  }
  return n == 1;
}

/* Engines round what stays float; scales in shorter floats are not those of the table. */
static bool place_may_round(const tarei_placement *const p, const tarei_placed_layer *const layer) {
  return layer->form != TAREI_FORM_FLOAT && layer->channel_axis >= 0 && layer->real == TARE_F32 &&
         !p->options.float_weights && place_has_own_weights(p, layer);
}

static tare_status round_placed(const tarei_placement *const p, const tarei_rounder *const rounder,
                                tarei_placed_layer *const layer, tare_error *const err) {
  const tarei_graph *const g = p->graph;
  const int out = tarei_placed_output(p, layer->node, 0);
  const int node = out >= 0 ? g->values[out].producer : -1;
  if (node < 0 || !tarei_weight_view_of(g, &g->nodes[node], &layer->view) ||
      layer->view.value != layer->w) {
    return TARE_OK;
  }
  return tarei_rounder_find(rounder, g, &g->nodes[node], &layer->view, &layer->rounding, err);
}

tare_status tarei_place_roundings(tarei_placement *const p, tare_error *const err) {
  const tare_table *const table = p->options.table;
  if (!table->n_roundings) {
    return TARE_OK;
  }
  tarei_rounder rounder;
  tare_status status = tarei_rounder_init(&rounder, table, err);
  for (int i = 0; i < p->n_layers && status == TARE_OK; i++) {
    if (place_may_round(p, &p->layers[i])) {
      status = round_placed(p, &rounder, &p->layers[i], err);
    }
  }
  tarei_rounder_fini(&rounder);
  return status;
}
