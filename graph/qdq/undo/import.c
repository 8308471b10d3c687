#include "graph/qdq/edit_uses.h"
#include "graph/qdq/undo/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/refusals.h"
#include "graph/onnx/importer.h"
#include "graph/qdq/place.h"
#include "graph/qdq/prepare.h"
#include "graph/qdq/undo/undo.h"

struct tare_import {
  tarei_onnx_file file;
  tarei_spread_result spread;
  tarei_undo undo; /* its counts, and the nodes that stay */
  tare_table *table;
  tare_limits limits;
  const Onnx__NodeProto **floats; /* layers that read no quantized value */
  size_t n_floats;
  char *precisions;
};

/* --- float layers ---------------------------------------------------------------------------- */

static bool only_moves(const Onnx__NodeProto *const node) {
  static const char *const MOVES[] = {"Transpose", "Reshape", "Squeeze", "Unsqueeze", "Identity"};
  for (size_t i = 0; i < sizeof MOVES / sizeof *MOVES; i++) {
    if (strcmp(tarei_onnx_text(node->op_type), MOVES[i]) == 0) {
      return node->n_input > 0;
    }
  }
  return false;
}

/* Adds what a DequantizeLinear writes; weights may be moved behind it. */
static void add_restored(tarei_names *const weights, tarei_names *const activations,
                         const Onnx__NodeProto *const node) {
  if (node->n_output != 1 || tarei_names_find(weights, node->output[0]) >= 0) {
    return;
  }
  if (tarei_undo_is_dequantize(node)) {
    tarei_names_add(activations, node->output[0], 0);
    tarei_names_add(weights, node->output[0], 0);
  } else if (only_moves(node) && tarei_names_find(weights, node->input[0]) >= 0) {
    tarei_names_add(weights, node->output[0], 0);
  }
}

/* A layer of an int8 form reads its first input from a DequantizeLinear, and weights from one. */
static tare_status list_floats(tare_import *const out, tare_error *const err) {
  const Onnx__GraphProto *const graph = out->file.model->graph;
  tarei_names weights = {0}, activations = {0};
  out->floats = tarei_calloc(graph->n_node, sizeof *out->floats);
  const bool good = out->floats && tarei_names_init(&weights, graph->n_node) &&
                    tarei_names_init(&activations, graph->n_node);
  for (size_t n = 0; good && n < graph->n_node; n++) {
    add_restored(&weights, &activations, graph->node[n]);
  }
  size_t next = 0; /* of the dynamic ones, which are no floats */
  for (size_t n = 0; good && n < graph->n_node; n++) {
    const Onnx__NodeProto *const node = graph->node[n];
    if (next < out->spread.n_dynamic && node == out->spread.dynamic[next]) {
      next++;
    } else if (tarei_placed_is_layer(node) && node->n_input >= 2 &&
               (tarei_names_find(&activations, node->input[0]) < 0 ||
                tarei_names_find(&weights, node->input[1]) < 0)) {
      out->floats[out->n_floats++] = node;
    }
  }
  tarei_names_fini(&weights);
  tarei_names_fini(&activations);
  return good ? TARE_OK : tarei_fail_memory(err, "layers", graph->n_node);
}

static int import_value_named(const tarei_graph *const graph, const char *const name) {
  for (int v = 0; v < graph->n_values; v++) {
    if (strcmp(graph->values[v].name, name) == 0) {
      return v;
    }
  }
  return -1;
}

/* Whether int8 has all it needs, a scale or constants. */
static bool has_scales(const tarei_graph *const graph, const Onnx__NodeProto *const layer) {
  for (int i = 0; i < 2; i++) {
    const int v = import_value_named(graph, layer->input[i]);
    if (v < 0 || !(graph->values[v].quant.n_scales || (i > 0 && graph->values[v].data))) {
      return false;
    }
  }
  return true;
}

