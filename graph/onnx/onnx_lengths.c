/*
 * Lengths that models name twice.
 *
 * Exporters write "total" for the axis of an attention mask and for that of the new cache, which is
 * known to have the length past + seq. Then so has the mask, and "total" is no symbol of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/onnx/importer.h"
#include "shapes/symbol_sum.h"

tare_status tarei_onnx_declared(const tarei_graph *const graph, const Onnx__GraphProto *const proto,
                                tarei_onnx_dims **const out, tare_error *const err) {
  *out = tarei_calloc((size_t)graph->n_outputs, sizeof **out);
  if (!*out) {
    return tarei_fail_memory(err, "outputs", (size_t)graph->n_outputs * sizeof **out);
  }
  for (int o = 0; o < graph->n_outputs; o++) {
    const Onnx__TypeProto *const type = proto->output[o]->type;
    const Onnx__TensorShapeProto *const shape =
        type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE && type->tensor_type
            ? type->tensor_type->shape
            : NULL;
    for (size_t d = 0; d < TARE_MAX_RANK; d++) {
      const char *const name = shape && d < shape->n_dim ? tarei_onnx_symbol(shape->dim[d]) : NULL;
      (*out)[o].symbols[d] = name ? tarei_exprs_find_symbol(graph->exprs, name) : -1;
    }
  }
  return TARE_OK;
}

/* The names of the symbols of the inputs, each once; their number. */
static int input_symbols(const tarei_graph *const graph, const char **const names) {
  int n = 0;
  for (int s = 0; s < tarei_exprs_n_symbols(graph->exprs) && n < TARE_MAX_SYMBOLS; s++) {
    if (!tarei_exprs_is_measured(graph->exprs, s) && !tarei_exprs_is_dropped(graph->exprs, s)) {
      names[n++] = tarei_exprs_symbol_name(graph->exprs, s);
    }
  }
  return n;
}

static bool rename_symbol(const tarei_graph *const graph, const int symbol,
                          const char *const name) {
  return tarei_exprs_rename(graph->exprs, symbol, name) &&
         (!graph->read || tarei_exprs_rename(graph->read->exprs, symbol, name));
}

/* Names a symbol by the length that an output with its name has, if that is a sum of others. */
static tare_status name_by(const tarei_graph *const graph, const int symbol,
                           const tarei_expr length, tare_error *const err) {
  const char *names[TARE_MAX_SYMBOLS];
  const int n = input_symbols(graph, names);
  tarei_str text = {0};
  if (length == TAREI_EXPR_NONE || tarei_exprs_is_dropped(graph->exprs, symbol) ||
      tarei_expr_uses(graph->exprs, length, symbol) ||
      tarei_symbol_sum_read(tarei_exprs_symbol_name(graph->exprs, symbol), names, n).is) {
    return TARE_OK;
  }
  tarei_expr_print(graph->exprs, length, &text);
  const char *const name = tarei_str_get(&text);
  const bool renames = !text.failed && tarei_symbol_sum_read(name, names, n).is &&
                       tarei_exprs_find_symbol(graph->exprs, name) < 0;
  const bool failed = text.failed || (renames && !rename_symbol(graph, symbol, name));
  tarei_str_free(&text);
  return failed ? tarei_fail_memory(err, graph->name, sizeof *names) : TARE_OK;
}

tare_status tarei_onnx_name_sums(const tarei_graph *const graph, const tarei_onnx_dims *const dims,
                                 tare_error *const err) {
  for (int o = 0; o < graph->n_outputs; o++) {
    const tarei_value *const value = &graph->values[graph->outputs[o]];
    for (int d = 0; d < value->rank; d++) {
      TAREI_TRY(dims[o].symbols[d] < 0 ? TARE_OK
                                       : name_by(graph, dims[o].symbols[d], value->dims[d], err));
    }
  }
  return TARE_OK;
}
