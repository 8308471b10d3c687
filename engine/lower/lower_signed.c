/* Abs and Neg, which integers have too. */
#include "engine/lower/elementwise.h"
#include "engine/lower/operands.h"

typedef struct job {
  const tarei_run *run;
  tarei_unary op;
  const void *x;
  void *out;
} job;

static void float_chunk(const void *const user, const size_t first, const size_t n) {
  const job *const j = user;
  j->run->kernels->unary(j->op, 0, 0, (const float *)j->x + first, n, (float *)j->out + first);
}

#define INTEGER_CHUNK(name, type, wide)                                          \
  static void name(const void *const user, const size_t first, const size_t n) { \
    const job *const j = user;                                                   \
    const type *const x = (const type *)j->x + first;                            \
    type *const out = (type *)j->out + first;                                    \
    for (size_t i = 0; i < n; i++) {                                             \
      const bool flip = j->op == TAREI_UNARY_NEG || x[i] < 0;                    \
      out[i] = flip ? (type)(0 - (wide)x[i]) : x[i];                             \
    }                                                                            \
  }
INTEGER_CHUNK(int64_chunk, int64_t, uint64_t)
INTEGER_CHUNK(int32_chunk, int32_t, uint32_t)

static tarei_chunk_fn chunk_of(const tare_dtype dtype) {
  return dtype == TARE_F32   ? float_chunk
         : dtype == TARE_I64 ? int64_chunk
         : dtype == TARE_I32 ? int32_chunk
                             : NULL;
}

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return chunk_of(dtype) ? TARE_OK
                         : tarei_refuse_dtype(dtype, err);
}

#define SIGNED(id, kind)                                                                          \
  static tare_status run_##id(const tarei_step *const step, const tarei_run *const r,             \
                              tare_error *const err) {                                            \
    (void)step;                                                                                   \
    (void)err;                                                                                    \
    const job j = {r, TAREI_UNARY_##kind, r->in[0]->data, r->out[0]->data};                       \
    tarei_chunks(r, (size_t)tare_tensor_count(r->in[0]), chunk_of(r->in[0]->dtype), &j);          \
    return TARE_OK;                                                                               \
  }                                                                                               \
  const tarei_lowering tarei_lower_##id = {.prepare = prepare, .run = run_##id};

SIGNED(abs, ABS)
SIGNED(neg, NEG)