/* An item of layer precisions. */
static void add_glob(tarei_str *const to, const Onnx__NodeProto *const node,
                     const tare_precision precision) {
  const char *const name = tarei_onnx_text(node->name);
  char *glob = NULL;
  to->failed |= tare_layer_glob(*name ? name : node->output[0], &glob, NULL) != TARE_OK;
  tarei_str_add(to, "%s%s:%s", to->length ? "," : "", glob ? glob : "",
                tare_precision_name(precision));
  free(glob);
}

static tare_status list_precisions(tare_import *const out, tarei_graph *const graph,
                                   tare_error *const err) {
  tarei_str text = {0};
  if (tare_table_n_tensors(out->table) > 0 && out->n_floats > 0) {
    TAREI_TRY(tarei_qdq_annotate(graph, out->table, -1 /* merged */, NULL, NULL, err));
    for (size_t i = 0; i < out->n_floats; i++) {
      if (has_scales(graph, out->floats[i])) {
        add_glob(&text, out->floats[i], TARE_PRECISION_FP32);
      }
    }
  }
  for (size_t i = 0; i < out->spread.n_dynamic; i++) {
    add_glob(&text, out->spread.dynamic[i], TARE_PRECISION_INT8_ROWS);
  }
  tare_status status = text.failed
                           ? tarei_fail_memory(err, "layer precisions", text.length)
                           : tarei_table_set_text(&out->precisions, tarei_str_get(&text), err);
  tarei_str_free(&text);
  return status;
}

/* --- moved copies ----------------------------------------------------------------------------- */

/* Tensors of the table whose values each value holds, in another order or shape; -1: none. */
static int *find_origins(const tarei_graph *const graph, const tare_table *const table) {
  int *const origin = tarei_calloc((size_t)graph->n_values + 1, sizeof *origin);
  for (int v = 0; origin && v < graph->n_values; v++) {
    origin[v] = tare_table_find(table, graph->values[v].name);
  }
  for (int i = 0; origin && i < 2 * graph->n_nodes; i++) { /* forward, then backward */
    const bool forward = i < graph->n_nodes;
    const tarei_node *const node = &graph->nodes[forward ? i : 2 * graph->n_nodes - 1 - i];
    if (node->op->movement) {
      const int from = forward ? node->in[0] : node->out[0];
      const int to = forward ? node->out[0] : node->in[0];
      origin[to] = origin[to] < 0 ? origin[from] : origin[to];
    }
  }
  return origin;
}

/* A build may fuse the tensor away that had the pair, and see another one with the same values. */
static tare_status add_copies(tare_import *const out, const tarei_graph *const graph,
                              tare_error *const err) {
  const Onnx__GraphProto *const proto = out->file.model->graph;
  tare_table *const table = out->table;
  int *const origin = find_origins(graph, table);
  tarei_names makers = {0};
  tare_status status = origin ? tarei_uses_name_makers(proto, &makers, err)
                              : tarei_fail_memory(err, "values", (size_t)graph->n_values);
  for (int v = 0; v < graph->n_values && status == TARE_OK; v++) {
    const tarei_value *const value = &graph->values[v];
    if (origin[v] >= 0 && !value->data && tarei_names_find(&makers, value->name) >= 0 &&
        strcmp(table->tensors[origin[v]].name, value->name) != 0) {
      const tarei_table_tensor *const same = &table->tensors[origin[v]];
      status = tarei_table_add_tensor(table, value->name, same->name, same->cells, err);
    }
  }
  tarei_names_fini(&makers);
  free(origin);
  return status == TARE_OK ? tarei_table_finish(table, "imported table", err) : status;
}

/* --- open and save ---------------------------------------------------------------------------- */

/* The message that becomes a graph is changed as the one that is written. */
static tare_status spread_message(Onnx__ModelProto *const model, void *const user,
                                  tare_error *const err) {
  (void)user;
  tarei_onnx_file file = {.model = model};
  tarei_spread_result result;
  const tare_status status = tarei_spread_integers(&file, &result, err);
  tarei_spread_result_fini(&result);
  file.model = NULL; /* it stays */
  tarei_onnx_file_close(&file);
  return status;
}

