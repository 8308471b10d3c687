/* Product of two tensors, broadcast over the leading dims; of floats also in bf16. */
#include "base/mem.h"
#include "engine/lower/products/bf16_products.h"
#include "engine/lower/products/product_any.h"
#include "engine/lower/products/products.h"
#include "engine/threads.h"

#define LEAST_DOTS 16384 /* elements of rows that are worth a claim */

typedef struct matmul_state {
  bool bf16;
} matmul_state;

static void matmul_pack(const void *const user, const tarei_product *const p, const size_t b,
                        void *const packed) {
  const tarei_run *const run = user;
  run->kernels->f32_pack((const float *)run->in[1]->data + b * p->k * p->n, p->n, false, p->k, p->n,
                         packed);
}

static tarei_f32_gemm matmul_gemm_of(const tarei_run *const run, const tarei_product *const p,
                                     const tarei_product_rows *const r) {
  return (tarei_f32_gemm){
      .a = (const float *)run->in[0]->data + (r->a * p->m + r->first) * p->k,
      .lda = p->k,
      .m = r->m,
      .k = p->k,
      .n = p->n,
      .epilogue = {.out_f32 = (float *)run->out[0]->data + (r->batch * p->m + r->first) * p->n,
                   .ld_f32 = p->n}};
}

static void matmul_rows(const void *const user, const tarei_product *const p,
                        const tarei_product_rows *const r, void *const packed) {
  const tarei_run *const run = user;
  tarei_f32_gemm gemm = matmul_gemm_of(run, p, r);
  gemm.b = packed;
  run->kernels->f32_gemm(&gemm);
}

/* What is packed in bf16; the rounded rows follow it. */
static size_t matmul_bf16_packed(const tarei_product *const p) {
  return tarei_round_up(tarei_bf16_packed_size(p->k, p->n), TAREI_ALIGN);
}

static void matmul_pack_bf16(const void *const user, const tarei_product *const p, const size_t b,
                             void *const packed) {
  const tarei_run *const run = user;
  run->kernels->bf16_pack((const float *)run->in[1]->data + b * p->k * p->n, p->n, false, p->k,
                          p->n, packed);
}

static void matmul_rows_bf16(const void *const user, const tarei_product *const p,
                             const tarei_product_rows *const r, void *const packed) {
  const tarei_run *const run = user;
  const tarei_f32_gemm gemm = matmul_gemm_of(run, p, r);
  tarei_bf16_multiply(&gemm, packed, run->kernels, (char *)packed + matmul_bf16_packed(p));
}

/* Where B is small, or read by few rows, or has few columns, packing it would take longer than the
 * product. The scratch has room for a packed B all the same: at the largest dims a product may be
 * direct that is not at others. */
static bool matmul_is_direct(const tarei_product *const p) {
  enum { FEW_ROWS = 3, FEW_COLUMNS = 7, NEAR = 65536 }; /* NEAR: floats that come fast */
  return p->m <= FEW_ROWS || p->n <= FEW_COLUMNS || p->k <= NEAR / p->n;
}

/* The matrix of B that an item reads, as it is. */
static void point_to(const void *const user, const tarei_product *const p, const size_t b,
                     void *const packed) {
  const tarei_run *const run = user;
  const size_t element = tare_dtype_size(run->in[1]->dtype);
  *(const void **)packed = (const char *)run->in[1]->data + b * p->k * p->n * element;
}

static void matmul_rows_direct(const void *const user, const tarei_product *const p,
                               const tarei_product_rows *const r, void *const packed) {
  const tarei_run *const run = user;
  const tarei_f32_gemm gemm = matmul_gemm_of(run, p, r);
  const tarei_direct_product product = {.a = gemm.a,
                                        .b = *(const float *const *)packed,
                                        .lda = gemm.lda,
                                        .ldb = p->n,
                                        .ld_out = p->n,
                                        .m = gemm.m,
                                        .k = p->k,
                                        .n = p->n,
                                        .out = gemm.epilogue.out_f32};
  run->kernels->direct_product(&product);
}

/* Products of a row and a column each, for all leading dims. */
static bool matmul_is_dots(const tarei_product *const p) {
  return p->m == 1 && p->n == 1 && p->n_leading == 1;
}

typedef struct dots_job {
  const tarei_run *run;
  const tarei_product *p;
} dots_job;

