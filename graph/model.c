#include "graph/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/refusals.h"
#include "graph/closed.h"
#include "graph/fix_input.h"
#include "graph/fix_symbols.h"
#include "graph/noise_name.h"
#include "graph/op.h"
#include "graph/pass.h"
#include "graph/stated.h"

/* NULL when out of memory. */
static char *dim_text(const tarei_graph *const graph, const int value, const int axis) {
  tarei_str text = {0};
  tarei_value_print_dim(graph, value, axis, &text);
  if (text.failed) {
    tarei_str_free(&text);
  }
  return text.text;
}

static bool fill_port(const tarei_graph *const graph, const int index, tare_port *const port) {
  const tarei_value *const value = &graph->values[index];
  *port = (tare_port){.name = value->name, .dtype = value->dtype};
  while (port->rank < value->rank) {
    const int i = port->rank++;
    tare_dim *const dim = &port->dims[i];
    dim->declared = value->declared ? value->declared[i] : NULL;
    if (tarei_value_dim_const(graph, index, i, &dim->value)) {
      continue;
    }
    dim->value = -1;
    dim->symbol = dim_text(graph, index, i);
    if (!dim->symbol) {
      return false;
    }
  }
  return true;
}

/* Ports not reached stay empty, so that free_ports can take them. */
static tare_port *model_make_ports(const tarei_graph *const graph, const int *const values,
                                   const int n, bool *const good) {
  tare_port *const ports = tarei_calloc((size_t)n, sizeof *ports);
  *good = *good && ports;
  for (int i = 0; *good && i < n; i++) {
    *good = fill_port(graph, values[i], &ports[i]);
  }
  return ports;
}

static void free_ports(tare_port *const ports, const int n) {
  for (int i = 0; ports && i < n; i++) {
    for (int d = 0; d < ports[i].rank; d++) {
      free((char *)ports[i].dims[d].symbol);
    }
  }
  free(ports);
}

static int compare_ops(const void *const a, const void *const b) {
  return strcmp(((const tarei_op_count *)a)->name, ((const tarei_op_count *)b)->name);
}

static bool count_ops(tare_model *const model) {
  const tarei_graph *const graph = model->graph;
  int counts[TAREI_OP_COUNT] = {0};
  for (int i = 0; i < graph->n_nodes; i++) {
    counts[tarei_op_id_of(graph->nodes[i].op)]++;
  }
  model->ops = tarei_calloc(TAREI_OP_COUNT, sizeof *model->ops);
  for (int i = 0; model->ops && i < TAREI_OP_COUNT; i++) {
    if (counts[i]) {
      model->ops[model->n_ops++] =
          (tarei_op_count){.name = tarei_op_at((tarei_op_id)i)->name, .count = counts[i]};
    }
  }
  if (model->ops) {
    qsort(model->ops, (size_t)model->n_ops, sizeof *model->ops, compare_ops);
  }
  return model->ops != NULL;
}

/* Ports and counts of a graph that has changed. */
static bool model_describe(tare_model *const model, const int n_inputs, const int n_outputs) {
  free_ports(model->inputs, n_inputs);
  free_ports(model->outputs, n_outputs);
  tarei_names_fini(&model->names);
  free(model->ops);
  model->n_ops = 0;
  bool good = tarei_graph_name_values(model->graph, &model->names, NULL) == TARE_OK;
  model->inputs =
      model_make_ports(model->graph, model->graph->inputs, model->graph->n_inputs, &good);
  model->outputs =
      model_make_ports(model->graph, model->graph->outputs, model->graph->n_outputs, &good);
  return good && count_ops(model);
}

tare_status tarei_model_new(tarei_graph *const graph, tare_model **const out,
                            tare_error *const err) {
  tare_model *model = tarei_calloc(1, sizeof *model);
  if (!model) {
    tarei_graph_free(graph);
    return tarei_fail_memory(err, "model", sizeof(tare_model));
  }
  model->graph = graph;
  if (!model_describe(model, 0, 0)) {
    tare_model_free(&model);
    return tarei_fail_memory(err, "model", sizeof(tare_model));
  }
  *out = model;
  return TARE_OK;
}

