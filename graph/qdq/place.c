#include "graph/qdq/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/op.h"

static tare_status name_values(tarei_placement *const p, tare_error *const err) {
  const size_t n = (size_t)p->graph->n_values;
  p->symmetric = tarei_calloc(n, sizeof *p->symmetric);
  p->at_source = tarei_calloc(n, sizeof *p->at_source);
  p->is_factor = tarei_calloc(n, sizeof *p->is_factor);
  if (!p->symmetric || !p->at_source || !p->is_factor) {
    return tarei_fail_memory(err, "values of the model", n);
  }
  return tarei_graph_name_values(p->graph, &p->values, err);
}

static tare_status place_nodes(tarei_placement *const p, tarei_requests *const requests,
                               tarei_requests *const raised, tare_error *const err) {
  const Onnx__GraphProto *const proto = p->file->model->graph;
  for (size_t n = 0; n < proto->n_node; n++) {
    if (!tarei_placed_is_layer(proto->node[n])) {
      continue;
    }
    if (!TAREI_GROW(p->layers, p->n_layers, p->cap_layers)) {
      return tarei_fail_memory(err, "layers", sizeof *p->layers);
    }
    tarei_placed_layer *const layer = &p->layers[p->n_layers++];
    *layer = (tarei_placed_layer){.node = proto->node[n],
                                  .x = -1,
                                  .w = -1,
                                  .bias = -1,
                                  .sum = -1,
                                  .channel_axis = -1,
                                  .source = -1};
    TAREI_TRY(tarei_place_layer(p, requests, raised, layer, err));
    if (layer->reason.failed) {
      return tarei_fail_memory(err, "reason of a layer", layer->reason.length);
    }
  }
  return TARE_OK;
}

/* A value that is the second factor of a product is packed as weights are; values that are moved
 * are the same ones. */
static void mark_values(tarei_placement *const p) {
  const tarei_graph *const g = p->graph;
  for (int i = 0; i < p->n_layers; i++) {
    const tarei_placed_layer *const layer = &p->layers[i];
    if (layer->form != TAREI_FORM_INT8) {
      continue;
    }
    p->is_factor[layer->x] = true;
    p->is_factor[layer->w] = true;
    if (!g->values[layer->w].data) {
      p->symmetric[layer->w] = true;
    }
    if (layer->source >= 0) {
      p->at_source[layer->source] = true;
    }
  }
  for (int n = g->n_nodes - 1; n >= 0; n--) {
    if (g->nodes[n].op->movement) {
      p->symmetric[g->nodes[n].in[0]] |= p->symmetric[g->nodes[n].out[0]];
    }
  }
  for (int n = 0; n < g->n_nodes; n++) {
    if (g->nodes[n].op->movement) {
      p->symmetric[g->nodes[n].out[0]] |= p->symmetric[g->nodes[n].in[0]];
    }
  }
}

tare_status tarei_place(tarei_onnx_file *const file, const tarei_graph *const graph,
                        const bool *const smoothed, const tare_export_options *const options,
                        tarei_placement *const out, tare_error *const err) {
  *out = (tarei_placement){.file = file,
                           .graph = graph,
                           .smoothed = smoothed,
                           .target = tarei_target_at(options->target),
                           .options = *options};
  tarei_requests requests, raised = {0};
  TAREI_TRY(tarei_requests_parse(&tarei_requested_form, options->layer_precisions, &requests, err));
  tare_status status = tarei_requests_parse(&tarei_requested_precision,
                                            options->table->layer_precisions, &raised, err);
  TAREI_TRY_GOTO(status, done);
  TAREI_TRY_GOTO(tarei_file_types_init(file, &out->types, err), done);
  TAREI_TRY_GOTO(name_values(out, err), done);
  TAREI_TRY_GOTO(place_nodes(out, &requests, &raised, err), done);
  status = tarei_requests_check_used(&requests, graph, err);
  mark_values(out);
  tarei_place_bytes(out);
  if (status == TARE_OK) {
    status = tarei_place_residuals(out, err);
  }
  if (status == TARE_OK) {
    status = tarei_place_roundings(out, err);
  }
done:
  tarei_requests_fini(&requests);
  tarei_requests_fini(&raised);
  return status;
}

void tarei_placement_fini(tarei_placement *const p) {
  for (int i = 0; i < p->n_layers; i++) {
    tarei_str_free(&p->layers[i].reason);
  }
  free(p->layers);
  free(p->symmetric);
  free(p->at_source);
  free(p->is_factor);
  free(p->residual);
  tarei_names_fini(&p->values);
  tarei_file_types_fini(&p->types);
  *p = (tarei_placement){0};
}
