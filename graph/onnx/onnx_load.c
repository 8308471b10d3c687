#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/limits.h"
#include "base/mem.h"
#include "graph/fix_symbols.h"
#include "graph/join_axes.h"
#include "graph/onnx/importer.h"
#include "graph/onnx/onnx_functions.h"
#include "graph/onnx/onnx_sparse.h"
#include "graph/onnx/onnx_sequences.h"
#include "graph/pass.h"

enum { MIN_IR = 3, MAX_IR = 13, MIN_OPSET = 1, MAX_OPSET = 28 };

/* Far beyond real models; shapes look at pairs of symbols. */
enum { MAX_INPUTS = 1 << 10, MAX_OUTPUTS = 1 << 10 };

static tare_status find_opset(const Onnx__ModelProto *const model, int *const out,
                              tare_error *const err) {
  for (size_t i = 0; i < model->n_opset_import; i++) {
    const Onnx__OperatorSetIdProto *const set = model->opset_import[i];
    if (!tarei_is_default_domain(tarei_onnx_text(set->domain))) {
      continue; /* a node that needs it is refused by name */
    }
    if (set->version < MIN_OPSET || set->version > MAX_OPSET) {
      return tarei_fail(err, TARE_E_UNSUPPORTED, "opset %lld is not supported: expected %d to %d",
                        (long long)set->version, MIN_OPSET, MAX_OPSET);
    }
    *out = (int)set->version;
    return TARE_OK;
  }
  return tarei_fail(err, TARE_E_MODEL, "no version of the default operator set");
}

static tare_status check_limit(const size_t n, const size_t max, const char *const what,
                               tare_error *const err) {
  return n <= max ? TARE_OK
                  : tarei_fail(err, TARE_E_LIMIT, "the graph has %zu %s, the limit is %zu", n, what,
                               max);
}

static tare_status check_limits(const Onnx__GraphProto *const proto, tare_error *const err) {
  /* Old models list every initializer as an input too. */
  TAREI_TRY(check_limit(proto->n_input, MAX_INPUTS + proto->n_initializer, "inputs", err));
  return check_limit(proto->n_output, MAX_OUTPUTS, "outputs", err);
}

static bool names_earlier_output(const Onnx__GraphProto *const proto, const size_t i) {
  const char *const name = tarei_onnx_text(proto->output[i]->name);
  size_t at = 0;
  while (at < i && strcmp(tarei_onnx_text(proto->output[at]->name), name) != 0) {
    at++;
  }
  return at < i;
}

/* A model may name an output twice. It has it once: outputs are found by name. */
static void drop_repeated_outputs(Onnx__GraphProto *const proto) {
  size_t n = 0;
  for (size_t i = 0; i < proto->n_output; i++) {
    proto->output[n] = proto->output[i];
    if (names_earlier_output(proto, n)) {
      onnx__value_info_proto__free_unpacked(proto->output[n], NULL);
    } else {
      n++;
    }
  }
  proto->n_output = n;
}

static tare_status check_model(Onnx__ModelProto *const model, const tare_limits *const limits,
                               int *const opset, bool *const ours, tare_error *const err) {
  if (!model->has_ir_version) {
    return tarei_fail(err, TARE_E_INPUT, "not an ONNX model: no IR version");
  }
  if (model->ir_version < MIN_IR || model->ir_version > MAX_IR) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "IR version %lld is not supported: expected %d to %d",
                      (long long)model->ir_version, MIN_IR, MAX_IR);
  }
  if (!model->graph) {
    return tarei_fail(err, TARE_E_MODEL, "has no graph");
  }
  if (model->n_training_info > 0) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "training info is not supported");
  }
  TAREI_TRY(find_opset(model, opset, err));
  if (model->graph->n_node > (size_t)limits->nodes) {
    return tarei_fail_limit(err, limits, TAREI_LIMIT_nodes, (int64_t)model->graph->n_node,
                            "the graph has");
  }
  TAREI_TRY(check_limits(model->graph, err));
  drop_repeated_outputs(model->graph);
  TAREI_TRY(tarei_onnx_write_sequences(model->graph, *opset, ours, err));
  TAREI_TRY(tarei_onnx_check_support(model->graph, *ours, err));
  return tarei_onnx_check_old(model->graph, *opset, err);
}

static tare_status import_graph(tarei_importer *const importer, tare_error *const err) {
  TAREI_TRY(tarei_onnx_names(importer, err));
  TAREI_TRY(tarei_onnx_initializers(importer, err));
  TAREI_TRY(tarei_onnx_inputs(importer, err));
  TAREI_TRY(tarei_onnx_nodes(importer, err));
  TAREI_TRY(tarei_onnx_outputs(importer, err));
  return tarei_onnx_widen(importer->graph, importer->proto, err);
}

