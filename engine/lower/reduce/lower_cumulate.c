/* CumSum and CumProd, each in the type of its elements, in the order in which they stand. */
#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

#define LANES 16 /* neighbours off the axis that go side by side */

typedef struct cumulate_job {
  const char *x;
  char *out;
  size_t n, inner, blocks; /* of the axis, of what lies behind it, of lanes in that */
  bool exclusive, reverse;
  void (*fn)(const struct cumulate_job *j, size_t at, size_t lanes);
} cumulate_job;

/* NEXT of a, the result so far, and v. */
#define CUMULATE(name, type, FIRST, NEXT)                                              \
  static void name(const cumulate_job *const j, const size_t at, const size_t lanes) { \
    type acc[LANES];                                                                   \
    for (size_t l = 0; l < lanes; l++) {                                               \
      acc[l] = (FIRST);                                                                \
    }                                                                                  \
    for (size_t i = 0; i < j->n; i++) {                                                \
      const size_t row = at + (j->reverse ? j->n - 1 - i : i) * j->inner;              \
      for (size_t l = 0; l < lanes; l++) {                                             \
        const type a = acc[l], v = ((const type *)(const void *)j->x)[row + l];        \
        acc[l] = (type)(NEXT);                                                         \
        ((type *)(void *)j->out)[row + l] = j->exclusive ? a : acc[l];                 \
      }                                                                                \
    }                                                                                  \
  }

/* Integers wrap: those of two's complement are counted without a sign. */
#define BOTH(suffix, type)                   \
  CUMULATE(cum_sum_##suffix, type, 0, a + v) \
  CUMULATE(cum_prod_##suffix, type, 1, a *v)
BOTH(f32, float)
BOTH(f64, double)
BOTH(x32, uint32_t)
BOTH(x64, uint64_t)

typedef void (*cumulate_kind[TARE_BF16 + 1])(const cumulate_job *j, size_t at, size_t lanes);

#define TYPES(name)                                                            \
  {                                                                            \
    [TARE_F32] = name##_f32, [TARE_F64] = name##_f64, [TARE_I32] = name##_x32, \
    [TARE_I64] = name##_x64, [TARE_U32] = name##_x32, [TARE_U64] = name##_x64  \
  }

static const cumulate_kind sum_kind = TYPES(cum_sum), prod_kind = TYPES(cum_prod);

static tare_status cumulate_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                    tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return sum_kind[dtype] ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static void cumulate_block_range(const void *const user, const size_t first, const size_t end,
                                 const int thread) {
  (void)thread;
  const cumulate_job *const j = user;
  for (size_t i = first; i < end; i++) {
    const size_t lane = i % j->blocks * LANES;
    j->fn(j, i / j->blocks * j->n * j->inner + lane,
          j->inner - lane < LANES ? j->inner - lane : LANES);
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
                    .fn = of[x->dtype]};
  for (int d = axis + 1; d < x->rank; d++) {
    j.inner *= (size_t)x->dims[d];
  }
  j.blocks = (j.inner + LANES - 1) / LANES;
  const size_t row = j.n * j.inner;
  const size_t outer = row ? (size_t)tare_tensor_count(x) / row : 0;
  tarei_row_ranges(r, outer * j.blocks, j.n * LANES, 4096, cumulate_block_range, &j);
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
