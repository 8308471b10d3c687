/* Float layers whose weights are stored in fewer bits give the bits of the same layers with floats
 * of these values, or where rows are split into pieces their sums. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/half.h"
#include "engine/lower/products/int8_weights.h"
#include "engine/lower/products/split_products.h"
#include "engine/lower/products/stored_weights.h"
#include "unit/engine/support/one_node.h"

static const tare_dtype TYPES[] = {TARE_I8, TARE_F16, TARE_BF16};
enum { N_TYPES = sizeof TYPES / sizeof *TYPES };

/* What the weights of n outputs are worth; those of output o are every `step`th from w[o * first].
 */
static void round_weights(float *const w, const size_t n, const size_t first, const size_t k,
                          const size_t step, const tare_dtype type) {
  for (size_t o = 0; o < n; o++) {
    float *const one = w + o * first;
    float scale = 1;
    for (size_t i = 0; i < k; i++) {
      const size_t left = k - i < TAREI_WEIGHT_BLOCK ? k - i : TAREI_WEIGHT_BLOCK;
      scale = i % TAREI_WEIGHT_BLOCK ? scale : tarei_weight_scale(one + i * step, left, step);
      float *const x = &one[i * step];
      *x = type == TARE_F16    ? tarei_f16_to_float(tarei_float_to_f16(*x))
           : type == TARE_BF16 ? tarei_bf16_to_float(tarei_float_to_bf16(*x))
                               : (float)tarei_weight_quantize(*x, scale) * scale;
    }
  }
}

static float *random_floats(const size_t n) {
  float *const x = malloc(n * sizeof *x);
  assert_non_null(x);
  for (size_t i = 0; i < n; i++) {
    x[i] = one_node_float() * (i % 7 == 3 ? 1e-4f : 1.0f);
  }
  return x;
}

static bool splits_rows(const tare_dtype type) {
  tarei_kernels kernels;
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  return tarei_split_kernel(type, &kernels) != NULL;
}

