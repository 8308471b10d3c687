/* ConvLast and QConvLast against a naive convolution: dense, grouped, depthwise, along one axis and
 * two, with strides, dilations, pads, auto_pad, batches, biases, activations and residuals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/requant.h"
#include "unit/engine/support/one_node.h"

/* Space is always two axes here; one axis is the second of two. */
typedef struct shape {
  int space;
  int64_t batch, in[2], kernel[2], stride[2], dilation[2], pad[4], group, channels, outputs;
  const char *auto_pad, *activation;
  bool bias, residual;
} shape;

static int64_t pick(const int64_t lowest, const int64_t highest) {
  return one_node_between(lowest, highest);
}

/* The second axis has one element, and nothing beside it. */
static void make_column(shape *const s) {
  s->kernel[1] = s->in[1] = 1;
  s->pad[1] = s->pad[3] = 0;
}

static shape random_shape(void) {
  static const char *const auto_pads[] = {"NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
  static const char *const activations[] = {"none", "relu", "leaky_relu", "clip"};
  shape s = {.space = (int)pick(1, 2),
             .batch = pick(1, 3),
             .auto_pad = auto_pads[pick(0, 4)],
             .activation = activations[pick(0, 3)],
             .bias = pick(0, 1),
             .residual = pick(0, 1)};
  const int kind = (int)pick(0, 2);
  const bool wide = s.space == 2 && pick(0, 7) == 0; /* lines that blocks of rows do not hold */
  const int64_t per_group = kind == 2 ? 1 : pick(1, 9);
  s.group = kind == 0 ? 1 : pick(2, 5) * (kind == 2 ? 4 : 1);
  s.channels = s.group * per_group;
  s.outputs = s.group * (kind == 2 ? 1 : kind == 0 ? pick(1, 40) : pick(1, 6));
  for (int a = 0; a < 2; a++) {
    const bool flat = a == 0 && s.space == 1;
    s.kernel[a] = flat ? 1 : pick(1, 5);
    s.stride[a] = flat ? 1 : pick(1, 3);
    s.dilation[a] = flat || pick(0, 1) ? 1 : pick(1, 3);
    s.pad[a] = flat ? 0 : pick(0, 4);
    s.pad[2 + a] = flat ? 0 : pick(0, 4);
    const int64_t span = (s.kernel[a] - 1) * s.dilation[a] + 1;
    const int64_t more = s.space == 1 || (wide && a == 1) ? 700 : wide ? 2 : 20;
    s.in[a] = flat ? 1 : span + pick(0, more);
  }
  if (s.space == 2 && pick(0, 5) == 0) {
    make_column(&s);
  }
  return s;
}

/* Attributes as the passes write them. */
static void set_attributes(tarei_node *const node, const shape *const s) {
  const int from = 2 - s->space;
  const int64_t pads[4] = {s->pad[from], s->space == 2 ? s->pad[1] : s->pad[3], s->pad[2],
                           s->pad[3]};
  assert_true(tarei_attr_set_ints(node, "strides", s->stride + from, s->space));
  assert_true(tarei_attr_set_ints(node, "dilations", s->dilation + from, s->space));
  assert_true(tarei_attr_set_int(node, "group", s->group));
  assert_true(tarei_attr_set_string(node, "auto_pad", s->auto_pad));
  assert_true(tarei_attr_set_string(node, "activation", s->activation));
  assert_true(tarei_attr_set_float(node, "activation_a", -0.25f));
  assert_true(tarei_attr_set_float(node, "activation_b", 0.75f));
  if (strcmp(s->auto_pad, "NOTSET") == 0) {
    assert_true(tarei_attr_set_ints(node, "pads", pads, 2 * s->space));
  }
}

static int64_t pad_before(const shape *const s, const int axis, const int64_t out) {
  if (strcmp(s->auto_pad, "NOTSET") == 0) {
    return s->pad[axis];
  }
  if (strcmp(s->auto_pad, "VALID") == 0) {
    return 0;
  }
  const int64_t all =
      (out - 1) * s->stride[axis] + (s->kernel[axis] - 1) * s->dilation[axis] + 1 - s->in[axis];
  const int64_t both = all > 0 ? all : 0;
  return strcmp(s->auto_pad, "SAME_UPPER") == 0 ? both / 2 : both - both / 2;
}

/* x counts units. */
static float activate(const char *const name, const float x, const double unit) {
  return strcmp(name, "relu") == 0         ? fmaxf(x, 0)
         : strcmp(name, "leaky_relu") == 0 ? (x < 0 ? x * -0.25f : x)
         : strcmp(name, "clip") == 0 ? fminf(fmaxf(x, (float)(-0.25 / unit)), (float)(0.75 / unit))
                                     : x;
}

/* The sum over all taps of one output; x is float, or u8 with a zero point (then w is integer). */
static double sum_taps(const shape *const s, const void *const x, const int zero_point,
                       const double *const w, const int64_t *const out, const int64_t b,
                       const int64_t oy, const int64_t ox, const int64_t o) {
  const int64_t per_group = s->channels / s->group, g = o / (s->outputs / s->group);
  double sum = 0;
  for (int64_t ky = 0; ky < s->kernel[0]; ky++) {
    for (int64_t kx = 0; kx < s->kernel[1]; kx++) {
      const int64_t y = oy * s->stride[0] + ky * s->dilation[0] - pad_before(s, 0, out[0]);
      const int64_t z = ox * s->stride[1] + kx * s->dilation[1] - pad_before(s, 1, out[1]);
      if (y < 0 || y >= s->in[0] || z < 0 || z >= s->in[1]) {
        continue;
      }
      const int64_t at = ((b * s->in[0] + y) * s->in[1] + z) * s->channels + g * per_group;
      const double *const row = w + ((o * s->kernel[0] + ky) * s->kernel[1] + kx) * per_group;
      for (int64_t c = 0; c < per_group; c++) {
        sum += row[c] * (zero_point < 0 ? (double)((const float *)x)[at + c]
                                        : (double)(((const uint8_t *)x)[at + c] - zero_point));
      }
    }
  }
  return sum;
}

static void add_operands(one_node *const t, const shape *const s, const tare_dtype dtype) {
  const int rank = s->space + 2;
  const int64_t x4[] = {s->batch, s->in[0], s->in[1], s->channels};
  const int64_t x3[] = {s->batch, s->in[1], s->channels};
  const int64_t w4[] = {s->outputs, s->kernel[0], s->kernel[1], s->channels / s->group};
  const int64_t w3[] = {s->outputs, s->kernel[1], s->channels / s->group};
  one_node_start(t);
  (void)one_node_input(t, dtype, rank, s->space == 2 ? x4 : x3, NULL);
  (void)one_node_const(t, TARE_F32, rank, s->space == 2 ? w4 : w3, NULL);
  if (s->bias) {
    (void)one_node_const(t, TARE_F32, 1, &s->outputs, NULL);
  } else {
    (void)one_node_absent(t);
  }
}

static void add_residual(one_node *const t, const shape *const s, const int64_t *const out) {
  const int64_t r4[] = {s->batch, out[0], out[1], s->outputs};
  const int64_t r3[] = {s->batch, out[1], s->outputs};
  if (s->residual) {
    (void)one_node_input(t, TARE_F32, s->space + 2, s->space == 2 ? r4 : r3, NULL);
  }
}

/* Output lengths by ONNX's formulas; false when nothing is left. */
static bool out_lengths(const shape *const s, int64_t *const out) {
  for (int a = 0; a < 2; a++) {
    const int64_t span = (s->kernel[a] - 1) * s->dilation[a] + 1;
    const bool same = strncmp(s->auto_pad, "SAME", 4) == 0;
    const int64_t pads = strcmp(s->auto_pad, "NOTSET") == 0 ? s->pad[a] + s->pad[2 + a] : 0;
    out[a] = same ? (s->in[a] + s->stride[a] - 1) / s->stride[a]
                  : (s->in[a] + pads - span) / s->stride[a] + 1;
  }
  return out[0] > 0 && out[1] > 0;
}

static double *weights_of(const one_node *const t) {
  const int64_t n = tare_tensor_count(&t->inputs[1]);
  double *const w = malloc((size_t)n * sizeof *w);
  assert_non_null(w);
  for (int64_t i = 0; i < n; i++) {
    w[i] = (double)((const float *)t->inputs[1].data)[i];
  }
  return w;
}

static void check_float(const shape *const s) {
  one_node t;
  int64_t out[2];
  if (!out_lengths(s, out)) {
    return;
  }
  add_operands(&t, s, TARE_F32);
  add_residual(&t, s, out);
  one_node_op(&t, "ConvLast", "tare", 1, 1);
  set_attributes(t.node, s);
  one_node_run_ok(&t);
  const size_t n = (size_t)(s->batch * out[0] * out[1] * s->outputs);
  float *const expected = malloc(n * sizeof *expected);
  double *const w = weights_of(&t);
  assert_non_null(expected);
  const float *const bias = t.inputs[2].data, *const residual = t.inputs[3].data;
  for (size_t i = 0; i < n; i++) {
    const int64_t o = (int64_t)i % s->outputs, p = (int64_t)i / s->outputs;
    const double sum = sum_taps(s, t.inputs[0].data, -1, w, out, p / (out[0] * out[1]),
                                p / out[1] % out[0], p % out[1], o);
    expected[i] = activate(s->activation, (float)(sum + (s->bias ? (double)bias[o] : 0)), 1) +
                  (s->residual ? residual[i] : 0);
  }
  one_node_expect_floats(&t, expected, n, 1e-4f);
  free(expected);
  free(w);
  one_node_end(&t);
}

static void test_float(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) {
    const shape s = random_shape();
    check_float(&s);
  }
}

