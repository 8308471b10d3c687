/*
 * ncnn2table handles layers of three types: Convolution and ConvolutionDepthWise, of two dims, and
 * InnerProduct. Weights have a scale per output channel, in ConvolutionDepthWise per group: 127 /
 * absmax, or 31 / absmax where ncnn's Winograd convolution needs a bit less.
 */
#include "graph/table/formats/ncnn_layers.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/model.h"
#include "graph/op.h"
#include "graph/table/formats/number_lines.h"

enum { MOST_NAME = 255 }; /* what ncnn2int8 reads of a name */

/* Scale i of the weights is that of elements first * i + step * k, k = 0 .. n_each - 1. */
typedef struct ncnn_layer {
  const char *name;  /* that of ncnn */
  const char *input; /* tensor that it reads */
  const float *weights;
  int64_t n_scales, first, step, n_each;
  double levels;
} ncnn_layer;

/* The converter names a node without a name after its first output. Such a node has a name with its
 * number here, as all nodes have that the old exporter of PyTorch wrote. */
static const char *ncnn_name_of(const tarei_graph *const g, const tarei_node *const node) {
  const size_t n = strlen(node->op->name);
  const char *const behind = node->name + n;
  const bool made = strncmp(node->name, node->op->name, n) == 0 && behind[0] == '_' && behind[1] &&
                    strspn(behind + 1, "0123456789") == strlen(behind + 1);
  const bool has_name = !made || (g->producer && strcmp(g->producer, "pytorch") == 0);
  return has_name ? node->name : g->values[tarei_node_first_out(node)].name;
}

/* Whether all are `value`; also if there are none. */
static bool ncnn_all_are(const tarei_node *const node, const char *const name,
                         const int64_t value) {
  int n = 0;
  const int64_t *const list = tarei_attr_ints(node, name, &n);
  for (int i = 0; i < n; i++) {
    if (list[i] != value) {
      return false;
    }
  }
  return true;
}

static bool ncnn_take_conv(const tarei_node *const node, const tare_tensor *const w,
                           ncnn_layer *const layer) {
  const int64_t group = tarei_attr_int(node, "group", 1), count = tare_tensor_count(w);
  if (w->rank != 4) {
    return false;
  }
  layer->n_scales = group > 1 ? group : w->dims[0];
  layer->n_each = layer->first = layer->n_scales > 0 ? count / layer->n_scales : 0;
  layer->step = 1;
  const bool winograd = group == 1 && w->dims[2] == 3 && w->dims[3] == 3 &&
                        ncnn_all_are(node, "strides", 1) && ncnn_all_are(node, "dilations", 1);
  layer->levels = winograd ? 31 : TAREI_NCNN_LEVELS;
  return true;
}

static bool ncnn_take_product(const tarei_node *const node, const tare_tensor *const w,
                              ncnn_layer *const layer) {
  const bool plain = tarei_attr_int(node, "transA", 0) == 0 &&
                     tarei_attr_float(node, "alpha", 1) == 1 &&
                     tarei_attr_float(node, "beta", 1) == 1;
  if (w->rank != 2 || !plain) {
    return false;
  }
  const int axis = node->op->channel_axis(node, 2);
  layer->n_scales = w->dims[axis];
  layer->n_each = w->dims[1 - axis];
  layer->first = axis == 0 ? w->dims[1] : 1;
  layer->step = axis == 0 ? 1 : w->dims[1];
  layer->levels = TAREI_NCNN_LEVELS;
  return true;
}

/* Whether ncnn2table gives a node scales, and which. */
static bool ncnn_take(const tarei_graph *const g, const tarei_node *const node,
                      ncnn_layer *const layer) {
  const int in = node->in[0], weights = node->n_in > 1 ? node->in[1] : -1;
  if (in < 0 || g->values[in].data || weights < 0 || !g->values[weights].data ||
      g->values[weights].dtype != TARE_F32) {
    return false;
  }
  const tare_tensor w = tarei_value_tensor(g, weights);
  *layer =
      (ncnn_layer){.name = ncnn_name_of(g, node), .input = g->values[in].name, .weights = w.data};
  const bool taken = tarei_node_is(node, &tarei_op_conv) ? ncnn_take_conv(node, &w, layer)
                                                         : ncnn_take_product(node, &w, layer);
  return taken && layer->n_scales > 0 && layer->n_each > 0;
}

static bool ncnn_is_layer(const tarei_node *const node) {
  return node->op->channel_axis != NULL;
}

/* --- writing ---------------------------------------------------------------------------------- */

