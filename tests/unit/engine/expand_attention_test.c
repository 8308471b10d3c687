/* Operators of attention that consist of others, by what they give against sums written out. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/expand_case.h"
#include "unit/engine/support/one_node.h"

/* Heads anywhere in memory: element (b, h, row, i) of x. */
typedef struct heads {
  const float *x;
  size_t b, h, row;
} heads;

static double at(const heads *const x, const size_t b, const size_t h, const size_t row,
                 const size_t i) {
  return (double)x->x[b * x->b + h * x->h + row * x->row + i];
}

typedef struct attention {
  size_t batch, queries, keys, heads, kv_heads, depth;
  heads q, k, v;
  double scale;
  double (*bias)(const void *user, size_t b, size_t h, size_t row, size_t key);
  const void *user;
} attention;

/* Element i of a row of a head; 0 where all keys are masked. */
static double attend(const attention *const a, const size_t b, const size_t h, const size_t row,
                     const size_t i) {
  const size_t kv = h / (a->heads / a->kv_heads);
  double sum = 0, of = 0, top = -(double)INFINITY, scores[64];
  for (size_t key = 0; key < a->keys; key++) {
    double score = 0;
    for (size_t d = 0; d < a->depth; d++) {
      score += at(&a->q, b, h, row, d) * at(&a->k, b, kv, key, d);
    }
    scores[key] = score * a->scale + (a->bias ? a->bias(a->user, b, h, row, key) : 0);
    top = fmax(top, scores[key]);
  }
  for (size_t key = 0; key < a->keys && top > -(double)INFINITY; key++) {
    const double p = exp(scores[key] - top);
    sum += p;
    of += p * at(&a->v, b, kv, key, i);
  }
  return sum > 0 ? of / sum : 0;
}

static heads side_by_side(const float *const x, const size_t rows, const size_t n,
                          const size_t depth) {
  return (heads){x, rows * n * depth, depth, n * depth};
}

static void expect_heads(const expansion *const e, const attention *const a, const bool flat) {
  for (size_t i = 0; i < a->batch * a->heads * a->queries * a->depth; i++) {
    const size_t d = i % a->depth, b = i / (a->heads * a->queries * a->depth);
    const size_t outer = i / a->depth % (a->heads * a->queries);
    const size_t h = flat ? outer % a->heads : outer / a->queries;
    const size_t row = flat ? outer / a->heads : outer % a->queries;
    expand_expect(e, 0, i, attend(a, b, h, row, d));
  }
}

static double by_bools(const void *const user, const size_t b, const size_t h, const size_t row,
                       const size_t key) {
  (void)b;
  (void)h;
  return ((const bool *)user)[row * 5 + key] ? 0 : -(double)INFINITY;
}

/* Three axes, fewer heads of keys, a mask whose row 1 allows nothing. */
static void test_attention_of_few_heads(void **state) {
  (void)state;
  static const bool mask[4 * 5] = {1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1};
  expansion e;
  expand_start(&e);
  expand_input(&e, TARE_F32, 3, (int64_t[]){2, 4, 24}, NULL);
  expand_input(&e, TARE_F32, 3, (int64_t[]){2, 5, 12}, NULL);
  expand_input(&e, TARE_F32, 3, (int64_t[]){2, 5, 12}, NULL);
  expand_input(&e, TARE_BOOL, 2, (int64_t[]){4, 5}, mask);
  tarei_node *const node = expand_node(&e, "Attention", "", 23, 1);
  assert_true(tarei_attr_set_int(node, "q_num_heads", 4) &&
              tarei_attr_set_int(node, "kv_num_heads", 2) &&
              tarei_attr_set_float(node, "scale", 0.3f));
  expand_run(&e);
  const attention a = {.batch = 2,
                       .queries = 4,
                       .keys = 5,
                       .heads = 4,
                       .kv_heads = 2,
                       .depth = 6,
                       .q = side_by_side(expand_data(&e, e.in[0]), 4, 4, 6),
                       .k = side_by_side(expand_data(&e, e.in[1]), 5, 2, 6),
                       .v = side_by_side(expand_data(&e, e.in[2]), 5, 2, 6),
                       .scale = 0.3,
                       .bias = by_bools,
                       .user = mask};
  expect_heads(&e, &a, true);
  tarei_graph_free(e.graph);
}

