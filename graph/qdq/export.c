#include "graph/qdq/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/refusals.h"
#include "graph/qdq/correct_biases.h"
#include "graph/qdq/fold_norms.h"
#include "graph/qdq/place.h"
#include "graph/qdq/prepare.h"
#include "graph/qdq/settle.h"
#include "graph/qdq/raise.h"
#include "graph/qdq/write.h"
#include "graph/quantize/levels.h"
#include "graph/quantize/row_need.h"
#include "graph/quantize/smooth.h"

struct tare_export {
  tarei_onnx_file file;
  int64_t opset_read;          /* of the model as it was */
  tare_exported_layer *layers; /* strings are owned */
  int n_layers;
  size_t cap_layers;
  int n_folded_norms;
  int n_decided;
  double headroom;          /* of scales of activations */
  char **unused_smoothings; /* names of tensors */
  int n_unused_smoothings;
};

/* --- forms ----------------------------------------------------------------------------------- */

const char *tare_row_form_name(const int form) {
  static const char *const NAMES[TARE_ROWS_COUNT] = {
      [TARE_ROWS_FLOAT] = "float", [TARE_ROWS_INT16] = "int16", [TARE_ROWS_DYNAMIC] = "dynamic"};
  return form >= 0 && form < TARE_ROWS_COUNT ? NAMES[form] : NULL;
}

static const char *layer_form_name(const tarei_layer_form form) {
  static const char *const NAMES[TAREI_FORM_COUNT] = {[TAREI_FORM_FLOAT] = "fp32",
                                                      [TAREI_FORM_INT8] = "int8",
                                                      [TAREI_FORM_INT16] = "int16",
                                                      [TAREI_FORM_DYNAMIC] = "dynamic"};
  return NAMES[form];
}

const char *tare_export_weights_name(const int weights) {
  static const char *const NAMES[TARE_EXPORT_WEIGHTS_COUNT] = {
      [TARE_EXPORT_WEIGHTS_INT8] = "int8",
      [TARE_EXPORT_WEIGHTS_UINT8] = "uint8",
      [TARE_EXPORT_WEIGHTS_FLOAT] = "float",
      [TARE_EXPORT_WEIGHTS_INT7] = "int7"};
  return weights >= 0 && weights < TARE_EXPORT_WEIGHTS_COUNT ? NAMES[weights] : NULL;
}

void tare_export_options_init(tare_export_options *const options) {
  *options = (tare_export_options){.profile = -1};
}

/* --- checks ---------------------------------------------------------------------------------- */

static tare_status check_options(const tare_export_options *const o, tare_error *const err) {
  const tarei_target *const target = tarei_target_at(o->target);
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_export_options, o, err));
  if (!o->table) {
    return tarei_fail(err, TARE_E_USAGE, "an export needs a calibration table");
  }
  if (!target || !tare_row_form_name((int)o->rows)) {
    return tarei_fail(err, TARE_E_USAGE, "no such %s: %d", target ? "form of rows" : "target",
                      target ? (int)o->rows : o->target);
  }
  if (o->weights == TARE_EXPORT_WEIGHTS_UINT8 && !target->unsigned_bytes) {
    return tarei_fail(err, TARE_E_USAGE,
                      "target %s takes weights as int8, int7 or float, got uint8",
                      target->about.name);
  }
  const bool taken =
      o->rows == TARE_ROWS_FLOAT || (o->rows == TARE_ROWS_INT16 ? target->words : target->dynamic);
  return taken ? TARE_OK
               : tarei_fail(err, TARE_E_USAGE,
                            "%s does not take %s: use another form for layers with row scales",
                            target->about.engine,
                            o->rows == TARE_ROWS_INT16
                                ? "16-bit activations"
                                : "scales at run time (DynamicQuantizeLinear)");
}

static tare_status check_hash(const tarei_onnx_file *const file, const char *const path,
                              const tare_export_options *const o, tare_error *const err) {
  const uint64_t made = tare_table_model_hash(o->table);
  return made == 0 || made == file->hash || o->any_table
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE,
                          "the table was made for another model: it has hash %016" PRIx64
                          ", but '%s' has %016" PRIx64,
                          made, path, file->hash);
}

