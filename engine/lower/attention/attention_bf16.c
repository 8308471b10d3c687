/* Queries, keys and values rounded to bf16, scores as floats; their softmax as exp(score - the
 * row's largest) in bf16; the product with the values, each row divided by the sum of what was
 * rounded. */
#include <string.h>

#include "engine/lower/attention/attention.h"
#include "engine/lower/products/bf16_products.h"

static const float *attention_bf16_input(const tarei_attention *const a, const int i,
                                         const size_t at) {
  return (const float *)a->run->in[i]->data + at;
}

static void attention_bf16_pack(const tarei_attention *const a, const size_t batch,
                                const size_t head, char *const scratch) {
  a->run->kernels->bf16_pack(
      attention_bf16_input(a, 1, tarei_attention_at(a, batch, a->keys, 0, head, a->depth)),
      a->heads * a->depth, true, a->depth, a->keys, (uint16_t *)(scratch + a->layout.keys));
  a->run->kernels->bf16_pack(
      attention_bf16_input(a, 2, tarei_attention_at(a, batch, a->keys, 0, head, a->width)),
      a->heads * a->width, false, a->keys, a->width, (uint16_t *)(scratch + a->layout.values));
}

static void attention_bf16_scores(const tarei_attention *const a,
                                  const tarei_attention_block *const b, char *const scratch) {
  const tarei_attention_layout *const l = &a->layout;
  const size_t at = tarei_attention_at(a, b->batch, a->rows, b->first, b->head, a->depth);
  uint16_t *const queries = (uint16_t *)(scratch + l->queries);
  const size_t ld = tarei_bf16_row(a->depth);
  a->run->kernels->to_bf16(attention_bf16_input(a, 0, at), a->heads * a->depth, b->m, a->depth,
                           queries, ld);
  const tarei_bf16_gemm score = {
      .a = queries,
      .lda = ld,
      .m = b->m,
      .k = a->depth,
      .n = b->keys,
      .b = (const uint16_t *)(scratch + l->keys),
      .epilogue = {.out_f32 = (float *)(scratch + l->scores), .ld_f32 = l->ld_scores}};
  a->run->kernels->bf16_gemm(&score);
}

static void attention_bf16_rows(const tarei_attention *const a,
                                const tarei_attention_block *const b, char *const scratch) {
  const tarei_attention_layout *const l = &a->layout;
  uint16_t *const probabilities = (uint16_t *)(scratch + l->probabilities);
  float *const sums = (float *)(scratch + l->sums), *const factors =
                                                        (float *)(scratch + l->factors);
  attention_bf16_scores(a, b, scratch);
  const tarei_softmax_bf16 softmax = {.logits = tarei_attention_logits(a, b, scratch),
                                      .out = probabilities,
                                      .ld_out = l->ld_probabilities,
                                      .sums = sums};
  a->run->kernels->softmax_bf16(&softmax);
  for (size_t r = 0; r < b->m; r++) {
    const bool empty = sums[r] == 0 || tarei_attention_is_empty(a, b, r);
    factors[r] = empty ? 0.0f : 1.0f / sums[r];
    if (empty) { /* its probabilities are NaN */
      memset(probabilities + r * l->ld_probabilities, 0, b->keys * sizeof *probabilities);
    }
  }
  const size_t columns = tarei_attention_columns(a, b), row = b->batch * a->rows + b->first;
  for (size_t n0 = 0; n0 < a->width; n0 += columns) {
    tarei_bf16_gemm product = {
        .a = probabilities,
        .lda = l->ld_probabilities,
        .m = b->m,
        .k = b->keys,
        .n = a->width - n0 < columns ? a->width - n0 : columns,
        .b = (const uint16_t *)(scratch + l->values + tarei_bf16_packed_size(a->keys, n0)),
        .epilogue = tarei_epilogue_at(&a->epilogue, row, b->head * a->width + n0)};
    product.epilogue.row_mult = factors;
    a->run->kernels->bf16_gemm(&product);
  }
}

static const char *attention_bf16_kernel(const tarei_kernels *const kernels) {
  return kernels->bf16_gemm_name;
}

const tarei_attention_form tarei_attention_bf16 = {.packed_size = tarei_bf16_packed_size,
                                                   .probability = sizeof(uint16_t),
                                                   .rounds = true,
                                                   .pack = attention_bf16_pack,
                                                   .rows = attention_bf16_rows,
                                                   .kernel = attention_bf16_kernel};
