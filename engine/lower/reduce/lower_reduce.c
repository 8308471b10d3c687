/* Reductions over axes, and pooling over all of space, which is one of them. */
#include <math.h>
#include <string.h>

#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"
#include "engine/lower/reduce/reduction.h"

/* Element i of all lanes, in the order of i. */
#define EACH_ELEMENT(type, lanes, step, ...)                          \
  for (size_t row = 0; row < r->rows; row++) {                        \
    const type *from = (const type *)x + tarei_reduction_row(r, row); \
    for (size_t i = 0; i < r->n; i++, from += r->stride) {            \
      for (size_t l = 0; l < (lanes); l++) {                          \
        const type e = from[l * (step)];                              \
        __VA_ARGS__                                                   \
      }                                                               \
    }                                                                 \
  }

/* One function for a kind and a type: INIT, STEP (of a, the result so far, and v) and FINISH (of a
 * and count). Results so far stay in registers where the number of lanes is known. */
#define REDUCE_ROWS(name, type, wide, INIT, STEP, FINISH)                                   \
  static void name(const tarei_reduction *const r, const void *const x, const size_t lanes, \
                   const size_t step, void *const out) {                                    \
    wide acc[TAREI_REDUCTION_LANES], few[TAREI_REDUCTION_ROWS];                             \
    for (size_t l = 0; l < lanes; l++) {                                                    \
      acc[l] = (INIT);                                                                      \
    }                                                                                       \
    for (size_t l = 0; l < TAREI_REDUCTION_ROWS; l++) {                                     \
      few[l] = (INIT);                                                                      \
    }                                                                                       \
    if (step == 1) {                                                                        \
      EACH_ELEMENT(type, lanes, 1, const wide a = acc[l], v = (wide)e; acc[l] = (STEP);)    \
    } else if (lanes == TAREI_REDUCTION_ROWS) {                                             \
      EACH_ELEMENT(type, TAREI_REDUCTION_ROWS, step, const wide a = few[l], v = (wide)e;    \
                   few[l] = (STEP);)                                                        \
      memcpy(acc, few, sizeof few);                                                         \
    } else {                                                                                \
      EACH_ELEMENT(type, lanes, step, const wide a = acc[l], v = (wide)e; acc[l] = (STEP);) \
    }                                                                                       \
    const wide count = (wide)(r->rows * r->n);                                              \
    for (size_t l = 0; l < lanes; l++) {                                                    \
      const wide a = acc[l];                                                                \
      (void)count;                                                                          \
      ((type *)out)[l] = (type)(FINISH);                                                    \
    }                                                                                       \
  }

/* Largest and smallest elements, in any order: a row that lies together is read by several lanes.
 */
#define EXTREME_LANES 32
#define REDUCE_EXTREME(name, type, INIT, STEP)                                              \
  static type name##_of_row(const type *const x, const size_t n, const type first) {        \
    type best[EXTREME_LANES], result = first;                                               \
    for (size_t l = 0; l < EXTREME_LANES; l++) {                                            \
      best[l] = first;                                                                      \
    }                                                                                       \
    size_t i = 0;                                                                           \
    for (; i + EXTREME_LANES <= n; i += EXTREME_LANES) {                                    \
      for (size_t l = 0; l < EXTREME_LANES; l++) {                                          \
        const type a = best[l], v = x[i + l];                                               \
        best[l] = (STEP);                                                                   \
      }                                                                                     \
    }                                                                                       \
    for (size_t l = 0; l < EXTREME_LANES; l++) {                                            \
      const type a = result, v = best[l];                                                   \
      result = (STEP);                                                                      \
    }                                                                                       \
    for (; i < n; i++) {                                                                    \
      const type a = result, v = x[i];                                                      \
      result = (STEP);                                                                      \
    }                                                                                       \
    return result;                                                                          \
  }                                                                                         \
  static void name(const tarei_reduction *const r, const void *const x, const size_t lanes, \
                   const size_t step, void *const out) {                                    \
    type acc[TAREI_REDUCTION_LANES];                                                        \
    for (size_t l = 0; l < lanes; l++) {                                                    \
      acc[l] = (INIT);                                                                      \
    }                                                                                       \
    if (r->stride == 1) {                                                                   \
      for (size_t row = 0; row < r->rows; row++) {                                          \
        const type *const from = (const type *)x + tarei_reduction_row(r, row);             \
        for (size_t l = 0; l < lanes; l++) {                                                \
          acc[l] = name##_of_row(from + l * step, r->n, acc[l]);                            \
        }                                                                                   \
      }                                                                                     \
    } else if (step == 1) {                                                                 \
      EACH_ELEMENT(type, lanes, 1, const type a = acc[l], v = e; acc[l] = (STEP);)          \
    } else {                                                                                \
      EACH_ELEMENT(type, lanes, step, const type a = acc[l], v = e; acc[l] = (STEP);)       \
    }                                                                                       \
    memcpy(out, acc, lanes * sizeof *acc);                                                  \
  }