static double by_order(const void *const user, const size_t b, const size_t h, const size_t row,
                       const size_t key) {
  (void)b;
  (void)h;
  return key <= row + *(const size_t *)user ? 0 : -(double)INFINITY;
}

/* Four axes, causal behind a cache of two keys, which comes out with the new ones. */
static void test_attention_with_cache(void **state) {
  (void)state;
  static const size_t kept = 2;
  expansion e;
  expand_start(&e);
  for (int i = 0; i < 3; i++) {
    expand_input(&e, TARE_F32, 4, (int64_t[]){2, 3, 4, 8}, NULL);
  }
  expand_absent(&e);
  expand_input(&e, TARE_F32, 4, (int64_t[]){2, 3, 2, 8}, NULL);
  expand_input(&e, TARE_F32, 4, (int64_t[]){2, 3, 2, 8}, NULL);
  assert_true(tarei_attr_set_int(expand_node(&e, "Attention", "", 23, 3), "is_causal", 1));
  expand_run(&e);
  const heads keys = {expand_data(&e, e.out[1]), 3 * 6 * 8, 6 * 8, 8};
  const heads old = {expand_data(&e, e.in[4]), 3 * 2 * 8, 2 * 8, 8};
  const heads new = {expand_data(&e, e.in[1]), 3 * 4 * 8, 4 * 8, 8};
  for (size_t row = 0; row < 6; row++) {
    assert_true(at(&keys, 1, 2, row, 5) ==
                (row < kept ? at(&old, 1, 2, row, 5) : at(&new, 1, 2, row - kept, 5)));
  }
  const attention a = {.batch = 2,
                       .queries = 4,
                       .keys = 6,
                       .heads = 3,
                       .kv_heads = 3,
                       .depth = 8,
                       .q = {expand_data(&e, e.in[0]), 3 * 4 * 8, 4 * 8, 8},
                       .k = keys,
                       .v = {expand_data(&e, e.out[2]), 3 * 6 * 8, 6 * 8, 8},
                       .scale = 1 / sqrt(8.0),
                       .bias = by_order,
                       .user = &kept};
  expect_heads(&e, &a, false);
  tarei_graph_free(e.graph);
}

static double by_lengths(const void *const user, const size_t b, const size_t h, const size_t row,
                         const size_t key) {
  (void)h;
  return (key < (size_t)((const int32_t *)user)[b] ? 0 : -10000.0) +
         (key <= row ? 0 : -(double)FLT_MAX);
}

/* The product with all weights first, lengths of sequences, no look ahead. */
static void test_contrib_attention(void **state) {
  (void)state;
  static const int32_t lengths[] = {3, 5};
  expansion e;
  expand_start(&e);
  expand_input(&e, TARE_F32, 3, (int64_t[]){2, 5, 6}, NULL);
  expand_input(&e, TARE_F32, 2, (int64_t[]){6, 24}, NULL);
  expand_input(&e, TARE_F32, 1, (int64_t[]){24}, NULL);
  expand_input(&e, TARE_I32, 1, (int64_t[]){2}, lengths);
  tarei_node *const node = expand_node(&e, "Attention", "com.microsoft", 17, 1);
  assert_true(tarei_attr_set_int(node, "num_heads", 2) &&
              tarei_attr_set_int(node, "unidirectional", 1));
  expand_run(&e);
  const float *const x = expand_data(&e, e.in[0]), *const w = expand_data(&e, e.in[1]);
  float qkv[2 * 5 * 24];
  for (size_t i = 0; i < 2 * 5 * 24; i++) {
    double sum = (double)expand_data(&e, e.in[2])[i % 24];
    for (size_t k = 0; k < 6; k++) {
      sum += (double)x[i / 24 * 6 + k] * (double)w[k * 24 + i % 24];
    }
    qkv[i] = (float)sum;
  }
  const attention a = {.batch = 2,
                       .queries = 5,
                       .keys = 5,
                       .heads = 2,
                       .kv_heads = 2,
                       .depth = 4,
                       .q = {qkv, 120, 4, 24},
                       .k = {qkv + 8, 120, 4, 24},
                       .v = {qkv + 16, 120, 4, 24},
                       .scale = 0.5,
                       .bias = by_lengths,
                       .user = lengths};
  expect_heads(&e, &a, true);
  tarei_graph_free(e.graph);
}

