/* Comparisons and logic: two operands broadcast to a bool tensor. */
#include "engine/lower/elementwise.h"
#include "engine/lower/operands.h"

typedef enum relation { EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL, AND, OR } relation;

typedef struct job {
  relation relation;
  const void *a, *b;
  uint8_t *out;
} job;

#define RELATION(name, op)                             \
  case name:                                           \
    for (size_t i = 0; i < b->n; i++) {                \
      out[i] = x[i * b->step[0]] op y[i * b->step[1]]; \
    }                                                  \
    break;

#define COMPARE_ROW(name, type)                                                              \
  static void name(const void *const user, const tarei_broadcast *const b, const size_t at,  \
                   const size_t *const offset) {                                             \
    const job *const j = user;                                                               \
    const type *const x = (const type *)j->a + offset[0];                                    \
    const type *const y = (const type *)j->b + offset[1];                                    \
    uint8_t *const out = j->out + at;                                                        \
    switch (j->relation) {                                                                   \
      RELATION(EQUAL, ==)                                                                    \
      RELATION(LESS, <)                                                                      \
      RELATION(LESS_OR_EQUAL, <=)                                                            \
      RELATION(GREATER, >)                                                                   \
      RELATION(GREATER_OR_EQUAL, >=)                                                         \
      RELATION(AND, &&)                                                                      \
      RELATION(OR, ||)                                                                       \
    }                                                                                        \
  }
COMPARE_ROW(row_f32, float)
COMPARE_ROW(row_i64, int64_t)
COMPARE_ROW(row_i32, int32_t)
COMPARE_ROW(row_u8, uint8_t)

static tarei_broadcast_fn row_of(const tare_dtype dtype) {
  return dtype == TARE_F32                        ? row_f32
         : dtype == TARE_I64                      ? row_i64
         : dtype == TARE_I32                      ? row_i32
         : dtype == TARE_BOOL || dtype == TARE_U8 ? row_u8
                                                  : NULL;
}

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return row_of(dtype) ? TARE_OK
                       : tarei_refuse_dtype(dtype, err);
}

static tare_status compare(const tarei_run *const r, const relation rel, tare_error *const err) {
  tarei_broadcast layout;
  TARE_TRY(tarei_broadcast_read(r->in, 2, r->out[0], &layout, err));
  const job j = {rel, r->in[0]->data, r->in[1]->data, r->out[0]->data};
  tarei_broadcast_run(&layout, r, row_of(r->in[0]->dtype), &j);
  return TARE_OK;
}

#define COMPARE(id, rel)                                                              \
  static tare_status run_##id(const tarei_step *const step, const tarei_run *const r, \
                              tare_error *const err) {                                \
    (void)step;                                                                       \
    return compare(r, rel, err);                                                      \
  }                                                                                   \
  const tarei_lowering tarei_lower_##id = {.prepare = prepare, .run = run_##id};

COMPARE(and, AND)
COMPARE(equal, EQUAL)
COMPARE(greater, GREATER)
COMPARE(greater_or_equal, GREATER_OR_EQUAL)
COMPARE(less, LESS)
COMPARE(less_or_equal, LESS_OR_EQUAL)
COMPARE(or, OR)

static tare_status run_not(const tarei_step *const step, const tarei_run *const r,
                           tare_error *const err) {
  (void)step;
  (void)err;
  const size_t n = (size_t)tare_tensor_count(r->out[0]);
  for (size_t i = 0; i < n; i++) {
    ((uint8_t *)r->out[0]->data)[i] = !((const uint8_t *)r->in[0]->data)[i];
  }
  return TARE_OK;
}
const tarei_lowering tarei_lower_not = {.prepare = prepare, .run = run_not};
