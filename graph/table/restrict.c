#include <string.h>
#include <tare/table_model.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/refusals.h"
#include "graph/model.h"
#include "graph/table/layer_numbers.h"
#include "graph/table/rounding.h"
#include "graph/table/smoothing.h"
#include "graph/table/table.h"

static bool name_tensors(const tarei_graph *const graph, tarei_names *const out) {
  if (!tarei_names_init(out, (size_t)graph->n_values)) {
    return false;
  }
  for (int v = 0; v < graph->n_values; v++) {
    if (tarei_names_find(out, graph->values[v].name) < 0) {
      tarei_names_add(out, graph->values[v].name, v);
    }
  }
  return true;
}

static tare_status restrict_tensors(const tare_table *const table, const tarei_names *const values,
                                    tare_table *const out, tare_error *const err) {
  for (int i = 0; i < table->n_tensors; i++) {
    const tarei_table_tensor *const tensor = &table->tensors[i];
    const char *const same = tensor->same_as;
    if (tarei_names_find(values, tensor->name) >= 0) {
      TAREI_TRY(tarei_table_add_tensor(out, tensor->name,
                                       same && tarei_names_find(values, same) >= 0 ? same : NULL,
                                       tensor->cells, err));
    }
  }
  return TARE_OK;
}

/* Whether a graph or a body in it has the layer, or one of those that it was fused from. */
static bool has_layer(const tarei_graph *const graph, const char *const layer) {
  for (int n = 0; n < graph->n_nodes; n++) {
    const char *const name = graph->nodes[n].name;
    const size_t whole = strlen(name);
    const char *part;
    size_t length;
    for (const char *at = layer; (part = tarei_next_origin(&at, &length)) != NULL;) {
      if (length == whole && memcmp(part, name, length) == 0) {
        return true;
      }
    }
    const tarei_graph *body;
    for (int i = 0; (body = tarei_node_body(&graph->nodes[n], i)) != NULL; i++) {
      if (has_layer(body, layer)) {
        return true;
      }
    }
  }
  return false;
}

static tare_status restrict_roundings(const tare_table *const table, const tarei_graph *const graph,
                                      tare_table *const out, tare_error *const err) {
  for (int i = 0; i < table->roundings.n; i++) {
    if (has_layer(graph, table->roundings.items[i].layer)) {
      TAREI_TRY(tarei_roundings_copy(&out->roundings, &table->roundings.items[i], err));
    }
  }
  return TARE_OK;
}

static tare_status restrict_numbers(const tare_table *const table, const tarei_graph *const graph,
                                    tare_table *const out, tare_error *const err) {
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    for (int i = 0; i < table->numbers[k].n; i++) {
      const tarei_layer_numbers *const l = &table->numbers[k].items[i];
      if (has_layer(graph, l->layer)) {
        TAREI_TRY(tarei_numbers_add(&out->numbers[k], l->layer, l->n, l->hash, l->values, err));
      }
    }
  }
  return TARE_OK;
}

/* A part without what makes the tensor, or without all of its readers, cannot use it: then it says
 * so when it is built. */
static tare_status restrict_smoothings(const tare_table *const table,
                                       const tarei_names *const values, tare_table *const out,
                                       tare_error *const err) {
  for (int i = 0; i < table->smoothings.n; i++) {
    const tarei_smoothing *const s = &table->smoothings.items[i];
    if (tarei_names_find(values, s->tensor) >= 0) {
      TAREI_TRY(tarei_smoothings_merge(&out->smoothings, s, 0, table->n_columns, err));
    }
  }
  return TARE_OK;
}

static tare_status fill_restricted(const tare_table *const table, const tare_model *const part,
                                   tare_table *const out, tare_error *const err) {
  const tare_model_info info = tare_model_get_info(part);
  const char *const slash = strrchr(info.path, '/');
  tarei_names values = {0};
  TAREI_TRY(tarei_table_set_text(&out->model_name, slash ? slash + 1 : info.path, err));
  TAREI_TRY(tare_table_set_layer_precisions(out, table->layer_precisions, err));
  out->model_hash = info.hash;
  tare_status status =
      name_tensors(part->graph, &values)
          ? restrict_tensors(table, &values, out, err)
          : tarei_fail_memory(err, "tensors of the model", (size_t)part->graph->n_values);
  if (status == TARE_OK) {
    status = restrict_smoothings(table, &values, out, err);
  }
  tarei_names_fini(&values);
  if (status == TARE_OK) {
    status = restrict_roundings(table, part->graph, out, err);
  }
  if (status == TARE_OK) {
    status = restrict_numbers(table, part->graph, out, err);
  }
  return status == TARE_OK ? tarei_table_finish(out, "table", err) : status;
}

tare_status tare_table_restrict(const tare_table *const table, const tare_model *const part,
                                tare_table **const out, tare_error *const err) {
  *out = NULL;
  if (table->n_columns != 1) {
    return tarei_fail(err, TARE_E_USAGE, "the table has %d columns: expected one",
                      table->n_columns);
  }
  const unsigned refusals = tarei_refusals();
  TAREI_TRY(tarei_table_new(table->method, 1, out, err));
  const tare_status status =
      tarei_settle(refusals, fill_restricted(table, part, *out, err), "table", err);
  if (status != TARE_OK) {
    tare_table_free(out);
  }
  return status;
}
