/* Products in float and int8, and the steps between both, against sums written out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/quantize/quantize.h"
#include "kernels/requant.h"
#include "unit/engine/support/one_node.h"

static float *floats(const size_t n) {
  float *const x = calloc(n, sizeof *x);
  assert_non_null(x);
  return x;
}

/* Leading dims of one operand: some are 1, some leading ones missing. */
static int leading(const int64_t *const whole, const int rank, int64_t *const dims) {
  const int from = (int)one_node_between(0, rank);
  for (int d = from; d < rank; d++) {
    dims[d - from] = one_node_bits() & 1 ? whole[d] : 1;
  }
  return rank - from;
}

/* Number of the matrix of operand x that belongs to matrix `batch` of the output. */
static size_t matrix_of(const tare_tensor *const x, const tare_tensor *const y, size_t batch) {
  size_t at = 0, stride = 1;
  for (int d = y->rank - 3; d >= 0; d--) {
    const int own = d - (y->rank - x->rank);
    const size_t index = batch % (size_t)y->dims[d];
    batch /= (size_t)y->dims[d];
    if (own >= 0) {
      at += x->dims[own] == 1 ? 0 : index * stride;
      stride *= (size_t)x->dims[own];
    }
  }
  return at;
}

typedef struct product {
  size_t m, k, n;
  bool trans_b;
} product;

static product random_operands(one_node *const t, const tare_dtype dtype, const bool trans_b) {
  const product p = {(size_t)one_node_between(1, 70), (size_t)one_node_between(1, 90),
                     (size_t)one_node_between(1, 80), trans_b};
  const int64_t whole[2] = {one_node_between(1, 4), one_node_between(1, 4)};
  int64_t dims[TARE_MAX_RANK];
  one_node_start(t);
  int rank = leading(whole, 2, dims);
  dims[rank] = (int64_t)p.m;
  dims[rank + 1] = (int64_t)p.k;
  (void)one_node_input(t, dtype, rank + 2, dims, NULL);
  rank = leading(whole, 2, dims);
  dims[rank] = (int64_t)(trans_b ? p.n : p.k);
  dims[rank + 1] = (int64_t)(trans_b ? p.k : p.n);
  (void)one_node_input(t, dtype, rank + 2, dims, NULL);
  return p;
}

/* Where the factors of element i of the output begin: a row of A, and a column of B. */
static void factors(const one_node *const t, const product *const p, const size_t i,
                    size_t *const a, size_t *const b, size_t *const step) {
  const size_t batch = i / (p->m * p->n), row = i / p->n % p->m, column = i % p->n;
  *a = (matrix_of(&t->inputs[0], &t->outputs[0], batch) * p->m + row) * p->k;
  *b = matrix_of(&t->inputs[1], &t->outputs[0], batch) * p->k * p->n +
       (p->trans_b ? column * p->k : column);
  *step = p->trans_b ? 1 : p->n;
}

static void test_matmul(void **state) {
  (void)state;
  for (int round = 0; round < 40; round++) {
    one_node t;
    const product p = random_operands(&t, TARE_F32, false);
    one_node_op(&t, "MatMul", "", 13, 1);
    one_node_run_ok(&t);
    const size_t n = (size_t)tare_tensor_count(&t.outputs[0]);
    const float *const x = t.inputs[0].data, *const w = t.inputs[1].data;
    float *const expected = floats(n);
    for (size_t i = 0; i < n; i++) {
      size_t a, b, step;
      double sum = 0;
      factors(&t, &p, i, &a, &b, &step);
      for (size_t k = 0; k < p.k; k++) {
        sum += (double)x[a + k] * (double)w[b + k * step];
      }
      expected[i] = (float)sum;
    }
    one_node_expect_floats(&t, expected, n, 1e-4f);
    free(expected);
    one_node_end(&t);
  }
}

static void test_vectors(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){3}, (float[]){1, 2, 3});
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){3, 2}, (float[]){1, 2, 3, 4, 5, 6});
  one_node_op(&t, "MatMul", "", 13, 1);
  one_node_run_ok(&t);
  one_node_expect_floats(&t, (float[]){22, 28}, 2, 0);
  one_node_end(&t);
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){2, 1, 2}, (float[]){1, 2, 3, 4});
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){2}, (float[]){5, 6});
  one_node_op(&t, "MatMul", "", 13, 1);
  one_node_run_ok(&t);
  one_node_expect_floats(&t, (float[]){17, 39}, 2, 0);
  one_node_end(&t);
}

