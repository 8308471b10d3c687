/* Normalizations in the forms that no kernel has: float64, statistics, parameters that are
 * broadcast, training. Expected numbers are written out in double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/one_node.h"

enum { BATCH = 3, CHANNELS = 5, LENGTH = 7, ALL = BATCH * CHANNELS * LENGTH };

static void expect(const one_node *const t, const int output, const double *const expected,
                   const size_t n) {
  const tare_tensor *const y = &t->outputs[output];
  assert_int_equal(tare_tensor_count(y), (int64_t)n);
  for (size_t i = 0; i < n; i++) {
    const double got = one_node_value(y, i);
    if (!(fabs(got - expected[i]) <= 1e-5 * fmax(1, fabs(expected[i])))) {
      fail_msg("%s, output %d, element %zu: %.9g instead of %.9g", t->node->op->name, output, i,
               got, expected[i]);
    }
  }
}

static double at(const one_node *const t, const int input, const size_t i) {
  return one_node_value(&t->inputs[input], i);
}

static void add_x(one_node *const t, const tare_dtype dtype) {
  (void)one_node_input(t, dtype, 3, (int64_t[]){BATCH, CHANNELS, LENGTH}, NULL);
}

/* Mean and variance of n elements, `step` apart. */
static void moments(const one_node *const t, const size_t first, const size_t n, const size_t step,
                    double *const mean, double *const variance) {
  *mean = *variance = 0;
  for (size_t i = 0; i < n; i++) {
    *mean += at(t, 0, first + i * step) / (double)n;
  }
  for (size_t i = 0; i < n; i++) {
    *variance += pow(at(t, 0, first + i * step) - *mean, 2) / (double)n;
  }
}

/* The scale is one for each element of a row, or for each sample (broadcast). */
static void check_rows(const bool rms, const bool broadcast, const tare_dtype dtype) {
  const int64_t row[] = {LENGTH}, sample[] = {BATCH, 1, 1};
  one_node t;
  one_node_start(&t);
  add_x(&t, dtype);
  (void)one_node_input(&t, dtype, broadcast ? 3 : 1, broadcast ? sample : row, NULL);
  one_node_op(&t, rms ? "RMSNormalization" : "LayerNormalization", "", 23, rms ? 1 : 3);
  assert_true(tarei_attr_set_float(t.node, "epsilon", 0.01f));
  one_node_run_ok(&t);
  double y[ALL], means[BATCH * CHANNELS], inverses[BATCH * CHANNELS];
  for (size_t r = 0; r < BATCH * CHANNELS; r++) {
    double variance;
    moments(&t, r * LENGTH, LENGTH, 1, &means[r], &variance);
    variance += rms ? means[r] * means[r] : 0; /* then it is the mean square */
    inverses[r] = 1 / sqrt(variance + (double)0.01f);
    for (size_t i = 0; i < LENGTH; i++) {
      const size_t k = r * LENGTH + i;
      const double gain = at(&t, 1, broadcast ? r / CHANNELS : i);
      y[k] = (at(&t, 0, k) - (rms ? 0 : means[r])) * inverses[r] * gain;
    }
  }
  expect(&t, 0, y, ALL);
  if (!rms) {
    expect(&t, 1, means, BATCH * CHANNELS);
    expect(&t, 2, inverses, BATCH * CHANNELS);
  }
  one_node_end(&t);
}

static void test_rows(void **state) {
  (void)state;
  for (int form = 0; form < 8; form++) {
    check_rows(form & 1, form & 2, form & 4 ? TARE_F64 : TARE_F32);
  }
}

/* Bytes come of the same numbers, by the kernel and without it. */
static void test_rows_as_bytes(void **state) {
  (void)state;
  const int64_t row[] = {LENGTH}, sample[] = {BATCH, 1, 1};
  for (int form = 0; form < 4; form++) {
    one_node t;
    one_node_start(&t);
    add_x(&t, TARE_F32);
    (void)one_node_input(&t, TARE_F32, form & 1 ? 3 : 1, form & 1 ? sample : row, NULL);
    one_node_op(&t, form & 2 ? "RMSNormalization" : "LayerNormalization", "", 23, 2);
    assert_true(tarei_attr_set_string(t.node, "outputs", "both"));
    one_node_scale(&t, t.out[1], 0.05f, false);
    one_node_run_ok(&t);
    const float *const floats = t.outputs[0].data;
    const uint8_t *const bytes = t.outputs[1].data;
    for (size_t i = 0; i < ALL; i++) {
      const double place = fmin(fmax((double)floats[i] / 0.05 + 128, 0), 255);
      assert_true(fabs((double)bytes[i] - place) < 0.501);
    }
    one_node_end(&t);
  }
}

