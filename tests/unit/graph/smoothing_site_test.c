/* Where channels can get other scales, and that what computes with the folded constants stays the
 * same: each graph is one that differs in a single node from one that can be smoothed. */
#include "unit/graph/pass_helpers.h"

#include <math.h>

#include "graph/quantize/smooth.h"

enum { C = 4, N = 3 };

static tarei_graph *g;

static int matrix(const char *const name, const int64_t k, const int64_t n) {
  float w[C * C];
  for (int64_t i = 0; i < k * n; i++) {
    w[i] = (float)(i + 1);
  }
  return add_floats(g, name, 2, (const int64_t[]){k, n}, w);
}

static int vector(const char *const name) {
  static const float ones[C] = {1, 2, 3, 4};
  return add_vector(g, name, C, ones);
}

static int weights(const char *const name, const int64_t o, const int64_t i) {
  float w[C * C * 2];
  for (int64_t e = 0; e < o * i * 2; e++) {
    w[e] = (float)(e + 1);
  }
  return add_floats(g, name, 3, (const int64_t[]){o, i, 2}, w);
}

/* What is between the first layer and the second, which reads tensor "t". */
typedef int between_fn(int value);

static int nothing(const int value) {
  return value;
}
static int relu(const int value) {
  return OP(g, "Relu", "relu", value);
}
static int leaky(const int value) {
  return OP(g, "LeakyRelu", "leaky", value);
}
static int bias(const int value) {
  return OP(g, "Add", "add", value, vector("bias"));
}
static int scaled(const int value) {
  return OP(g, "Mul", "mul", vector("factors"), value);
}
static int normalized(const int value) {
  return OP(g, "LayerNormalization", "norm", value, vector("gamma"), vector("beta"));
}
static int sigmoid(const int value) {
  return OP(g, "Sigmoid", "sigmoid", value);
}
static int gelu(const int value) {
  return OP(g, "Mul", "gate", value, OP(g, "Sigmoid", "sigmoid", value));
}
static int shifted(const int value) { /* one number for all channels */
  return OP(g, "Add", "add", value, add_scalar(g, "shift", 1));
}
static int summed(const int value) { /* both operands vary */
  return OP(g, "Add", "sum", value, g->inputs[0]);
}
static int read_twice(const int value) {
  assert_true(tarei_graph_mark_output(g, OP(g, "Relu", "other", value)));
  return OP(g, "Relu", "relu", value);
}
static int is_output(const int value) {
  assert_true(tarei_graph_mark_output(g, value));
  return OP(g, "Relu", "relu", value);
}

/* MatMul, `between`, "t" = Relu, and two layers that read it. */
static void make_linear(between_fn *const between, const bool share) {
  g = tarei_graph_new("g");
  const int x = add_input(g, "x", "2;n;4");
  const int first = OP(g, "MatMul", "first", x, matrix("w1", C, C));
  const int t = OP(g, "Relu", "t", between(first));
  const int w2 = matrix("w2", C, N);
  const int a = OP(g, "MatMul", "a", t, w2);
  const int b = OP(g, "MatMul", "b", t, share ? w2 : matrix("w3", C, N));
  end_graph(g, OP(g, "Add", "y", a, b));
}

static const int8_t EXPONENTS[C] = {0, -3, 5, 1};

static void expect_divided(const char *const name, const float *const before, const int64_t n) {
  const float *const w = g->values[tarei_graph_find_value(g, name)].data->data;
  for (int64_t i = 0; i < n; i++) {
    assert_true(w[i] == ldexpf(before[i], -EXPONENTS[i % C]));
  }
}

static void expect_linear(between_fn *const between, const bool found) {
  tarei_smoothing_site site;
  make_linear(between, false);
  const bool has = tarei_smoothing_site_find(g, tarei_graph_find_value(g, "t"), &site);
  assert_int_equal(has, found);
  if (has) {
    assert_int_equal(site.channels, C);
    assert_int_equal(site.axis, 2);
    assert_int_equal(site.n_readers, 2);
    assert_int_equal(tarei_smooth_site(g, &site, EXPONENTS, NULL), TARE_OK);
    const float *const w = g->values[tarei_graph_find_value(g, "w2")].data->data;
    for (int i = 0; i < C * N; i++) {
      assert_true(w[i] == ldexpf((float)(i + 1), EXPONENTS[i / N]));
    }
  }
}