static void test_gemm(void **state) {
  (void)state;
  for (int round = 0; round < 32; round++) {
    const bool ta = round & 1, tb = round >> 1 & 1;
    const int64_t m = one_node_between(1, 50), k = one_node_between(1, 50),
                  n = one_node_between(1, 50);
    const int64_t cs[4][2] = {{m, n}, {1, n}, {m, 1}, {1, 1}};
    const int64_t *const c = cs[one_node_between(0, 3)];
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){ta ? k : m, ta ? m : k}, NULL);
    (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){tb ? n : k, tb ? k : n}, NULL);
    if (round & 4) {
      (void)one_node_input(&t, TARE_F32, 2, c, NULL);
    }
    one_node_op(&t, "Gemm", "", 13, 1);
    assert_true(
        tarei_attr_set_int(t.node, "transA", ta) && tarei_attr_set_int(t.node, "transB", tb) &&
        tarei_attr_set_float(t.node, "alpha", 0.5f) && tarei_attr_set_float(t.node, "beta", -2));
    one_node_run_ok(&t);
    const float *const a = t.inputs[0].data, *const b = t.inputs[1].data;
    float *const expected = floats((size_t)(m * n));
    for (int64_t i = 0; i < m * n; i++) {
      const int64_t row = i / n, column = i % n;
      double sum = 0;
      for (int64_t j = 0; j < k; j++) {
        sum += (double)a[ta ? j * m + row : row * k + j] *
               (double)b[tb ? column * k + j : j * n + column];
      }
      const int64_t at = (c[0] == 1 ? 0 : row * c[1]) + (c[1] == 1 ? 0 : column);
      expected[i] =
          (float)(0.5 * sum) - (round & 4 ? 2 * ((const float *)t.inputs[2].data)[at] : 0);
    }
    one_node_expect_floats(&t, expected, (size_t)(m * n), 1e-4f);
    free(expected);
    one_node_end(&t);
  }
}

/* Element i of a tensor of whole numbers or float64, as the integer it holds. */
static int64_t whole_of(const tare_tensor *const x, const size_t i) {
  switch (x->dtype) {
    case TARE_I32:
      return ((const int32_t *)x->data)[i];
    case TARE_I64:
      return ((const int64_t *)x->data)[i];
    case TARE_F64:
      return (int64_t)((const double *)x->data)[i];
    default:
      fail();
      return 0;
  }
}

static void small_whole(one_node *const t, const tare_dtype dtype, const int rank,
                        const int64_t *const dims) {
  double numbers[600];
  for (size_t i = 0; i < 600; i++) {
    numbers[i] = (double)one_node_between(-9, 9);
  }
  (void)one_node_input(t, dtype, rank, dims, dtype == TARE_F64 ? numbers : NULL);
}

/* Numbers small enough for every type to hold all sums: results are exact. */
static void test_other_types(void **state) {
  (void)state;
  static const tare_dtype dtypes[] = {TARE_I32, TARE_I64, TARE_F64};
  for (int round = 0; round < 24; round++) {
    const tare_dtype dtype = dtypes[round % 3];
    const bool gemm = round % 2, ta = gemm && round & 4, tb = gemm && round & 8;
    const int64_t m = one_node_between(1, 20), k = one_node_between(1, 20),
                  n = one_node_between(1, 20);
    one_node t;
    one_node_start(&t);
    small_whole(&t, dtype, 2, (int64_t[]){ta ? k : m, ta ? m : k});
    small_whole(&t, dtype, 2, (int64_t[]){tb ? n : k, tb ? k : n});
    if (gemm) {
      small_whole(&t, dtype, 1, &n);
    }
    one_node_op(&t, gemm ? "Gemm" : "MatMul", "", 13, 1);
    const int64_t factor = gemm && dtype == TARE_F64 ? 2 : 1;
    assert_true(!gemm || (tarei_attr_set_int(t.node, "transA", ta) &&
                          tarei_attr_set_int(t.node, "transB", tb) &&
                          tarei_attr_set_float(t.node, "alpha", (float)factor)));
    one_node_run_ok(&t);
    for (int64_t i = 0; i < m * n; i++) {
      const int64_t row = i / n, column = i % n;
      int64_t sum = 0;
      for (int64_t j = 0; j < k; j++) {
        sum += whole_of(&t.inputs[0], (size_t)(ta ? j * m + row : row * k + j)) *
               whole_of(&t.inputs[1], (size_t)(tb ? column * k + j : j * n + column));
      }
      sum = factor * sum + (gemm ? whole_of(&t.inputs[2], (size_t)column) : 0);
      assert_int_equal(whole_of(&t.outputs[0], (size_t)i), sum);
    }
    one_node_end(&t);
  }
}

