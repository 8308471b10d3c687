/* Operators of quantized tensors by ONNX's own definitions, against arithmetic written out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/lower/products/int8_weights.h"
#include "unit/engine/support/one_node.h"

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

static void quantize_one_scale(void **state) {
  (void)state;
  const float x[] = {0, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 1e30f, -1e30f, NAN, INFINITY, 260};
  const float scale = 1;
  const uint8_t zero = 10, expected[] = {10, 10, 12, 12, 10, 8, 255, 0, 10, 255, 255};
  one_node t;
  one_node_start(&t);
  one_node_input(&t, TARE_F32, 1, DIMS(11), x);
  one_node_const(&t, TARE_F32, 0, NULL, &scale);
  one_node_const(&t, TARE_U8, 0, NULL, &zero);
  one_node_op(&t, "QuantizeLinear", "", 13, 1);
  one_node_run_ok(&t);
  assert_memory_equal(t.outputs[0].data, expected, sizeof expected);
  one_node_end(&t);
}

/* Division, not multiplication by a reciprocal: 14.5 / 2.9 is a tie in neither. */
static void quantize_along_axis(void **state) {
  (void)state;
  enum { O = 2, A = 3, I = 5 };
  float x[O * A * I];
  const float scale[A] = {0.3f, 2.9f, 1e-3f};
  const int16_t zero[A] = {-300, 0, 7};
  for (int i = 0; i < O * A * I; i++) {
    x[i] = one_node_float() * 10;
  }
  one_node t;
  one_node_start(&t);
  one_node_input(&t, TARE_F32, 3, DIMS(O, A, I), x);
  one_node_input(&t, TARE_F32, 1, DIMS(A), scale);
  one_node_input(&t, TARE_I16, 1, DIMS(A), zero);
  one_node_op(&t, "QuantizeLinear", "", 21, 1);
  assert_true(tarei_attr_set_int(t.node, "axis", -2));
  one_node_run_ok(&t);
  for (int i = 0; i < O * A * I; i++) {
    const int a = i / I % A;
    const float q = rintf(x[i] / scale[a]) + (float)zero[a];
    assert_int_equal(((const int16_t *)t.outputs[0].data)[i], (int)(q > INT16_MAX   ? INT16_MAX
                                                                    : q < INT16_MIN ? INT16_MIN
                                                                                    : q));
  }
  one_node_end(&t);
}

static void dequantize_blocks(void **state) {
  (void)state;
  enum { O = 2, A = 5, I = 3, BLOCK = 2, BLOCKS = 3 };
  int8_t x[O * A * I], zero[O * BLOCKS * I];
  float scale[O * BLOCKS * I];
  for (int i = 0; i < O * A * I; i++) {
    x[i] = (int8_t)one_node_between(-128, 127);
  }
  for (int i = 0; i < O * BLOCKS * I; i++) {
    zero[i] = (int8_t)one_node_between(-128, 127);
    scale[i] = one_node_float() + 2.5f;
  }
  one_node t;
  one_node_start(&t);
  one_node_input(&t, TARE_I8, 3, DIMS(O, A, I), x);
  one_node_input(&t, TARE_F32, 3, DIMS(O, BLOCKS, I), scale);
  one_node_input(&t, TARE_I8, 3, DIMS(O, BLOCKS, I), zero);
  one_node_op(&t, "DequantizeLinear", "", 21, 1);
  assert_true(tarei_attr_set_int(t.node, "block_size", BLOCK));
  one_node_run_ok(&t);
  for (int i = 0; i < O * A * I; i++) {
    const int o = i / (A * I), a = i / I % A, s = (o * BLOCKS + a / BLOCK) * I + i % I;
    const float expected = (float)(x[i] - zero[s]) * scale[s];
    assert_float_equal(((const float *)t.outputs[0].data)[i], expected, 0);
  }
  one_node_end(&t);
}

