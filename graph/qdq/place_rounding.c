/* Weights whose scales and rounding are those of the table, in the layers of the model: they have
 * the same floats where no pass of the calibration changed them, as one that folds a batch norm. */
#include <stdlib.h>

#include "base/mem.h"
#include "graph/qdq/place.h"

/* Engines round what stays float; scales in shorter floats or for 7 bits are not the table's. */
static bool place_may_round(const tarei_placement *const p, const tarei_placed_layer *const layer) {
  return layer->w >= 0 && layer->form != TAREI_FORM_FLOAT && layer->channel_axis >= 0 &&
         layer->real == TARE_F32 && p->options.weights != TARE_EXPORT_WEIGHTS_FLOAT &&
         p->options.weights != TARE_EXPORT_WEIGHTS_INT7;
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
  return tarei_rounder_find(rounder, g, &g->nodes[node], &layer->view, &layer->choice, err);
}

/* How many layers have a value as weights: those that share some share their integers, which suit
 * the data of one of them alone. NULL: no memory. */
static int *place_count_layers(const tarei_placement *const p) {
  int *const n = tarei_calloc((size_t)p->graph->n_values, sizeof *n);
  for (int i = 0; n && i < p->n_layers; i++) {
    if (p->layers[i].w >= 0) {
      n[p->layers[i].w]++;
    }
  }
  return n;
}

tare_status tarei_place_roundings(tarei_placement *const p, tare_error *const err) {
  const tare_table *const table = p->options.table;
  if (!table->roundings.n && !table->numbers[TAREI_NUMBERS_CLIPPING].n &&
      !table->numbers[TAREI_NUMBERS_MEANS].n) {
    return TARE_OK;
  }
  tarei_rounder rounder;
  tare_status status;
  int *const layers = place_count_layers(p);
  TAREI_TRY(layers ? TARE_OK : tarei_fail_memory(err, "weights", (size_t)p->graph->n_values));
  TAREI_TRY_GOTO(tarei_rounder_init(&rounder, table, false, err), done);
  for (int i = 0; i < p->n_layers; i++) {
    tarei_placed_layer *const layer = &p->layers[i];
    if (place_may_round(p, layer) && layers[layer->w] == 1) {
      TAREI_TRY_GOTO(round_placed(p, &rounder, layer, err), done);
    }
  }
done:
  tarei_rounder_fini(&rounder);
  free(layers);
  return status;
}
