/* Reductions of all types. Plain loops, of which the compiler makes vectors for each ISA: the order
 * of every sum is fixed. */
#include <math.h>
#include <string.h>

#include "kernels/generic/typed/sums.h"
#include "kernels/typed.h"

enum {
  REDUCE_SHORT = 2 * SUM_LANES,
  REDUCE_NEAR_BYTES = 16 << 10, /* stay in the first cache while all lanes read their share */
  REDUCE_FEW_BYTES =
      512, /* of lanes: each would wait for its own last sum in a row after another */
  REDUCE_FAR_BYTES = 4096, /* from row to row: they are not read ahead one after another */
  EXTREME_LANES = 64
};

typedef void reduce_rows_fn(tarei_reduce_part part, const tarei_reduction *r, const void *x,
                            size_t lanes, size_t step, void *out);

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

/* How many of the lanes, which lie side by side, are summed in blocks that registers hold, over
 * many rows at a time: where lanes are few or rows far apart. The others are summed row by row. */
static size_t TAREI_K(reduce_lanes_down)(const tarei_reduction *r, size_t lanes, size_t size) {
  const bool down = lanes * size <= REDUCE_FEW_BYTES || r->stride * size >= REDUCE_FAR_BYTES;
  return down ? lanes / SUM_LANES * SUM_LANES : 0;
}

/* Sums of a kind by its loops (kernels/generic/typed/sums.h). Results so far stay in registers
 * where the number of lanes is known. */