/* Blocks of the last axis, the last one short. */
static void quantize_last_blocks(void **state) {
  (void)state;
  const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, scale[] = {1, 2, 4, 1, 2, 5};
  const uint8_t expected[] = {1, 2, 2, 2, 1, 6, 7, 4, 4, 2};
  one_node t;
  one_node_start(&t);
  one_node_input(&t, TARE_F32, 2, DIMS(2, 5), x);
  one_node_input(&t, TARE_F32, 2, DIMS(2, 3), scale);
  one_node_op(&t, "QuantizeLinear", "", 21, 1);
  assert_true(tarei_attr_set_int(t.node, "block_size", 2));
  one_node_run_ok(&t);
  assert_memory_equal(t.outputs[0].data, expected, sizeof expected);
  one_node_end(&t);
}

/* Differences that int32 does not hold. */
static void dequantize_wide(void **state) {
  (void)state;
  const int32_t x[] = {INT32_MAX, INT32_MIN, 5}, zero = -2;
  const float scale = 0.5f;
  one_node t;
  one_node_start(&t);
  one_node_input(&t, TARE_I32, 1, DIMS(3), x);
  one_node_const(&t, TARE_F32, 0, NULL, &scale);
  one_node_const(&t, TARE_I32, 0, NULL, &zero);
  one_node_op(&t, "DequantizeLinear", "", 13, 1);
  one_node_run_ok(&t);
  const float expected[] = {(float)(2147483649.0 * 0.5), (float)(-2147483646.0 * 0.5), 3.5f};
  one_node_expect_floats(&t, expected, 3, 0);
  one_node_end(&t);
}

/* Scales whose number only the data tell are held against the axis when it runs. */
static void scales_of_another_size(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  one_node_input(&t, TARE_U8, 2, DIMS(2, 3), NULL);
  one_node_input(&t, TARE_F32, 1, DIMS(4), NULL);
  one_node_symbol(&t, 1, 0, "n");
  one_node_op(&t, "DequantizeLinear", "", 13, 1);
  one_node_refused(&t, TARE_E_SHAPE, "4 elements, expected 3");
}

static void products_with_zero_points(void **state) {
  (void)state;
  enum { B = 2, M = 3, K = 7, N = 5 };
  uint8_t a[B * M * K], a_zero[M];
  int8_t b[K * N], b_zero[N];
  for (int i = 0; i < B * M * K; i++) {
    a[i] = (uint8_t)one_node_between(0, 255);
  }
  for (int i = 0; i < K * N; i++) {
    b[i] = (int8_t)one_node_between(-128, 127);
  }
  for (int i = 0; i < M; i++) {
    a_zero[i] = (uint8_t)one_node_between(0, 255);
  }
  for (int i = 0; i < N; i++) {
    b_zero[i] = (int8_t)one_node_between(-128, 127);
  }
  one_node t;
  one_node_start(&t);
  one_node_input(&t, TARE_U8, 3, DIMS(B, M, K), a);
  one_node_input(&t, TARE_I8, 2, DIMS(K, N), b);
  one_node_input(&t, TARE_U8, 1, DIMS(M), a_zero);
  one_node_input(&t, TARE_I8, 1, DIMS(N), b_zero);
  one_node_op(&t, "MatMulInteger", "", 10, 1);
  one_node_run_ok(&t);
  for (int i = 0; i < B * M * N; i++) {
    const int row = i / N, n = i % N;
    int32_t sum = 0;
    for (int k = 0; k < K; k++) {
      sum += (a[row * K + k] - a_zero[row % M]) * (b[k * N + n] - b_zero[n]);
    }
    assert_int_equal(((const int32_t *)t.outputs[0].data)[i], sum);
  }
  one_node_end(&t);
}

