/* Int8 layers on float activations, which are quantized at run time, by the layer or before it:
 * each row by its own scale, or to 16 bits, by that or by the scale of the tensor. */
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
#include "unit/lower/loud_rows.h"

typedef struct row_kind {
  int bits;
  bool own_scales, from_zero; /* from_zero: nothing is negative */
} row_kind;
static const row_kind kinds[] = {
    {8, true, false}, {16, true, false}, {16, false, false}, {8, true, true}, {16, true, true}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The scale of a row, or of all of them: amax / 127, / 255 or / 32767. */
static float scale_for(const row_kind kind, const float amax) {
  if (kind.own_scales) {
    const float steps = kind.bits == 16 ? 32767.0f : kind.from_zero ? 255.0f : 127.0f;
    return amax > 0 ? amax / steps : 1.0f;
  }
  return (float)((double)(amax / 127.0f) * 127 / 32767);
}

static void make_quantized(one_node *const t, const row_kind kind, const float amax) {
  if (kind.own_scales) {
    assert_true(tarei_attr_set_int(t->node, "row_scales", 1));
  } else {
    one_node_scale(t, t->in[0], amax / 127, false);
  }
  assert_true(kind.bits == 8 || tarei_attr_set_int(t->node, "activation_bits", kind.bits));
  assert_true(!kind.from_zero || tarei_attr_set_int(t->node, "unsigned_rows", 1));
}

/* What a float becomes. */
static double rounded(const float x, const float scale) {
  return (double)rintf(x * (1.0f / scale)) * (double)scale;
}

static float amax_of(const float *const x, const size_t n) {
  float amax = 0;
  for (size_t i = 0; i < n; i++) {
    amax = fmaxf(amax, fabsf(x[i]));
  }
  return amax;
}

static double weight(const float *const w, const size_t at, const size_t first, const size_t n,
                     const size_t step) {
  const float scale = tarei_weight_scale(w + first, n, step);
  return (double)tarei_weight_quantize(w[at], scale) * (double)scale;
}

static void check_linear(const row_kind kind) {
  const size_t rows = (size_t)one_node_between(1, 150), k = (size_t)one_node_between(1, 90);
  const size_t n = (size_t)one_node_between(1, 70);
  float *const x = calloc(rows * k, sizeof *x);
  assert_non_null(x);
  make_rows(x, rows, k, kind.from_zero);
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){(int64_t)rows, (int64_t)k}, x);
  (void)one_node_const(&t, TARE_F32, 2, (int64_t[]){(int64_t)k, (int64_t)n}, NULL);
  (void)one_node_const(&t, TARE_F32, 1, (int64_t[]){(int64_t)n}, NULL);
  one_node_op(&t, "QLinear", "tare", 1, 1);
  const float most = amax_of(x, rows * k);
  make_quantized(&t, kind, most);
  one_node_run_ok(&t);
  const float *const w = t.inputs[1].data, *const bias = t.inputs[2].data;
  const float *const y = t.outputs[0].data;
  for (size_t r = 0; r < rows; r++) {
    const float scale = scale_for(kind, kind.own_scales ? amax_of(x + r * k, k) : most);
    for (size_t j = 0; j < n; j++) {
      double sum = (double)bias[j], size = fabs(sum);
      for (size_t i = 0; i < k; i++) {
        const double product = rounded(x[r * k + i], scale) * weight(w, i * n + j, j, k, n);
        sum += product;
        size += fabs(product);
      }
      assert_true(fabs((double)y[r * n + j] - sum) <= 1e-6 * size);
    }
  }
  one_node_end(&t);
  free(x);
}

static void linear_layers_quantize_rows(void **state) {
  (void)state;
  for (int round = 0; round < 30; round++) {
    check_linear(kinds[round % KINDS]);
  }
}