static tare_status check_float(const tarei_onnx_file *const file, const char *const path,
                               tare_error *const err) {
  const Onnx__GraphProto *const graph = file->model->graph;
  for (size_t n = 0; n < graph->n_node; n++) {
    if (tarei_onnx_is_quantized(graph->node[n])) {
      return tarei_fail(err, TARE_E_UNSUPPORTED,
                        "%s is quantized already: node '%s' is a %s (export takes the float model)",
                        path, tarei_onnx_text(graph->node[n]->name), graph->node[n]->op_type);
    }
  }
  return TARE_OK;
}

/* --- the graph ------------------------------------------------------------------------------- */

static tare_status add_layer(tare_export *const out, const Onnx__NodeProto *const node,
                             const char *const form, const char *const reason,
                             const tare_rounding rounding, const bool clipped, const bool corrected,
                             const bool smoothed, const tare_precision raised,
                             tare_error *const err) {
  if (!TAREI_GROW(out->layers, out->n_layers, out->cap_layers)) {
    return tarei_fail_memory(err, "layers", sizeof *out->layers);
  }
  const char *const name = tarei_onnx_text(node->name);
  tare_exported_layer *const to = &out->layers[out->n_layers++];
  *to = (tare_exported_layer){.name = tarei_strdup(*name ? name : node->output[0]),
                              .op = tarei_strdup(node->op_type),
                              .form = form,
                              .reason = tarei_strdup(reason),
                              .rounding = rounding,
                              .clipped = clipped,
                              .corrected = corrected,
                              .smoothed = smoothed,
                              .raised = raised};
  return to->name && to->op && to->reason ? TARE_OK : tarei_fail_memory(err, "layers", sizeof *to);
}

/* Layers of bodies stay float. */
static tare_status take_bodies(tare_export *const out, const Onnx__GraphProto *const graph,
                               const bool inside, tare_error *const err) {
  for (size_t n = 0; n < graph->n_node; n++) {
    const Onnx__NodeProto *const node = graph->node[n];
    if (inside && tarei_placed_is_layer(node)) {
      TAREI_TRY(add_layer(out, node, layer_form_name(TAREI_FORM_FLOAT),
                          "it is in a body of an If, Loop or Scan", TARE_ROUNDING_NONE, false,
                          false, false, TARE_PRECISION_ANY, err));
    }
    for (size_t a = 0; a < node->n_attribute; a++) {
      if (node->attribute[a]->g) {
        TAREI_TRY(take_bodies(out, node->attribute[a]->g, true, err));
      }
    }
  }
  return TARE_OK;
}

/* Float weights behind Q/DQ are rounded by the engine, to nearest. */
static tare_rounding rounding_of_placed(const tarei_placement *const place,
                                        const tarei_placed_layer *const layer) {
  const bool integers = layer->form != TAREI_FORM_FLOAT && place->graph->values[layer->w].data;
  return layer->choice.rounding ? TARE_ROUNDING_TABLE
         : integers             ? TARE_ROUNDING_NEAREST
                                : TARE_ROUNDING_NONE;
}

static bool is_placed_smoothed(const tarei_placement *const place,
                               const tarei_placed_layer *const layer) {
  const int out = tarei_placed_output(place, layer->node, 0);
  const int node = out >= 0 ? place->graph->values[out].producer : -1;
  return node >= 0 && tarei_node_is_smoothed(&place->graph->nodes[node]);
}

static tare_status take_layers(tare_export *const out, const tarei_placement *const place,
                               tare_error *const err) {
  for (int i = 0; i < place->n_layers; i++) {
    const tarei_placed_layer *const layer = &place->layers[i];
    TAREI_TRY(add_layer(out, layer->node, layer_form_name(layer->form),
                        tarei_str_get(&layer->reason), rounding_of_placed(place, layer),
                        layer->choice.clipping != NULL, layer->corrected,
                        is_placed_smoothed(place, layer), layer->raised, err));
  }
  return take_bodies(out, out->file.model->graph, false, err);
}

/* The type that the model computes in: that of its first weights which are no float32, or float32.
 */
