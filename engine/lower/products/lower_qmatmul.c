/* int8 product of two activations: A u8 with any zero point, B u8, packed to s8 at run time, for
 * which 128 is taken away. Where B has another zero point z, each row of A lacks (z - 128) times
 * its sum, which is added as a residual. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/lower/fused.h"
#include "engine/lower/products/products.h"

typedef struct qmatmul_state {
  tarei_fused fused;
  bool trans_b;
  int32_t a_zero_point, b_beyond; /* what the zero point of B is beyond 128 */
} qmatmul_state;

typedef struct qmatmul_job {
  const qmatmul_state *s;
  const tarei_run *run;
  tarei_epilogue epilogue;
  float mult; /* scale(A) * scale(B), with the output scale where it folds */
} qmatmul_job;

#define CORRECTED_ROWS ((size_t)64) /* at a time: what is added to them stays in L2 */

/* A thread's scratch: packed B, its column sums, the factor for each column, what is added to rows.
 */
typedef struct qmatmul_layout {
  size_t packed, sums, factors, total;
} qmatmul_layout;

static qmatmul_layout qmatmul_layout_of(const tarei_product *const p, const bool corrected) {
  qmatmul_layout l;
  const size_t columns = tarei_round_up(p->n, TAREI_I8_PANEL);
  l.packed = tarei_round_up(tarei_i8_packed_size(p->k, p->n), TAREI_ALIGN);
  l.sums = tarei_plus(l.packed, tarei_round_up(columns * sizeof(int32_t), TAREI_ALIGN));
  l.factors = tarei_plus(l.sums, tarei_round_up(columns * sizeof(float), TAREI_ALIGN));
  const size_t rows = p->m < CORRECTED_ROWS ? p->m : CORRECTED_ROWS;
  const size_t added = tarei_times(rows * sizeof(float), p->n);
  l.total = tarei_plus(l.factors, corrected ? tarei_round_up(added, TAREI_ALIGN) : 0);
  return l;
}

static tare_status qmatmul_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                   tare_error *const err) {
  (void)blobs;
  qmatmul_state *const s = step->state;
  TAREI_TRY(tarei_fused_read(step, &s->fused, err));
  TAREI_TRY(tarei_want_scales(step, step->node->in[0], err));
  TAREI_TRY(tarei_want_scales(step, step->node->in[1], err));
  s->trans_b = tarei_attr_int(step->node, "trans_b", 0) != 0;
  s->a_zero_point = tarei_u8_zero_point(step->graph, step->node->in[0]);
  s->b_beyond = tarei_u8_zero_point(step->graph, step->node->in[1]) - 128;
  return TARE_OK;
}

static void qmatmul_pack(const void *const user, const tarei_product *const p, const size_t b,
                         void *const memory) {
  const qmatmul_job *const j = user;
  const qmatmul_layout l = qmatmul_layout_of(p, j->s->b_beyond != 0);
  int32_t *const add = (int32_t *)((char *)memory + l.packed);
  float *const mult = (float *)((char *)memory + l.sums);
  j->run->kernels->i8_pack_u8((const uint8_t *)j->run->in[1]->data + b * p->k * p->n,
                              p->trans_b ? p->k : p->n, p->trans_b, p->k, p->n, 128, memory, add);
  for (size_t i = 0; i < tarei_round_up(p->n, TAREI_I8_PANEL); i++) {
    add[i] *= -j->s->a_zero_point;
    mult[i] = j->mult;
  }
}

/* Fills in what m rows of A lack, times the factor of the product. */
static void fill_correction(const qmatmul_job *const j, const tarei_product *const p,
                            const uint8_t *const a, const size_t m, float *const out) {
  for (size_t i = 0; i < m; i++) {
    int64_t sum = -(int64_t)p->k * j->s->a_zero_point;
    for (size_t k = 0; k < p->k; k++) {
      sum += a[i * p->k + k];
    }
    const float lacks = (float)(-(double)sum * j->s->b_beyond * (double)j->mult);
    for (size_t n = 0; n < p->n; n++) {
      out[i * p->n + n] = lacks;
    }
  }
}