static void check_batch(const bool trains, const tare_dtype dtype) {
  one_node t;
  one_node_start(&t);
  add_x(&t, dtype);
  for (int i = 1; i < 5; i++) {
    (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){CHANNELS}, (float[]){1, 2, 3, 4, 5});
  }
  one_node_op(&t, "BatchNormalization", "", 15, trains ? 3 : 1);
  assert_true(tarei_attr_set_int(t.node, "training_mode", trains));
  assert_true(tarei_attr_set_float(t.node, "momentum", 0.75f));
  one_node_run_ok(&t);
  double y[ALL], means[CHANNELS], variances[CHANNELS];
  for (size_t c = 0; c < CHANNELS; c++) {
    double mean = at(&t, 3, c), variance = at(&t, 4, c), total = 0, squares = 0;
    for (size_t b = 0; trains && b < BATCH; b++) {
      moments(&t, (b * CHANNELS + c) * LENGTH, LENGTH, 1, &mean, &variance);
      total += mean / BATCH;
      squares += (variance + mean * mean) / BATCH;
    }
    mean = trains ? total : mean;
    variance = trains ? squares - total * total : variance;
    means[c] = at(&t, 3, c) * 0.75 + mean * 0.25;
    variances[c] = at(&t, 4, c) * 0.75 + variance * 0.25;
    for (size_t k = 0; k < (size_t)BATCH * LENGTH; k++) {
      const size_t i = (k / LENGTH * CHANNELS + c) * LENGTH + k % LENGTH;
      y[i] = (at(&t, 0, i) - mean) / sqrt(variance + 1e-5) * at(&t, 1, c) + at(&t, 2, c);
    }
  }
  expect(&t, 0, y, ALL);
  if (trains) {
    expect(&t, 1, means, CHANNELS);
    expect(&t, 2, variances, CHANNELS);
  }
  one_node_end(&t);
}

static void test_batch(void **state) {
  (void)state;
  for (int form = 0; form < 4; form++) {
    check_batch(form & 1, form & 2 ? TARE_F64 : TARE_F32);
  }
}

/* One element for each channel, whose mean is far from zero. */
static void test_vectors(void **state) {
  (void)state;
  enum { N = 37 };
  float x[BATCH * N], parameters[5][N];
  for (int i = 0; i < BATCH * N; i++) {
    x[i] = 1000 + (float)(i * 7 % 23) / 5;
  }
  for (int c = 0; c < N; c++) {
    parameters[1][c] = (float)(c % 5) - 1.5f;
    parameters[2][c] = (float)c / 9;
    parameters[3][c] = 1000.3f + (float)(c % 4) / 3;
    parameters[4][c] = 0.5f + (float)(c % 3);
  }
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){BATCH, N}, x);
  for (int i = 1; i < 5; i++) {
    (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){N}, parameters[i]);
  }
  one_node_op(&t, "BatchNormalization", "", 15, 1);
  one_node_run_ok(&t);
  double y[BATCH * N];
  for (size_t i = 0; i < BATCH * N; i++) {
    const size_t c = i % N;
    y[i] = (at(&t, 0, i) - at(&t, 3, c)) / sqrt(at(&t, 4, c) + 1e-5) * at(&t, 1, c) + at(&t, 2, c);
  }
  expect(&t, 0, y, BATCH * N);
  one_node_end(&t);
}

static void check_instances(const tare_dtype dtype) {
  one_node t;
  one_node_start(&t);
  add_x(&t, dtype);
  (void)one_node_input(&t, dtype, 1, (int64_t[]){CHANNELS}, NULL);
  (void)one_node_input(&t, dtype, 1, (int64_t[]){CHANNELS}, NULL);
  one_node_op(&t, "InstanceNormalization", "", 6, 1);
  one_node_run_ok(&t);
  double y[ALL];
  for (size_t i = 0; i < ALL; i++) {
    const size_t c = i / LENGTH % CHANNELS;
    double mean, variance;
    moments(&t, i / LENGTH * LENGTH, LENGTH, 1, &mean, &variance);
    y[i] = (at(&t, 0, i) - mean) / sqrt(variance + 1e-5) * at(&t, 1, c) + at(&t, 2, c);
  }
  expect(&t, 0, y, ALL);
  one_node_end(&t);
}

static void test_instances(void **state) {
  (void)state;
  check_instances(TARE_F32);
  check_instances(TARE_F64);
}

/* Softmax, LogSoftmax and Hardmax of float64 over the middle axis, or from it on before opset 13.
 */
static void check_softmax(const char *const op, const tare_dtype dtype, const int opset) {
  one_node t;
  one_node_start(&t);
  add_x(&t, dtype);
  one_node_op(&t, op, "", opset, 1);
  assert_true(tarei_attr_set_int(t.node, "axis", 1));
  one_node_run_ok(&t);
  const size_t inner = opset < 13 ? 1 : LENGTH, n = CHANNELS * LENGTH / inner;
  double y[ALL];
  for (size_t i = 0; i < ALL; i++) {
    const size_t first = i / (n * inner) * n * inner + i % inner;
    double sum = 0;
    bool most = true;
    for (size_t k = 0; k < n; k++) {
      const double v = at(&t, 0, first + k * inner);
      sum += exp(v);
      most = most && (v < at(&t, 0, i) || first + k * inner >= i) && v <= at(&t, 0, i);
    }
    const double p = exp(at(&t, 0, i)) / sum;
    y[i] = strcmp(op, "Hardmax") == 0 ? (double)most : strcmp(op, "Softmax") == 0 ? p : log(p);
  }
  expect(&t, 0, y, ALL);
  one_node_end(&t);
}

static void test_softmax(void **state) {
  (void)state;
  for (int opset = 12; opset < 14; opset++) {
    check_softmax("Softmax", TARE_F64, opset);
    check_softmax("LogSoftmax", TARE_F64, opset);
    check_softmax("Hardmax", TARE_F64, opset);
    check_softmax("Hardmax", TARE_F32, opset);
  }
}

int norm_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),      cmocka_unit_test(test_rows_as_bytes),
      cmocka_unit_test(test_batch),     cmocka_unit_test(test_vectors),
      cmocka_unit_test(test_instances), cmocka_unit_test(test_softmax),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
