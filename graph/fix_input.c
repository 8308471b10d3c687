#include "graph/fix_input.h"

#include <math.h>
#include <string.h>

#include "shapes/number.h"

static bool fix_input_count_of(const tarei_graph *const graph, const int value,
                               int64_t *const count) {
  tare_tensor t = {.rank = graph->values[value].rank};
  for (int d = 0; d < t.rank; d++) {
    if (!tarei_value_dim_const(graph, value, d, &t.dims[d])) {
      return false;
    }
  }
  *count = tare_tensor_count(&t);
  return *count >= 0;
}

/* Whether an input but this one has a dim, the same expression. */
static bool is_dim_of_others(const tarei_graph *const graph, const int input,
                             const tarei_expr dim) {
  bool found = false;
  for (int i = 0; i < graph->n_inputs; i++) {
    const tarei_value *const v = &graph->values[graph->inputs[i]];
    for (int d = 0; d < v->rank; d++) {
      found |= i != input && v->dims[d] == dim;
    }
  }
  return found;
}

/* Gives inputs a number in place of a dim. False if memory runs out. */
static bool fix_dim(const tarei_graph *const graph, const tarei_expr dim, const int64_t number) {
  const tarei_expr fixed = tarei_expr_const(graph->exprs, number);
  for (int i = 0; fixed != TAREI_EXPR_NONE && i < graph->n_inputs; i++) {
    tarei_value *const v = &graph->values[graph->inputs[i]];
    for (int d = 0; d < v->rank; d++) {
      v->dims[d] = v->dims[d] == dim ? fixed : v->dims[d];
    }
  }
  return fixed != TAREI_EXPR_NONE;
}

/* The dim of a vector whose length is a symbol, or TAREI_EXPR_NONE. */
static tarei_expr symbol_of_vector(const tarei_graph *const graph, const int input) {
  const tarei_value *const v = &graph->values[graph->inputs[input]];
  return v->rank == 1 && tarei_expr_is_symbol(graph->exprs, v->dims[0]) >= 0 ? v->dims[0]
                                                                             : TAREI_EXPR_NONE;
}

static tare_status fix_input_check(const tarei_value *const v, const double value,
                                   tare_error *const err) {
  const tarei_number_range range = tarei_number_range_of(v->dtype);
  return value >= range.least && value <= range.greatest &&
                 (!range.integer || value == floor(value))
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE,
                          "cannot set input '%s' to %.17g: %s holds %s from %.17g to %.17g",
                          v->name, value, tare_dtype_name(v->dtype),
                          range.integer ? "integers" : "numbers", range.least, range.greatest);
}

static tarei_buffer *fix_input_data(const tare_dtype dtype, const double *const values,
                                    const int n_values, const int64_t count) {
  const size_t size = tare_dtype_size(dtype);
  tarei_buffer *const data = tarei_buffer_new((size_t)count * size);
  if (data && n_values == 1) {
    tarei_fill_number(dtype, values[0], data->data, (size_t)count);
  }
  for (int i = 0; data && n_values > 1 && i < n_values; i++) {
    tarei_fill_number(dtype, values[i], (char *)data->data + (size_t)i * size, 1);
  }
  return data;
}

/* The input becomes what Expand makes of one number, as long as other inputs are. */
static bool expand_number(tarei_graph *const graph, const int index, const double value,
                          const tarei_expr dim) {
  const int64_t one = 1;
  const tare_dtype dtype = graph->values[index].dtype;
  const int number = tarei_graph_add_const(graph, graph->values[index].name, dtype, 1, &one, NULL);
  if (number < 0) {
    return false;
  }
  tarei_fill_number(dtype, value, graph->values[number].data->data, 1);
  const int node = tarei_graph_add_node(graph, "Expand", "", graph->values[number].name,
                                        graph->opset, &number, 1, &index, 1);
  return node >= 0 && tarei_attr_set_exprs(&graph->nodes[node], TAREI_ATTR_DIMS, &dim, 1);
}

static void drop_input(tarei_graph *const graph, const int input) {
  graph->values[graph->inputs[input]].is_input = false;
  memmove(&graph->inputs[input], &graph->inputs[input + 1],
          (size_t)(graph->n_inputs - input - 1) * sizeof *graph->inputs);
  graph->n_inputs--;
}

tare_status tarei_graph_fix_input(tarei_graph *const graph, const int input,
                                  const double *const values, const int n_values,
                                  tare_error *const err) {
  const int index = graph->inputs[input];
  const tarei_expr symbol = symbol_of_vector(graph, input);
  const char *const name = graph->values[index].name;
  for (int i = 0; i < n_values; i++) {
    TAREI_TRY(fix_input_check(&graph->values[index], values[i], err));
  }
  if (symbol != TAREI_EXPR_NONE && n_values == 1 && is_dim_of_others(graph, input, symbol)) {
    drop_input(graph, input);
    return expand_number(graph, index, values[0], symbol)
               ? tarei_graph_compact(graph, err)
               : tarei_fail_memory(err, name, sizeof *values);
  }
  if (symbol != TAREI_EXPR_NONE && !fix_dim(graph, symbol, n_values)) {
    return tarei_fail_memory(err, name, sizeof symbol);
  }
  int64_t count;
  if (!fix_input_count_of(graph, index, &count)) {
    return tarei_fail(err, TARE_E_USAGE, "cannot set input '%s': its size is dynamic", name);
  }
  if (n_values > 1 && n_values != count) {
    return tarei_fail(err, TARE_E_USAGE,
                      "cannot set input '%s' to %d values: expected one, or as many as its %lld "
                      "elements",
                      name, n_values, (long long)count);
  }
  tarei_value *const v = &graph->values[index];
  v->data = fix_input_data(v->dtype, values, n_values, count);
  if (!v->data) {
    return tarei_fail_memory(err, name, (size_t)count * tare_dtype_size(v->dtype));
  }
  drop_input(graph, input);
  return TARE_OK;
}
