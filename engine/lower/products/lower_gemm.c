/* Gemm with operands that are both computed; with constant weights it is a linear layer by now.
 * Y = alpha * op(A) . op(B) + beta * C. */
#include "base/mem.h"
#include "engine/lower/elementwise/elementwise.h"
#include "engine/lower/products/grid.h"
#include "engine/lower/operands.h"
#include "engine/lower/products/product_any.h"
#include "engine/threads.h"
#include "graph/ops/ops_common.h"

#define LEAST_TURNED 16384 /* floats that are worth a claim */

typedef struct gemm_sizes {
  size_t m, k, n;
  bool trans_a, trans_b;
  size_t b_bytes, a_bytes; /* of scratch: packed B, then A by rows where it is transposed */
} gemm_sizes;

typedef struct gemm_job {
  const tarei_run *run;
  gemm_sizes s;
  const float *a, *b, *bias; /* bias: NULL or C, where that is a row which is added as it is */
} gemm_job;

static gemm_sizes gemm_sizes_of(const tarei_step *const step, const tare_tensor *const *const in) {
  gemm_sizes s = {.trans_a = tarei_attr_int(step->node, "transA", 0) != 0,
                  .trans_b = tarei_attr_int(step->node, "transB", 0) != 0};
  s.m = (size_t)in[0]->dims[s.trans_a ? 1 : 0];
  s.k = (size_t)in[0]->dims[s.trans_a ? 0 : 1];
  s.n = (size_t)in[1]->dims[s.trans_b ? 0 : 1];
  if (in[0]->dtype == TARE_F32) {
    s.b_bytes = tarei_round_up(tarei_f32_packed_size(s.k, s.n), TAREI_ALIGN);
    s.a_bytes = s.trans_a ? tarei_times(s.m * s.k, sizeof(float)) : 0;
  }
  return s;
}

static size_t gemm_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                           const tare_tensor *const *const out, const int threads) {
  (void)out;
  (void)threads;
  const gemm_sizes s = gemm_sizes_of(step, in);
  return tarei_plus(s.b_bytes, s.a_bytes);
}

static tare_status gemm_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  const float alpha = tarei_attr_float(step->node, "alpha", 1);
  const float beta = tarei_attr_float(step->node, "beta", 1);
  if (tarei_ops_is_integer(dtype) && (alpha != 1 || (beta != 0 && beta != 1))) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "integer products need alpha and beta of 1, got alpha %g and beta %g",
                      (double)alpha, (double)beta);
  }
  return dtype == TARE_F32 || tarei_product_any_of(dtype) ? TARE_OK
                                                          : tarei_refuse_dtype(dtype, err);
}

static void pack_b(const gemm_sizes *const s, const tarei_run *const r, const float alpha,
                   float *const packed) {
  const size_t floats = tarei_f32_packed_size(s->k, s->n) / sizeof(float);
  r->kernels->f32_pack(r->in[1]->data, s->trans_b ? s->k : s->n, s->trans_b, s->k, s->n, packed);
  for (size_t i = 0; alpha != 1.0f && i < floats; i++) {
    packed[i] *= alpha;
  }
}

typedef struct turned_rows {
  const gemm_job *job;
  float *out;
} turned_rows;

/* Rows of A where they are the columns of what is given. */
static void gemm_turn_rows(const void *const user, const size_t first, const size_t end,
                           const int thread) {
  (void)thread;
  const turned_rows *const t = user;
  const gemm_job *const j = t->job;
  const size_t m = j->s.m, k = j->s.k;
  const tarei_turn turn = {.element = sizeof(float),
                           .from = j->a + first,
                           .from_step = m,
                           .to = t->out + first * k,
                           .to_step = k,
                           .rows = end - first,
                           .columns = k,
                           .count = 1};
  j->run->kernels->transpose(&turn);
}

static void gemm_block(const void *const user, const tarei_block *const b, const int thread) {
  (void)thread;
  const gemm_job *const j = user;
  const tarei_f32_gemm gemm = {
      .a = j->a + b->row * j->s.k,
      .lda = j->s.k,
      .m = b->m,
      .k = j->s.k,
      .n = b->n,
      .b = j->b + b->column * j->s.k,
      .epilogue = {.out_f32 = (float *)j->run->out[0]->data + b->row * j->s.n + b->column,
                   .ld_f32 = j->s.n,
                   .bias = j->bias ? j->bias + b->column : NULL}};
  j->run->kernels->f32_gemm(&gemm);
}

/* alpha * A . B of floats. */
static void gemm_multiply_f32(gemm_job *const j, const float alpha) {
  const tarei_run *const r = j->run;
  float *const transposed = (float *)(void *)((char *)r->scratch + j->s.b_bytes);
  j->a = r->in[0]->data;
  j->b = r->scratch;
  pack_b(&j->s, r, alpha, r->scratch);
  if (j->s.trans_a) {
    tarei_row_ranges(r, j->s.m, j->s.k, LEAST_TURNED, gemm_turn_rows,
                     &(turned_rows){j, transposed});
    j->a = transposed;
  }
  const size_t bytes = j->s.k * sizeof(float);
  tarei_grid_run(&(tarei_grid){j->s.m, j->s.n, bytes, bytes, r->kernels->f32_gemm_isa}, r,
                 gemm_block, j);
}