static void matmul_dots_range(const void *const user, const size_t first, const size_t end,
                              const int thread) {
  (void)thread;
  const dots_job *const j = user;
  const tarei_run *const run = j->run;
  const size_t lda = j->p->a_step[0] * j->p->k, ldb = j->p->b_step[0] * j->p->k;
  const tarei_dots dots = {.a = (const float *)run->in[0]->data + first * lda,
                           .b = (const float *)run->in[1]->data + first * ldb,
                           .lda = lda,
                           .ldb = ldb,
                           .m = end - first,
                           .k = j->p->k,
                           .out = (float *)run->out[0]->data + first};
  run->kernels->dots(&dots);
}

static void matmul_rows_any(const void *const user, const tarei_product *const p,
                            const tarei_product_rows *const r, void *const packed) {
  const tarei_run *const run = user;
  const size_t element = tare_dtype_size(run->in[0]->dtype);
  const tarei_product_any product = {
      .a = (const char *)run->in[0]->data + (r->a * p->m + r->first) * p->k * element,
      .b = *(const void *const *)packed,
      .a_row = p->k,
      .a_k = 1,
      .b_k = p->n,
      .b_column = 1,
      .m = r->m,
      .k = p->k,
      .n = p->n,
      .out = (char *)run->out[0]->data + (r->batch * p->m + r->first) * p->n * element};
  tarei_product_any_of(run->in[0]->dtype)(&product);
}

static bool matmul_is_f32(const tarei_step *const step) {
  const matmul_state *const s = step->state;
  return !s->bf16 && step->graph->values[step->node->in[0]].dtype == TARE_F32;
}

static tarei_product_form matmul_form_of(const tarei_step *const step,
                                         const tarei_product *const p) {
  const matmul_state *const s = step->state;
  if (s->bf16) {
    return (tarei_product_form){tarei_plus(matmul_bf16_packed(p), tarei_bf16_scratch(p->k)),
                                matmul_pack_bf16, matmul_rows_bf16};
  }
  if (!matmul_is_f32(step)) {
    return (tarei_product_form){sizeof(void *), point_to, matmul_rows_any};
  }
  const size_t packed = tarei_f32_packed_size(p->k, p->n);
  const size_t bytes = packed > sizeof(void *) ? packed : sizeof(void *);
  return matmul_is_direct(p) ? (tarei_product_form){bytes, point_to, matmul_rows_direct}
                             : (tarei_product_form){bytes, matmul_pack, matmul_rows};
}

static size_t matmul_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                             const tare_tensor *const *const out, const int threads) {
  (void)out;
  tarei_product p;
  tarei_product_read(in[0], in[1], false, &p);
  const tarei_product_form form = matmul_form_of(step, &p);
  return tarei_product_scratch(&form, threads);
}

static tare_status matmul_run(const tarei_step *const step, const tarei_run *const r,
                              tare_error *const err) {
  tarei_product p;
  tarei_product_read(r->in[0], r->in[1], false, &p);
  TAREI_TRY(tarei_product_check(&p, r->in[0], r->in[1], r->out[0], err));
  tarei_product_join(&p);
  if (matmul_is_f32(step) && matmul_is_dots(&p)) {
    tarei_row_ranges(r, p.batch, p.k, LEAST_DOTS, matmul_dots_range, &(dots_job){r, &p});
    return TARE_OK;
  }
  const tarei_product_form form = matmul_form_of(step, &p);
  tarei_product_run(&p, r, &form, r);
  return TARE_OK;
}

static tare_status matmul_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                  tare_error *const err) {
  (void)blobs;
  matmul_state *const s = step->state;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  TAREI_TRY(tarei_bf16_read(step->node, &s->bf16, err));
  if (s->bf16 && dtype != TARE_F32) {
    return tarei_fail(err, TARE_E_MODEL, "products of %s cannot be in bf16: expected float32",
                      tare_dtype_name(dtype));
  }
  return dtype == TARE_F32 || tarei_product_any_of(dtype)
             ? TARE_OK
             : tarei_fail(err, TARE_E_UNSUPPORTED, "products of %s are not supported",
                          tare_dtype_name(dtype));
}

static const char *matmul_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  if (((const matmul_state *)step->state)->bf16) {
    return k->bf16_gemm_name;
  }
  return step->graph->values[step->node->in[0]].dtype == TARE_F32 ? k->f32_gemm_name : "";
}

const tarei_lowering tarei_lower_matmul = {.state_bytes = sizeof(matmul_state),
                                           .prepare = matmul_prepare,
                                           .scratch = matmul_scratch,
                                           .run = matmul_run,
                                           .operations = tarei_operations_by_row,
                                           .kernel = matmul_kernel};
