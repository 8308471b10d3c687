/* Float layers that multiply in bf16. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/one_node.h"

/* To nearest even; the values here are normal. */
static double to_bf16(const float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  float rounded;
  memcpy(&rounded, &bits, sizeof rounded);
  return (double)rounded;
}

/* One product of k factors, and how far sums in float may be off. */
typedef struct exact_sum {
  double sum, size;
} exact_sum;

static void add_product(exact_sum *const s, const float x, const float w) {
  const double product = to_bf16(x) * to_bf16(w);
  s->sum += product;
  s->size += fabs(product);
}

static void expect_sum(const exact_sum *const s, const size_t k, const float bias, const float y) {
  const double most = (s->size + fabs((double)bias)) * 6e-8 * (double)(k + 1);
  assert_true(fabs((double)y - s->sum - (double)bias) <= most);
}

static void check_linear(void) {
  const int64_t rows = one_node_between(1, 150), k = one_node_between(1, 90);
  const int64_t n = one_node_between(1, 70);
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){rows, k}, NULL);
  (void)one_node_const(&t, TARE_F32, 2, (int64_t[]){k, n}, NULL);
  (void)one_node_const(&t, TARE_F32, 1, (int64_t[]){n}, NULL);
  one_node_op(&t, "Linear", "tare", 1, 1);
  assert_true(tarei_attr_set_string(t.node, "compute", "bf16"));
  one_node_run_ok(&t);
  const float *const x = t.inputs[0].data, *const w = t.inputs[1].data;
  const float *const bias = t.inputs[2].data, *const y = t.outputs[0].data;
  for (int64_t i = 0; i < rows * n; i++) {
    exact_sum s = {0, 0};
    for (int64_t j = 0; j < k; j++) {
      add_product(&s, x[i / n * k + j], w[j * n + i % n]);
    }
    expect_sum(&s, (size_t)k, bias[i % n], y[i]);
  }
  one_node_end(&t);
}

static void linear_layers_multiply_in_bf16(void **state) {
  (void)state;
  for (int round = 0; round < 20; round++) {
    check_linear();
  }
}

/* Padded and strided, along one axis. */
static void check_conv(const int group) {
  const int64_t length = one_node_between(9, 200), channels = 2 * group, outputs = 3 * group;
  const int64_t taps = 5, stride = 2, pad = 2, frames = (length + 2 * pad - taps) / stride + 1;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){1, length, channels}, NULL);
  (void)one_node_const(&t, TARE_F32, 3, (int64_t[]){outputs, taps, 2}, NULL);
  one_node_op(&t, "ConvLast", "tare", 1, 1);
  assert_true(tarei_attr_set_string(t.node, "compute", "bf16"));
  assert_true(tarei_attr_set_int(t.node, "group", group));
  assert_true(tarei_attr_set_ints(t.node, "strides", &stride, 1));
  assert_true(tarei_attr_set_ints(t.node, "pads", (int64_t[]){pad, pad}, 2));
  one_node_run_ok(&t);
  const float *const x = t.inputs[0].data, *const w = t.inputs[1].data,
                     *const y = t.outputs[0].data;
  for (int64_t i = 0; i < frames * outputs; i++) {
    exact_sum s = {0, 0};
    for (int64_t j = 0; j < taps * 2; j++) {
      const int64_t at = i / outputs * stride - pad + j / 2;
      const int64_t channel = i % outputs / 3 * 2 + j % 2;
      add_product(&s, at < 0 || at >= length ? 0 : x[at * channels + channel],
                  w[i % outputs * taps * 2 + j]);
    }
    expect_sum(&s, (size_t)taps * 2, 0, y[i]);
  }
  one_node_end(&t);
}

static void convolutions_multiply_in_bf16(void **state) {
  (void)state;
  for (int round = 0; round < 20; round++) {
    check_conv(1 + round % 3);
  }
}

static void depthwise_convolutions_and_other_types_are_refused(void **state) {
  (void)state;
  for (int depthwise = 0; depthwise < 2; depthwise++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){1, 20, 4}, NULL);
    (void)one_node_const(&t, TARE_F32, 3, (int64_t[]){4, 3, depthwise ? 1 : 4}, NULL);
    one_node_op(&t, "ConvLast", "tare", 1, 1);
    assert_true(tarei_attr_set_string(t.node, "compute", depthwise ? "bf16" : "fp8"));
    assert_true(tarei_attr_set_int(t.node, "group", depthwise ? 4 : 1));
    if (depthwise) {
      one_node_refused(&t, TARE_E_UNSUPPORTED, "depthwise convolutions have no bf16 products");
    } else {
      one_node_refused(&t, TARE_E_MODEL, "expected fp32 or bf16, got 'fp8'");
    }
  }
}

int main(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_layers_multiply_in_bf16),
      cmocka_unit_test(convolutions_multiply_in_bf16),
      cmocka_unit_test(depthwise_convolutions_and_other_types_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