static void corrected(const qmatmul_job *const j, const tarei_product *const p,
                      const tarei_i8_gemm *const all, float *const correction) {
  for (size_t first = 0; first < all->m; first += CORRECTED_ROWS) {
    tarei_i8_gemm g = *all;
    g.a += first * g.lda;
    g.m = all->m - first < CORRECTED_ROWS ? all->m - first : CORRECTED_ROWS;
    fill_correction(j, p, g.a, g.m, correction);
    const float *const mult = g.epilogue.mult;
    g.epilogue = tarei_epilogue_at(&all->epilogue, first, 0);
    g.epilogue.mult = mult;
    g.epilogue.residual = correction;
    g.epilogue.ld_residual = p->n;
    g.epilogue.act_last = true;
    j->run->kernels->i8_gemm(&g);
  }
}

static void qmatmul_rows(const void *const user, const tarei_product *const p,
                         const tarei_product_rows *const r, void *const packed) {
  const qmatmul_job *const j = user;
  const qmatmul_layout l = qmatmul_layout_of(p, j->s->b_beyond != 0);
  tarei_i8_gemm gemm = {.a = (const uint8_t *)j->run->in[0]->data + (r->a * p->m + r->first) * p->k,
                        .lda = p->k,
                        .m = r->m,
                        .k = p->k,
                        .n = p->n,
                        .b = packed,
                        .add = (const int32_t *)((const char *)packed + l.packed),
                        .epilogue = tarei_epilogue_at(&j->epilogue, r->batch * p->m + r->first, 0)};
  gemm.epilogue.mult = (const float *)((const char *)packed + l.sums);
  if (j->s->b_beyond) {
    corrected(j, p, &gemm, (float *)(void *)((char *)packed + l.factors));
  } else {
    j->run->kernels->i8_gemm(&gemm);
  }
}

static tarei_product_form qmatmul_form_of(const tarei_product *const p,
                                          const qmatmul_state *const s) {
  return (tarei_product_form){qmatmul_layout_of(p, s->b_beyond != 0).total, qmatmul_pack,
                              qmatmul_rows};
}

static size_t qmatmul_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                              const tare_tensor *const *const out, const int threads) {
  (void)out;
  tarei_product p;
  tarei_product_read(in[0], in[1], ((const qmatmul_state *)step->state)->trans_b, &p);
  const tarei_product_form form = qmatmul_form_of(&p, step->state);
  return tarei_product_scratch(&form, threads);
}

static tare_status qmatmul_run(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  const qmatmul_state *const s = step->state;
  tarei_product p;
  tarei_product_read(r->in[0], r->in[1], s->trans_b, &p);
  TAREI_TRY(tarei_product_check(&p, r->in[0], r->in[1], r->out[0], err));
  TAREI_TRY(tarei_want_int8_sum(p.k, err));
  qmatmul_job j = {.s = s, .run = r};
  j.epilogue = tarei_fused_epilogue(&s->fused, step, r, NULL, p.n);
  const double scale = (double)tarei_u8_scale(step->graph, step->node->in[0], r->profile) *
                       (double)tarei_u8_scale(step->graph, step->node->in[1], r->profile);
  if (tarei_requant_folds(&s->fused, false)) {
    const int value = step->node->out[s->fused.u8_output];
    const double unit = (double)tarei_u8_scale(step->graph, value, r->profile);
    j.mult = (float)(scale / unit);
    tarei_requant_fold(&j.epilogue, unit);
  } else {
    j.mult = (float)scale;
  }
  const tarei_product_form form = qmatmul_form_of(&p, step->state);
  tarei_product_run(&p, r, &form, &j);
  return TARE_OK;
}

TAREI_KERNEL_OF(qmatmul_kernel, i8_gemm)

const tarei_lowering tarei_lower_qmatmul = {.state_bytes = sizeof(qmatmul_state),
                                            .prepare = qmatmul_prepare,
                                            .scratch = qmatmul_scratch,
                                            .run = qmatmul_run,
                                            .operations = tarei_operations_by_row,
                                            .kernel = qmatmul_kernel};