static tare_status undo_model(tare_import *const out, const char *const path,
                              const tare_load_options *const load,
                              const tarei_pass_options *const passes, tare_error *const err) {
  tarei_graph *graph = NULL;
  tare_error waits = {0};
  if (load && load->limits) {
    out->limits = *load->limits;
  } else {
    tare_limits_init(&out->limits);
  }
  TAREI_TRY(tarei_table_set_text(&out->precisions, "", err));
  TAREI_TRY(tarei_onnx_file_open(path, load, &out->file, err));
  TAREI_TRY(tarei_spread_integers(&out->file, &out->spread, err));
  TAREI_TRY(list_floats(out, err));
  TAREI_TRY(tarei_onnx_load_changed(path, load, spread_message, NULL, &graph, &waits, err));
  tare_status status = tarei_qdq_prepare(graph, &waits, passes, err);
  if (status == TARE_OK) {
    status = tarei_undo_qdq(&out->file, graph, &out->spread, &out->undo, &out->table, err);
    status = status == TARE_E_UNSUPPORTED ? tarei_fail_in(err, status, "%s", path) : status;
  }
  tarei_graph_free(graph);
  return status;
}

tare_status tarei_import_new(const char *const path, const tare_load_options *const load,
                             const tarei_pass_options *const passes, tare_import **const out,
                             tare_error *const err) {
  *out = NULL;
  tare_import *made = tarei_calloc(1, sizeof *made);
  if (!made) {
    return tarei_fail_memory(err, path, sizeof *made);
  }
  const unsigned refusals = tarei_refusals();
  const tare_status status =
      tarei_settle(refusals, undo_model(made, path, load, passes, err), path, err);
  if (status != TARE_OK) {
    tare_import_free(&made);
    return status;
  }
  *out = made;
  return TARE_OK;
}

/* What can be known of the saved file only: its hash, and which layers its table serves. */
static tare_status read_saved(tare_import *const out, const char *const path,
                              const tarei_pass_options *const passes, tare_error *const err) {
  const tare_load_options load = {.limits = &out->limits};
  tarei_graph *graph = NULL;
  tare_error waits = {0};
  TAREI_TRY(tarei_onnx_load(path, &load, &graph, &waits, err));
  out->table->model_hash = graph->model_hash;
  tare_status status = tarei_table_set_text(&out->table->model_name, graph->name, err);
  if (status == TARE_OK) {
    status = tarei_qdq_prepare(graph, &waits, passes, err);
  }
  if (status == TARE_OK) {
    status = add_copies(out, graph, err);
  }
  if (status == TARE_OK) {
    status = list_precisions(out, graph, err);
  }
  tarei_graph_free(graph);
  return status;
}

tare_status tarei_import_save(tare_import *const out, const char *const path, const int64_t most,
                              const tarei_pass_options *const passes, bool *const external,
                              tare_error *const err) {
  TAREI_TRY(tarei_onnx_file_save(&out->file, path, most, external, err));
  const unsigned refusals = tarei_refusals();
  return tarei_settle(refusals, read_saved(out, path, passes, err), path, err);
}

/* --- what came out --------------------------------------------------------------------------- */

void tare_import_free(tare_import **const handle) {
  tare_import *const out = *handle;
  if (!out) {
    return;
  }
  tarei_undo_fini(&out->undo);
  tarei_spread_result_fini(&out->spread);
  tare_table_free(&out->table);
  free(out->floats);
  free(out->precisions);
  tarei_onnx_file_close(&out->file);
  free(out);
  *handle = NULL;
}

tare_import_counts tare_import_count(const tare_import *const out) {
  return out->undo.counts;
}

tare_kept_node tare_import_kept(const tare_import *const out, const int i) {
  if (!tarei_has_number(i, out->undo.counts.kept)) {
    return (tare_kept_node){0};
  }
  return out->undo.kept[i];
}

const tare_table *tare_import_table(const tare_import *const out) {
  return out->table;
}

const char *tare_import_precisions(const tare_import *const out) {
  return out->precisions;
}
