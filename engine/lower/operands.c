#include "engine/lower/operands.h"

#include "base/mem.h"
#include "graph/quantize/quantize.h"

/* Input i, or NULL where it is absent. */
static const tarei_value *operands_input(const tarei_step *const step, const int i) {
  return i < step->node->n_in && step->node->in[i] >= 0 ? &step->graph->values[step->node->in[i]]
                                                        : NULL;
}

/* Elements of a constant, or -1. */
static int64_t operands_count_of(const tarei_step *const step, const tarei_value *const v) {
  tare_tensor t = {.rank = v->rank};
  for (int d = 0; d < v->rank; d++) {
    if (!tarei_expr_is_const(step->graph->exprs, v->dims[d], &t.dims[d]) || t.dims[d] < 0) {
      return -1;
    }
  }
  return tare_tensor_count(&t);
}

tare_status tarei_refuse_dtype(const tare_dtype dtype, tare_error *const err) {
  return tarei_fail(err, TARE_E_UNSUPPORTED, "%s is not supported here", tare_dtype_name(dtype));
}

tare_status tarei_want_float(const tarei_step *const step, const int i, tare_error *const err) {
  const tarei_value *const v = operands_input(step, i);
  if (!v) {
    return TARE_OK;
  }
  if (v->dtype != TARE_F32) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "%s ('%s') is not supported here",
                      tare_dtype_name(v->dtype), v->name);
  }
  size_t bytes = 0;
  if (v->data && (!tarei_mul_size((size_t)operands_count_of(step, v), sizeof(float), &bytes) ||
                  v->data->size < bytes)) {
    return tarei_fail(err, TARE_E_MODEL, "'%s' has no data", v->name);
  }
  return TARE_OK;
}

tare_status tarei_want_weights(const tarei_step *const step, tare_error *const err) {
  const tarei_value *const w = operands_input(step, 1);
  if (!w->data || w->dtype != TARE_F32 || operands_count_of(step, w) < 1) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "weights '%s' must be constant, float32 and not empty", w->name);
  }
  return TARE_OK;
}

tare_status tarei_want_bias(const tarei_step *const step, const size_t n, const float **const out,
                            tare_error *const err) {
  const tarei_value *const bias = operands_input(step, 2);
  *out = NULL;
  if (!bias) {
    return TARE_OK;
  }
  if (!bias->data || bias->dtype != TARE_F32 || operands_count_of(step, bias) != (int64_t)n) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "bias '%s' must be a constant of %zu float32",
                      bias->name, n);
  }
  *out = bias->data->data;
  return TARE_OK;
}

tare_status tarei_want_scales(const tarei_step *const step, const int value,
                              tare_error *const err) {
  const tarei_value *const v = &step->graph->values[value];
  const int n = v->quant.n_scales;
  return n == 1 || (n > 0 && n >= step->n_profiles)
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL, "'%s' has %d scales for %d profiles", v->name, n,
                          step->n_profiles);
}

tare_status tarei_want_count(const tarei_step *const step, const tarei_run *const run, const int i,
                             const int64_t count, tare_error *const err) {
  if (i >= step->node->n_in || !run->in[i] || tare_tensor_count(run->in[i]) == count) {
    return TARE_OK;
  }
  return tarei_fail(err, TARE_E_SHAPE, "'%s' has %lld elements, expected %lld",
                    operands_input(step, i)->name, (long long)tare_tensor_count(run->in[i]),
                    (long long)count);
}

tare_status tarei_want_dim(const tarei_step *const step, const tarei_run *const run, const int i,
                           const int axis, const int64_t size, tare_error *const err) {
  return run->in[i]->dims[axis] == size
             ? TARE_OK
             : tarei_fail(err, TARE_E_SHAPE, "axis %d of '%s' has length %lld, expected %lld", axis,
                          operands_input(step, i)->name, (long long)run->in[i]->dims[axis],
                          (long long)size);
}

tare_status tarei_want_int8_sum(const size_t n, tare_error *const err) {
  return n <= TAREI_INT8_LONGEST_SUM
             ? TARE_OK
             : tarei_fail(err, TARE_E_LIMIT,
                          "sums of %zu products, the limit of int8 is %d (keep the layer in float: "
                          "--layer-precisions)",
                          n, TAREI_INT8_LONGEST_SUM);
}