void tarei_ncnn_put_scale(tarei_str *const lines, const double scale) {
  char text[64];
  (void)snprintf(text, sizeof text, "%f", (double)(float)scale);
  for (int digits = 6; digits <= 9 && strtof(text, NULL) != (float)scale; digits++) {
    (void)snprintf(text, sizeof text, "%.*g", digits, (double)(float)scale);
  }
  tarei_str_add(lines, "%s", text);
}

/* A channel of zeros has any scale; ncnn2table writes inf. */
static double ncnn_weight_scale(const ncnn_layer *const layer, const int64_t i) {
  float absmax = 0;
  for (int64_t k = 0; k < layer->n_each; k++) {
    absmax = fmaxf(absmax, fabsf(layer->weights[layer->first * i + layer->step * k]));
  }
  return (double)absmax < tarei_table_least_amax() ? 1 : layer->levels / (double)absmax;
}

static tare_status ncnn_check_name(const char *const name, tare_error *const err) {
  if (strpbrk(name, " \t\r\n") || name[0] == '#' || strlen(name) > MOST_NAME ||
      tarei_names_weights((tarei_span){name, strlen(name)})) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "layer '%.120s': ncnn's table needs names of at most %d characters, without "
                      "spaces, '_param_' and '#' at the beginning",
                      name, MOST_NAME);
  }
  return TARE_OK;
}

typedef struct ncnn_writer {
  const tare_table *table;
  int column;
  bool *read; /* [n_tensors]: by a layer that is written */
  tarei_str *weights, *inputs;
  tare_table_layers *counts;
} ncnn_writer;

static tare_status ncnn_put_layer(const ncnn_writer *const w, const ncnn_layer *const layer,
                                  tare_error *const err) {
  const int tensor = tare_table_find(w->table, layer->input);
  const double amax = tensor < 0 ? 0 : w->table->tensors[tensor].cells[w->column].amax;
  if (amax < tarei_table_least_amax()) {
    w->counts->without++;
    return TARE_OK;
  }
  TAREI_TRY(ncnn_check_name(layer->name, err));
  w->counts->written++;
  w->read[tensor] = true;
  tarei_str_add(w->weights, "%s_param_0 ", layer->name);
  for (int64_t i = 0; i < layer->n_scales; i++) {
    tarei_ncnn_put_scale(w->weights, ncnn_weight_scale(layer, i));
    tarei_str_add(w->weights, " ");
  }
  tarei_str_add(w->weights, "\n");
  tarei_str_add(w->inputs, "%s ", layer->name);
  tarei_ncnn_put_scale(w->inputs, TAREI_NCNN_LEVELS / amax);
  tarei_str_add(w->inputs, " \n");
  return TARE_OK;
}

static tare_status ncnn_put_layers(const ncnn_writer *const w, const tarei_graph *const g,
                                   tare_error *const err) {
  for (int i = 0; i < g->n_nodes; i++) {
    ncnn_layer layer;
    if (!ncnn_is_layer(&g->nodes[i])) {
      continue;
    }
    if (ncnn_take(g, &g->nodes[i], &layer)) {
      TAREI_TRY(ncnn_put_layer(w, &layer, err));
    } else {
      w->counts->other++;
    }
  }
  for (int i = 0; i < w->table->n_tensors; i++) {
    const double amax = w->table->tensors[i].cells[w->column].amax;
    w->counts->unread += !w->read[i] && amax >= tarei_table_least_amax();
  }
  return w->counts->written > 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_UNSUPPORTED,
                          "%s: no layer for ncnn: %d have no threshold, and %d are not two-"
                          "dimensional convolutions or products with constant weights",
                          g->name, w->counts->without, w->counts->other);
}

tare_status tarei_ncnn_put(const tare_table *const table, const int column,
                           const tare_model *const model, tarei_str *const lines,
                           tare_table_layers *const counts, tare_error *const err) {
  tarei_str inputs = {0};
  *counts = (tare_table_layers){0};
  const ncnn_writer w = {.table = table,
                         .column = column,
                         .read = tarei_calloc((size_t)table->n_tensors + 1, sizeof *w.read),
                         .weights = lines,
                         .inputs = &inputs,
                         .counts = counts};
  tare_status status =
      w.read ? ncnn_put_layers(&w, model->graph, err)
             : tarei_fail_memory(err, "tensors of a calibration table", (size_t)table->n_tensors);
  tarei_str_add(lines, "%s", tarei_str_get(&inputs));
  lines->failed |= inputs.failed;
  tarei_str_free(&inputs);
  free(w.read);
  return status;
}

/* --- layers to tensors ------------------------------------------------------------------------ */

bool tare_table_names_layers(const tare_table *const table) {
  return tarei_extras_find(&table->extras, TAREI_KEPT_NCNN) != NULL;
}

