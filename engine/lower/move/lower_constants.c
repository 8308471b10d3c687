/* Operators whose output follows from shapes and attributes: Constant, ConstantOfShape, Shape,
 * Size. Most of them are gone before a plan runs; those that stay are written out. */
#include <string.h>

#include "engine/lower/numbers.h"
#include "engine/lower/measured.h"

/* The elements of a Constant, in the form that it has; NULL when it has none of them. */
static const void *elements_of(const tarei_node *const node) {
  const tarei_attr *a = tarei_attr_find(node, "value");
  if (a && a->kind == TAREI_ATTR_TENSOR) {
    return a->tensor.data;
  }
  a = tarei_attr_find(node, "value_float");
  if (a && a->kind == TAREI_ATTR_FLOAT) {
    return &a->f;
  }
  a = tarei_attr_find(node, "value_floats");
  if (a && a->kind == TAREI_ATTR_FLOATS) {
    return a->floats;
  }
  a = tarei_attr_find(node, "value_int");
  if (a && a->kind == TAREI_ATTR_INT) {
    return &a->i;
  }
  a = tarei_attr_find(node, "value_ints");
  return a && a->kind == TAREI_ATTR_INTS ? a->ints : NULL;
}

static tare_status prepare_constant(tarei_step *const step, tarei_blobs *const blobs,
                                    tare_error *const err) {
  (void)blobs;
  return elements_of(step->node)
             ? TARE_OK
             : tarei_fail(err, TARE_E_UNSUPPORTED, "this form of a value is not supported");
}

static tare_status run_constant(const tarei_step *const step, const tarei_run *const r,
                                tare_error *const err) {
  (void)err;
  memcpy(r->out[0]->data, elements_of(step->node),
         (size_t)tare_tensor_count(r->out[0]) * tare_dtype_size(r->out[0]->dtype));
  return TARE_OK;
}

static tare_status measure_constant_of_shape(const tarei_step *const step, const tarei_run *const r,
                                             int64_t *const values, tare_error *const err) {
  const int rank = step->graph->values[step->node->out[0]].rank;
  tarei_ints dims;
  TAREI_TRY(tarei_read_ints(step, r, 0, NULL, &dims, err));
  if (dims.n != rank) {
    return tarei_fail(err, TARE_E_INPUT, "input has %d dims, expected %d", dims.n, rank);
  }
  for (int i = 0; i < rank; i++) {
    if (dims.at[i] < 0) {
      return tarei_fail(err, TARE_E_INPUT, "input asks for a dim of %lld", (long long)dims.at[i]);
    }
  }
  tarei_measured_dims(step, 0, dims.at, values);
  return TARE_OK;
}

static tare_status run_constant_of_shape(const tarei_step *const step, const tarei_run *const r,
                                         tare_error *const err) {
  (void)err;
  const size_t n = (size_t)tare_tensor_count(r->out[0]);
  const size_t element = tare_dtype_size(r->out[0]->dtype);
  const tarei_attr *const value = tarei_attr_find(step->node, "value");
  memset(r->out[0]->data, 0, n * element);
  if (value && value->kind == TAREI_ATTR_TENSOR && tare_tensor_count(&value->tensor) == 1) {
    for (size_t i = 0; i < n; i++) {
      memcpy((char *)r->out[0]->data + i * element, value->tensor.data, element);
    }
  }
  return TARE_OK;
}

static tare_status run_shape(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  (void)err;
  int64_t start = tarei_attr_int(step->node, "start", 0);
  start += start < 0 ? r->in[0]->rank : 0;
  start = start < 0 ? 0 : start;
  for (int64_t i = 0; i < tare_tensor_count(r->out[0]); i++) {
    ((int64_t *)r->out[0]->data)[i] = r->in[0]->dims[start + i];
  }
  return TARE_OK;
}

static tare_status run_size(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  (void)step;
  (void)err;
  *(int64_t *)r->out[0]->data = tare_tensor_count(r->in[0]);
  return TARE_OK;
}

const tarei_lowering tarei_lower_constant = {.prepare = prepare_constant, .run = run_constant};
const tarei_lowering tarei_lower_constant_of_shape = {.measure = measure_constant_of_shape,
                                                      .run = run_constant_of_shape};
const tarei_lowering tarei_lower_shape = {.run = run_shape};
const tarei_lowering tarei_lower_size = {.run = run_size};
