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

tare_status tarei_graph_fix_input(tarei_graph *const graph, const int input, const double value,
                                  tare_error *const err) {
  const int index = graph->inputs[input];
  tarei_value *const v = &graph->values[index];
  int64_t count;
  if (!fix_input_count_of(graph, index, &count)) {
    return tarei_fail(err, TARE_E_USAGE, "cannot set input '%s': its size is dynamic", v->name);
  }
  const size_t size = tare_dtype_size(v->dtype);
  const tarei_number_range range = tarei_number_range_of(v->dtype);
  if (!(value >= range.least && value <= range.greatest) ||
      (range.integer && value != floor(value))) {
    return tarei_fail(err, TARE_E_USAGE,
                      "cannot set input '%s' to %.17g: %s holds %s from %.17g to %.17g", v->name,
                      value, tare_dtype_name(v->dtype), range.integer ? "integers" : "numbers",
                      range.least, range.greatest);
  }
  v->data = tarei_buffer_new((size_t)count * size);
  if (!v->data) {
    return tarei_fail_memory(err, v->name, (size_t)count * size);
  }
  tarei_fill_number(v->dtype, value, v->data->data, (size_t)count);
  v->is_input = false;
  memmove(&graph->inputs[input], &graph->inputs[input + 1],
          (size_t)(graph->n_inputs - input - 1) * sizeof *graph->inputs);
  graph->n_inputs--;
  return TARE_OK;
}
