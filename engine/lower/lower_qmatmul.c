/* int8 product of two activations: A u8 with any zero point, B u8 around 128 (symmetric), packed to
 * s8 at run time. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/lower/fused.h"
#include "engine/lower/products.h"

typedef struct state {
  tarei_fused fused;
  bool trans_b;
  int32_t a_zero_point;
} state;

typedef struct job {
  const state *s;
  const tarei_run *run;
  tarei_epilogue epilogue;
  float mult; /* scale(A) * scale(B), with the output scale where it folds */
} job;

/* A thread's scratch: packed B, its column sums, the factor for each column. */
typedef struct layout {
  size_t packed, sums, total;
} layout;

static layout layout_of(const tarei_product *const p) {
  layout l;
  const size_t columns = tarei_round_up(p->n, TAREI_I8_PANEL);
  l.packed = tarei_round_up(tarei_i8_packed_size(p->k, p->n), TAREI_ALIGN);
  l.sums = l.packed + tarei_round_up(columns * sizeof(int32_t), TAREI_ALIGN);
  l.total = l.sums + tarei_round_up(columns * sizeof(float), TAREI_ALIGN);
  return l;
}

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  state *const s = tarei_calloc(1, sizeof *s);
  step->state = s;
  if (!s) {
    return tarei_fail_memory(err, "product", sizeof *s);
  }
  TARE_TRY(tarei_fused_read(step, &s->fused, err));
  TARE_TRY(tarei_want_scales(step, step->node->in[0], err));
  TARE_TRY(tarei_want_scales(step, step->node->in[1], err));
  s->trans_b = tarei_attr_int(step->node, "trans_b", 0) != 0;
  s->a_zero_point = tarei_u8_zero_point(step->graph, step->node->in[0]);
  if (tarei_u8_zero_point(step->graph, step->node->in[1]) != 128) {
    return tarei_fail(err, TARE_E_MODEL, "the second operand must be quantized symmetrically");
  }
  return TARE_OK;
}

static void pack(const void *const user, const tarei_product *const p, const size_t b,
                 void *const memory) {
  const job *const j = user;
  const layout l = layout_of(p);
  int32_t *const add = (int32_t *)((char *)memory + l.packed);
  float *const mult = (float *)((char *)memory + l.sums);
  j->run->kernels->i8_pack_u8((const uint8_t *)j->run->in[1]->data + b * p->k * p->n,
                              p->trans_b ? p->k : p->n, p->trans_b, p->k, p->n, 128, memory, add);
  for (size_t i = 0; i < tarei_round_up(p->n, TAREI_I8_PANEL); i++) {
    add[i] *= -j->s->a_zero_point;
    mult[i] = j->mult;
  }
}

static void rows(const void *const user, const tarei_product *const p,
                 const tarei_product_rows *const r, const void *const packed) {
  const job *const j = user;
  const layout l = layout_of(p);
  tarei_i8_gemm gemm = {
      .a = (const uint8_t *)j->run->in[0]->data + (r->a * p->m + r->first) * p->k,
      .lda = p->k,
      .m = r->m,
      .k = p->k,
      .n = p->n,
      .b = packed,
      .add = (const int32_t *)((const char *)packed + l.packed),
      .epilogue = tarei_epilogue_at(&j->epilogue, r->batch * p->m + r->first, 0)};
  gemm.epilogue.mult = (const float *)((const char *)packed + l.sums);
  j->run->kernels->i8_gemm(&gemm);
}

static tarei_product_form form_of(const tarei_product *const p) {
  return (tarei_product_form){layout_of(p).total, pack, rows};
}

static size_t scratch(const tarei_step *const step, const tare_tensor *const *const in,
                      const tare_tensor *const *const out, const int threads) {
  (void)out;
  tarei_product p;
  tarei_product_read(in[0], in[1], ((const state *)step->state)->trans_b, &p);
  const tarei_product_form form = form_of(&p);
  return tarei_product_scratch(&form, threads);
}

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  const state *const s = step->state;
  tarei_product p;
  tarei_product_read(r->in[0], r->in[1], s->trans_b, &p);
  TARE_TRY(tarei_product_check(&p, r->in[0], r->in[1], r->out[0], err));
  job j = {.s = s, .run = r};
  j.epilogue = tarei_fused_epilogue(&s->fused, step, r, NULL, p.n);
  const double scale = (double)tarei_u8_scale(step->graph, step->node->in[0], r->profile) *
                       (double)tarei_u8_scale(step->graph, step->node->in[1], r->profile);
  if (tarei_requant_folds(&s->fused, false)) {
    const int value = step->node->out[s->fused.u8_output];
    j.mult = (float)(scale / (double)tarei_u8_scale(step->graph, value, r->profile));
    j.epilogue.inv_scale = 1.0f;
  } else {
    j.mult = (float)scale;
  }
  const tarei_product_form form = form_of(&p);
  tarei_product_run(&p, r, &form, &j);
  return TARE_OK;
}

static const char *kernel(const tarei_step *const step, const tarei_kernels *const k) {
  (void)step;
  return k->i8_gemm_name;
}

const tarei_lowering tarei_lower_qmatmul = {
    .prepare = prepare, .scratch = scratch, .run = run, .kernel = kernel};