static void test_multi_head_attention(void **state) {
  (void)state;
  expansion e;
  expand_start(&e);
  expand_input(&e, TARE_F32, 5, (int64_t[]){2, 4, 3, 3, 8},
               NULL); /* [batch, rows, heads, QKV, depth] */
  assert_true(tarei_attr_set_int(expand_node(&e, "MultiHeadAttention", "com.microsoft", 17, 1),
                                 "num_heads", 3));
  expand_run(&e);
  const float *const x = expand_data(&e, e.in[0]);
  const attention a = {.batch = 2,
                       .queries = 4,
                       .keys = 4,
                       .heads = 3,
                       .kv_heads = 3,
                       .depth = 8,
                       .q = {x, 288, 24, 72},
                       .k = {x + 8, 288, 24, 72},
                       .v = {x + 16, 288, 24, 72},
                       .scale = 1 / sqrt(8.0)};
  expect_heads(&e, &a, true);
  tarei_graph_free(e.graph);
}

static void test_rotary_embedding(void **state) {
  (void)state;
  static const int64_t positions[] = {3};
  for (int neighbours = 0; neighbours < 2; neighbours++) {
    expansion e;
    expand_start(&e);
    expand_input(&e, TARE_F32, 3, (int64_t[]){1, 4, 16}, NULL);
    expand_input(&e, TARE_I64, 1, (int64_t[]){1}, positions);
    expand_input(&e, TARE_F32, 2, (int64_t[]){9, 3}, NULL);
    expand_input(&e, TARE_F32, 2, (int64_t[]){9, 3}, NULL);
    tarei_node *const node = expand_node(&e, "RotaryEmbedding", "com.microsoft", 17, 1);
    assert_true(tarei_attr_set_int(node, "interleaved", neighbours) &&
                tarei_attr_set_int(node, "num_heads", 2) &&
                tarei_attr_set_int(node, "rotary_embedding_dim", 6));
    expand_run(&e);
    const float *const x = expand_data(&e, e.in[0]);
    const float *const cosine = expand_data(&e, e.in[2]), *const sine = expand_data(&e, e.in[3]);
    for (size_t i = 0; i < 64; i++) {
      const size_t d = i % 8, angle = neighbours ? d / 2 : d % 3, row = 3 + i / 16;
      const bool first = neighbours ? d % 2 == 0 : d < 3;
      const size_t other = neighbours ? i ^ 1 : first ? i + 3 : i - 3;
      const double c = (double)cosine[row * 3 + angle], s = (double)sine[row * 3 + angle];
      const double turned = (double)x[i] * c + (double)x[other] * (first ? -s : s);
      expand_expect(&e, 0, i, d < 6 ? turned : (double)x[i]);
    }
    tarei_graph_free(e.graph);
  }
}

static void test_refused(void **state) {
  (void)state;
  expansion e;
  expand_start(&e);
  for (int i = 0; i < 3; i++) {
    expand_input(&e, TARE_F32, 3, (int64_t[]){1, 2, 12}, NULL);
  }
  assert_true(tarei_attr_set_int(expand_node(&e, "Attention", "", 23, 1), "q_num_heads", 5));
  expand_refused(&e, "5 query heads are not a multiple of 0 key heads");
  expand_start(&e);
  expand_input(&e, TARE_F32, 3, (int64_t[]){1, 2, 12}, NULL);
  expand_input(&e, TARE_F32, 2, (int64_t[]){12, 35}, NULL);
  assert_true(
      tarei_attr_set_int(expand_node(&e, "Attention", "com.microsoft", 17, 1), "num_heads", 1));
  expand_refused(&e, "the weights are 35 wide");
}

int expand_attention_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_attention_of_few_heads), cmocka_unit_test(test_attention_with_cache),
      cmocka_unit_test(test_contrib_attention),      cmocka_unit_test(test_multi_head_attention),
      cmocka_unit_test(test_rotary_embedding),       cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
