/* Values by name, also those that a body takes from the graphs around it. */
#include <string.h>

#include "base/mem.h"
#include "graph/onnx/importer.h"

/* A constant outside is one inside. */
static tare_status share_constant(tarei_importer *const inner, const char *const name,
                                  const int outside, int *const out, tare_error *const err) {
  const tarei_value *const from = &inner->around->graph->values[outside];
  *out = tarei_graph_add_value(inner->graph, name);
  if (*out < 0) {
    return tarei_fail_memory(err, name, sizeof *from);
  }
  tarei_value *const to = &inner->graph->values[*out];
  to->data = tarei_buffer_retain(from->data);
  to->dtype = from->dtype;
  to->rank = from->rank;
  memcpy(to->dims, from->dims, sizeof to->dims);
  return TARE_OK;
}

static tare_status capture(tarei_importer *const inner, const char *const name, const int outside,
                           int *const out, tare_error *const err) {
  tarei_graph *const around = inner->around->graph;
  const int place = around->nodes[inner->node].n_in;
  *out = tarei_graph_append_in(around, inner->node, outside)
             ? tarei_graph_add_capture(inner->graph, name, place)
             : -1;
  return *out < 0 ? tarei_fail_memory(err, name, sizeof(tarei_value)) : TARE_OK;
}

tare_status tarei_onnx_find(tarei_importer *const importer, const char *const name, int *const out,
                            tare_error *const err) {
  *out = tarei_names_find(&importer->values, name);
  if (*out >= 0 || !importer->around) {
    return TARE_OK;
  }
  int outside = -1;
  TAREI_TRY(tarei_onnx_find(importer->around, name, &outside, err));
  if (outside < 0) {
    return TARE_OK;
  }
  TAREI_TRY(importer->around->graph->values[outside].data
                ? share_constant(importer, name, outside, out, err)
                : capture(importer, name, outside, out, err));
  if (!tarei_names_grow(&importer->values)) {
    return tarei_fail_memory(err, name, sizeof(struct tarei_names_slot));
  }
  tarei_names_add(&importer->values, name, *out);
  return TARE_OK;
}
