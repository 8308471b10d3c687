/* Scores of u8 queries and s8 keys, with one scale each or with a scale for each row of a head;
 * their softmax as bytes of exp(score - the row's largest); the product with s8 values, each row
 * divided by the sum of its bytes: probabilities need no scale. */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/attention/attention.h"

enum { ZERO_POINT = 128 }; /* of keys and values */

static const uint8_t *attention_i8_input(const tarei_attention *const a, const int i,
                                         const size_t at) {
  return (const uint8_t *)a->run->in[i]->data + at;
}

/* Of rows of a head: `rows` of input i in a batch, from `first` on. */
static void attention_i8_take_scales(const tarei_attention *const a, const int i,
                                     const tarei_attention_block *const b, const size_t rows,
                                     float *const out) {
  const size_t at = tarei_attention_at(a, b->batch, rows, b->first, b->head, 1);
  const float *const scales = (const float *)a->run->in[TAREI_INT8_ROW_SCALES + i]->data + at;
  for (size_t r = 0; r < b->m; r++) {
    out[r] = scales[r * a->heads];
  }
}

static void attention_i8_pack_keys(const tarei_attention *const a, const size_t batch,
                                   const size_t head, char *const scratch) {
  const tarei_attention_layout *const l = &a->layout;
  const size_t at = tarei_attention_at(a, batch, a->keys, 0, head, a->depth);
  int32_t *const sums = (int32_t *)(scratch + l->key_sums);
  a->run->kernels->i8_pack_u8(attention_i8_input(a, 1, at), a->heads * a->depth, true, a->depth,
                              a->keys, ZERO_POINT, (int8_t *)(scratch + l->keys), sums);
  for (size_t i = 0; i < tarei_round_up(a->keys, TAREI_I8_PANEL); i++) {
    sums[i] *= -a->query_zero_point;
  }
}

static void attention_i8_pack_values(const tarei_attention *const a, const size_t batch,
                                     const size_t head, char *const scratch) {
  const tarei_attention_layout *const l = &a->layout;
  int32_t *const sums = (int32_t *)(scratch + l->value_sums);
  a->run->kernels->i8_pack_u8(
      attention_i8_input(a, 2, tarei_attention_at(a, batch, a->keys, 0, head, a->width)),
      a->heads * a->width, false, a->keys, a->width, ZERO_POINT, (int8_t *)(scratch + l->values),
      sums);
  memset(sums, 0, tarei_round_up(a->width, TAREI_I8_PANEL) * sizeof *sums);
}

static void attention_i8_pack(const tarei_attention *const a, const size_t batch, const size_t head,
                              char *const scratch) {
  attention_i8_pack_keys(a, batch, head, scratch);
  attention_i8_pack_values(a, batch, head, scratch);
}

static void attention_i8_pack_rows(const tarei_attention *const a, const size_t batch,
                                   const size_t head, char *const scratch) {
  const tarei_attention_block all = {.batch = batch, .head = head, .m = a->keys};
  attention_i8_take_scales(a, 1, &all, a->keys, (float *)(scratch + a->layout.key_scales));
  attention_i8_pack(a, batch, head, scratch);
}

/* The product of queries and keys, less its first factor. */
static tarei_i8_gemm attention_i8_score(const tarei_attention *const a,
                                        const tarei_attention_block *const b, char *const scratch) {
  const tarei_attention_layout *const l = &a->layout;
  const size_t at = tarei_attention_at(a, b->batch, a->rows, b->first, b->head, a->depth);
  return (tarei_i8_gemm){
      .a = attention_i8_input(a, 0, at),
      .lda = a->heads * a->depth,
      .m = b->m,
      .k = a->depth,
      .n = b->keys,
      .b = (const int8_t *)(scratch + l->keys),
      .add = (const int32_t *)(scratch + l->key_sums),
      .epilogue = {.out_f32 = (float *)(scratch + l->scores), .ld_f32 = l->ld_scores}};
}

/* Of the scores in scratch. */
static void attention_i8_finish(const tarei_attention *const a,
                                const tarei_attention_block *const b, char *const scratch) {
  const tarei_attention_layout *const l = &a->layout;
  uint8_t *const bytes = (uint8_t *)(scratch + l->probabilities);
  float *const factors = (float *)(scratch + l->factors);
  uint32_t *const sums = (uint32_t *)(scratch + l->sums);
  const tarei_softmax_u8 softmax = {.logits = tarei_attention_logits(a, b, scratch),
                                    .out = bytes,
                                    .ld_out = l->ld_probabilities,
                                    .sums = sums};
  a->run->kernels->softmax_u8(&softmax);
  for (size_t r = 0; r < b->m; r++) { /* a row masked all over gives zeros */
    const bool empty = !sums[r] || tarei_attention_is_empty(a, b, r);
    factors[r] = empty ? 0.0f : a->value_scale / (float)sums[r];
  }
  const size_t columns = tarei_attention_columns(a, b), row = b->batch * a->rows + b->first;
  for (size_t n0 = 0; n0 < a->width; n0 += columns) {
    tarei_i8_gemm product = {
        .a = bytes,
        .lda = l->ld_probabilities,
        .m = b->m,
        .k = b->keys,
        .n = a->width - n0 < columns ? a->width - n0 : columns,
        .b = (const int8_t *)(scratch + l->values) + tarei_i8_packed_size(a->keys, n0),
        .add = (const int32_t *)(scratch + l->value_sums) + n0,
        .epilogue = tarei_epilogue_at(&a->epilogue, row, b->head * a->width + n0)};
    product.epilogue.row_mult = factors;
    a->run->kernels->i8_gemm(&product);
  }
}

static void attention_i8_rows(const tarei_attention *const a, const tarei_attention_block *const b,
                              char *const scratch) {
  const tarei_i8_gemm score = attention_i8_score(a, b, scratch);
  a->run->kernels->i8_gemm(&score);
  attention_i8_finish(a, b, scratch);
}

static void attention_i8_scaled_rows(const tarei_attention *const a,
                                     const tarei_attention_block *const b, char *const scratch) {
  const tarei_attention_layout *const l = &a->layout;
  float *const scales = (float *)(scratch + l->query_scales);
  attention_i8_take_scales(a, 0, b, a->rows, scales);
  tarei_i8_gemm score = attention_i8_score(a, b, scratch);
  score.epilogue.mult = (const float *)(scratch + l->key_scales);
  score.epilogue.row_mult = scales;
  a->run->kernels->i8_gemm(&score);
  attention_i8_finish(a, b, scratch);
}

static const char *attention_i8_kernel(const tarei_kernels *const kernels) {
  return kernels->i8_gemm_name;
}

const tarei_attention_form tarei_attention_i8 = {.packed_size = tarei_i8_packed_size,
                                                 .probability = sizeof(uint8_t),
                                                 .column_sums = true,
                                                 .pack = attention_i8_pack,
                                                 .rows = attention_i8_rows,
                                                 .kernel = attention_i8_kernel};

const tarei_attention_form tarei_attention_i8_rows = {.packed_size = tarei_i8_packed_size,
                                                      .probability = sizeof(uint8_t),
                                                      .column_sums = true,
                                                      .row_scales = true,
                                                      .pack = attention_i8_pack_rows,
                                                      .rows = attention_i8_scaled_rows,
                                                      .kernel = attention_i8_kernel};
