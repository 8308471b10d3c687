#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/mem.h"
#include "graph/ir/ir.h"
#include "shapes/number.h"

const char *tarei_next_origin(const char **const at, size_t *const length) {
  static const char PLUS[] = " + ";
  const char *const begin = *at;
  const char *const end = begin ? strstr(begin, PLUS) : NULL;
  *length = !begin ? 0 : end ? (size_t)(end - begin) : strlen(begin);
  *at = end ? end + sizeof PLUS - 1 : NULL;
  return begin;
}

int tarei_node_first_out(const tarei_node *const node) {
  int i = 0;
  while (i + 1 < node->n_out && node->out[i] < 0) {
    i++;
  }
  assert(i < node->n_out && node->out[i] >= 0);
  return node->out[i];
}

bool tarei_value_is_const(const tarei_graph *const graph, const int value) {
  return value >= 0 && graph->values[value].data != NULL;
}

bool tarei_value_dim_const(const tarei_graph *const graph, const int value, const int axis,
                           int64_t *const out) {
  const tarei_value *const v = &graph->values[value];
  assert(axis >= 0 && axis < TARE_MAX_RANK);
  return axis < v->rank && v->dims[axis] != TAREI_EXPR_NONE &&
         tarei_expr_is_const(graph->exprs, v->dims[axis], out);
}

bool tarei_values_same_shape(const tarei_graph *const graph, const int a, const int b) {
  const tarei_value *const va = &graph->values[a], *const vb = &graph->values[b];
  if (va->rank < 0 || va->rank != vb->rank) {
    return false;
  }
  for (int i = 0; i < va->rank; i++) {
    if (va->dims[i] == TAREI_EXPR_NONE || va->dims[i] != vb->dims[i]) {
      return false;
    }
  }
  return true;
}

tare_tensor tarei_value_tensor(const tarei_graph *const graph, const int value) {
  const tarei_value *const v = &graph->values[value];
  assert(v->data);
  tare_tensor tensor = {.dtype = v->dtype, .rank = v->rank, .data = v->data->data};
  for (int i = 0; i < v->rank; i++) {
    const bool known = tarei_value_dim_const(graph, value, i, &tensor.dims[i]);
    assert(known);
    (void)known; /* a constant has constant dims */
  }
  return tensor;
}

static bool is_index_type(const tare_dtype dtype) {
  return dtype == TARE_I32 || dtype == TARE_I64;
}

static bool ints_of_contents(const tarei_graph *const graph, const tarei_value *const v,
                             int64_t *const out, const int max, int *const n) {
  if (!v->contents || v->n_contents > max) {
    return false;
  }
  for (int i = 0; i < v->n_contents; i++) {
    if (v->contents[i] == TAREI_EXPR_NONE ||
        !tarei_expr_is_const(graph->exprs, v->contents[i], &out[i])) {
      return false;
    }
  }
  *n = v->n_contents;
  return true;
}

bool tarei_value_ints(const tarei_graph *const graph, const int value, int64_t *const out,
                      const int max, int *const n) {
  if (value < 0) {
    return false;
  }
  const tarei_value *const v = &graph->values[value];
  if (!v->data) {
    return ints_of_contents(graph, v, out, max, n);
  }
  const tare_tensor tensor = tarei_value_tensor(graph, value);
  const int64_t count = tare_tensor_count(&tensor);
  if (!is_index_type(v->dtype) || count > max) {
    return false;
  }
  for (int64_t i = 0; i < count; i++) {
    out[i] = tarei_index_at(&tensor, i);
  }
  *n = (int)count;
  return true;
}

const tarei_expr *tarei_value_contents(tarei_graph *const graph, const int value, int *const n) {
  if (value < 0) {
    return NULL;
  }
  tarei_value *const v = &graph->values[value];
  if (!v->contents && v->data && v->rank <= 1) {
    int64_t ints[TAREI_MAX_CONTENTS];
    tarei_expr contents[TAREI_MAX_CONTENTS];
    int count = 0;
    if (!tarei_value_ints(graph, value, ints, TAREI_MAX_CONTENTS, &count)) {
      return NULL;
    }
    for (int i = 0; i < count; i++) {
      contents[i] = tarei_expr_const(graph->exprs, ints[i]);
    }
    (void)tarei_value_set_contents(graph, value, contents, count); /* none when out of memory */
  }
  *n = v->contents ? v->n_contents : 0;
  return v->contents;
}

bool tarei_value_set_contents(tarei_graph *const graph, const int value,
                              const tarei_expr *const contents, const int n) {
  tarei_value *const v = &graph->values[value];
  tarei_expr *const copy = contents ? tarei_memdup(contents, (size_t)n * sizeof *contents) : NULL;
  if (contents && !copy) {
    return false;
  }
  free(v->contents);
  v->contents = copy;
  v->n_contents = copy ? n : 0;
  return true;
}

bool tarei_value_const_float(const tarei_graph *const graph, const int value, float *const out) {
  if (!tarei_value_is_const(graph, value)) {
    return false;
  }
  const tare_tensor tensor = tarei_value_tensor(graph, value);
  if (tare_tensor_count(&tensor) != 1) {
    return false;
  }
  if (!tarei_is_float(tensor.dtype) && !is_index_type(tensor.dtype)) {
    return false;
  }
  *out = tarei_is_float(tensor.dtype) ? (float)tarei_real_at(&tensor, 0)
                                      : (float)tarei_index_at(&tensor, 0);
  return true;
}