/* Windows of a padded, strided convolution, each with its own scale. */
static void check_conv(const int group, const row_kind kind) {
  const int64_t length = one_node_between(9, 200), channels = 2 * group, outputs = 3 * group;
  const int64_t taps = 5, stride = 2, pad = 2, frames = (length + 2 * pad - taps) / stride + 1;
  const size_t k = (size_t)(taps * channels / group);
  float *const x = calloc((size_t)(length * channels), sizeof *x);
  assert_non_null(x);
  make_rows(x, (size_t)length, (size_t)channels, kind.from_zero);
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){1, length, channels}, x);
  (void)one_node_const(&t, TARE_F32, 3, (int64_t[]){outputs, taps, channels / group}, NULL);
  one_node_op(&t, "QConvLast", "tare", 1, 1);
  const float most = amax_of(x, (size_t)(length * channels));
  make_quantized(&t, kind, most);
  assert_true(tarei_attr_set_int(t.node, "group", group));
  assert_true(tarei_attr_set_ints(t.node, "strides", &stride, 1));
  assert_true(tarei_attr_set_ints(t.node, "pads", (int64_t[]){pad, pad}, 2));
  one_node_run_ok(&t);
  const float *const w = t.inputs[1].data, *const y = t.outputs[0].data;
  for (int64_t f = 0; f < frames; f++) {
    for (int64_t o = 0; o < outputs; o++) {
      float window[5 * 2];
      const int64_t g = o / 3;
      for (size_t i = 0; i < k; i++) {
        const int64_t at = f * stride - pad + (int64_t)i / 2;
        window[i] = at < 0 || at >= length ? 0 : x[at * channels + g * 2 + (int64_t)i % 2];
      }
      const float scale = scale_for(kind, kind.own_scales ? amax_of(window, k) : most);
      double sum = 0, size = 0;
      for (size_t i = 0; i < k; i++) {
        const double product =
            rounded(window[i], scale) * weight(w, (size_t)o * k + i, (size_t)o * k, k, 1);
        sum += product;
        size += fabs(product);
      }
      assert_true(fabs((double)y[f * outputs + o] - sum) <= 1e-6 * size);
    }
  }
  one_node_end(&t);
  free(x);
}

/* A tap of window (line, column) of a sample, 0 in the padding. */
typedef struct plane_windows {
  const float *x;
  int64_t lines, columns, channels, taps[2], strides[2], pads[2], out[2];
} plane_windows;

static float plane_tap(const plane_windows *const p, const int64_t position, const int64_t i) {
  const int64_t sample = position / (p->out[0] * p->out[1]), tap = i / p->channels;
  const int64_t y =
      position / p->out[1] % p->out[0] * p->strides[0] + tap / p->taps[1] - p->pads[0];
  const int64_t x = position % p->out[1] * p->strides[1] + tap % p->taps[1] - p->pads[1];
  const bool inside = y >= 0 && y < p->lines && x >= 0 && x < p->columns;
  return inside ? p->x[((sample * p->lines + y) * p->columns + x) * p->channels + i % p->channels]
                : 0.0f;
}

static void check_plane(const plane_windows *const p, const one_node *const t, const row_kind kind,
                        const float most) {
  const size_t k = (size_t)(p->taps[0] * p->taps[1] * p->channels), outputs = 3;
  const float *const w = t->inputs[1].data, *const y = t->outputs[0].data;
  float *const window = calloc(k, sizeof *window);
  assert_non_null(window);
  for (int64_t at = 0; at < 2 * p->out[0] * p->out[1]; at++) {
    for (size_t i = 0; i < k; i++) {
      window[i] = plane_tap(p, at, (int64_t)i);
    }
    const float scale = scale_for(kind, kind.own_scales ? amax_of(window, k) : most);
    for (size_t o = 0; o < outputs; o++) {
      double sum = 0, size = 0;
      for (size_t i = 0; i < k; i++) {
        const double product = rounded(window[i], scale) * weight(w, o * k + i, o * k, k, 1);
        sum += product;
        size += fabs(product);
      }
      assert_true(fabs((double)y[(size_t)at * outputs + o] - sum) <= 1e-6 * size);
    }
  }
  free(window);
}

/* The same over two axes, of two samples. */
static void check_conv_of_planes(const row_kind kind) {
  plane_windows p = {.lines = one_node_between(4, 20), .columns = one_node_between(4, 40)};
  p.channels = one_node_between(0, 1) ? one_node_between(1, 20) : 1;
  for (int a = 0; a < 2; a++) {
    p.taps[a] = one_node_between(1, 4);
    p.strides[a] = one_node_between(1, 2);
    p.pads[a] = one_node_between(0, p.taps[a] - 1);
    p.out[a] = ((a ? p.columns : p.lines) + 2 * p.pads[a] - p.taps[a]) / p.strides[a] + 1;
  }
  const size_t pixels = (size_t)(2 * p.lines * p.columns);
  float *const x = calloc(pixels * (size_t)p.channels, sizeof *x);
  assert_non_null(x);
  make_rows(x, pixels, (size_t)p.channels, kind.from_zero);
  p.x = x;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 4, (int64_t[]){2, p.lines, p.columns, p.channels}, x);
  (void)one_node_const(&t, TARE_F32, 4, (int64_t[]){3, p.taps[0], p.taps[1], p.channels}, NULL);
  one_node_op(&t, "QConvLast", "tare", 1, 1);
  const float most = amax_of(x, pixels * (size_t)p.channels);
  make_quantized(&t, kind, most);
  assert_true(tarei_attr_set_ints(t.node, "strides", p.strides, 2));
  assert_true(tarei_attr_set_ints(t.node, "pads",
                                  (int64_t[]){p.pads[0], p.pads[1], p.pads[0], p.pads[1]}, 4));
  one_node_run_ok(&t);
  check_plane(&p, &t, kind, most);
  one_node_end(&t);
  free(x);
}