/* The longest sum of the largest products that int32 holds, and one more. */
static void long_integer_sums_wrap(void **state) {
  (void)state;
  enum { LONGEST = INT32_MAX / (255 * 255) };
  static uint8_t x[LONGEST + 1];
  memset(x, 255, sizeof x);
  for (int64_t k = LONGEST; k <= LONGEST + 1; k++) {
    one_node t;
    one_node_start(&t);
    one_node_input(&t, TARE_U8, 2, DIMS(1, k), x);
    one_node_input(&t, TARE_U8, 2, DIMS(k, 1), x);
    one_node_op(&t, "MatMulInteger", "", 10, 1);
    one_node_run_ok(&t);
    const int64_t sum = k * 255 * 255, wrapped = k > LONGEST ? sum - ((int64_t)1 << 32) : sum;
    assert_true(((const int32_t *)t.outputs[0].data)[0] == wrapped);
    one_node_end(&t);
  }
}

/* Groups, strides, dilation and padding, which counts as zero and not as the zero point. */
static void convolution(void **state) {
  (void)state;
  enum { C = 4, L = 11, O = 6, T = 3, PAD = 2, STRIDE = 2, DILATION = 2, OUT = 6 };
  uint8_t x[C * L];
  int8_t w[O * C / 2 * T], w_zero[O];
  const uint8_t x_zero = 100;
  for (int i = 0; i < C * L; i++) {
    x[i] = (uint8_t)one_node_between(0, 255);
  }
  for (int i = 0; i < O * C / 2 * T; i++) {
    w[i] = (int8_t)one_node_between(-128, 127);
  }
  for (int i = 0; i < O; i++) {
    w_zero[i] = (int8_t)one_node_between(-9, 9);
  }
  one_node t;
  one_node_start(&t);
  one_node_input(&t, TARE_U8, 3, DIMS(1, C, L), x);
  one_node_input(&t, TARE_I8, 3, DIMS(O, C / 2, T), w);
  one_node_const(&t, TARE_U8, 0, NULL, &x_zero);
  one_node_const(&t, TARE_I8, 1, DIMS(O), w_zero);
  one_node_op(&t, "ConvInteger", "", 10, 1);
  assert_true(tarei_attr_set_int(t.node, "group", 2) &&
              tarei_attr_set_ints(t.node, "pads", DIMS(PAD, PAD), 2) &&
              tarei_attr_set_ints(t.node, "strides", DIMS(STRIDE), 1) &&
              tarei_attr_set_ints(t.node, "dilations", DIMS(DILATION), 1));
  one_node_run_ok(&t);
  assert_int_equal(t.outputs[0].dims[2], OUT);
  for (int o = 0; o < O; o++) {
    for (int at = 0; at < OUT; at++) {
      int32_t sum = 0;
      for (int c = 0; c < C / 2; c++) {
        for (int k = 0; k < T; k++) {
          const int from = at * STRIDE + k * DILATION - PAD;
          const int channel = o / (O / 2) * (C / 2) + c;
          if (from >= 0 && from < L) {
            sum += (x[channel * L + from] - x_zero) * (w[(o * C / 2 + c) * T + k] - w_zero[o]);
          }
        }
      }
      assert_int_equal(((const int32_t *)t.outputs[0].data)[o * OUT + at], sum);
    }
  }
  one_node_end(&t);
}

/* Windows of bytes over two axes, or the second of them, which some kernels read where they lie. */
typedef struct byte_planes {
  int axes;
  int64_t lines, columns, channels, outputs;
  int64_t taps[2], strides[2], dilations[2], pads[2], out[2];
} byte_planes;

static byte_planes random_planes(const int axes) {
  byte_planes p = {.axes = axes,
                   .lines = axes == 2 ? one_node_between(5, 12) : 1,
                   .columns = one_node_between(8, 40)};
  p.channels = one_node_between(0, 2) ? 4 * one_node_between(1, 8) : one_node_between(1, 20);
  p.outputs = one_node_between(1, 60);
  for (int a = 0; a < 2; a++) {
    const bool used = a == 1 || axes == 2;
    p.taps[a] = used ? one_node_between(1, 3) : 1;
    p.strides[a] = used ? one_node_between(1, 2) : 1;
    p.dilations[a] = used ? one_node_between(1, 2) : 1;
    const int64_t reach = (p.taps[a] - 1) * p.dilations[a];
    p.pads[a] = one_node_between(0, reach);
    p.out[a] = ((a ? p.columns : p.lines) + 2 * p.pads[a] - reach - 1) / p.strides[a] + 1;
  }
  return p;
}