/* The tensor that each layer of the table reads; NULL for one that is not in the model. */
static void ncnn_find_inputs(const tare_table *const table, const tarei_graph *const g,
                             const char **const inputs) {
  for (int by_output = 1; by_output >= 0;
       by_output--) { /* names of nodes come first, and replace */
    for (int i = 0; i < g->n_nodes; i++) {
      const tarei_node *const node = &g->nodes[i];
      const int in = node->n_in > 0 ? node->in[0] : -1;
      const bool reads = ncnn_is_layer(node) && in >= 0 && !g->values[in].data;
      const int tensor =
          !reads ? -1
                 : tare_table_find(
                       table, by_output ? g->values[tarei_node_first_out(node)].name : node->name);
      if (tensor >= 0) {
        inputs[tensor] = g->values[in].name;
      }
    }
  }
}

typedef struct ncnn_pair {
  const char *tensor;
  const tarei_table_tensor *layer;
} ncnn_pair;

static int ncnn_by_tensor(const void *const a, const void *const b) {
  return strcmp(((const ncnn_pair *)a)->tensor, ((const ncnn_pair *)b)->tensor);
}

/* Adds the tensor of the pairs from `i` on that have the same; returns the first one behind. */
static int ncnn_add_tensor(const ncnn_pair *const pairs, const int n, const int first,
                           tare_table *const out, tare_resolved *const resolved,
                           tare_status *const status, tare_error *const err) {
  double amax = pairs[first].layer->cells[0].amax;
  bool differ = false;
  int i = first + 1;
  for (; i < n && strcmp(pairs[i].tensor, pairs[first].tensor) == 0; i++) {
    differ |= pairs[i].layer->cells[0].amax != amax;
    amax = fmax(amax, pairs[i].layer->cells[0].amax);
  }
  const tarei_cell cell = tarei_cell_unknown(amax);
  *status = tarei_table_add_tensor(out, pairs[first].tensor, NULL, &cell, err);
  resolved->tensors++;
  resolved->differ += differ;
  return i;
}

static tare_status ncnn_add_tensors(ncnn_pair *const pairs, const int n, tare_table *const out,
                                    tare_resolved *const resolved, tare_error *const err) {
  qsort(pairs, (size_t)n, sizeof *pairs, ncnn_by_tensor);
  tare_status status = TARE_OK;
  for (int i = 0; i < n && status == TARE_OK;) {
    i = ncnn_add_tensor(pairs, n, i, out, resolved, &status, err);
  }
  return status == TARE_OK ? tarei_table_finish(out, "table", err) : status;
}

static tare_status ncnn_resolve(const tare_table *const table, const tare_model *const model,
                                const char **const inputs, ncnn_pair *const pairs,
                                tare_resolved *const resolved, tare_table **const out,
                                tare_error *const err) {
  ncnn_find_inputs(table, model->graph, inputs);
  int n = 0;
  for (int i = 0; i < table->n_tensors; i++) {
    if (inputs[i]) {
      pairs[n++] = (ncnn_pair){inputs[i], &table->tensors[i]};
    }
  }
  resolved->layers = n;
  resolved->unknown = table->n_tensors - n;
  if (n == 0) {
    return tarei_fail(err, TARE_E_USAGE,
                      "none of the table's %d layers is a node of model '%s', such as '%.120s'",
                      table->n_tensors, model->graph->name, table->tensors[0].name);
  }
  TAREI_TRY(tarei_table_new(table->method, 1, out, err));
  return ncnn_add_tensors(pairs, n, *out, resolved, err);
}

tare_status tare_table_resolve_layers(tare_table **const table, const tare_model *const model,
                                      tare_resolved *const resolved, tare_error *const err) {
  if (!tare_table_names_layers(*table)) {
    return tarei_fail(err, TARE_E_USAGE, "the table has scales of tensors already, not of layers");
  }
  const size_t n = (size_t)(*table)->n_tensors;
  const char **const inputs = tarei_calloc(n, sizeof *inputs);
  ncnn_pair *const pairs = tarei_calloc(n, sizeof *pairs);
  tare_resolved counts = {0};
  tare_table *out = NULL;
  tare_status status = inputs && pairs
                           ? ncnn_resolve(*table, model, inputs, pairs, &counts, &out, err)
                           : tarei_fail_memory(err, "layers of a table", n * sizeof *pairs);
  free(inputs);
  free(pairs);
  tare_table_free(status == TARE_OK ? table : &out);
  if (status == TARE_OK) {
    *table = out;
    if (resolved) {
      *resolved = counts;
    }
  }
  return status;
}
