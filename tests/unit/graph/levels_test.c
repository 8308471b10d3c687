/* Which values follow the level of the input, and which are read by a logarithm. */
#include "graph/quantize/levels.h"
#include "graph/quantize/row_need.h"
#include "pass_helpers.h"

static const float ramp[256] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static int levels_conv(tarei_graph *const g, const char *const out, const int x, const int64_t in,
                       const bool bias) {
  char w[32], b[32];
  snprintf(w, sizeof w, "w_%s", out);
  snprintf(b, sizeof b, "b_%s", out);
  const int weights = add_floats(g, w, 3, (int64_t[]){8, in, 1}, ramp);
  return bias ? OP(g, "Conv", out, x, weights, add_floats(g, b, 1, (int64_t[]){8}, ramp))
              : OP(g, "Conv", out, x, weights);
}

static const tarei_quant *levels_of(const tarei_graph *const g, const char *const name) {
  const int value = tarei_graph_find_value(g, name);
  if (value < 0) {
    fail_msg("no value is called %s", name);
  }
  return &g->values[value].quant;
}

static void levels_mark(tarei_graph *const g) {
  tare_error err = {0};
  assert_int_equal(tarei_graph_mark_levels(g, &err), TARE_OK);
}

/* A waveform [n,1,t], or channels [n,8,t], and what follows. */
static tarei_graph *chain(const bool waveform) {
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", waveform ? "n;1;t" : "n;8;t");
  const int a = OP(g, "Relu", "a", levels_conv(g, "ca", x, waveform ? 1 : 8, true));
  const int b = OP(g, "Add", "b", levels_conv(g, "cb", a, 8, true), a);
  const int gate = OP(g, "Sigmoid", "gate", b);
  const int masked = OP(g, "Mul", "masked", b, gate);
  const int square = OP(g, "Mul", "square", masked, masked);
  const int ratio = OP(g, "Div", "ratio", masked, OP(g, "Sqrt", "root", square));
  end_graph(g, OP(g, "Concat", "y", masked, ratio));
  assert_true(tarei_attr_set_int(last_node(g), "axis", 1));
  optimize(g, true);
  return g;
}

static void values_follow_the_level_up_to_a_bound(void **state) {
  (void)state;
  static const struct {
    const char *name;
    bool follows;
  } CASES[] = {{"x", true},      {"a", true},      {"b", true},    {"gate", false},
               {"masked", true}, {"square", true}, {"root", true}, {"ratio", false}};
  tarei_graph *const g = chain(true);
  levels_mark(g);
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    if (levels_of(g, CASES[i].name)->follows_level != CASES[i].follows) {
      fail_msg("%s", CASES[i].name);
    }
  }
  tarei_graph_free(g);
}

/* Without a waveform or quiet rows of an input, the level is taken to be that of the table. */
static void only_a_varying_level_counts(void **state) {
  (void)state;
  for (int quiet = 0; quiet < 2; quiet++) {
    tarei_graph *const g = chain(false);
    tarei_quant *const x = &g->values[tarei_graph_find_value(g, "x")].quant;
    x->static_loss = quiet ? 0.02 : 1e-3;
    x->row_loss = 1e-4;
    tarei_quant_choose_rows(x);
    levels_mark(g);
    assert_int_equal(levels_of(g, "b")->follows_level, quiet);
    tarei_graph_free(g);
  }
}

static void a_logarithm_reaches_back_to_the_first_bias(void **state) {
  (void)state;
  for (int bias = 0; bias < 2; bias++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int a = levels_conv(g, "a", add_input(g, "x", "n;1;t"), 1, bias);
    const int power = OP(g, "Mul", "power", a, a);
    const int bank = levels_conv(g, "bank", power, 8, false);
    const int epsilon = add_floats(g, "epsilon", 1, (int64_t[]){1}, ramp);
    const int log = OP(g, "Log", "log", OP(g, "Add", "offset", bank, epsilon));
    end_graph(g, levels_conv(g, "y", log, 8, true));
    optimize(g, true);
    levels_mark(g);
    assert_int_equal(levels_of(g, "a")->logged, !bias);
    assert_int_equal(levels_of(g, "bank")->logged, !bias);
    assert_false(levels_of(g, "log")->logged);
    assert_true(levels_of(g, "log")->follows_level);
    tarei_graph_free(g);
  }
}