/* The sum of the window at an output, in units of both scales. */
static int32_t byte_window(const byte_planes *const p, const uint8_t *const x, const float *const w,
                           const float scale, const int64_t at) {
  const int64_t sample = at / (p->out[0] * p->out[1]);
  const int64_t y0 = at / p->out[1] % p->out[0] * p->strides[0] - p->pads[0];
  const int64_t x0 = at % p->out[1] * p->strides[1] - p->pads[1];
  int32_t sum = 0;
  for (int64_t i = 0; i < p->taps[0] * p->taps[1] * p->channels; i++) {
    const int64_t tap = i / p->channels, line = y0 + tap / p->taps[1] * p->dilations[0];
    const int64_t column = x0 + tap % p->taps[1] * p->dilations[1];
    if (line >= 0 && line < p->lines && column >= 0 && column < p->columns) {
      const int64_t pixel = (sample * p->lines + line) * p->columns + column;
      sum += (x[pixel * p->channels + i % p->channels] - 128) * tarei_weight_quantize(w[i], scale);
    }
  }
  return sum;
}

static void check_planes(const byte_planes *const p) {
  const float scale = 0.013f;
  const int unused = 2 - p->axes, rank = p->axes + 2;
  const size_t k = (size_t)(p->taps[0] * p->taps[1] * p->channels);
  const int64_t *const lines = (int64_t[]){2, p->lines, p->columns, p->channels};
  const int64_t *const line = (int64_t[]){2, p->columns, p->channels};
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_U8, rank, unused ? line : lines, NULL);
  (void)one_node_const(&t, TARE_F32, rank,
                       unused ? DIMS(p->outputs, p->taps[1], p->channels)
                              : DIMS(p->outputs, p->taps[0], p->taps[1], p->channels),
                       NULL);
  one_node_op(&t, "QConvLast", "tare", 1, 1);
  one_node_scale(&t, t.in[0], scale, false);
  const int64_t pads[] = {p->pads[unused], p->pads[1], p->pads[0], p->pads[1]};
  assert_true(tarei_attr_set_ints(t.node, "strides", p->strides + unused, p->axes) &&
              tarei_attr_set_ints(t.node, "dilations", p->dilations + unused, p->axes) &&
              tarei_attr_set_ints(t.node, "pads", pads, 2 * p->axes));
  one_node_run_ok(&t);
  const float *const y = t.outputs[0].data, *const w = t.inputs[1].data;
  for (int64_t i = 0; i < 2 * p->out[0] * p->out[1] * p->outputs; i++) {
    const float *const of = w + (size_t)(i % p->outputs) * k;
    const float w_scale = tarei_weight_scale(of, k, 1);
    const double sum = byte_window(p, t.inputs[0].data, of, w_scale, i / p->outputs);
    const double expected = sum * (double)scale * (double)w_scale;
    assert_true(fabs((double)y[i] - expected) <= 1e-6 * fabs(expected));
  }
  one_node_end(&t);
}

static void windows_of_bytes(void **state) {
  (void)state;
  for (int round = 0; round < 40; round++) {
    const byte_planes p = random_planes(1 + round % 2);
    check_planes(&p);
  }
}

int quantized_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quantize_one_scale),
      cmocka_unit_test(quantize_along_axis),
      cmocka_unit_test(dequantize_blocks),
      cmocka_unit_test(quantize_last_blocks),
      cmocka_unit_test(dequantize_wide),
      cmocka_unit_test(scales_of_another_size),
      cmocka_unit_test(products_with_zero_points),
      cmocka_unit_test(long_integer_sums_wrap),
      cmocka_unit_test(convolution),
      cmocka_unit_test(windows_of_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
