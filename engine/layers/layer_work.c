/* What the time of a layer depends on, as a text. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "engine/layers/layers.h"
#include "engine/plan_profiles.h"
#include "graph/op.h"

/* Attributes that record what was asked, or numbers that no loop depends on. */
static bool work_has_attr(const tarei_attr *const attr) {
  static const char *const RECORDS[] = {
      TAREI_ATTR_ADOPTED,          TAREI_ATTR_BIAS_CORRECTED,  TAREI_ATTR_DIMS,
      TAREI_ATTR_MODEL_TYPES,      TAREI_ATTR_OUTPUT_ASKED,    TAREI_ATTR_PRODUCTS,
      TAREI_ATTR_ROUNDING_REFUSED, TAREI_ATTR_WEIGHT_ROUNDING, TAREI_ATTR_WEIGHTS_ASKED,
      TAREI_ATTR_WEIGHTS_ODD,      TAREI_ATTR_WEIGHTS_REFUSED, TAREI_ATTR_WEIGHT_SCALES,
      TAREI_ATTR_WEIGHTS_CLIPPED};
  for (size_t i = 0; i < sizeof RECORDS / sizeof *RECORDS; i++) {
    if (strcmp(attr->name, RECORDS[i]) == 0) {
      return false;
    }
  }
  return attr->kind == TAREI_ATTR_INT || attr->kind == TAREI_ATTR_INTS ||
         attr->kind == TAREI_ATTR_STRING;
}

static void work_put_attrs(const tarei_node *const node, tarei_str *const out) {
  for (int i = 0; i < node->n_attrs; i++) {
    const tarei_attr *const attr = &node->attrs[i];
    if (!work_has_attr(attr)) {
      continue;
    }
    tarei_str_add(out, " %s=", attr->name);
    if (attr->kind == TAREI_ATTR_STRING) {
      tarei_str_add(out, "%s", attr->s);
    } else if (attr->kind == TAREI_ATTR_INT) {
      tarei_str_add(out, "%lld", (long long)attr->i);
    }
    for (int k = 0; k < attr->n && attr->kind == TAREI_ATTR_INTS; k++) {
      tarei_str_add(out, "%s%lld", k ? "," : "", (long long)attr->ints[k]);
    }
  }
}

/* False if a dim is known only when the layer runs. */
static bool work_put_tensor(const tarei_layer *const layer, const int i,
                            const int64_t *const symbols, tarei_str *const out) {
  const tarei_graph *const g = layer->part->graph;
  const tarei_value *const v = &g->values[layer->values[i]];
  const tare_layer_tensor *const tensor = &layer->tensors[i];
  bool known = true;
  tarei_str_add(out, " %s%s%s[", tensor->constant ? "const " : "", tare_dtype_name(tensor->dtype),
                tensor->row_scales ? " rows" : "");
  for (int d = 0; d < v->rank; d++) {
    int64_t dim = -1;
    known &= tarei_expr_eval(g->exprs, v->dims[d], symbols, &dim);
    tarei_str_add(out, "%s%lld", d ? "," : "", (long long)dim);
  }
  tarei_str_add(out, "]");
  return known;
}

/* Times of layers in a body, or whose dims only a run tells, are those of one place in one model.
 */
static void work_put_place(const tarei_layer *const layer, tarei_str *const out) {
  tarei_str around = {0};
  tarei_graph_print(layer->part->graph, &around);
  tarei_str_add(out, " in %016llx %s",
                (unsigned long long)XXH3_64bits(tarei_str_get(&around), around.length),
                layer->facts.name);
  out->failed |= around.failed;
  tarei_str_free(&around);
}

static bool work_measures(const tarei_layer *const layer) {
  const tarei_step *const step = tarei_layer_step(layer);
  return step->late || tarei_node_body(step->node, 0);
}

tare_status tarei_layer_describe_work(const tare_plan *const plan, const int i,
                                      const int64_t *const values, tarei_str *const out,
                                      tare_error *const err) {
  const tarei_layer *const layer = &plan->layers[i];
  const tare_layer *const facts = &layer->facts;
  bool known = facts->parent < 0 && !work_measures(layer);
  int64_t *const symbols = tarei_calloc((size_t)plan->n_symbols, sizeof *symbols);
  if (!symbols) {
    return tarei_fail_memory(err, "symbols", (size_t)plan->n_symbols * sizeof *symbols);
  }
  tarei_plan_symbols(plan, values, symbols);
  tarei_str_add(out, "%s %s %s", facts->op, facts->precision, *facts->kernel ? facts->kernel : "-");
  work_put_attrs(tarei_layer_step(layer)->node, out);
  for (int t = 0; t < facts->n_inputs + facts->n_outputs; t++) {
    tarei_str_add(out, "%s", t == facts->n_inputs ? " ->" : "");
    known &= work_put_tensor(layer, t, symbols, out);
  }
  if (!known) {
    work_put_place(layer, out);
  }
  free(symbols);
  return out->failed ? tarei_fail_memory(err, "keys of layers", out->length) : TARE_OK;
}