static int model_find_input(const tarei_graph *const graph, const char *const name) {
  for (int i = 0; i < graph->n_inputs; i++) {
    if (strcmp(graph->values[graph->inputs[i]].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

/* "NAME=1,2" behind those before. */
static void note_set(tare_model *const model, const char *const input, const double *const values,
                     const int n_values) {
  tarei_str_add(&model->sets, "%s%s=", model->sets.length ? "," : "", input);
  for (int i = 0; i < n_values; i++) {
    tarei_str_add(&model->sets, "%s%.17g", i ? "," : "", values[i]);
  }
}

tare_status tare_model_set_values(tare_model *const model, const char *const input,
                                  const double *const values, const int n_values,
                                  tare_error *const err) {
  tarei_graph *const graph = model->graph;
  const int n_inputs = graph->n_inputs, n_outputs = graph->n_outputs;
  const int at = model_find_input(graph, input);
  if (at < 0) {
    return tarei_fail(err, TARE_E_USAGE, "the model has no input '%s'", input);
  }
  if (n_values < 1) {
    return tarei_fail(err, TARE_E_USAGE, "cannot set input '%s' to no value", input);
  }
  const unsigned refusals = tarei_refusals();
  TAREI_TRY(tarei_graph_fix_input(graph, at, values, n_values, err));
  if (graph->read) {
    TAREI_TRY(tarei_graph_fix_input(graph->read, at, values, n_values, err));
  }
  TAREI_TRY(tarei_settle(refusals, tarei_graph_infer_or_wait(&model->graph, &model->waits, err),
                         input, err));
  note_set(model, input, values, n_values);
  return model_describe(model, n_inputs, n_outputs)
             ? TARE_OK
             : tarei_fail_memory(err, "model", sizeof(tare_model));
}

tare_status tare_model_set(tare_model *const model, const char *const input, const double value,
                           tare_error *const err) {
  return tare_model_set_values(model, input, &value, 1, err);
}

void tare_load_options_init(tare_load_options *const options) {
  *options = (tare_load_options){0};
}

tare_status tare_model_load_with(const char *const path, const tare_load_options *const options,
                                 tare_model **const out, tare_error *const err) {
  const unsigned refusals = tarei_refusals();
  tarei_graph *graph = NULL;
  tare_error waits = {0};
  *out = NULL;
  tare_status status = tarei_onnx_load(path, options, &graph, &waits, err);
  if (status == TARE_OK) {
    status = tarei_model_new(graph, out, err);
  }
  status = tarei_settle(refusals, status, path, err);
  if (status != TARE_OK) {
    tare_model_free(out);
    return status;
  }
  (*out)->waits = waits;
  return TARE_OK;
}

tare_status tare_model_load(const char *const path, tare_model **const out, tare_error *const err) {
  return tare_model_load_with(path, NULL, out, err);
}

void tare_model_free(tare_model **const handle) {
  tare_model *const model = *handle;
  if (!model) {
    return;
  }
  free_ports(model->inputs, model->graph->n_inputs);
  free_ports(model->outputs, model->graph->n_outputs);
  free(model->ops);
  tarei_names_fini(&model->names);
  tarei_str_free(&model->sets);
  tarei_graph_free(model->graph);
  free(model);
  *handle = NULL;
}

tare_model_info tare_model_get_info(const tare_model *const model) {
  const tarei_graph *const graph = model->graph;
  tare_model_info info = {.path = graph->name,
                          .producer = graph->producer,
                          .ir_version = graph->ir_version,
                          .opset = graph->opset,
                          .n_nodes = graph->n_nodes,
                          .n_stated = tarei_graph_count_stated(graph),
                          .undecided = model->waits.message,
                          .hash = graph->model_hash};
  for (int i = 0; i < graph->n_values; i++) {
    if (graph->values[i].data) {
      info.n_parameters++;
      info.parameter_bytes += (int64_t)graph->values[i].data->size;
    }
  }
  return info;
}

int tare_model_inputs(const tare_model *const model, const tare_port **const ports) {
  *ports = model->inputs;
  return model->graph->n_inputs;
}

int tare_model_outputs(const tare_model *const model, const tare_port **const ports) {
  *ports = model->outputs;
  return model->graph->n_outputs;
}

int tare_model_n_random(const tare_model *const model) {
  return tarei_graph_count_draws(model->graph);
}

tare_dtype tare_model_tensor_type(const tare_model *const model, const char *const tensor) {
  const int value = tarei_names_find(&model->names, tensor);
  return value < 0 ? TARE_DTYPE_NONE : model->graph->values[value].dtype;
}

int tare_model_n_operators(const tare_model *const model) {
  return model->n_ops;
}

void tare_model_operator(const tare_model *const model, const int i, const char **const name,
                         int *const count) {
  const bool has = tarei_has_number(i, tare_model_n_operators(model));
  if (name) {
    *name = has ? model->ops[i].name : NULL;
  }
  if (count) {
    *count = has ? model->ops[i].count : 0;
  }
}

int tare_model_n_closed_branches(const tare_model *const model) {
  return tarei_graph_n_closed(model->graph);
}

const char *tare_model_closed_branch(const tare_model *const model, const int i) {
  return tarei_closed_reason(tarei_graph_closed_branch(model->graph, i), NULL);
}

static tare_status print_graph(const tarei_graph *const graph, char **const out,
                               tare_error *const err) {
  tarei_str text = {0};
  tarei_graph_print(graph, &text);
  if (text.failed) {
    tarei_str_free(&text);
    return tarei_fail_memory(err, "listing", text.capacity);
  }
  *out = text.text;
  return TARE_OK;
}

tare_status tare_model_print(const tare_model *const model, const bool optimized, char **const out,
                             tare_error *const err) {
  if (model->waits.status != TARE_OK) {
    return tarei_fail(err, model->waits.status, "%s", model->waits.message);
  }
  if (!optimized) {
    return print_graph(model->graph, out, err);
  }
  tarei_graph *copy = NULL;
  TAREI_TRY(tarei_graph_clone(model->graph, &copy, err));
  const tarei_pass_options options = {.evaluate = NULL};
  tare_status status = tarei_graph_optimize(copy, &options, err);
  if (status == TARE_OK) {
    status = print_graph(copy, out, err);
  }
  tarei_graph_free(copy);
  return status;
}

void tare_free(void *const text) {
  free(text);
}