#define REDUCE_SUMS(name, type, wide, INIT, STEP, JOIN)                                           \
  /* blocks of elements that lie side by side, in their order */                                  \
  static void TAREI_K(name##_side_by_side)(const tarei_reduction *r, const type *x, size_t lanes, \
                                           size_t step, wide *acc) {                              \
    for (size_t row = 0; row < r->rows; row++) {                                                  \
      const type *const from = x + tarei_reduction_row(r, row);                                   \
      for (size_t i = 0; i < r->n; i += TAREI_REDUCE_BLOCK) {                                     \
        const size_t left = r->n - i;                                                             \
        wide block[TAREI_REDUCTION_ROWS];                                                         \
        TAREI_K(name##_of_blocks)                                                                 \
        (from + i, left < TAREI_REDUCE_BLOCK ? left : TAREI_REDUCE_BLOCK, step, lanes, block);    \
        for (size_t l = 0; l < lanes; l++) {                                                      \
          const wide a = acc[l], v = block[l];                                                    \
          acc[l] = (JOIN);                                                                        \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  static void TAREI_K(name##_beside)(const tarei_reduction *r, const type *x, size_t lanes,       \
                                     wide *acc) {                                                 \
    const size_t most = REDUCE_NEAR_BYTES / (lanes * sizeof *x);                                  \
    const size_t down = TAREI_K(reduce_lanes_down)(r, lanes, sizeof *x);                          \
    for (size_t row = 0; row < r->rows; row++) {                                                  \
      const type *from = x + tarei_reduction_row(r, row);                                         \
      for (size_t i = 0, n; i < r->n; i += n, from += n * r->stride) {                            \
        n = r->n - i < most ? r->n - i : most;                                                    \
        TAREI_K(name##_down)(from, n, r->stride, down, acc);                                      \
        if (down < lanes) {                                                                       \
          TAREI_K(name##_across)(from + down, n, r->stride, lanes - down, acc + down);            \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  static void TAREI_K(name)(tarei_reduce_part part, const tarei_reduction *r, const void *x,      \
                            size_t lanes, size_t step, wide *acc) {                               \
    wide few[TAREI_REDUCTION_ROWS];                                                               \
    for (size_t l = 0; l < lanes; l++) {                                                          \
      acc[l] = (INIT);                                                                            \
    }                                                                                             \
    for (size_t l = 0; l < TAREI_REDUCTION_ROWS; l++) {                                           \
      few[l] = (INIT);                                                                            \
    }                                                                                             \
    if (part == TAREI_REDUCE_LAST) {                                                              \
      for (size_t i = 0; i < r->n; i++) {                                                         \
        const wide a = acc[0], v = ((const wide *)x)[i];                                          \
        acc[0] = (JOIN);                                                                          \
      }                                                                                           \
    } else if (part == TAREI_REDUCE_FIRST || (r->stride == 1 && r->n >= REDUCE_SHORT)) {          \
      TAREI_K(name##_side_by_side)(r, x, lanes, step, acc);                                       \
    } else if (step != 1 && lanes == TAREI_REDUCTION_ROWS) {                                      \
      EACH_ELEMENT(type, TAREI_REDUCTION_ROWS, step, const wide a = few[l], v = (wide)e;          \
                   few[l] = (STEP);)                                                              \
      memcpy(acc, few, sizeof few);                                                               \
    } else if (step != 1) {                                                                       \
      EACH_ELEMENT(type, lanes, step, const wide a = acc[l], v = (wide)e; acc[l] = (STEP);)       \
    } else {                                                                                      \
      TAREI_K(name##_beside)(r, x, lanes, acc);                                                   \
    }                                                                                             \
  }

/* A kind by its sums: FINISH is of a and count. */
#define REDUCE_ROWS(name, sums, type, wide, FINISH)                                          \
  static void TAREI_K(name)(tarei_reduce_part part, const tarei_reduction *r, const void *x, \
                            size_t lanes, size_t step, void *out) {                          \
    wide acc[TAREI_REDUCTION_LANES];                                                         \
    TAREI_K(sums)(part, r, x, lanes, step, acc);                                             \
    if (part == TAREI_REDUCE_FIRST) {                                                        \
      memcpy(out, acc, lanes * sizeof *acc);                                                 \
      return;                                                                                \
    }                                                                                        \
    const wide count = (wide)r->count;                                                       \
    for (size_t l = 0; l < lanes; l++) {                                                     \
      const wide a = acc[l];                                                                 \
      (void)count;                                                                           \
      ((type *)out)[l] = (type)(FINISH);                                                     \
    }                                                                                        \
  }

/* Largest and smallest elements of a row, and of what came before it. */
#define EXTREME_ROW(name, type, STEP)                                       \
  static type TAREI_K(name##_of_row)(const type *x, size_t n, type first) { \
    type best[EXTREME_LANES];                                               \
    for (size_t l = 0; l < EXTREME_LANES; l++) {                            \
      best[l] = first;                                                      \
    }                                                                       \
    size_t i = 0;                                                           \
    for (; i + EXTREME_LANES <= n; i += EXTREME_LANES) {                    \
      for (size_t l = 0; l < EXTREME_LANES; l++) {                          \
        const type a = best[l], v = x[i + l];                               \
        best[l] = (STEP);                                                   \
      }                                                                     \
    }                                                                       \
    SUM_FOLD(best, 32, type, STEP)                                          \
    SUM_FOLD(best, 16, type, STEP)                                          \
    type result = best[0];                                                  \
    for (size_t l = 1; l < SUM_LANES; l++) {                                \
      const type a = result, v = best[l];                                   \
      result = (STEP);                                                      \
    }                                                                       \
    for (; i < n; i++) {                                                    \
      const type a = result, v = x[i];                                      \
      result = (STEP);                                                      \
    }                                                                       \
    return result;                                                          \
  }

/* Lanes are compared as if there were no NaN, which the largest magnitude tells: a row with one is
 * gone over again. */
#define EXTREME_FLOAT_ROW(name, V_EXTREME, COMPARED, STEP)                                      \
  static float TAREI_K(name##_of_row)(const float *x, size_t n, float first) {                  \
    v16 best[4];                                                                                \
    v16i sizes[4];                                                                              \
    for (size_t j = 0; j < 4; j++) {                                                            \
      best[j] = v_set1(first);                                                                  \
      sizes[j] = i_set1(0);                                                                     \
    }                                                                                           \
    size_t i = 0;                                                                               \
    for (; i + 4 * TAREI_LANES <= n; i += 4 * TAREI_LANES) {                                    \
      for (size_t j = 0; j < 4; j++) {                                                          \
        const v16 v = v_load(x + i + j * TAREI_LANES);                                          \
        best[j] = V_EXTREME(v, best[j]);                                                        \
        sizes[j] = i_max(sizes[j], v_bits(v_abs(v)));                                           \
      }                                                                                         \
    }                                                                                           \
    float lanes[TAREI_LANES], sizes_of[TAREI_LANES], result = first;                            \
    bool has_nan = false;                                                                       \
    v_store(lanes, V_EXTREME(V_EXTREME(best[0], best[1]), V_EXTREME(best[2], best[3])));        \
    v_store(sizes_of, i_as_float(i_max(i_max(sizes[0], sizes[1]), i_max(sizes[2], sizes[3])))); \
    for (size_t l = 0; l < TAREI_LANES; l++) {                                                  \
      result = lanes[l] COMPARED result ? lanes[l] : result;                                    \
      has_nan |= sizes_of[l] != sizes_of[l];                                                    \
    }                                                                                           \
    i = has_nan ? 0 : i;                                                                        \
    for (; i < n; i++) {                                                                        \
      const float a = result, v = x[i];                                                         \
      result = (STEP);                                                                          \
    }                                                                                           \
    return result;                                                                              \
  }

/* Rows of lanes that lie side by side: so many at a time as registers hold over all of them. */
#define EXTREME_FLOAT_LANES(name, V_EXTREME)                                                   \
  static void TAREI_K(name##_down)(const float *x, size_t n, size_t stride, size_t m,          \
                                   float *acc) {                                               \
    v16 best = v_load_n(acc, m);                                                               \
    for (size_t i = 0; i < n; i++, x += stride) {                                              \
      const v16 v = v_load_n(x, m);                                                            \
      best = v_select(v_is_number(v), V_EXTREME(v, best), v);                                  \
    }                                                                                          \
    v_store_n(acc, best, m);                                                                   \
  }                                                                                            \
  static void TAREI_K(name##_of_lanes)(const tarei_reduction *r, const float *x, size_t lanes, \
                                       float *acc) {                                           \
    const bool down = TAREI_K(reduce_lanes_down)(r, lanes, sizeof *x) > 0;                     \
    const size_t most = down ? REDUCE_NEAR_BYTES / (lanes * sizeof *x) : 1;                    \
    for (size_t row = 0; row < r->rows; row++) {                                               \
      const float *from = x + tarei_reduction_row(r, row);                                     \
      for (size_t i = 0, n; i < r->n; i += n, from += n * r->stride) {                         \
        n = r->n - i < most ? r->n - i : most;                                                 \
        for (size_t l = 0; l < lanes; l += TAREI_LANES) {                                      \
          TAREI_K(name##_down)(from + l, n, r->stride, lanes_left(l, lanes), acc + l);         \
        }                                                                                      \
      }                                                                                        \
    }                                                                                          \
  }

#define EXTREME_LANES(name, type, STEP)                                                       \
  static void TAREI_K(name##_of_lanes)(const tarei_reduction *r, const type *x, size_t lanes, \
                                       type *acc) {                                           \
    EACH_ELEMENT(type, lanes, 1, const type a = acc[l], v = e; acc[l] = (STEP);)              \
  }

/* Largest and smallest elements, in any order: the first and the last part are the whole. */
#define REDUCE_EXTREME(name, type, INIT, STEP)                                               \
  static void TAREI_K(name)(tarei_reduce_part part, const tarei_reduction *r, const void *x, \
                            size_t lanes, size_t step, void *out) {                          \
    type acc[TAREI_REDUCTION_LANES];                                                         \
    (void)part;                                                                              \
    for (size_t l = 0; l < lanes; l++) {                                                     \
      acc[l] = (INIT);                                                                       \
    }                                                                                        \
    if (r->stride == 1) {                                                                    \
      for (size_t row = 0; row < r->rows; row++) {                                           \
        const type *const from = (const type *)x + tarei_reduction_row(r, row);              \
        for (size_t l = 0; l < lanes; l++) {                                                 \
          acc[l] = TAREI_K(name##_of_row)(from + l * step, r->n, acc[l]);                    \
        }                                                                                    \
      }                                                                                      \
    } else if (step == 1) {                                                                  \
      TAREI_K(name##_of_lanes)(r, x, lanes, acc);                                            \
    } else {                                                                                 \
      EACH_ELEMENT(type, lanes, step, const type a = acc[l], v = e; acc[l] = (STEP);)        \
    }                                                                                        \
    memcpy(out, acc, lanes * sizeof *acc);                                                   \
  }

/* The largest exponent is taken out, so that nothing overflows. There are no parts. */
#define LOG_SUM_EXP(name, type, FINISH)                                                      \
  static void TAREI_K(name)(tarei_reduce_part part, const tarei_reduction *r, const void *x, \
                            size_t lanes, size_t step, void *out) {                          \
    double top[TAREI_REDUCTION_LANES], sum[TAREI_REDUCTION_LANES];                           \
    (void)part;                                                                              \
    for (size_t l = 0; l < lanes; l++) {                                                     \
      top[l] = -(double)INFINITY;                                                            \
      sum[l] = 0;                                                                            \
    }                                                                                        \
    EACH_ELEMENT(type, lanes, step, top[l] = fmax(top[l], (double)e);)                       \
    for (size_t l = 0; l < lanes; l++) {                                                     \
      top[l] = isfinite(top[l]) ? top[l] : 0;                                                \
    }                                                                                        \
    EACH_ELEMENT(type, lanes, step, sum[l] += exp((double)e - top[l]);)                      \
    for (size_t l = 0; l < lanes; l++) {                                                     \
      const double a = top[l] + log(sum[l]);                                                 \
      ((type *)out)[l] = (type)(FINISH);                                                     \
    }                                                                                        \
  }

/* A NaN wins in Max and Min. */
#define LARGER_OR_NAN v != v ? v : v > a ? v : a
#define SMALLER_OR_NAN v != v ? v : v < a ? v : a
EXTREME_FLOAT_ROW(max_f32, v_max, >, LARGER_OR_NAN)
EXTREME_FLOAT_ROW(min_f32, v_min, <, SMALLER_OR_NAN)
EXTREME_FLOAT_LANES(max_f32, v_max)
EXTREME_FLOAT_LANES(min_f32, v_min)
EXTREME_ROW(max_f64, double, LARGER_OR_NAN)
EXTREME_ROW(min_f64, double, SMALLER_OR_NAN)
EXTREME_LANES(max_f64, double, LARGER_OR_NAN)
EXTREME_LANES(min_f64, double, SMALLER_OR_NAN)
#define REDUCE_FLOAT_SUMS(name, type, LOAD, INIT, STEP, W_STEP, JOIN) \
  SUM_LOOPS_OF_FLOATS(name, type, LOAD, INIT, STEP, W_STEP, JOIN)     \
  REDUCE_SUMS(name, type, double, INIT, STEP, JOIN)
#define REDUCE_FLOATS(suffix, type, LOAD)                                                     \
  REDUCE_FLOAT_SUMS(sizes_##suffix, type, LOAD, 0, a + fabs(v), w_add(a, w_abs(v)), a + v)    \
  REDUCE_FLOAT_SUMS(squares_##suffix, type, LOAD, 0, a + v * v, w_add(a, w_mul(v, v)), a + v) \
  REDUCE_FLOAT_SUMS(sums_##suffix, type, LOAD, 0, a + v, w_add(a, v), a + v)                  \
  REDUCE_FLOAT_SUMS(products_##suffix, type, LOAD, 1, a *v, w_mul(a, v), a *v)                \
  REDUCE_ROWS(l1_##suffix, sizes_##suffix, type, double, a)                                   \
  REDUCE_ROWS(l2_##suffix, squares_##suffix, type, double, sqrt(a))                           \
  REDUCE_ROWS(log_sum_##suffix, sums_##suffix, type, double, log(a))                          \
  REDUCE_EXTREME(max_##suffix, type, -(type)INFINITY, LARGER_OR_NAN)                          \
  REDUCE_ROWS(mean_##suffix, sums_##suffix, type, double, a / count)                          \
  REDUCE_EXTREME(min_##suffix, type, (type)INFINITY, SMALLER_OR_NAN)                          \
  REDUCE_ROWS(prod_##suffix, products_##suffix, type, double, a)                              \
  REDUCE_ROWS(sum_##suffix, sums_##suffix, type, double, a)                                   \
  REDUCE_ROWS(sum_square_##suffix, squares_##suffix, type, double, a)
REDUCE_FLOATS(f32, float, w_widen)
REDUCE_FLOATS(f64, double, w_load)
LOG_SUM_EXP(log_sum_exp_f64, double, a)
#undef REDUCE_FLOATS
#undef REDUCE_FLOAT_SUMS

/* Integers wrap like two's complement; their mean is cut toward zero, and so is what roots and
 * logarithms give, which saturates. */
#define REDUCE_SIGNED(v) ((v) < 0 ? 0 - (uint64_t)(v) : (uint64_t)(v))
#define REDUCE_UNSIGNED(v) ((uint64_t)(v))

#define REDUCE_ORDER(suffix, type, lowest, highest)               \
  EXTREME_ROW(max_##suffix, type, v > a ? v : a)                  \
  EXTREME_ROW(min_##suffix, type, v < a ? v : a)                  \
  EXTREME_LANES(max_##suffix, type, v > a ? v : a)                \
  EXTREME_LANES(min_##suffix, type, v < a ? v : a)                \
  REDUCE_EXTREME(max_##suffix, type, (type)lowest, v > a ? v : a) \
  REDUCE_EXTREME(min_##suffix, type, (type)highest, v < a ? v : a)

#define WRAPPED(wide, operation) (wide)((uint64_t)a operation(uint64_t) v)
#define REDUCE_INTEGER_SUMS(name, type, wide, INIT, STEP, JOIN) \
  SUM_LOOPS(name, type, wide, INIT, STEP, JOIN)                 \
  REDUCE_SUMS(name, type, wide, INIT, STEP, JOIN)
#define REDUCE_INTEGERS(suffix, type, wide, MAGNITUDE, lowest, highest)                        \
  TAREI_INLINE type reduce_cut_##suffix(double a) {                                            \
    return isnan(a)                 ? (type)0                                                  \
           : a >= (double)(highest) ? (type)(highest)                                          \
           : a <= (double)(lowest)  ? (type)(lowest)                                           \
                                    : (type)a;                                                  \
  }                                                                                            \
  REDUCE_ORDER(suffix, type, lowest, highest)                                                  \
  REDUCE_INTEGER_SUMS(sizes_##suffix, type, wide, 0, (wide)((uint64_t)a + MAGNITUDE(v)),       \
                      WRAPPED(wide, +))                                                        \
  REDUCE_INTEGER_SUMS(real_squares_##suffix, type, double, 0, a + v * v, a + v)                \
  REDUCE_INTEGER_SUMS(real_sums_##suffix, type, double, 0, a + v, a + v)                       \
  REDUCE_INTEGER_SUMS(sums_##suffix, type, wide, 0, WRAPPED(wide, +), WRAPPED(wide, +))        \
  REDUCE_INTEGER_SUMS(products_##suffix, type, wide, 1, WRAPPED(wide, *), WRAPPED(wide, *))    \
  REDUCE_INTEGER_SUMS(squares_##suffix, type, wide, 0,                                         \
                      (wide)((uint64_t)a + (uint64_t)v * (uint64_t)v), WRAPPED(wide, +))       \
  REDUCE_ROWS(l1_##suffix, sizes_##suffix, type, wide, a)                                      \
  REDUCE_ROWS(l2_##suffix, real_squares_##suffix, type, double, reduce_cut_##suffix(sqrt(a)))  \
  REDUCE_ROWS(log_sum_##suffix, real_sums_##suffix, type, double, reduce_cut_##suffix(log(a))) \
  LOG_SUM_EXP(log_sum_exp_##suffix, type, reduce_cut_##suffix(a))                              \
  REDUCE_ROWS(mean_##suffix, sums_##suffix, type, wide, count ? a / count : 0)                 \
  REDUCE_ROWS(prod_##suffix, products_##suffix, type, wide, a)                                 \
  REDUCE_ROWS(sum_##suffix, sums_##suffix, type, wide, a)                                      \
  REDUCE_ROWS(sum_square_##suffix, squares_##suffix, type, wide, a)
REDUCE_INTEGERS(i32, int32_t, int64_t, REDUCE_SIGNED, INT32_MIN, INT32_MAX)
REDUCE_INTEGERS(i64, int64_t, int64_t, REDUCE_SIGNED, INT64_MIN, INT64_MAX)
REDUCE_INTEGERS(u32, uint32_t, uint64_t, REDUCE_UNSIGNED, 0, UINT32_MAX)
REDUCE_INTEGERS(u64, uint64_t, uint64_t, REDUCE_UNSIGNED, 0, UINT64_MAX)
REDUCE_ORDER(bool, uint8_t, 0, 1)
REDUCE_ORDER(i8, int8_t, INT8_MIN, INT8_MAX)
REDUCE_ORDER(i16, int16_t, INT16_MIN, INT16_MAX)
REDUCE_ORDER(u8, uint8_t, 0, UINT8_MAX)
REDUCE_ORDER(u16, uint16_t, 0, UINT16_MAX)
#undef REDUCE_INTEGERS
#undef REDUCE_INTEGER_SUMS
#undef WRAPPED
#undef REDUCE_ORDER
#undef REDUCE_SIGNED
#undef REDUCE_UNSIGNED
#undef LOG_SUM_EXP
#undef REDUCE_EXTREME
#undef EXTREME_LANES
#undef EXTREME_FLOAT_LANES
#undef EXTREME_FLOAT_ROW
#undef EXTREME_ROW
#undef SMALLER_OR_NAN
#undef LARGER_OR_NAN
#undef REDUCE_ROWS
#undef REDUCE_SUMS
#undef EACH_ELEMENT

void TAREI_K(tarei_k_reduce_any_16)(tarei_reduce_kind kind, tare_dtype dtype,
                                    tarei_reduce_part part, const tarei_reduction *r, const void *x,
                                    size_t lanes, size_t step, void *out) {
#define WIDE_NUMBERS(name)                                            \
  [TARE_F64] = TAREI_K(name##_f64), [TARE_I32] = TAREI_K(name##_i32), \
  [TARE_I64] = TAREI_K(name##_i64), [TARE_U32] = TAREI_K(name##_u32), \
  [TARE_U64] = TAREI_K(name##_u64)
#define NUMBERS(name) [TARE_F32] = TAREI_K(name##_f32), WIDE_NUMBERS(name)
#define EVERYTHING(name)                                                             \
  NUMBERS(name), [TARE_BOOL] = TAREI_K(name##_bool), [TARE_I8] = TAREI_K(name##_i8), \
                 [TARE_I16] = TAREI_K(name##_i16), [TARE_U8] = TAREI_K(name##_u8),   \
                 [TARE_U16] = TAREI_K(name##_u16)
  static reduce_rows_fn *const of[TAREI_REDUCE_COUNT][TAREI_DTYPES] = {
      [TAREI_REDUCE_L1] = {NUMBERS(l1)},
      [TAREI_REDUCE_L2] = {NUMBERS(l2)},
      [TAREI_REDUCE_LOG_SUM] = {NUMBERS(log_sum)},
      [TAREI_REDUCE_LOG_SUM_EXP] = {WIDE_NUMBERS(log_sum_exp)},
      [TAREI_REDUCE_MAX] = {EVERYTHING(max)},
      [TAREI_REDUCE_MEAN] = {NUMBERS(mean)},
      [TAREI_REDUCE_MIN] = {EVERYTHING(min)},
      [TAREI_REDUCE_PROD] = {NUMBERS(prod)},
      [TAREI_REDUCE_SUM] = {NUMBERS(sum)},
      [TAREI_REDUCE_SUM_SQUARE] = {NUMBERS(sum_square)},
  };
#undef EVERYTHING
#undef NUMBERS
#undef WIDE_NUMBERS
  of[kind][dtype](part, r, x, lanes, step, out);
}
