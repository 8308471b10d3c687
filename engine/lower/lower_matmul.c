/* Float product of two tensors, broadcast over the leading dims. */
#include "base/mem.h"
#include "engine/lower/products.h"

typedef struct job {
  const tarei_run *run;
} job;

static size_t scratch(const tarei_step *const step, const tare_tensor *const *const in,
                      const tare_tensor *const *const out, const int threads) {
  (void)step;
  (void)out;
  tarei_product p;
  tarei_product_read(in[0], in[1], false, &p);
  return tarei_round_up(tarei_f32_packed_size(p.k, p.n), TAREI_ALIGN) * (size_t)threads;
}

static void item(const void *const user, const tarei_product *const p, const size_t batch,
                 const size_t a, const size_t b, const size_t first, const size_t m,
                 void *const packed) {
  const tarei_run *const run = ((const job *)user)->run;
  run->kernels->f32_pack((const float *)run->in[1]->data + b * p->k * p->n, p->n, false, p->k, p->n,
                         packed);
  const tarei_f32_gemm gemm = {
      .a = (const float *)run->in[0]->data + (a * p->m + first) * p->k,
      .lda = p->k,
      .m = m,
      .k = p->k,
      .n = p->n,
      .b = packed,
      .epilogue = {.out_f32 = (float *)run->out[0]->data + (batch * p->m + first) * p->n,
                   .ld_f32 = p->n}};
  run->kernels->f32_gemm(&gemm);
}

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  (void)step;
  const job j = {r};
  tarei_product p;
  tarei_product_read(r->in[0], r->in[1], false, &p);
  TARE_TRY(tarei_product_check(&p, r->in[0], r->in[1], r->out[0], err));
  tarei_product_run(&p, r, tarei_round_up(tarei_f32_packed_size(p.k, p.n), TAREI_ALIGN), item, &j);
  return TARE_OK;
}

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return dtype == TARE_F32 ? TARE_OK
                           : tarei_fail(err, TARE_E_UNSUPPORTED, "products of %s are not supported",
                                        tare_dtype_name(dtype));
}

static const char *kernel(const tarei_step *const step, const tarei_kernels *const k) {
  (void)step;
  return k->f32_gemm_name;
}

const tarei_lowering tarei_lower_matmul = {
    .prepare = prepare, .scratch = scratch, .run = run, .kernel = kernel};