static void gemm_rows_any(const void *const user, const size_t first, const size_t end,
                          const int thread) {
  (void)thread;
  const gemm_job *const j = user;
  const tare_dtype dtype = j->run->in[0]->dtype;
  const size_t element = tare_dtype_size(dtype), step = j->s.trans_a ? 1 : j->s.k;
  const tarei_product_any product = {
      .a = (const char *)j->run->in[0]->data + first * step * element,
      .b = j->run->in[1]->data,
      .a_row = step,
      .a_k = j->s.trans_a ? j->s.m : 1,
      .b_k = j->s.trans_b ? 1 : j->s.n,
      .b_column = j->s.trans_b ? j->s.k : 1,
      .m = end - first,
      .k = j->s.k,
      .n = j->s.n,
      .out = (char *)j->run->out[0]->data + first * j->s.n * element};
  tarei_product_any_of(dtype)(&product);
}

/* Whole numbers have no factors here: see prepare. */
static void multiply_any(gemm_job *const j, const float alpha) {
  const tare_tensor *const out = j->run->out[0];
  tarei_row_ranges(j->run, j->s.m, j->s.k * j->s.n, 4096, gemm_rows_any, j);
  const int64_t n = out->dtype == TARE_F64 && alpha != 1 ? tare_tensor_count(out) : 0;
  for (int64_t i = 0; i < n; i++) {
    ((double *)out->data)[i] *= (double)alpha;
  }
}

typedef struct addend {
  const void *c;
  float beta;
  void *out;
} addend;

#define ADD_ROW(name, type, factor)                                                         \
  static void name(const void *const user, const tarei_broadcast *const b, const size_t at, \
                   const size_t *const offset) {                                            \
    const addend *const a = user;                                                           \
    const type *const c = (const type *)a->c + offset[0];                                   \
    type *const out = (type *)a->out + at;                                                  \
    for (size_t i = 0; i < b->n; i++) {                                                     \
      out[i] += (factor)*c[i * b->step[0]];                                                 \
    }                                                                                       \
  }
ADD_ROW(add_f32, float, a->beta)
ADD_ROW(add_f64, double, (double)a->beta)
ADD_ROW(add_32, uint32_t, 1u)
ADD_ROW(add_64, uint64_t, 1u)

static tarei_broadcast_fn add_of(const tare_dtype dtype) {
  return dtype == TARE_F32             ? add_f32
         : dtype == TARE_F64           ? add_f64
         : tare_dtype_size(dtype) == 4 ? add_32
                                       : add_64;
}

/* C, or NULL where it is not there or does not count. */
static const tare_tensor *addend_of(const tarei_step *const step, const tarei_run *const r,
                                    const float beta) {
  return step->node->n_in > 2 && beta != 0 ? r->in[2] : NULL;
}

static bool is_bias(const tare_tensor *const c, const float beta, const size_t n) {
  return c && c->dtype == TARE_F32 && beta == 1 && c->rank > 0 &&
         (size_t)c->dims[c->rank - 1] == n && (size_t)tare_tensor_count(c) == n;
}

static tare_status gemm_run(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  gemm_job j = {.run = r, .s = gemm_sizes_of(step, r->in)};
  const int64_t b_rows = r->in[1]->dims[j.s.trans_b ? 1 : 0];
  if ((size_t)b_rows != j.s.k) {
    return tarei_fail(err, TARE_E_SHAPE, "rows of A have %zu elements, but columns of B have %lld",
                      j.s.k, (long long)b_rows);
  }
  const tare_dtype dtype = r->in[0]->dtype;
  const float alpha = tarei_attr_float(step->node, "alpha", 1);
  const float beta = tarei_attr_float(step->node, "beta", 1);
  const tare_tensor *const c = addend_of(step, r, beta);
  if (dtype == TARE_F32) {
    j.bias = is_bias(c, beta, j.s.n) ? c->data : NULL;
    gemm_multiply_f32(&j, alpha);
  } else {
    multiply_any(&j, alpha);
  }
  if (c && !j.bias) {
    tarei_broadcast layout;
    TAREI_TRY(tarei_broadcast_read(&c, 1, r->out[0], &layout, err));
    tarei_broadcast_run(&layout, r, add_of(dtype), &(addend){c->data, beta, r->out[0]->data});
  }
  return TARE_OK;
}

static const char *gemm_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  return step->graph->values[step->node->in[0]].dtype == TARE_F32 ? k->f32_gemm_name : "";
}

const tarei_lowering tarei_lower_gemm = {.prepare = gemm_prepare,
                                         .scratch = gemm_scratch,
                                         .run = gemm_run,
                                         .operations = tarei_operations_by_gemm,
                                         .kernel = gemm_kernel};