/* The largest exponent is taken out, so that nothing overflows. */
#define LOG_SUM_EXP(name, type, FINISH)                                                     \
  static void name(const tarei_reduction *const r, const void *const x, const size_t lanes, \
                   const size_t step, void *const out) {                                    \
    double top[TAREI_REDUCTION_LANES], sum[TAREI_REDUCTION_LANES];                          \
    for (size_t l = 0; l < lanes; l++) {                                                    \
      top[l] = -(double)INFINITY;                                                           \
      sum[l] = 0;                                                                           \
    }                                                                                       \
    EACH_ELEMENT(type, lanes, step, top[l] = fmax(top[l], (double)e);)                      \
    for (size_t l = 0; l < lanes; l++) {                                                    \
      top[l] = isfinite(top[l]) ? top[l] : 0;                                               \
    }                                                                                       \
    EACH_ELEMENT(type, lanes, step, sum[l] += exp((double)e - top[l]);)                     \
    for (size_t l = 0; l < lanes; l++) {                                                    \
      const double a = top[l] + log(sum[l]);                                                \
      ((type *)out)[l] = (type)(FINISH);                                                    \
    }                                                                                       \
  }

/* A NaN wins in Max and Min. */
#define REDUCE_FLOATS(suffix, type)                                               \
  REDUCE_ROWS(l1_##suffix, type, double, 0, a + fabs(v), a)                       \
  REDUCE_ROWS(l2_##suffix, type, double, 0, a + v * v, sqrt(a))                   \
  REDUCE_ROWS(log_sum_##suffix, type, double, 0, a + v, log(a))                   \
  LOG_SUM_EXP(log_sum_exp_##suffix, type, a)                                      \
  REDUCE_EXTREME(max_##suffix, type, -(type)INFINITY, (v > a) | (v != v) ? v : a) \
  REDUCE_ROWS(mean_##suffix, type, double, 0, a + v, a / count)                   \
  REDUCE_EXTREME(min_##suffix, type, (type)INFINITY, (v < a) | (v != v) ? v : a)  \
  REDUCE_ROWS(prod_##suffix, type, double, 1, a *v, a)                            \
  REDUCE_ROWS(sum_##suffix, type, double, 0, a + v, a)                            \
  REDUCE_ROWS(sum_square_##suffix, type, double, 0, a + v * v, a)
REDUCE_FLOATS(f32, float)
REDUCE_FLOATS(f64, double)

/* Integers wrap like two's complement; their mean is cut toward zero, and so is what roots and
 * logarithms give, which saturates. */
#define SIGNED(v) ((v) < 0 ? 0 - (uint64_t)(v) : (uint64_t)(v))
#define UNSIGNED(v) ((uint64_t)(v))

#define REDUCE_ORDER(suffix, type, lowest, highest)               \
  REDUCE_EXTREME(max_##suffix, type, (type)lowest, v > a ? v : a) \
  REDUCE_EXTREME(min_##suffix, type, (type)highest, v < a ? v : a)

#define REDUCE_INTEGERS(suffix, type, wide, MAGNITUDE, lowest, highest)                            \
  static type cut_##suffix(const double a) {                                                       \
    return isnan(a)                 ? (type)0                                                      \
           : a >= (double)(highest) ? (type)(highest)                                              \
           : a <= (double)(lowest)  ? (type)(lowest)                                               \
                                    : (type)a;                                                      \
  }                                                                                                \
  REDUCE_ORDER(suffix, type, lowest, highest)                                                      \
  REDUCE_ROWS(l1_##suffix, type, wide, 0, (wide)((uint64_t)a + MAGNITUDE(v)), a)                   \
  REDUCE_ROWS(l2_##suffix, type, double, 0, a + v * v, cut_##suffix(sqrt(a)))                      \
  REDUCE_ROWS(log_sum_##suffix, type, double, 0, a + v, cut_##suffix(log(a)))                      \
  LOG_SUM_EXP(log_sum_exp_##suffix, type, cut_##suffix(a))                                         \
  REDUCE_ROWS(mean_##suffix, type, wide, 0, (wide)((uint64_t)a + (uint64_t)v),                     \
              count ? a / count : 0)                                                               \
  REDUCE_ROWS(prod_##suffix, type, wide, 1, (wide)((uint64_t)a * (uint64_t)v), a)                  \
  REDUCE_ROWS(sum_##suffix, type, wide, 0, (wide)((uint64_t)a + (uint64_t)v), a)                   \
  REDUCE_ROWS(sum_square_##suffix, type, wide, 0, (wide)((uint64_t)a + (uint64_t)v * (uint64_t)v), \
              a)
REDUCE_INTEGERS(i32, int32_t, int64_t, SIGNED, INT32_MIN, INT32_MAX)
REDUCE_INTEGERS(i64, int64_t, int64_t, SIGNED, INT64_MIN, INT64_MAX)
REDUCE_INTEGERS(u32, uint32_t, uint64_t, UNSIGNED, 0, UINT32_MAX)
REDUCE_INTEGERS(u64, uint64_t, uint64_t, UNSIGNED, 0, UINT64_MAX)
REDUCE_ORDER(bool, uint8_t, 0, 1)
REDUCE_ORDER(i8, int8_t, INT8_MIN, INT8_MAX)
REDUCE_ORDER(i16, int16_t, INT16_MIN, INT16_MAX)
REDUCE_ORDER(u8, uint8_t, 0, UINT8_MAX)
REDUCE_ORDER(u16, uint16_t, 0, UINT16_MAX)

/* The functions of one operator for each type; NULL where a type has none. */
typedef struct reduce_kind {
  tarei_reduction_fn of[TARE_BF16 + 1];
} reduce_kind;

#define NUMBERS(name)                                                        \
  [TARE_F32] = name##_f32, [TARE_F64] = name##_f64, [TARE_I32] = name##_i32, \
  [TARE_I64] = name##_i64, [TARE_U32] = name##_u32, [TARE_U64] = name##_u64
#define EVERYTHING(name)                                                                    \
  NUMBERS(name), [TARE_BOOL] = name##_bool, [TARE_I8] = name##_i8, [TARE_I16] = name##_i16, \
                 [TARE_U8] = name##_u8, [TARE_U16] = name##_u16

static tare_status check_dtype(const tarei_step *const step, const reduce_kind *const k,
                               tare_error *const err) {
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return k->of[dtype] ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static tare_status reduce_over(const tarei_run *const r, const reduce_kind *const k,
                               const bool *const cut, tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  const tarei_reduction plan = tarei_reduction_read(x, cut);
  if ((size_t)tare_tensor_count(out) != plan.outputs) {
    return tarei_fail(err, TARE_E_SHAPE, "the axes leave %zu elements, expected %lld", plan.outputs,
                      (long long)tare_tensor_count(out));
  }
  const size_t element = tare_dtype_size(x->dtype);
  tarei_reduction_run(&plan, r, x->data, element, out->data, element, k->of[x->dtype]);
  return TARE_OK;
}

/* No axes mean all of them, unless the node says that nothing is to be done then. */
static tare_status reduce_read_cut(const tarei_step *const step, const tarei_run *const r,
                                   bool *const cut, tare_error *const err) {
  const int rank = r->in[0]->rank;
  tarei_ints axes;
  TAREI_TRY(tarei_read_ints(step, r, 1, "axes", &axes, err));
  const bool all = axes.n == 0 && tarei_attr_int(step->node, "noop_with_empty_axes", 0) == 0;
  for (int d = 0; d < TARE_MAX_RANK; d++) {
    cut[d] = all;
  }
  for (int i = 0; i < axes.n; i++) {
    const int64_t axis = axes.at[i];
    if (axis < -rank || axis >= rank) {
      return tarei_fail(err, TARE_E_MODEL, "axis %lld is out of range for rank %d", (long long)axis,
                        rank);
    }
    cut[axis < 0 ? axis + rank : axis] = true;
  }
  return TARE_OK;
}

static tare_status run_axes(const tarei_step *const step, const tarei_run *const r,
                            const reduce_kind *const k, tare_error *const err) {
  bool cut[TARE_MAX_RANK];
  TAREI_TRY(reduce_read_cut(step, r, cut, err));
  return reduce_over(r, k, cut, err);
}

/* The dims that axes leave which only this run knows. */
static tare_status reduce_measure(const tarei_step *const step, const tarei_run *const r,
                                  int64_t *const values, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const bool keep = tarei_attr_int(step->node, "keepdims", 1) != 0;
  const int rank = step->graph->values[step->node->out[0]].rank;
  bool cut[TARE_MAX_RANK];
  TAREI_TRY(reduce_read_cut(step, r, cut, err));
  int n = 0;
  for (int d = 0; d < x->rank; d++) {
    if (keep || !cut[d]) {
      if (n < rank) {
        values[n] = cut[d] ? 1 : x->dims[d];
      }
      n++;
    }
  }
  return n == rank ? TARE_OK
                   : tarei_fail(err, TARE_E_MODEL, "the axes leave rank %d, expected %d", n, rank);
}

#define REDUCE(id, ...)                                                               \
  static const reduce_kind id##_kind = {{__VA_ARGS__}};                               \
  static tare_status prepare_##id(tarei_step *const step, tarei_blobs *const blobs,   \
                                  tare_error *const err) {                            \
    (void)blobs;                                                                      \
    return check_dtype(step, &id##_kind, err);                                        \
  }                                                                                   \
  static tare_status run_##id(const tarei_step *const step, const tarei_run *const r, \
                              tare_error *const err) {                                \
    return run_axes(step, r, &id##_kind, err);                                        \
  }                                                                                   \
  const tarei_lowering tarei_lower_##id = {                                           \
      .prepare = prepare_##id, .measure = reduce_measure, .run = run_##id};

REDUCE(reduce_l1, NUMBERS(l1))
REDUCE(reduce_l2, NUMBERS(l2))
REDUCE(reduce_log_sum, NUMBERS(log_sum))
REDUCE(reduce_log_sum_exp, NUMBERS(log_sum_exp))
REDUCE(reduce_max, EVERYTHING(max))
REDUCE(reduce_mean, NUMBERS(mean))
REDUCE(reduce_min, EVERYTHING(min))
REDUCE(reduce_prod, NUMBERS(prod))
REDUCE(reduce_sum, NUMBERS(sum))
REDUCE(reduce_sum_square, NUMBERS(sum_square))

/* Everything behind batch and channels goes away. */
static const bool space[TARE_MAX_RANK] = {false, false, true, true, true, true, true, true};

#define GLOBAL_POOL(id, function)                                                     \
  static const reduce_kind id##_kind = {                                              \
      {[TARE_F32] = function##_f32, [TARE_F64] = function##_f64}};                    \
  static tare_status prepare_##id(tarei_step *const step, tarei_blobs *const blobs,   \
                                  tare_error *const err) {                            \
    (void)blobs;                                                                      \
    return check_dtype(step, &id##_kind, err);                                        \
  }                                                                                   \
  static tare_status run_##id(const tarei_step *const step, const tarei_run *const r, \
                              tare_error *const err) {                                \
    (void)step;                                                                       \
    return reduce_over(r, &id##_kind, space, err);                                    \
  }                                                                                   \
  const tarei_lowering tarei_lower_##id = {.prepare = prepare_##id, .run = run_##id};

GLOBAL_POOL(global_average_pool, mean)
GLOBAL_POOL(global_max_pool, max)
