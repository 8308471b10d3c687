#include "graph/passes/const_data.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "graph/passes/rewrite.h"

bool tarei_const_scalar(const tarei_graph *const graph, const int value, float *const out) {
  return tarei_value_is_f32(graph, value) && tarei_value_const_float(graph, value, out);
}

bool tarei_is_near(const float x, const float expected) {
  return fabsf(x - expected) <= 1e-4f * (expected == 0 ? 1 : fabsf(expected));
}

bool tarei_const_near(const tarei_graph *const graph, const int value, const float expected) {
  float x;
  return tarei_const_scalar(graph, value, &x) && tarei_is_near(x, expected);
}

bool tarei_const_clip_bound(const tarei_graph *const graph, const tarei_node *const clip,
                            const int input, const char *const name, float *const bound) {
  const int value = tarei_node_in(clip, input);
  *bound = tarei_attr_float(clip, name, *bound);
  return value < 0 || tarei_const_scalar(graph, value, bound);
}

const float *tarei_const_channels(const tarei_graph *const graph, const int value, const int rank,
                                  const int axis, const int64_t channels, int *const step) {
  if (!tarei_value_is_f32(graph, value) || !tarei_value_is_const(graph, value)) {
    return NULL;
  }
  const tare_tensor tensor = tarei_value_tensor(graph, value);
  if (tensor.rank > rank) {
    return NULL;
  }
  const int64_t count = tare_tensor_count(&tensor);
  const int at = axis - (rank - tensor.rank);
  *step = count != 1;
  if (count != 1 && (count != channels || at < 0 || tensor.dims[at] != channels)) {
    return NULL;
  }
  return tensor.data;
}

static tare_status add_const(tarei_graph *const graph, const int like, const char *const suffix,
                             const tare_tensor *const shape, int *const out,
                             tare_error *const err) {
  tarei_str name = {0};
  tarei_str_add(&name, "%s%s", graph->values[like].name, suffix);
  *out = name.failed ? -1
                     : tarei_graph_add_const(graph, name.text, shape->dtype, shape->rank,
                                             shape->dims, shape->data);
  const tare_status status = *out < 0
                                 ? tarei_fail(err, TARE_E_MEMORY, "no memory for constant '%s%s'",
                                              graph->values[like].name, suffix)
                                 : TARE_OK;
  tarei_str_free(&name);
  return status;
}

tare_status tarei_const_new(tarei_graph *const graph, const int like, const char *const suffix,
                            const int rank, const int64_t *const dims, int *const out,
                            float **const data, tare_error *const err) {
  tare_tensor shape = {.dtype = TARE_F32, .rank = rank};
  memcpy(shape.dims, dims, (size_t)rank * sizeof *dims);
  TAREI_TRY(add_const(graph, like, suffix, &shape, out, err));
  *data = graph->values[*out].data->data;
  return TARE_OK;
}

/* Copies element by element, walking the target in order. */
static void permute_bytes(const tare_tensor *const from, const int64_t *const perm,
                          const tare_tensor *const to) {
  const size_t size = tare_dtype_size(from->dtype);
  const int64_t count = tare_tensor_count(to);
  int64_t stride[TARE_MAX_RANK + 1], step[TARE_MAX_RANK], index[TARE_MAX_RANK] = {0};
  stride[from->rank] = 1;
  for (int i = from->rank - 1; i >= 0; i--) {
    stride[i] = stride[i + 1] * from->dims[i];
  }
  for (int i = 0; i < to->rank; i++) {
    step[i] = stride[perm[i] + 1];
  }
  int64_t at = 0;
  for (int64_t n = 0; n < count; n++) {
    memcpy((char *)to->data + (size_t)n * size, (const char *)from->data + (size_t)at * size, size);
    for (int i = to->rank - 1; i >= 0; i--) {
      at += step[i];
      if (++index[i] < to->dims[i]) {
        break;
      }
      at -= step[i] * to->dims[i];
      index[i] = 0;
    }
  }
}

tare_status tarei_const_permute(tarei_graph *const graph, const int value, const int rank,
                                const int64_t *const perm, const char *const suffix, int *const out,
                                tare_error *const err) {
  const tare_tensor tensor = tarei_value_tensor(graph, value);
  assert(tensor.rank <= rank);
  tare_tensor from = {.dtype = tensor.dtype, .rank = rank, .data = tensor.data};
  for (int i = 0; i < rank; i++) {
    const int at = i - (rank - tensor.rank);
    from.dims[i] = at < 0 ? 1 : tensor.dims[at];
  }
  tare_tensor to = {.dtype = tensor.dtype, .rank = rank};
  for (int i = 0; i < rank; i++) {
    to.dims[i] = from.dims[perm[i]];
  }
  TAREI_TRY(add_const(graph, value, suffix, &to, out, err));
  to.data = graph->values[*out].data->data;
  permute_bytes(&from, perm, &to);
  return TARE_OK;
}

tare_status tarei_const_strip(tarei_graph *const graph, const int value, const int min_rank,
                              int *const out, tare_error *const err) {
  const tare_tensor tensor = tarei_value_tensor(graph, value);
  int skip = 0;
  while (tensor.rank - skip > min_rank && tensor.dims[skip] == 1) {
    skip++;
  }
  *out = value;
  if (skip == 0) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_add_helper(graph, value, "__flat", out, err));
  tarei_value *const flat = &graph->values[*out];
  flat->rank = tensor.rank - skip;
  memmove(flat->dims, flat->dims + skip, (size_t)flat->rank * sizeof *flat->dims);
  flat->data = tarei_buffer_retain(graph->values[value].data);
  return TARE_OK;
}
