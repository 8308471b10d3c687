/*
 * Attention, head by head: what its forms share. The keys and values of a head are
 * packed into scratch of the thread, then its rows go by in blocks: scores, softmax and the product
 * with the values stay in cache, and no tensor of scores is ever in memory.
 */
#ifndef TAREI_ENGINE_LOWER_ATTENTION_ATTENTION_H
#define TAREI_ENGINE_LOWER_ATTENTION_ATTENTION_H

#include "engine/lower/fused.h"

typedef struct tarei_attention tarei_attention;

/* Rows [first, first + m) of a head of a batch. */
typedef struct tarei_attention_block {
  size_t batch, head, first, m;
  const float *mask; /* of the head's first row; NULL where nothing is added */
  size_t keys;       /* the first ones: the mask leaves none of the others to any row */
} tarei_attention_block;

/* What differs between the forms; scratch is that of the thread. */
typedef struct tarei_attention_form {
  size_t (*packed_size)(size_t k, size_t n); /* of keys and of values */
  size_t probability; /* bytes of one beside the scores; 0: they are written in their place */
  bool column_sums;   /* of keys and of values, as int32 */
  bool rounds;        /* queries, to bf16 */
  bool row_scales;    /* of queries and keys, one for each row of a head */
  void (*pack)(const tarei_attention *a, size_t batch, size_t head, char *scratch);
  void (*rows)(const tarei_attention *a, const tarei_attention_block *block, char *scratch);
  const char *(*kernel)(const tarei_kernels *kernels); /* its name */
} tarei_attention_form;
extern const tarei_attention_form tarei_attention_f32, tarei_attention_bf16, tarei_attention_i8,
    tarei_attention_i8_rows;

/* Where things are in a thread's scratch. More keys never need less. */
typedef struct tarei_attention_layout {
  size_t keys, key_sums, values, value_sums; /* offsets */
  size_t queries, scores, probabilities;     /* of a block of rows */
  size_t sums, factors;                      /* of its rows: 32 bits each */
  size_t key_scales, query_scales;
  size_t total;
  size_t block_rows;                  /* of scores that there is room for */
  size_t ld_scores, ld_probabilities; /* elements */
} tarei_attention_layout;

struct tarei_attention {
  const tarei_step *step;
  const tarei_run *run;
  const tarei_attention_form *form;
  size_t batch, heads, rows, keys, depth, width; /* depth of queries and keys, width of values */
  float scale;                                   /* of the scores */
  float value_scale; /* of int8: what a product of values counts, before the row's sum divides it */
  int32_t query_zero_point;
  bool guard;          /* rows that the mask leaves no key give zeros */
  const float *mask;   /* or NULL */
  size_t mask_step[3]; /* elements per batch, head, row */
  tarei_epilogue epilogue;
  tarei_attention_layout layout;
};

tarei_attention_layout tarei_attention_layout_of(const tarei_attention_form *form, size_t keys,
                                                 size_t depth, size_t width);

/* Runs all heads. */
void tarei_attention_run(const tarei_attention *a);

/* Element [row][head * size] of batch `batch` in a tensor of rows of heads * size elements. */
static inline size_t tarei_attention_at(const tarei_attention *const a, const size_t batch,
                                        const size_t rows, const size_t row, const size_t head,
                                        const size_t size) {
  return (batch * rows + row) * a->heads * size + head * size;
}

static inline const float *tarei_attention_mask(const tarei_attention *const a,
                                                const tarei_attention_block *const b,
                                                const size_t row) {
  return b->mask ? b->mask + (b->first + row) * a->mask_step[2] : NULL;
}

/* Columns of values for one product. Panels of values are as long as all keys: where some are left
 * out, products take one panel each. */
static inline size_t tarei_attention_columns(const tarei_attention *const a,
                                             const tarei_attention_block *const b) {
  return b->keys == a->keys ? a->width : TAREI_I8_PANEL;
}

/* The scores of a block, which are in scratch, with what is added to them. */
tarei_logits tarei_attention_logits(const tarei_attention *a, const tarei_attention_block *b,
                                    const char *scratch);

/* Whether a row gives zeros: nothing is left of it, and it is guarded. */
bool tarei_attention_is_empty(const tarei_attention *a, const tarei_attention_block *b, size_t row);

#endif