static tare_dtype real_type(const tarei_onnx_file *const file) {
  const Onnx__GraphProto *const graph = file->model->graph;
  for (size_t i = 0; i < graph->n_initializer; i++) {
    const tare_dtype type = (tare_dtype)graph->initializer[i]->data_type;
    if (type == TARE_F16 || type == TARE_BF16) {
      return type;
    }
  }
  return TARE_F32;
}

/* The version that the Q/DQ of the model need; with operators of their own, some targets need less,
 * but for float weights ONNX Runtime adds a DequantizeLinear with channels of the default set. */
static int64_t needed_opset(const tarei_onnx_file *const file, const tare_export_options *const o) {
  const bool contrib = tarei_target_at(o->target)->contrib;
  const tare_dtype real = real_type(file);
  const tarei_qdq_needs needs = {.real = contrib && real == TARE_F16 ? TARE_F32 : real,
                                 .channels = !contrib || o->weights == TARE_EXPORT_WEIGHTS_FLOAT,
                                 .bits16 = !contrib && o->rows == TARE_ROWS_INT16};
  return tarei_qdq_version(needs);
}

/* Memory that is missing is reported when all is done. */
static void keep_unused_smoothings(tare_export *const out, const tare_table *const table,
                                   const bool *const unused) {
  const size_t n = (size_t)table->smoothings.n;
  out->unused_smoothings = tarei_calloc(n, sizeof *out->unused_smoothings);
  for (size_t i = 0; out->unused_smoothings && i < n; i++) {
    if (unused[i]) {
      char *const name = tarei_strdup(table->smoothings.items[i].tensor);
      out->unused_smoothings[out->n_unused_smoothings] = name;
      out->n_unused_smoothings += name != NULL;
    }
  }
}

static tare_status place_and_write(tare_export *const out, tarei_graph *const graph,
                                   bool *const changed, const tare_export_options *const o,
                                   tare_error *const err) {
  tarei_placement place;
  tare_status status = tarei_place(&out->file, graph, changed, o, &place, err);
  if (status == TARE_OK) {
    status = tarei_correct_biases(&place, graph, changed, err);
  }
  if (status == TARE_OK) {
    status = take_layers(out, &place, err);
  }
  if (status == TARE_OK) {
    status = tarei_write_qdq(&place, err);
  }
  tarei_placement_fini(&place);
  return status;
}

static double widest_headroom(const tarei_graph *const graph) {
  double widest = 1;
  for (int v = 0; v < graph->n_values; v++) {
    widest = fmax(widest, tarei_quant_written_headroom(&graph->values[v].quant));
  }
  return widest;
}

/* Annotates, smooths and writes a graph that is ready for it. */
static tare_status export_graph(tare_export *const out, tarei_graph *const graph,
                                const tare_export_options *const o, tare_error *const err) {
  const size_t n = (size_t)o->table->smoothings.n;
  bool *const unused = tarei_calloc(n, sizeof *unused);
  bool *const changed = tarei_calloc((size_t)graph->n_values, sizeof *changed);
  tare_status status = TARE_OK;
  if (!unused || !changed) {
    TAREI_TRY_GOTO(tarei_fail_memory(err, "smoothed tensors", n + (size_t)graph->n_values), done);
  }
  TAREI_TRY_GOTO(tarei_qdq_annotate(graph, o->table, o->profile, n ? unused : NULL, changed, err),
                 done);
  TAREI_TRY_GOTO(tarei_graph_mark_levels(graph, err), done);
  out->headroom = widest_headroom(graph);
  keep_unused_smoothings(out, o->table, unused);
  out->opset_read = tarei_onnx_file_opset(&out->file, "");
  TAREI_TRY_GOTO(tarei_onnx_raise(&out->file, graph, needed_opset(&out->file, o), err), done);
  status = place_and_write(out, graph, changed, o, err);
done:
  free(unused);
  free(changed);
  return status;
}

