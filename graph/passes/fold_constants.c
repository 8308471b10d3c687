/* Nodes whose inputs are all constant become constants. Small integer tensors whose contents are
 * known from shapes do so too, whatever their inputs. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

enum { MAX_BYTES = 256 << 20 };

/* Bytes of a value of constant shape; false when it has none, or too many bytes. */
static bool fold_constants_size_of(const tarei_graph *const graph, const int value,
                                   size_t *const bytes) {
  const tarei_value *const v = &graph->values[value];
  *bytes = tare_dtype_size(v->dtype);
  for (int i = 0; i < v->rank; i++) {
    int64_t dim;
    if (!tarei_value_dim_const(graph, value, i, &dim) || dim < 0 ||
        !tarei_mul_size(*bytes, (size_t)dim, bytes) || *bytes > MAX_BYTES) {
      return false;
    }
  }
  return v->rank >= 0 && *bytes <= MAX_BYTES && tare_dtype_size(v->dtype) > 0;
}

/* *total_bytes is what the constants have more after it. */
static bool may_fold(const tarei_graph *const graph, const tarei_node *const node,
                     int64_t *const total_bytes) {
  size_t total = 0;
  if (node->op->draws) {
    return false;
  }
  for (int i = 0; i < node->n_out; i++) {
    size_t bytes;
    if (node->out[i] < 0) {
      continue;
    }
    if (graph->values[node->out[i]].is_output ||
        !fold_constants_size_of(graph, node->out[i], &bytes)) {
      return false;
    }
    total += bytes;
    if (total > MAX_BYTES) {
      return false;
    }
  }
  *total_bytes = (int64_t)total;
  return node->n_out > 0 &&
         (node->op != &tarei_op_dequantize_linear || tarei_attr_find(node, TAREI_ATTR_ADOPTED));
}

static bool inputs_are_const(const tarei_graph *const graph, const tarei_node *const node) {
  for (int i = 0; i < node->n_in; i++) {
    if (node->in[i] >= 0 && !tarei_value_is_const(graph, node->in[i])) {
      return false;
    }
  }
  return true;
}

static void write_ints(const int64_t *const ints, const int n, const tare_dtype dtype,
                       void *const data) {
  for (int i = 0; i < n; i++) {
    if (dtype == TARE_I64) {
      ((int64_t *)data)[i] = ints[i];
    } else {
      ((int32_t *)data)[i] = (int32_t)ints[i];
    }
  }
}

/* *out stays NULL when the contents of the only output are not all known. */
static tare_status fold_constants_contents(const tarei_graph *const graph,
                                           const tarei_node *const node, tarei_buffer **const out,
                                           tare_error *const err) {
  int64_t ints[TAREI_MAX_CONTENTS];
  int n;
  const tarei_value *const value = &graph->values[tarei_node_first_out(node)];
  size_t bytes;
  if (node->n_out != 1 || (value->dtype != TARE_I64 && value->dtype != TARE_I32) ||
      !tarei_value_ints(graph, node->out[0], ints, TAREI_MAX_CONTENTS, &n) ||
      !fold_constants_size_of(graph, node->out[0], &bytes) ||
      bytes != (size_t)n * tare_dtype_size(value->dtype)) {
    return TARE_OK;
  }
  *out = tarei_buffer_new(bytes);
  if (!*out) {
    return tarei_fail_memory(err, value->name, bytes);
  }
  write_ints(ints, n, value->dtype, (*out)->data);
  return TARE_OK;
}

static tare_status fold_constants_evaluate(const tarei_graph *const graph,
                                           const tarei_node *const node,
                                           const tarei_pass_options *const options,
                                           tarei_buffer **const out, tare_error *const err) {
  if (!options->evaluate || !inputs_are_const(graph, node)) {
    return TARE_OK;
  }
  const tare_status status = options->evaluate(options->evaluate_user, graph, node, out, err);
  if (status == TARE_E_UNSUPPORTED) {
    return TARE_OK; /* left for run time, where the precise form is known */
  }
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "node '%s'", node->name);
}

static bool complete(const tarei_node *const node, tarei_buffer *const *const out) {
  for (int i = 0; i < node->n_out; i++) {
    if (node->out[i] >= 0 && !out[i]) {
      return false;
    }
  }
  return true;
}

static void accept(tarei_graph *const graph, const int index, tarei_buffer **const out) {
  const tarei_node *const node = &graph->nodes[index];
  for (int i = 0; i < node->n_out; i++) {
    if (node->out[i] >= 0) {
      graph->values[node->out[i]].data = out[i];
      out[i] = NULL;
    }
  }
  tarei_graph_remove_node(graph, index);
}

static tare_status fold_node(tarei_graph *const graph, const int index,
                             const tarei_pass_options *const options, bool *const changed,
                             tare_error *const err) {
  const tarei_node *const node = &graph->nodes[index];
  const int n_out = node->n_out;
  tarei_buffer **const out = tarei_calloc((size_t)n_out, sizeof *out);
  if (!out) {
    return tarei_fail_memory(err, node->name, (size_t)n_out * sizeof *out);
  }
  tare_status status = fold_constants_contents(graph, node, out, err);
  if (status == TARE_OK && !out[0]) {
    status = fold_constants_evaluate(graph, node, options, out, err);
  }
  if (status == TARE_OK && complete(node, out)) {
    accept(graph, index, out);
    *changed = true;
  }
  for (int i = 0; i < n_out; i++) {
    tarei_buffer_release(out[i]);
  }
  free(out);
  return status;
}

static tare_status fold_constants_run(tarei_graph *const graph,
                                      const tarei_pass_options *const options, bool *const changed,
                                      tare_error *const err) {
  for (int i = 0; i < graph->n_nodes; i++) {
    int64_t bytes;
    if (!graph->nodes[i].op || !may_fold(graph, &graph->nodes[i], &bytes) ||
        (options->room && bytes > *options->room)) {
      continue;
    }
    TAREI_TRY(fold_node(graph, i, options, changed, err));
    if (options->room && !graph->nodes[i].op) {
      *options->room -= bytes;
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fold_constants = {
    .name = "fold_constants",
    .summary = "computes what depends on constants only",
    .run = fold_constants_run,
};