/* Windows of 3 by 3, 1 by 3 and 3 by 1 with channels enough for Winograd's tiles; lines of tiles
 * that one call does not hold, and outputs that do not fill the last tile. */
static void test_float_tiles(void **state) {
  (void)state;
  for (int i = 0; i < 30; i++) {
    shape s = random_shape();
    s.space = 2;
    s.group = 1;
    const int64_t least = i % 3 == 0 ? 24 : 48;
    s.channels = pick(least, least + 16);
    s.outputs = pick(least, least + 16);
    for (int a = 0; a < 2; a++) {
      s.kernel[a] = i % 3 == a + 1 ? 1 : 3;
      s.stride[a] = s.dilation[a] = 1;
      s.in[a] = 3 + pick(0, a == 1 && i % 5 == 0 ? 150 : 12);
      s.pad[a] = pick(0, 4);
      s.pad[2 + a] = pick(0, 4);
    }
    check_float(&s);
  }
}

/* Weights as the layer quantizes them: per output channel, symmetric. */
static float *quantize_weights(const shape *const s, double *const w) {
  const int64_t k = s->kernel[0] * s->kernel[1] * (s->channels / s->group);
  float *const scale = malloc((size_t)s->outputs * sizeof *scale);
  assert_non_null(scale);
  for (int64_t o = 0; o < s->outputs; o++) {
    float most = 0;
    for (int64_t i = 0; i < k; i++) {
      most = fmaxf(most, fabsf((float)w[o * k + i]));
    }
    scale[o] = most / 127.0f;
    for (int64_t i = 0; i < k; i++) {
      w[o * k + i] = (double)rintf((float)w[o * k + i] / scale[o]);
    }
  }
  return scale;
}