/* The graph of what is written; inputs that are set leave graph and file. */
static tare_status load_graph(tare_export *const out, const char *const path,
                              const tare_export_options *const o,
                              const tarei_pass_options *const passes, tarei_graph **const graph,
                              tare_error *const waits, tare_error *const err) {
  if (!o->n_sets) {
    return tarei_onnx_load(path, o->load, graph, waits, err);
  }
  tarei_settling settling;
  tare_status status = tarei_settling_find(path, o, passes, &settling, err);
  if (status == TARE_OK) {
    status = tarei_settle_file(&out->file, &settling, err);
  }
  if (status == TARE_OK) {
    status = tarei_settled_graph(path, o, &settling, graph, waits, err);
  }
  out->n_decided = settling.n_decisions;
  tarei_settling_fini(&settling);
  return status;
}

static tare_status export_model(tare_export *const out, const char *const path,
                                const tare_export_options *const o,
                                const tarei_pass_options *const passes, tare_error *const err) {
  tarei_graph *graph = NULL;
  tare_error waits = {0};
  TAREI_TRY(check_options(o, err));
  TAREI_TRY(tarei_onnx_file_open(path, o->load, &out->file, err));
  TAREI_TRY(check_hash(&out->file, path, o, err));
  TAREI_TRY(check_float(&out->file, path, err));
  TAREI_TRY(load_graph(out, path, o, passes, &graph, &waits, err));
  tare_status status = tarei_qdq_prepare(graph, &waits, passes, err);
  if (status == TARE_OK && waits.status == TARE_OK) {
    status = tarei_fold_norms(&out->file, graph, passes, &out->n_folded_norms, err);
  }
  if (status == TARE_OK) {
    status = export_graph(out, graph, o, err);
  }
  tarei_graph_free(graph);
  return status;
}

tare_status tarei_export_new(const char *const path, const tare_export_options *const options,
                             const tarei_pass_options *const passes, tare_export **const out,
                             tare_error *const err) {
  *out = NULL;
  tare_export *made = tarei_calloc(1, sizeof *made);
  if (!made) {
    return tarei_fail_memory(err, path, sizeof *made);
  }
  const unsigned refusals = tarei_refusals();
  const tare_status status =
      tarei_settle(refusals, export_model(made, path, options, passes, err), path, err);
  if (status != TARE_OK) {
    tare_export_free(&made);
    return status;
  }
  *out = made;
  return TARE_OK;
}

/* --- what came out --------------------------------------------------------------------------- */

void tare_export_free(tare_export **const handle) {
  tare_export *const out = *handle;
  if (!out) {
    return;
  }
  for (int i = 0; i < out->n_layers; i++) {
    free((char *)out->layers[i].name);
    free((char *)out->layers[i].op);
    free((char *)out->layers[i].reason);
  }
  free(out->layers);
  for (int i = 0; i < out->n_unused_smoothings; i++) {
    free(out->unused_smoothings[i]);
  }
  free(out->unused_smoothings);
  tarei_onnx_file_close(&out->file);
  free(out);
  *handle = NULL;
}

void tare_export_opset(const tare_export *const out, int64_t *const read, int64_t *const written) {
  *read = out->opset_read;
  *written = tarei_onnx_file_opset(&out->file, "");
}

int tare_export_n_layers(const tare_export *const out) {
  return out->n_layers;
}

tare_exported_layer tare_export_layer(const tare_export *const out, const int i) {
  if (!tarei_has_number(i, out->n_layers)) {
    return (tare_exported_layer){0};
  }
  return out->layers[i];
}

int tare_export_n_decided(const tare_export *const out) {
  return out->n_decided;
}

int tare_export_n_folded_norms(const tare_export *const out) {
  return out->n_folded_norms;
}

double tare_export_headroom(const tare_export *const out) {
  return out->headroom;
}

int tare_export_n_unused_smoothings(const tare_export *const out) {
  return out->n_unused_smoothings;
}

const char *tare_export_unused_smoothing(const tare_export *const out, const int i) {
  if (!tarei_has_number(i, out->n_unused_smoothings)) {
    return NULL;
  }
  return out->unused_smoothings[i];
}

tare_status tare_export_save(tare_export *const out, const char *const path, const int64_t most,
                             bool *const external, tare_error *const err) {
  return tarei_onnx_file_save(&out->file, path, most, external, err);
}