/* Of a power spectrum, or of what a filter bank makes of it, a root of some order. */
static void steep_roots_are_like_logarithms(void **state) {
  (void)state;
  static const struct {
    float exponent;
    bool spectrum, bank;
  } CASES[] = {
      {0.2f, true, true}, {1.0f / 3, false, true}, {0.5f, false, true}, {0.6f, false, false}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int a = levels_conv(g, "a", add_input(g, "x", "n;1;t"), 1, false);
    const int bank = levels_conv(g, "bank", OP(g, "Mul", "power", a, a), 8, false);
    const int root = OP(g, "Pow", "root", bank, add_floats(g, "e", 0, NULL, &CASES[i].exponent));
    end_graph(g, levels_conv(g, "y", root, 8, true));
    optimize(g, true);
    levels_mark(g);
    assert_int_equal(levels_of(g, "a")->logged, CASES[i].spectrum);
    assert_int_equal(levels_of(g, "bank")->logged, CASES[i].bank);
    assert_false(levels_of(g, "root")->logged);
    tarei_graph_free(g);
  }
}

/* The norm by which a model divides grows as what it is of. */
static void norms_are_no_roots(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int a = levels_conv(g, "a", add_input(g, "x", "n;1;t"), 1, false);
  const int norm = OP(g, "Sqrt", "norm", OP(g, "Mul", "square", a, a));
  end_graph(g, levels_conv(g, "y", OP(g, "Div", "unit", a, norm), 8, true));
  optimize(g, true);
  levels_mark(g);
  assert_false(levels_of(g, "a")->logged);
  tarei_graph_free(g);
}

/* An automatic gain (PCEN) divides a power by its mean, raised to an exponent of each channel: what
 * is left grows where the exponent is below 1, and its roots are no roots of the power. */
static void gains_keep_what_their_exponents_leave(void **state) {
  (void)state;
  static const struct {
    float first, last;
    bool follows;
  } CASES[] = {{1, 1, false}, {1, 0.9f, true}, {0.9f, 0.9f, true}};
  static const float roots[] = {0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.3f, 0.4f, 0.5f};
  static const int64_t channels[] = {8, 1};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    tarei_graph *const g = tarei_graph_new("test");
    float exponents[8] = {[0] = CASES[i].first, [7] = CASES[i].last};
    for (int c = 1; c < 7; c++) {
      exponents[c] = CASES[i].last;
    }
    const int a = levels_conv(g, "a", add_input(g, "x", "n;1;t"), 1, false);
    const int power = OP(g, "Mul", "power", a, a);
    const int mean = levels_conv(g, "mean", power, 8, false);
    const int gain = OP(g, "Pow", "gain", mean, add_floats(g, "alpha", 2, channels, exponents));
    const int even = OP(g, "Div", "even", power, gain);
    const int root = OP(g, "Pow", "root", even, add_floats(g, "r", 2, channels, roots));
    end_graph(g, levels_conv(g, "y", root, 8, true));
    optimize(g, true);
    levels_mark(g);
    assert_int_equal(levels_of(g, "even")->follows_level, CASES[i].follows);
    assert_int_equal(levels_of(g, "root")->follows_level, CASES[i].follows);
    assert_false(levels_of(g, "a")->logged);
    tarei_graph_free(g);
  }
}

int levels_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_follow_the_level_up_to_a_bound),
      cmocka_unit_test(only_a_varying_level_counts),
      cmocka_unit_test(a_logarithm_reaches_back_to_the_first_bias),
      cmocka_unit_test(steep_roots_are_like_logarithms),
      cmocka_unit_test(norms_are_no_roots),
      cmocka_unit_test(gains_keep_what_their_exponents_leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