typedef struct scales {
  float x, y; /* of u8 as it is stored */
  int32_t x_zero, y_zero;
} scales;

/* The u8 output exactly, by the rules of kernels.h; the output scale is folded into the factors
 * where no residual stands in the way. */
static void check_int8_outputs(const one_node *const t, const shape *const s, const scales *const q,
                               const int64_t *const out) {
  double *const w = weights_of(t);
  float *const w_scale = quantize_weights(s, w);
  const bool folds = !s->residual;
  const double fold = folds ? (double)q->y : 1.0;
  const float *const bias = t->inputs[2].data, *const residual = t->inputs[3].data;
  const uint8_t *const got = t->outputs[0].data;
  const int64_t n = tare_tensor_count(&t->outputs[0]);
  for (int64_t i = 0; i < n; i++) {
    const int64_t o = i % s->outputs, p = i / s->outputs;
    double sum = sum_taps(s, t->inputs[0].data, q->x_zero, w, out, p / (out[0] * out[1]),
                          p / out[1] % out[0], p % out[1], o);
    const float mult = (float)((double)q->x * (double)w_scale[o] / fold);
    const float b = s->bias ? (float)((double)bias[o] / fold) : 0;
    sum += folds ? rint((double)b / (double)mult) : 0; /* its units are small beside the output's */
    float f = (float)sum * mult + (folds ? 0 : b);
    f = activate(s->activation, f, fold);
    f = s->residual ? f + residual[i] : f;
    const uint8_t expected = tarei_requant_u8(f, folds ? 1.0f : 1.0f / q->y, q->y_zero);
    if (got[i] != expected) {
      fail_msg("element %lld: %d instead of %d", (long long)i, got[i], expected);
    }
  }
  free(w);
  free(w_scale);
}