/* Linear and QLinear: X [rows, k] . W [k, n] + bias, relu, + residual. */
typedef struct layer {
  int64_t rows, k, n;
  bool bias, relu, residual;
} layer;

static layer start_layer(one_node *const t, const tare_dtype dtype, const char *const op) {
  const layer l = {.rows = one_node_between(1, 600),
                   .k = one_node_between(1, 80),
                   .n = one_node_between(1, 80),
                   .bias = one_node_bits() & 1,
                   .relu = one_node_bits() & 1,
                   .residual = one_node_bits() & 1};
  one_node_start(t);
  (void)one_node_input(t, dtype, 3, (int64_t[]){1, l.rows, l.k}, NULL);
  (void)one_node_const(t, TARE_F32, 2, (int64_t[]){l.k, l.n}, NULL);
  if (l.bias) {
    (void)one_node_const(t, TARE_F32, 1, &l.n, NULL);
  } else {
    (void)one_node_absent(t);
  }
  if (l.residual) {
    (void)one_node_input(t, TARE_F32, 3, (int64_t[]){1, l.rows, l.n}, NULL);
  }
  one_node_op(t, op, "tare", 1, 1);
  assert_true(tarei_attr_set_string(t->node, "activation", l.relu ? "relu" : "none"));
  return l;
}

static void test_linear(void **state) {
  (void)state;
  for (int round = 0; round < 25; round++) {
    one_node t;
    const layer l = start_layer(&t, TARE_F32, "Linear");
    one_node_run_ok(&t);
    const float *const x = t.inputs[0].data, *const w = t.inputs[1].data;
    float *const expected = floats((size_t)(l.rows * l.n));
    for (int64_t i = 0; i < l.rows * l.n; i++) {
      double sum = l.bias ? (double)((const float *)t.inputs[2].data)[i % l.n] : 0;
      for (int64_t j = 0; j < l.k; j++) {
        sum += (double)x[i / l.n * l.k + j] * (double)w[j * l.n + i % l.n];
      }
      expected[i] = (float)(l.relu && sum < 0 ? 0 : sum) +
                    (l.residual ? ((const float *)t.inputs[3].data)[i] : 0);
    }
    one_node_expect_floats(&t, expected, (size_t)(l.rows * l.n), 1e-4f);
    free(expected);
    one_node_end(&t);
  }
}

static const float narrow = 127.0f / 255.0f; /* of a scale whose value uses all of u8 */

static float column_scale(const float *const w, const layer *const l, const int64_t column) {
  float most = 0;
  for (int64_t j = 0; j < l->k; j++) {
    most = fmaxf(most, fabsf(w[j * l->n + column]));
  }
  return most / 127.0f;
}

static void check_qlinear(one_node *const t, const layer *const l, const bool x_unsigned,
                          const bool y_unsigned) {
  const float x_scale = x_unsigned ? 0.013f * narrow : 0.013f;
  const float y_scale = y_unsigned ? 0.21f * narrow : 0.21f;
  const double fold = l->residual ? 1.0 : (double)y_scale;
  const int x_zero = x_unsigned ? 0 : 128, y_zero = y_unsigned ? 0 : 128;
  const uint8_t *const x = t->inputs[0].data, *const got = t->outputs[0].data;
  const float *const w = t->inputs[1].data;
  for (int64_t i = 0; i < l->rows * l->n; i++) {
    const int64_t column = i % l->n;
    const float scale = column_scale(w, l, column);
    int64_t sum = 0;
    for (int64_t j = 0; j < l->k; j++) {
      sum += (x[i / l->n * l->k + j] - x_zero) * (int64_t)rintf(w[j * l->n + column] / scale);
    }
    const float mult = (float)((double)x_scale * (double)scale / fold);
    const float bias =
        l->bias ? (float)((double)((const float *)t->inputs[2].data)[column] / fold) : 0;
    const bool in_sum = !l->residual; /* units of the sum are small beside those of the output */
    sum += in_sum ? (int64_t)rint((double)bias / (double)mult) : 0;
    float f = (float)sum * mult + (in_sum ? 0 : bias);
    f = l->relu ? fmaxf(f, 0) : f;
    f = l->residual ? f + ((const float *)t->inputs[3].data)[i] : f;
    assert_int_equal(got[i], tarei_requant_u8(f, l->residual ? 1.0f / y_scale : 1.0f, y_zero));
  }
}