static bool same_float(const float a, const float b) {
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Rows of n elements, each a sum of k products of numbers up to 2: the same bits, or in the rows
 * that may be split, sums that differ by how each rounds on its way. */
static void expect_same(const one_node *const a, const one_node *const b, const size_t n,
                        const size_t k, bool (*is_split)(size_t row)) {
  const size_t count = (size_t)tare_tensor_count(&a->outputs[0]);
  const float *const x = a->outputs[0].data, *const y = b->outputs[0].data;
  assert_int_equal(count, tare_tensor_count(&b->outputs[0]));
  for (size_t i = 0; i < count; i++) {
    const float bound = is_split && is_split(i / n) ? 4 * FLT_EPSILON * (float)(k + 4) : 0;
    assert_true(same_float(x[i], y[i]) || fabsf(x[i] - y[i]) <= bound);
  }
}

static bool every_row(const size_t row) {
  (void)row;
  return true;
}

typedef struct dense_layer {
  const char *op;
  int x_rank, w_rank, space;
  int64_t x_dims[4], w_dims[4], group;
  const float *x, *bias;
} dense_layer;

static void run_layer(one_node *const t, const dense_layer *const l, const float *const w,
                      const tare_dtype type) {
  one_node_start(t);
  (void)one_node_input(t, TARE_F32, l->x_rank, l->x_dims, l->x);
  (void)one_node_const(t, TARE_F32, l->w_rank, l->w_dims, w);
  const int64_t n = l->space ? l->w_dims[0] : l->w_dims[1];
  (void)one_node_const(t, TARE_F32, 1, &n, l->bias);
  one_node_op(t, l->op, "tare", 1, 1);
  if (l->space) {
    const int64_t ones[] = {1, 1}, pads[] = {1, 0, 0, 1};
    assert_true(tarei_attr_set_ints(t->node, "strides", ones, l->space) &&
                tarei_attr_set_ints(t->node, "pads", pads, 2 * l->space) &&
                tarei_attr_set_int(t->node, "group", l->group));
  }
  if (type != TARE_F32) {
    assert_true(tarei_attr_set_int(t->node, TAREI_ATTR_WEIGHT_TYPE, type));
  }
  one_node_run_ok(t);
}

/* `k` weights of each of n outputs, of which output o has every `step`th from o * first on. */
static void check_layer(const dense_layer *const l, const size_t n, const size_t first,
                        const size_t k, const size_t step, bool (*is_split)(size_t row)) {
  for (int i = 0; i < N_TYPES; i++) {
    float *const w = random_floats(n * k);
    one_node stored, rounded;
    run_layer(&stored, l, w, TYPES[i]);
    round_weights(w, n, first, k, step, TYPES[i]);
    run_layer(&rounded, l, w, TARE_F32);
    expect_same(&stored, &rounded, n, k, splits_rows(TYPES[i]) ? is_split : NULL);
    one_node_end(&stored);
    one_node_end(&rounded);
    free(w);
  }
}

static void linear_layers(void **state) {
  (void)state;
  for (int round = 0; round < 12; round++) {
    const int64_t rows = one_node_between(1, 130), k = one_node_between(1, 200),
                  n = one_node_between(1, 140);
    float *const x = random_floats((size_t)(rows * k)), *const bias = random_floats((size_t)n);
    const dense_layer l = {"Linear", 2, 2, 0, {rows, k}, {k, n}, 1, x, bias};
    check_layer(&l, (size_t)n, 1, (size_t)k, (size_t)n, every_row);
    free(x);
    free(bias);
  }
}

/* What rows 0, 3, 4, 5, 7 and so on begin with: nothing that pieces of bf16 have the range for. */
static const float BEYOND[] = {NAN, 1, 1, INFINITY, 3e38f, 1e-40f, 1, -INFINITY};
enum { N_BEYOND = sizeof BEYOND / sizeof *BEYOND };

static bool row_is_ordinary(const size_t row) {
  return BEYOND[row % N_BEYOND] == 1;
}

static void rows_beyond_the_range_of_pieces(void **state) {
  (void)state;
  enum { ROWS = 70, K = 65, N = 33 };
  float x[ROWS * K], bias[N] = {0};
  for (size_t i = 0; i < ROWS * K; i++) {
    const float first = BEYOND[i / K % N_BEYOND];
    x[i] = row_is_ordinary(i / K) ? one_node_float() : i % K ? 0 : first;
  }
  const dense_layer l = {"Linear", 2, 2, 0, {ROWS, K}, {K, N}, 1, x, bias};
  check_layer(&l, N, 1, K, N, row_is_ordinary);
}

static void convolutions(void **state) {
  (void)state;
  for (int round = 0; round < 24; round++) {
    const int space = 1 + round % 2;
    const int64_t group = one_node_between(1, 3), per_group = one_node_between(1, 20);
    const int64_t n = group * one_node_between(2, 40), length = one_node_between(3, 40);
    const int64_t taps = one_node_between(1, 3);
    const int64_t channels = group * per_group, k = per_group * (space == 2 ? taps * 2 : taps);
    float *const x = random_floats((size_t)(2 * length * channels * (space == 2 ? 5 : 1)));
    float *const bias = random_floats((size_t)n);
    dense_layer l = {"ConvLast",           3,     3, 1,   {2, length, channels},
                     {n, taps, per_group}, group, x, bias};
    if (space == 2) {
      l = (dense_layer){"ConvLast", 4, 4,   2, {2, length, 5, channels}, {n, taps, 2, per_group},
                        group,      x, bias};
    }
    check_layer(&l, (size_t)n, (size_t)k, (size_t)k, 1, every_row);
    free(x);
    free(bias);
  }
}

int weights_test(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(linear_layers),
                                     cmocka_unit_test(rows_beyond_the_range_of_pieces),
                                     cmocka_unit_test(convolutions)};
  one_node_seed();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
