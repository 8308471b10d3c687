#include "graph/fix_input.h"

#include <string.h>

#include "base/half.h"

/* Every type is written from its low bytes. */
void tarei_number_bytes(const tare_dtype dtype, const double value, void *const out) {
  union {
    float f32;
    double f64;
    uint16_t half;
    int64_t integer;
  } bits = {.integer = 0};
  switch (dtype) {
    case TARE_F32:
      bits.f32 = (float)value;
      break;
    case TARE_F64:
      bits.f64 = value;
      break;
    case TARE_F16:
      bits.half = tarei_float_to_f16((float)value);
      break;
    case TARE_BF16:
      bits.half = tarei_float_to_bf16((float)value);
      break;
    case TARE_BOOL:
      bits.integer = value != 0;
      break;
    default:
      bits.integer = (int64_t)value;
      break;
  }
  memcpy(out, &bits, tare_dtype_size(dtype));
}

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
  if (!(value >= -9.2e18 && value <= 9.2e18)) {
    return tarei_fail(err, TARE_E_USAGE,
                      "cannot set input '%s' to %g: its type cannot hold that value", v->name,
                      value);
  }
  v->data = tarei_buffer_new((size_t)count * size);
  if (!v->data) {
    return tarei_fail_memory(err, v->name, (size_t)count * size);
  }
  for (int64_t i = 0; i < count; i++) {
    tarei_number_bytes(v->dtype, value, (char *)v->data->data + (size_t)i * size);
  }
  v->is_input = false;
  memmove(&graph->inputs[input], &graph->inputs[input + 1],
          (size_t)(graph->n_inputs - input - 1) * sizeof *graph->inputs);
  graph->n_inputs--;
  return TARE_OK;
}
