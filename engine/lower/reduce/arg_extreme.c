#include "engine/lower/reduce/arg_extreme.h"

#include <math.h>

#include "engine/lower/reduce/reduction.h"

/* WINS says that v stands in for a, which stands before it. */
#define ARG_ROWS(name, type, WINS)                                                              \
  static void name(const void *const user, const tarei_reduction *const r, const void *const x, \
                   const size_t lanes, const size_t step, void *const out) {                    \
    (void)user;                                                                                 \
    type best[TAREI_REDUCTION_LANES];                                                           \
    int64_t *const at = out;                                                                    \
    const type *from = x;                                                                       \
    for (size_t l = 0; l < lanes; l++) {                                                        \
      best[l] = from[l * step];                                                                 \
      at[l] = 0;                                                                                \
    }                                                                                           \
    for (size_t i = 1; i < r->n; i++) {                                                         \
      from += r->stride;                                                                        \
      for (size_t l = 0; l < lanes; l++) {                                                      \
        const type a = best[l], v = from[l * step];                                             \
        if (WINS) {                                                                             \
          best[l] = v;                                                                          \
          at[l] = (int64_t)i;                                                                   \
        }                                                                                       \
      }                                                                                         \
    }                                                                                           \
  }

#define ARG_INTEGERS(suffix, type)          \
  ARG_ROWS(max_first_##suffix, type, v > a) \
  ARG_ROWS(max_last_##suffix, type, v >= a) \
  ARG_ROWS(min_first_##suffix, type, v < a) \
  ARG_ROWS(min_last_##suffix, type, v <= a)
#define ARG_FLOATS(suffix, type)                                       \
  ARG_ROWS(max_first_##suffix, type, v > a || (isnan(v) && !isnan(a))) \
  ARG_ROWS(max_last_##suffix, type, v >= a || isnan(v))                \
  ARG_ROWS(min_first_##suffix, type, v < a || (isnan(v) && !isnan(a))) \
  ARG_ROWS(min_last_##suffix, type, v <= a || isnan(v))
ARG_FLOATS(f64, double)

/* Rows whose elements lie side by side, or columns that do. */
static void arg_floats(const tarei_run *const run, const tarei_reduction *const r,
                       const void *const x, const size_t lanes, const size_t step,
                       int64_t *const out, const bool least, const bool last) {
  const tarei_arg_columns columns = {.x = x,
                                     .n = r->n,
                                     .stride = r->stride,
                                     .columns = lanes,
                                     .least = least,
                                     .last = last,
                                     .out = out};
  if (r->stride != 1 && step == 1) {
    run->kernels->arg_columns(&columns);
    return;
  }
  for (size_t l = 0; l < lanes; l++) {
    out[l] = (int64_t)run->kernels->arg_row((const float *)x + l * step, r->n, least, last);
  }
}

#define ARG_FLOAT_ROWS(name, least, last)                                                       \
  static void name(const void *const user, const tarei_reduction *const r, const void *const x, \
                   const size_t lanes, const size_t step, void *const out) {                    \
    arg_floats(user, r, x, lanes, step, out, least, last);                                      \
  }
ARG_FLOAT_ROWS(max_first_f32, false, false)
ARG_FLOAT_ROWS(max_last_f32, false, true)
ARG_FLOAT_ROWS(min_first_f32, true, false)
ARG_FLOAT_ROWS(min_last_f32, true, true)
ARG_INTEGERS(i8, int8_t)
ARG_INTEGERS(i16, int16_t)
ARG_INTEGERS(i32, int32_t)
ARG_INTEGERS(i64, int64_t)
ARG_INTEGERS(u8, uint8_t)
ARG_INTEGERS(u16, uint16_t)
ARG_INTEGERS(u32, uint32_t)
ARG_INTEGERS(u64, uint64_t)

#define TYPES(name)                                                            \
  {                                                                            \
    [TARE_F32] = name##_f32, [TARE_F64] = name##_f64, [TARE_I8] = name##_i8,   \
    [TARE_I16] = name##_i16, [TARE_I32] = name##_i32, [TARE_I64] = name##_i64, \
    [TARE_U8] = name##_u8, [TARE_U16] = name##_u16, [TARE_U32] = name##_u32,   \
    [TARE_U64] = name##_u64, [TARE_BOOL] = name##_u8                           \
  }
/* rows[least][last][dtype]; NULL for types that have no order. */
static const tarei_reduction_fn rows[2][2][TARE_BF16 + 1] = {{TYPES(max_first), TYPES(max_last)},
                                                             {TYPES(min_first), TYPES(min_last)}};

bool tarei_arg_extreme_takes(const tare_dtype dtype) {
  return rows[0][0][dtype] != NULL;
}

void tarei_arg_extreme(const tarei_run *const run, const tare_tensor *const x, const int axis,
                       const bool least, const bool last, int64_t *const out) {
  bool cut[TARE_MAX_RANK] = {0};
  cut[axis] = true;
  const tarei_reduction plan = tarei_reduction_read(x, cut);
  tarei_reduction_run(&plan, run, x->data, tare_dtype_size(x->dtype), out, sizeof *out,
                      rows[least][last][x->dtype], run);
}