static void linear_chains_are_sites(void **const state) {
  (void)state;
  between_fn *const good[] = {nothing, relu, leaky, bias, scaled, normalized};
  float numbers[C * C];
  for (int i = 0; i < C * C; i++) {
    numbers[i] = (float)(i + 1);
  }
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    expect_linear(good[i], true);
    const bool own = good[i] == scaled || good[i] == normalized; /* no need to look further */
    const char *const constant = good[i] == scaled ? "factors" : own ? "gamma" : "w1";
    expect_divided(constant, numbers, own ? C : C * C);
    if (good[i] == bias) {
      expect_divided("bias", numbers, C);
    }
    tarei_graph_free(g);
  }
}

static void other_chains_are_none(void **const state) {
  (void)state;
  between_fn *const bad[] = {sigmoid, gelu, shifted, summed, read_twice, is_output};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    expect_linear(bad[i], false);
    tarei_graph_free(g);
  }
}

static void shared_weights_are_none(void **const state) {
  (void)state;
  tarei_smoothing_site site;
  make_linear(nothing, true);
  assert_false(tarei_smoothing_site_find(g, tarei_graph_find_value(g, "t"), &site));
  tarei_graph_free(g);
}

static void another_reader_is_none(void **const state) {
  (void)state;
  tarei_smoothing_site site;
  make_linear(nothing, false);
  assert_true(tarei_smoothing_site_find(g, tarei_graph_find_value(g, "t"), &site));
  assert_false(tarei_smoothing_site_find(g, tarei_graph_find_value(g, "x"), &site));
  assert_false(tarei_smoothing_site_find(g, tarei_graph_find_value(g, "y"), &site));
  assert_false(tarei_smoothing_site_find(g, tarei_graph_find_value(g, "w2"), &site));
  assert_true(tarei_graph_mark_output(g, OP(g, "Exp", "more", tarei_graph_find_value(g, "t"))));
  assert_false(tarei_smoothing_site_find(g, tarei_graph_find_value(g, "t"), &site));
  tarei_graph_free(g);
}

/* Convolutions have their channels at axis 1, linear layers behind a transpose at the end. */
static void transposes_are_followed(void **const state) {
  (void)state;
  static const int64_t to_last[] = {0, 2, 1};
  tarei_smoothing_site site;
  g = tarei_graph_new("g");
  const int x = add_input(g, "x", "2;2;n");
  const int first = OP(g, "Conv", "t", x, weights("w1", C, 2));
  const int moved = OP(g, "Transpose", "moved", first);
  assert_true(tarei_attr_set_ints(last_node(g), "perm", to_last, 3));
  const int conv = OP(g, "Conv", "conv", first, weights("w2", 2, 2));
  assert_true(tarei_attr_set_int(last_node(g), "group", 2));
  assert_true(tarei_graph_mark_output(g, conv));
  end_graph(g, OP(g, "MatMul", "y", moved, matrix("w3", C, N)));
  assert_true(tarei_smoothing_site_find(g, first, &site));
  assert_int_equal(site.axis, 1);
  assert_int_equal(site.n_same, 2);
  assert_int_equal(tarei_smooth_site(g, &site, EXPONENTS, NULL), TARE_OK);
  const float *const w2 = g->values[tarei_graph_find_value(g, "w2")].data->data;
  for (int e = 0; e < 8; e++) { /* output channel j of two, channel i of its group, two taps */
    const int j = e / 4, i = e / 2 % 2;
    assert_true(w2[e] == ldexpf((float)(e + 1), EXPONENTS[2 * j + i]));
  }
  assert_false(tarei_smoothing_site_find(g, moved, &site)); /* the convolution reads it too */
  tarei_graph_free(g);
}

int smoothing_site_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_chains_are_sites), cmocka_unit_test(other_chains_are_none),
      cmocka_unit_test(shared_weights_are_none), cmocka_unit_test(another_reader_is_none),
      cmocka_unit_test(transposes_are_followed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
