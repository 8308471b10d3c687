#include <string.h>

#include "engine/lower/attention/attention.h"

static const float *attention_f32_input(const tarei_attention *const a, const int i,
                                        const size_t at) {
  return (const float *)a->run->in[i]->data + at;
}

static void attention_f32_pack(const tarei_attention *const a, const size_t batch,
                               const size_t head, char *const scratch) {
  a->run->kernels->f32_pack(
      attention_f32_input(a, 1, tarei_attention_at(a, batch, a->keys, 0, head, a->depth)),
      a->heads * a->depth, true, a->depth, a->keys, (float *)(scratch + a->layout.keys));
  a->run->kernels->f32_pack(
      attention_f32_input(a, 2, tarei_attention_at(a, batch, a->keys, 0, head, a->width)),
      a->heads * a->width, false, a->keys, a->width, (float *)(scratch + a->layout.values));
}

static void attention_f32_rows(const tarei_attention *const a, const tarei_attention_block *const b,
                               char *const scratch) {
  const tarei_attention_layout *const l = &a->layout;
  float *const scores = (float *)(scratch + l->scores);
  const tarei_f32_gemm score = {
      .a = attention_f32_input(
          a, 0, tarei_attention_at(a, b->batch, a->rows, b->first, b->head, a->depth)),
      .lda = a->heads * a->depth,
      .m = b->m,
      .k = a->depth,
      .n = b->keys,
      .b = (const float *)(scratch + l->keys),
      .epilogue = {.out_f32 = scores, .ld_f32 = l->ld_scores}};
  a->run->kernels->f32_gemm(&score);
  for (size_t r = 0; r < b->m; r++) {
    float *const row = scores + r * l->ld_scores;
    if (tarei_attention_is_empty(a, b, r)) {
      memset(row, 0, b->keys * sizeof *row);
      continue;
    }
    a->run->kernels->softmax_fused(row, a->scale, tarei_attention_mask(a, b, r), b->keys, row, NULL,
                                   1.0f, 0);
  }
  const size_t columns = tarei_attention_columns(a, b), row = b->batch * a->rows + b->first;
  for (size_t n0 = 0; n0 < a->width; n0 += columns) {
    const tarei_f32_gemm product = {
        .a = scores,
        .lda = l->ld_scores,
        .m = b->m,
        .k = b->keys,
        .n = a->width - n0 < columns ? a->width - n0 : columns,
        .b = (const float *)(scratch + l->values + tarei_f32_packed_size(a->keys, n0)),
        .epilogue = tarei_epilogue_at(&a->epilogue, row, b->head * a->width + n0)};
    a->run->kernels->f32_gemm(&product);
  }
}

static const char *attention_f32_kernel(const tarei_kernels *const kernels) {
  return kernels->f32_gemm_name;
}

const tarei_attention_form tarei_attention_f32 = {.packed_size = tarei_f32_packed_size,
                                                  .pack = attention_f32_pack,
                                                  .rows = attention_f32_rows,
                                                  .kernel = attention_f32_kernel};
