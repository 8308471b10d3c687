/* CumSum and CumProd, each in the type of its elements, in the order in which they stand. */
#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

enum {
  LANES = 1024, /* neighbours off the axis that go side by side, in the first cache */
  LINES = 8     /* of elements along the last axis: each would wait for its own sums */
};

typedef struct cumulate_job cumulate_job;
typedef void cumulate_fn(const cumulate_job *j, size_t at, size_t lanes);

struct cumulate_job {
  const char *x;
  char *out;
  size_t n, inner, outer; /* of the axis, of what lies behind it and before it */
  bool exclusive, reverse;
  cumulate_fn *rows, *lines;
};

static size_t cumulate_place(const cumulate_job *const j, const size_t i) {
  return j->reverse ? j->n - 1 - i : i;
}

/* NEXT of a, the result so far, and v: of neighbours, row by row, each from the one before; and of
 * lines, which are those rows stood on end. */
#define CUMULATE(name, type, FIRST, NEXT)                                                      \
  static void name(const cumulate_job *const j, const size_t at, const size_t lanes) {         \
    const type *const x = (const type *)(const void *)j->x + at;                               \
    type *const out = (type *)(void *)j->out + at;                                             \
    for (size_t i = 0; i < j->n; i++) {                                                        \
      const size_t row = cumulate_place(j, i) * j->inner;                                      \
      const size_t before = i ? cumulate_place(j, i - 1) * j->inner : row;                     \
      const type *const from = x + (j->exclusive ? before : row), *const last = out + before;  \
      type *const to = out + row;                                                              \
      for (size_t l = 0; i > 0 && l < lanes; l++) {                                            \
        const type a = last[l], v = from[l];                                                   \
        to[l] = (type)(NEXT);                                                                  \
      }                                                                                        \
      for (size_t l = 0; i == 0 && l < lanes; l++) {                                           \
        const type a = (FIRST), v = from[l];                                                   \
        to[l] = j->exclusive ? a : (type)(NEXT);                                               \
      }                                                                                        \
    }                                                                                          \
  }                                                                                            \
  static void name##_lines(const cumulate_job *const j, const size_t at, const size_t lines) { \
    const type *const x = (const type *)(const void *)j->x + at;                               \
    type *const out = (type *)(void *)j->out + at;                                             \
    type acc[LINES];                                                                           \
    for (size_t l = 0; l < LINES; l++) {                                                       \
      acc[l] = (FIRST);                                                                        \
    }                                                                                          \
    for (size_t i = 0; i < j->n; i++) {                                                        \
      const size_t place = cumulate_place(j, i);                                               \
      for (size_t l = 0; l < lines; l++) {                                                     \
        const type a = acc[l], v = x[l * j->n + place];                                        \
        acc[l] = (type)(NEXT);                                                                 \
        out[l * j->n + place] = j->exclusive ? a : acc[l];                                     \
      }                                                                                        \
    }                                                                                          \
  }

/* Integers wrap: those of two's complement are counted without a sign. */
#define BOTH(suffix, type)                   \
  CUMULATE(cum_sum_##suffix, type, 0, a + v) \
  CUMULATE(cum_prod_##suffix, type, 1, a *v)
BOTH(f32, float)
BOTH(f64, double)
BOTH(x32, uint32_t)
BOTH(x64, uint64_t)

typedef struct cumulate_kind {
  cumulate_fn *rows, *lines;
} cumulate_kind[TARE_BF16 + 1];

#define ROW(name, suffix) \
  { name##_##suffix, name##_##suffix##_lines }
#define TYPES(name)                                                                        \
  {                                                                                        \
    [TARE_F32] = ROW(name, f32), [TARE_F64] = ROW(name, f64), [TARE_I32] = ROW(name, x32), \
    [TARE_I64] = ROW(name, x64), [TARE_U32] = ROW(name, x32), [TARE_U64] = ROW(name, x64)  \
  }

static const cumulate_kind sum_kind = TYPES(cum_sum), prod_kind = TYPES(cum_prod);

static tare_status cumulate_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                    tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return sum_kind[dtype].rows ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static size_t cumulate_left(const size_t n, const size_t at, const size_t most) {
  return n - at < most ? n - at : most;
}

static void cumulate_block_range(const void *const user, const size_t first, const size_t end,
                                 const int thread) {
  (void)thread;
  const cumulate_job *const j = user;
  const size_t blocks = (j->inner + LANES - 1) / LANES;
  for (size_t i = first; i < end; i++) {
    if (j->inner == 1) {
      j->lines(j, i * LINES * j->n, cumulate_left(j->outer, i * LINES, LINES));
    } else {
      const size_t lane = i % blocks * LANES;
      j->rows(j, i / blocks * j->n * j->inner + lane, cumulate_left(j->inner, lane, LANES));
    }
  }
}

static tare_status cumulate_run(const tarei_step *const step, const tarei_run *const r,
                                const cumulate_kind of, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  int axis = 0;
  TAREI_TRY(tarei_read_axis(step, r, 1, x->rank, &axis, err));
  cumulate_job j = {.x = x->data,
                    .out = r->out[0]->data,
                    .n = (size_t)x->dims[axis],
                    .inner = 1,
                    .exclusive = tarei_attr_int(step->node, "exclusive", 0) != 0,
                    .reverse = tarei_attr_int(step->node, "reverse", 0) != 0,
                    .rows = of[x->dtype].rows,
                    .lines = of[x->dtype].lines};
  for (int d = axis + 1; d < x->rank; d++) {
    j.inner *= (size_t)x->dims[d];
  }
  const size_t row = j.n * j.inner;
  j.outer = row ? (size_t)tare_tensor_count(x) / row : 0;
  const size_t blocks = (j.inner + LANES - 1) / LANES;
  const size_t items = j.inner == 1 ? (j.outer + LINES - 1) / LINES : j.outer * blocks;
  const size_t lanes = j.inner == 1 ? LINES : cumulate_left(j.inner, 0, LANES);
  tarei_row_ranges(r, items, j.n * lanes, 4096, cumulate_block_range, &j);
  return TARE_OK;
}

static tare_status cum_prod_run(const tarei_step *const step, const tarei_run *const r,
                                tare_error *const err) {
  return cumulate_run(step, r, prod_kind, err);
}

static tare_status cum_sum_run(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  return cumulate_run(step, r, sum_kind, err);
}

const tarei_lowering tarei_lower_cum_prod = {.prepare = cumulate_prepare, .run = cum_prod_run};
const tarei_lowering tarei_lower_cum_sum = {.prepare = cumulate_prepare, .run = cum_sum_run};