static void test_qlinear(void **state) {
  (void)state;
  for (int round = 0; round < 12; round++) {
    one_node t;
    const layer l = start_layer(&t, TARE_U8, "QLinear");
    assert_true(tarei_attr_set_string(t.node, "outputs", "u8"));
    one_node_scale(&t, t.in[0], 0.013f, round & 1);
    one_node_scale(&t, t.out[0], 0.21f, round & 2);
    one_node_run_ok(&t);
    check_qlinear(&t, &l, round & 1, round & 2);
    one_node_end(&t);
  }
}

/* B is symmetric; u8 output, with its scale folded into the one factor. */
static void check_qmatmul(const bool trans_b, const bool a_unsigned, const bool y_unsigned) {
  one_node t;
  const product p = random_operands(&t, TARE_U8, trans_b);
  one_node_op(&t, "QMatMul", "tare", 1, 1);
  assert_true(tarei_attr_set_string(t.node, "outputs", "u8") &&
              tarei_attr_set_int(t.node, "trans_b", trans_b));
  one_node_scale(&t, t.in[0], 0.02f, a_unsigned);
  one_node_scale(&t, t.in[1], 0.03f, false);
  one_node_scale(&t, t.out[0], 0.5f, y_unsigned);
  one_node_run_ok(&t);
  const double a_scale = (double)(a_unsigned ? 0.02f * narrow : 0.02f);
  const double y_scale = (double)(y_unsigned ? 0.5f * narrow : 0.5f);
  const float mult = (float)(a_scale * (double)0.03f / y_scale);
  const uint8_t *const x = t.inputs[0].data, *const w = t.inputs[1].data;
  for (size_t i = 0; i < (size_t)tare_tensor_count(&t.outputs[0]); i++) {
    size_t a, b, step;
    int32_t sum = 0;
    factors(&t, &p, i, &a, &b, &step);
    for (size_t k = 0; k < p.k; k++) {
      sum += (x[a + k] - (a_unsigned ? 0 : 128)) * (w[b + k * step] - 128);
    }
    assert_int_equal(((const uint8_t *)t.outputs[0].data)[i],
                     tarei_requant_u8((float)sum * mult, 1.0f, y_unsigned ? 0 : 128));
  }
  one_node_end(&t);
}

static void test_qmatmul(void **state) {
  (void)state;
  for (int round = 0; round < 16; round++) {
    check_qmatmul(round & 1, round & 2, round & 4);
  }
}

static void test_quantize(void **state) {
  (void)state;
  for (int round = 0; round < 8; round++) {
    const int64_t n = one_node_between(1, 40000);
    const bool all = round & 1;
    const float scale = all ? 0.01f * narrow : 0.01f;
    one_node q, d;
    one_node_start(&q);
    (void)one_node_input(&q, TARE_F32, 1, &n, NULL);
    one_node_op(&q, "Quantize", "tare", 1, 1);
    one_node_scale(&q, q.out[0], 0.01f, all);
    one_node_run_ok(&q);
    const uint8_t *const u8 = q.outputs[0].data;
    for (int64_t i = 0; i < n; i++) {
      assert_int_equal(u8[i], tarei_requant_u8(((const float *)q.inputs[0].data)[i], 1.0f / scale,
                                               all ? 0 : 128));
    }
    one_node_start(&d);
    (void)one_node_input(&d, TARE_U8, 1, &n, u8);
    one_node_op(&d, "Dequantize", "tare", 1, 1);
    one_node_scale(&d, d.in[0], 0.01f, all);
    one_node_run_ok(&d);
    for (int64_t i = 0; i < n; i++) {
      assert_true(((const float *)d.outputs[0].data)[i] ==
                  (float)(u8[i] - (all ? 0 : 128)) * scale);
    }
    one_node_end(&q);
    one_node_end(&d);
  }
}

