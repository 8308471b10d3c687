/* Reductions over axes, and pooling over all of space, which is one of them. */
#include <math.h>

#include "engine/lower/int_operand.h"
#include "engine/lower/operands.h"
#include "engine/lower/reduction.h"

/* One function for a kind and a type: INIT, STEP (of a, the result so far, and v) and FINISH (of a
 * and count). */
#define REDUCE_ROWS(name, type, wide, INIT, STEP, FINISH)                                   \
  static void name(const tarei_reduction *const r, const void *const x, const size_t lanes, \
                   void *const out) {                                                       \
    wide acc[TAREI_REDUCTION_LANES];                                                        \
    for (size_t l = 0; l < lanes; l++) {                                                    \
      acc[l] = (INIT);                                                                      \
    }                                                                                       \
    for (size_t row = 0; row < r->rows; row++) {                                            \
      const type *from = (const type *)x + tarei_reduction_row(r, row);                     \
      for (size_t i = 0; i < r->n; i++, from += r->stride) {                                \
        for (size_t l = 0; l < lanes; l++) {                                                \
          const wide a = acc[l], v = (wide)from[l];                                         \
          acc[l] = (STEP);                                                                  \
        }                                                                                   \
      }                                                                                     \
    }                                                                                       \
    const wide count = (wide)(r->rows * r->n);                                              \
    for (size_t l = 0; l < lanes; l++) {                                                    \
      const wide a = acc[l];                                                                \
      (void)count;                                                                          \
      ((type *)out)[l] = (type)(FINISH);                                                    \
    }                                                                                       \
  }

/* A NaN wins in Max and Min. */
REDUCE_ROWS(l2_f32, float, double, 0, a + v * v, sqrt(a))
REDUCE_ROWS(max_f32, float, double, -(double)INFINITY, v > a || isnan(v) ? v : a, a)
REDUCE_ROWS(mean_f32, float, double, 0, a + v, a / count)
REDUCE_ROWS(min_f32, float, double, (double)INFINITY, v < a || isnan(v) ? v : a, a)
REDUCE_ROWS(prod_f32, float, double, 1, a *v, a)
REDUCE_ROWS(sum_f32, float, double, 0, a + v, a)

/* Integers wrap like two's complement; their mean is cut toward zero. */
static int64_t add_wrapping(const int64_t a, const int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}
static int64_t mul_wrapping(const int64_t a, const int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

#define REDUCE_INTEGERS(suffix, type, lowest, highest)                                    \
  REDUCE_ROWS(max_##suffix, type, int64_t, lowest, v > a ? v : a, a)                      \
  REDUCE_ROWS(mean_##suffix, type, int64_t, 0, add_wrapping(a, v), count ? a / count : 0) \
  REDUCE_ROWS(min_##suffix, type, int64_t, highest, v < a ? v : a, a)                     \
  REDUCE_ROWS(prod_##suffix, type, int64_t, 1, mul_wrapping(a, v), a)                     \
  REDUCE_ROWS(sum_##suffix, type, int64_t, 0, add_wrapping(a, v), a)
REDUCE_INTEGERS(i32, int32_t, INT32_MIN, INT32_MAX)
REDUCE_INTEGERS(i64, int64_t, INT64_MIN, INT64_MAX)

/* The functions of one operator; NULL where a type has none. */
typedef struct kind {
  tarei_reduction_fn f32, i32, i64;
} kind;

static tarei_reduction_fn function_of(const kind *const k, const tare_dtype dtype) {
  return dtype == TARE_F32   ? k->f32
         : dtype == TARE_I32 ? k->i32
         : dtype == TARE_I64 ? k->i64
                             : NULL;
}

static tare_status check_dtype(const tarei_step *const step, const kind *const k,
                               tare_error *const err) {
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return function_of(k, dtype) ? TARE_OK
                               : tarei_refuse_dtype(dtype, err);
}

static tare_status reduce(const tarei_run *const r, const kind *const k, const bool *const cut,
                          tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  const tarei_reduction plan = tarei_reduction_read(x, cut);
  if ((size_t)tare_tensor_count(out) != plan.outputs) {
    return tarei_fail(err, TARE_E_SHAPE, "its axes leave %zu elements, its output has %lld",
                      plan.outputs, (long long)tare_tensor_count(out));
  }
  tarei_reduction_run(&plan, r, x->data, out->data, tare_dtype_size(x->dtype),
                      function_of(k, x->dtype));
  return TARE_OK;
}

/* No axes mean all of them, unless the node says that nothing is to be done then. */
static tare_status run_axes(const tarei_step *const step, const tarei_run *const r,
                            const kind *const k, tare_error *const err) {
  const int rank = r->in[0]->rank;
  int64_t axes[TAREI_MAX_INTS];
  const int n = tarei_int_operand(step, r, 1, "axes", axes);
  const bool all = n == 0 && tarei_attr_int(step->node, "noop_with_empty_axes", 0) == 0;
  bool cut[TARE_MAX_RANK];
  for (int d = 0; d < TARE_MAX_RANK; d++) {
    cut[d] = all;
  }
  for (int i = 0; i < n; i++) {
    if (axes[i] < -rank || axes[i] >= rank) {
      return tarei_fail(err, TARE_E_MODEL, "its axis %lld is out of range for rank %d",
                        (long long)axes[i], rank);
    }
    cut[axes[i] < 0 ? axes[i] + rank : axes[i]] = true;
  }
  return reduce(r, k, cut, err);
}

#define REDUCE(id, ...)                                                               \
  static const kind id##_kind = {__VA_ARGS__};                                        \
  static tare_status prepare_##id(tarei_step *const step, tarei_blobs *const blobs,   \
                                  tare_error *const err) {                            \
    (void)blobs;                                                                      \
    return check_dtype(step, &id##_kind, err);                                        \
  }                                                                                   \
  static tare_status run_##id(const tarei_step *const step, const tarei_run *const r, \
                              tare_error *const err) {                                \
    return run_axes(step, r, &id##_kind, err);                                        \
  }                                                                                   \
  const tarei_lowering tarei_lower_##id = {.prepare = prepare_##id, .run = run_##id};

REDUCE(reduce_l2, l2_f32, NULL, NULL)
REDUCE(reduce_max, max_f32, max_i32, max_i64)
REDUCE(reduce_mean, mean_f32, mean_i32, mean_i64)
REDUCE(reduce_min, min_f32, min_i32, min_i64)
REDUCE(reduce_prod, prod_f32, prod_i32, prod_i64)
REDUCE(reduce_sum, sum_f32, sum_i32, sum_i64)

/* Everything behind batch and channels goes away. */
static const bool space[TARE_MAX_RANK] = {false, false, true, true, true, true, true, true};

#define GLOBAL_POOL(id, function)                                                     \
  static const kind id##_kind = {function, NULL, NULL};                               \
  static tare_status prepare_##id(tarei_step *const step, tarei_blobs *const blobs,   \
                                  tare_error *const err) {                            \
    (void)blobs;                                                                      \
    return check_dtype(step, &id##_kind, err);                                        \
  }                                                                                   \
  static tare_status run_##id(const tarei_step *const step, const tarei_run *const r, \
                              tare_error *const err) {                                \
    (void)step;                                                                       \
    return reduce(r, &id##_kind, space, err);                                         \
  }                                                                                   \
  const tarei_lowering tarei_lower_##id = {.prepare = prepare_##id, .run = run_##id};

GLOBAL_POOL(global_average_pool, mean_f32)
GLOBAL_POOL(global_max_pool, max_f32)