static void check_int8(const shape *const s) {
  one_node t;
  int64_t out[2];
  if (!out_lengths(s, out)) {
    return;
  }
  const bool x_unsigned = pick(0, 1), y_unsigned = pick(0, 1);
  const float x_scale = 0.011f, y_scale = 0.09f;
  add_operands(&t, s, TARE_U8);
  add_residual(&t, s, out);
  one_node_op(&t, "QConvLast", "tare", 1, 1);
  set_attributes(t.node, s);
  assert_true(tarei_attr_set_string(t.node, "outputs", "u8"));
  one_node_scale(&t, t.in[0], x_scale, x_unsigned);
  one_node_scale(&t, t.out[0], y_scale, y_unsigned);
  one_node_run_ok(&t);
  const float narrow = 127.0f / 255.0f;
  const scales q = {x_unsigned ? x_scale * narrow : x_scale,
                    y_unsigned ? y_scale * narrow : y_scale, x_unsigned ? 0 : 128,
                    y_unsigned ? 0 : 128};
  check_int8_outputs(&t, s, &q, out);
  one_node_end(&t);
}

static void test_int8(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) {
    const shape s = random_shape();
    check_int8(&s);
  }
}

/* Lengths that only the data shows. */
static void test_refused(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){1, 9, 5}, NULL);
  one_node_symbol(&t, 0, 2, "channels");
  (void)one_node_const(&t, TARE_F32, 3, (int64_t[]){2, 3, 4}, NULL);
  one_node_op(&t, "ConvLast", "tare", 1, 1);
  one_node_refused(&t, TARE_E_SHAPE, "axis 2 of 'x0' has length 5, expected 4");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_U8, 3, (int64_t[]){1, 9, 4}, NULL);
  (void)one_node_const(&t, TARE_F32, 3, (int64_t[]){2, 3, 4}, NULL);
  one_node_op(&t, "QConvLast", "tare", 1, 1);
  one_node_refused(&t, TARE_E_MODEL, "'x0' has 0 scales for 1 profiles");
}

int conv_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_float),
      cmocka_unit_test(test_float_tiles),
      cmocka_unit_test(test_int8),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