static void convolutions_quantize_windows(void **state) {
  (void)state;
  for (int round = 0; round < 60; round++) {
    check_conv(1 + round % 3, kinds[round / 3 % KINDS]);
    check_conv_of_planes(kinds[round % KINDS]);
  }
}

/* A quiet row keeps its bits beside a loud one: what one static scale cannot do. */
static void quiet_rows_keep_their_bits(void **state) {
  (void)state;
  float x[2 * 16], w[16];
  for (int i = 0; i < 16; i++) {
    x[i] = 1000.0f * one_node_float();
    x[16 + i] = 1e-3f * one_node_float();
    w[i] = one_node_float();
  }
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){2, 16}, x);
  (void)one_node_const(&t, TARE_F32, 2, (int64_t[]){16, 1}, w);
  one_node_op(&t, "QLinear", "tare", 1, 1);
  assert_true(tarei_attr_set_int(t.node, "row_scales", 1));
  one_node_run_ok(&t);
  double exact = 0, magnitude = 0;
  for (int i = 0; i < 16; i++) {
    exact += (double)x[16 + i] * (double)w[i];
    magnitude += fabs((double)x[16 + i] * (double)w[i]);
  }
  assert_true(fabs((double)((const float *)t.outputs[0].data)[1] - exact) < 0.02 * magnitude);
  one_node_end(&t);
}

static void depthwise_convolutions_have_none(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){1, 20, 4}, NULL);
    (void)one_node_const(&t, TARE_F32, 3, (int64_t[]){4, 3, 1}, NULL);
    one_node_op(&t, "QConvLast", "tare", 1, 1);
    make_quantized(&t, kinds[i], 2);
    assert_true(tarei_attr_set_int(t.node, "group", 4));
    one_node_refused(&t, TARE_E_UNSUPPORTED, "depthwise");
  }
}

static void recurrent_layers_have_no_16_bits(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){3, 2, 4}, NULL);
  (void)one_node_const(&t, TARE_F32, 3, (int64_t[]){1, 15, 4}, NULL);
  (void)one_node_const(&t, TARE_F32, 3, (int64_t[]){1, 15, 5}, NULL);
  one_node_op(&t, "QGRU", "tare", 1, 1);
  assert_true(tarei_attr_set_int(t.node, "hidden_size", 5));
  make_quantized(&t, kinds[1], 2);
  one_node_refused(&t, TARE_E_UNSUPPORTED, "recurrent layers have no 16-bit activations");
}

/* Rows without a scale of their own need that of the input, and 16 bits. */
static void forms_without_scales_are_refused(void **state) {
  (void)state;
  static const struct {
    int bits;
    const char *text;
  } wrong[] = {{16, "has 0 scales"}, {8, "scales of their own"}, {12, "expected 8 or 16, got 12"}};
  for (int i = 0; i < 3; i++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){3, 8}, NULL);
    (void)one_node_const(&t, TARE_F32, 2, (int64_t[]){8, 5}, NULL);
    one_node_op(&t, "QLinear", "tare", 1, 1);
    assert_true(tarei_attr_set_int(t.node, "activation_bits", wrong[i].bits));
    one_node_refused(&t, TARE_E_MODEL, wrong[i].text);
  }
}

int rows_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_layers_quantize_rows),
      cmocka_unit_test(convolutions_quantize_windows),
      cmocka_unit_test(quiet_rows_keep_their_bits),
      cmocka_unit_test(depthwise_convolutions_have_none),
      cmocka_unit_test(recurrent_layers_have_no_16_bits),
      cmocka_unit_test(forms_without_scales_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
