#include "graph/quantize/smooth.h"

#include <math.h>

#include "base/mem.h"
#include "graph/table/annotate.h"
#include "graph/table/smoothing.h"

static tare_status smooth_constant(tarei_graph *const g, const tarei_site_constant *const c,
                                   const int8_t *const exponents, tare_error *const err) {
  tarei_value *const v = &g->values[c->value];
  const size_t size = v->data->size;
  tarei_buffer *const data = tarei_buffer_new(size);
  if (!data) {
    return tarei_fail_memory(err, v->name, size);
  }
  const float *const from = v->data->data;
  float *const to = data->data;
  const tare_tensor t = tarei_value_tensor(g, c->value);
  const int64_t n = tare_tensor_count(&t);
  for (int64_t e = 0; e < n; e++) {
    const int exponent = exponents[tarei_site_channel(c, e)];
    to[e] = ldexpf(from[e], c->of_reader ? exponent : -exponent);
  }
  tarei_buffer_release(v->data);
  v->data = data;
  return TARE_OK;
}

tare_status tarei_smooth_site(tarei_graph *const g, const tarei_smoothing_site *const site,
                              const int8_t *const exponents, tare_error *const err) {
  for (int i = 0; i < site->n_constants; i++) {
    TAREI_TRY(smooth_constant(g, &site->constants[i], exponents, err));
  }
  return TARE_OK;
}

static bool smooth_keeps_types(const tarei_graph *const g, const tarei_smoothing_site *const site) {
  for (int i = 0; i < site->n_constants; i++) {
    if (g->values[site->constants[i].value].model_dtype != TARE_DTYPE_NONE) {
      return false;
    }
  }
  return true;
}

static tare_status smooth_annotate(tarei_graph *const g, const tarei_smoothing_site *const site,
                                   const tare_table *const table, const tarei_smoothing *const s,
                                   tare_error *const err) {
  for (int i = 0; i < site->n_same; i++) {
    TAREI_TRY(tarei_table_annotate_smoothed(table, s, &g->values[site->same[i]], err));
  }
  for (int i = 0; i < site->n_before; i++) {
    tarei_value *const value = &g->values[site->before[i]];
    free(value->quant.scales);
    value->quant = (tarei_quant){0};
  }
  for (int i = 0; i < site->n_readers; i++) {
    if (!tarei_attr_set_int(&g->nodes[site->readers[i].node], TAREI_ATTR_SMOOTHED, 1)) {
      return tarei_fail_memory(err, "layer", sizeof(tarei_attr));
    }
  }
  return TARE_OK;
}

static tare_status smooth_tensor(tarei_graph *const g, const tare_table *const table,
                                 const tarei_smoothing *const s, bool *const unused,
                                 bool *const changed, tare_error *const err) {
  tarei_smoothing_site site;
  const int value = tarei_graph_find_value(g, s->tensor);
  *unused = value < 0 || !tarei_smoothing_site_find(g, value, &site) ||
            site.channels != s->channels || (changed && !smooth_keeps_types(g, &site));
  if (*unused) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_smooth_site(g, &site, s->exponents, err));
  for (int i = 0; changed && i < site.n_constants; i++) {
    changed[site.constants[i].value] = true;
  }
  return smooth_annotate(g, &site, table, s, err);
}

tare_status tarei_graph_smooth(tarei_graph *const g, const tare_table *const table,
                               bool *const unused, bool *const changed, tare_error *const err) {
  for (int i = 0; i < table->smoothings.n; i++) {
    TAREI_TRY(smooth_tensor(g, table, &table->smoothings.items[i], &unused[i], changed, err));
  }
  return TARE_OK;
}

bool tarei_node_is_smoothed(const tarei_node *const node) {
  return tarei_attr_int(node, TAREI_ATTR_SMOOTHED, 0) == 1;
}