static tare_status import_model(Onnx__ModelProto *const model, const char *const path,
                                const char *const folder, tarei_graph *const graph,
                                tarei_onnx_dims **const declared, tare_error *const err) {
  bool ours = false;
  TAREI_TRY(check_model(model, &graph->limits, &graph->opset, &ours, err));
  graph->ir_version = model->ir_version;
  free(graph->producer);
  graph->producer = tarei_strdup(tarei_onnx_text(model->producer_name));
  if (!graph->producer) {
    return tarei_fail_memory(err, "producer", strlen(tarei_onnx_text(model->producer_name)));
  }
  tarei_externals externals = {.path = path, .allowed = folder};
  tarei_importer importer = {.graph = graph,
                             .proto = model->graph,
                             .externals = &externals,
                             .body = tarei_onnx_body,
                             .ours = ours};
  tare_status status = import_graph(&importer, err);
  if (status == TARE_OK) {
    status = tarei_onnx_declared(graph, model->graph, declared, err);
  }
  tarei_names_fini(&importer.values);
  tarei_names_fini(&importer.nodes);
  tarei_externals_fini(&externals);
  return status;
}

/* The message takes a copy of the weights, so it is gone before shapes are inferred. */
static tare_status onnx_load_read_model(const tarei_source *const source, const char *const path,
                                        const char *const folder,
                                        tarei_onnx_change_fn *const change, void *const user,
                                        tarei_graph *const graph, tarei_onnx_dims **const declared,
                                        tare_error *const err) {
  Onnx__ModelProto *model = NULL;
  TAREI_TRY(tarei_onnx_unpack(source, &graph->limits, &model, err));
  tare_status status = tarei_onnx_inline_functions(model, &graph->limits, err);
  if (status == TARE_OK) {
    status = tarei_onnx_fill_sparse(model, &graph->limits, err);
  }
  if (status == TARE_OK && change && model->graph) {
    status = change(model, user, err);
  }
  if (status == TARE_OK) {
    status = import_model(model, path, folder, graph, declared, err);
  }
  tarei_onnx_free(model);
  return status;
}

static tare_status onnx_load_any(tarei_source *const source, const char *const path,
                                 const tare_load_options *const options,
                                 tarei_onnx_change_fn *const change, void *const user,
                                 tarei_graph **const out, tare_error *const waits,
                                 tare_error *const err) {
  const tare_load_options o = options ? *options : (tare_load_options){0};
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_load_options, options, err));
  TAREI_TRY(o.limits ? tarei_limits_check(o.limits, err) : TARE_OK);
  tarei_graph *graph = tarei_graph_new(source->name);
  if (!graph) {
    return tarei_fail_memory(err, source->name, sizeof *graph);
  }
  graph->limits = o.limits ? *o.limits : graph->limits;
  tarei_onnx_dims *declared = NULL;
  tare_status status =
      onnx_load_read_model(source, path, o.external_folder, change, user, graph, &declared, err);
  if (status != TARE_OK) {
    (void)tarei_fail_in(err, status, "%s", source->name);
  } else {
    graph->model_hash = XXH64(source->data, source->size, 0 /* seed */);
    status = tarei_graph_join_axes(graph, err);
    if (status == TARE_OK) {
      status = tarei_graph_infer_or_wait(&graph, waits, err);
    }
    if (status == TARE_OK && !(waits && waits->status)) {
      status = tarei_onnx_name_sums(graph, declared, err);
    }
  }
  free(declared);
  if (status != TARE_OK) {
    tarei_graph_free(graph);
    return status;
  }
  *out = graph;
  return TARE_OK;
}

tare_status tarei_onnx_load_source(tarei_source *const source, const char *const path,
                                   const tare_load_options *const options, tarei_graph **const out,
                                   tare_error *const waits, tare_error *const err) {
  return onnx_load_any(source, path, options, NULL, NULL, out, waits, err);
}

tare_status tarei_onnx_load_changed(const char *const path, const tare_load_options *const options,
                                    tarei_onnx_change_fn *const change, void *const user,
                                    tarei_graph **const out, tare_error *const waits,
                                    tare_error *const err) {
  tarei_source source;
  TAREI_TRY(tarei_source_open(path, &source, err));
  const tare_status status = onnx_load_any(&source, path, options, change, user, out, waits, err);
  tarei_source_close(&source);
  return status;
}

tare_status tarei_onnx_load(const char *const path, const tare_load_options *const options,
                            tarei_graph **const out, tare_error *const waits,
                            tare_error *const err) {
  return tarei_onnx_load_changed(path, options, NULL, NULL, out, waits, err);
}