/* A second operand whose zero point is 0, in more rows than are corrected at a time. */
static void test_unsigned_second(void **state) {
  (void)state;
  enum { M = 70, K = 5, N = 3 };
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_U8, 2, (int64_t[]){M, K}, NULL);
  (void)one_node_input(&t, TARE_U8, 2, (int64_t[]){K, N}, NULL);
  one_node_op(&t, "QMatMul", "tare", 1, 1);
  one_node_scale(&t, t.in[0], 0.05f, false);
  one_node_scale(&t, t.in[1], 0.05f, true);
  one_node_run_ok(&t);
  const uint8_t *const a = t.inputs[0].data, *const b = t.inputs[1].data;
  float expected[M * N];
  for (int i = 0; i < M * N; i++) {
    int32_t sum = 0;
    for (int k = 0; k < K; k++) {
      sum += (a[i / N * K + k] - 128) * b[k * N + i % N];
    }
    expected[i] = (float)sum * (0.05f * 0.05f * 127.0f / 255.0f);
  }
  one_node_expect_floats(&t, expected, M * N, 1e-3f); /* large parts cancel */
  one_node_end(&t);
}

/* Two inputs [1, k] and [k, 1], a symbol for k. */
static void start_long_product(one_node *const t, const int64_t k, const uint8_t a) {
  uint8_t *const bytes = calloc((size_t)k, 2);
  assert_non_null(bytes);
  memset(bytes, a, (size_t)k);
  one_node_start(t);
  (void)one_node_input(t, TARE_U8, 2, (int64_t[]){1, k}, bytes);
  (void)one_node_input(t, TARE_U8, 2, (int64_t[]){k, 1}, bytes + k);
  free(bytes);
  one_node_symbol(t, 0, 1, "k");
  one_node_symbol(t, 1, 0, "k");
  one_node_op(t, "QMatMul", "tare", 1, 1);
  one_node_scale(t, t->in[0], 1, true);
  one_node_scale(t, t->in[1], 1, false);
}

/* The longest product whose sums cannot leave int32, at its extreme; one more is refused. */
static void test_longest_sum(void **state) {
  (void)state;
  one_node t;
  start_long_product(&t, TAREI_INT8_LONGEST_SUM, 255);
  one_node_run_ok(&t);
  const double sum = 127.0 * -128 * TAREI_INT8_LONGEST_SUM;
  assert_true(fabs((double)((const float *)t.outputs[0].data)[0] / sum - 1) < 1e-6);
  one_node_end(&t);
  start_long_product(&t, TAREI_INT8_LONGEST_SUM + 1, 255);
  one_node_refused(&t, TARE_E_LIMIT, "sums of 65794 products, the limit of int8 is 65793");
}

static void test_refused(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){3, 4}, NULL);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){5, 2}, NULL);
  one_node_symbol(&t, 1, 0, "k");
  one_node_op(&t, "MatMul", "", 13, 1);
  one_node_refused(&t, TARE_E_SHAPE, "rows of A have 4 elements, but columns of B have 5");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){3, 4}, NULL);
  (void)one_node_const(&t, TARE_F32, 2, (int64_t[]){4, 0}, NULL);
  one_node_op(&t, "Linear", "tare", 1, 1);
  one_node_refused(&t, TARE_E_UNSUPPORTED, "must be constant, float32 and not empty");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_I64, 2, (int64_t[]){3, 4}, NULL);
  (void)one_node_input(&t, TARE_I64, 2, (int64_t[]){4, 3}, NULL);
  one_node_op(&t, "Gemm", "", 13, 1);
  assert_true(tarei_attr_set_float(t.node, "alpha", 0.5f));
  one_node_refused(&t, TARE_E_UNSUPPORTED, "alpha and beta of 1, got alpha 0.5");
}

int matrix_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_longest_sum),     cmocka_unit_test(test_matmul),
      cmocka_unit_test(test_vectors),         cmocka_unit_test(test_gemm),
      cmocka_unit_test(test_linear),          cmocka_unit_test(test_other_types),
      cmocka_unit_test(test_unsigned_second), cmocka_unit_test(test_qlinear),
      cmocka_unit_test(test_qmatmul),         cmocka_unit_test(test_quantize),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
