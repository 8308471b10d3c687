/* Which values are never below zero by what makes them, and the rows that count from 0 then. */
#include "graph/quantize/never_negative.h"
#include "graph/quantize/row_need.h"
#include "quantize_helpers.h"

static const float none_below[256] = {1, 0, 2, 0.5f};

static bool marked(const tarei_graph *const g, const char *const name) {
  const int value = tarei_graph_find_value(g, name);
  if (value < 0) {
    fail_msg("no value is called %s", name);
  }
  return tarei_is_never_negative(g, value);
}

static void expect_marks(const tarei_graph *const g, const char *const names, const bool expected) {
  char text[512], *rest = NULL;
  assert_true((size_t)snprintf(text, sizeof text, "%s", names) < sizeof text);
  for (char *name = strtok_r(text, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
    if (marked(g, name) != expected) {
      fail_msg("'%s' %s", name, expected ? "is never negative" : "may be negative");
    }
  }
}

/* One node for each function of a number, of any number and of one that is none below zero. */
static void functions_say_whether(void **state) {
  (void)state;
  static const struct {
    const char *op;
    bool ever, kept; /* of any number; of those that are not below zero */
  } CASES[] = {{"Relu", true, true},      {"Sigmoid", true, true},      {"Exp", true, true},
               {"Abs", true, true},       {"Softplus", true, true},     {"Sqrt", true, true},
               {"Softmax", true, true},   {"HardSigmoid", true, true},  {"Tanh", false, true},
               {"Gelu", false, true},     {"LeakyRelu", false, true},   {"Floor", false, true},
               {"Identity", false, true}, {"Reciprocal", false, true},  {"Neg", false, false},
               {"Log", false, false},     {"LogSoftmax", false, false}, {"Sin", false, false},
               {"Selu", false, false}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;8");
    (void)OP(g, CASES[i].op, "a", x);
    (void)OP(g, CASES[i].op, "b", OP(g, "Relu", "r", x));
    end_graph(g, tarei_graph_find_value(g, "b"));
    tarei_graph_mark_never_negative(g);
    if (marked(g, "a") != CASES[i].ever || marked(g, "b") != CASES[i].kept) {
      fail_msg("%s", CASES[i].op);
    }
    tarei_graph_free(g);
  }
}

static void sums_and_products_keep_it(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;8"), r = OP(g, "Relu", "r", x), s = OP(g, "Sigmoid", "s", x);
  (void)OP(g, "Add", "sum", r, s);
  (void)OP(g, "Add", "sum_x", r, x);
  (void)OP(g, "Mul", "product", r, s);
  (void)OP(g, "Mul", "product_x", r, x);
  (void)OP(g, "Mul", "square", x, x);
  (void)OP(g, "Div", "ratio", r, s);
  (void)OP(g, "Sub", "difference", r, s);
  (void)OP(g, "Max", "most", x, s);
  (void)OP(g, "Min", "least", x, s);
  (void)OP(g, "Min", "least_r", r, s);
  (void)OP(g, "Mul", "scaled", r, add_vector(g, "gain", 8, none_below));
  (void)OP(g, "Mul", "turned", r, add_vector(g, "ramp", 8, ramp));
  (void)OP(g, "Pow", "even", x, add_scalar(g, "two", 2));
  (void)OP(g, "Pow", "odd", x, add_scalar(g, "three", 3));
  (void)OP(g, "Pow", "root", r, add_scalar(g, "third", 1.0f / 3));
  (void)OP(g, "ReduceSum", "total", r);
  (void)OP(g, "ReduceSum", "total_x", x);
  (void)OP(g, "ReduceSumSquare", "energy", x);
  end_graph(g, tarei_graph_find_value(g, "sum"));
  tarei_graph_mark_never_negative(g);
  expect_marks(g, "r s sum product square ratio most least_r scaled even root total energy gain",
               true);
  expect_marks(g, "x sum_x product_x difference least turned odd total_x ramp", false);
  tarei_graph_free(g);
}

static void bounds_of_a_clip_count(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;8"), r = OP(g, "Relu", "r", x);
  const int zero = add_scalar(g, "zero", 0), six = add_scalar(g, "six", 6);
  const int below = add_scalar(g, "below", -1);
  (void)OP(g, "Clip", "relu6", x, zero, six);
  (void)OP(g, "Clip", "low", x, zero);
  (void)OP(g, "Clip", "wide", x, below, six);
  (void)OP(g, "Clip", "wide_r", r, below, six);
  (void)OP(g, "Clip", "crossed", x, zero, below); /* the upper bound wins */
  (void)OP(g, "Clip", "free", x);
  (void)OP(g, "Clip", "late", x, OP(g, "ReduceMin", "least", x));
  end_graph(g, tarei_graph_find_value(g, "relu6"));
  tarei_graph_mark_never_negative(g);
  expect_marks(g, "relu6 low wide_r", true);
  expect_marks(g, "wide crossed free late", false);
  tarei_graph_free(g);
}

static void values_that_move_keep_it(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;8;16"), r = OP(g, "Relu", "r", x);
  const int pads = add_ints(g, "pads", 6, (int64_t[]){0, 0, 1, 0, 0, 1});
  (void)OP(g, "Transpose", "turned", r);
  (void)OP(g, "Concat", "joined", r, OP(g, "Sigmoid", "s", x));
  assert_true(tarei_attr_set_int(last_node(g), "axis", 1));
  (void)OP(g, "Concat", "mixed", r, x);
  assert_true(tarei_attr_set_int(last_node(g), "axis", 1));
  (void)OP(g, "Pad", "zeros", r, pads);
  (void)OP(g, "Pad", "below", r, pads, add_scalar(g, "minus", -1));
  (void)OP(g, "MaxPool", "most", r);
  assert_true(tarei_attr_set_ints(last_node(g), "kernel_shape", (int64_t[]){2}, 1));
  (void)OP(g, "AveragePool", "mean", r);
  assert_true(tarei_attr_set_ints(last_node(g), "kernel_shape", (int64_t[]){2}, 1));
  (void)OP(g, "GlobalAveragePool", "all", r);
  (void)OP(g, "GlobalAveragePool", "all_x", x);
  const int scales = add_floats(g, "scales", 1, (int64_t[]){3}, (float[]){1, 1, 2});
  static const char *const MODES[] = {"nearest", "linear", "cubic"};
  for (int i = 0; i < 3; i++) {
    (void)OP(g, "Resize", MODES[i], r, -1, scales);
    assert_true(tarei_attr_set_string(last_node(g), "mode", MODES[i]));
  }
  end_graph(g, tarei_graph_find_value(g, "all"));
  tarei_graph_mark_never_negative(g);
  expect_marks(g, "turned joined zeros most mean all nearest linear", true);
  expect_marks(g, "mixed below all_x cubic", false);
  tarei_graph_free(g);
}

static int never_negative_conv(tarei_graph *const g, const char *const out, const int x,
                               const float *const data) {
  char name[32];
  snprintf(name, sizeof name, "w_%s", out);
  return OP(g, "Conv", out, x, add_floats(g, name, 3, (int64_t[]){8, 8, 1}, data));
}

/* Layers by their weights and the activation that they took in, and what is added behind it. */
static void layers_end_in_their_activation(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;8;t");
  const int r = OP(g, "Relu", "r", never_negative_conv(g, "a", x, ramp));
  const int bank = never_negative_conv(g, "bank", r, none_below);
  const int plain = never_negative_conv(g, "plain", bank, ramp);
  const int before =
      OP(g, "Relu", "before", OP(g, "Add", "sum", never_negative_conv(g, "b", r, ramp), plain));
  const int behind =
      OP(g, "Add", "behind", OP(g, "Relu", "rc", never_negative_conv(g, "c", r, ramp)), before);
  const int mixed =
      OP(g, "Add", "mixed", OP(g, "Relu", "rd", never_negative_conv(g, "d", r, ramp)), plain);
  const int gate = OP(g, "Sigmoid", "gate", never_negative_conv(g, "e", behind, ramp));
  const int swish = OP(g, "HardSwish", "swish", never_negative_conv(g, "f", mixed, ramp));
  end_graph(g, OP(g, "Mul", "y", gate, swish));
  optimize(g, false);
  tarei_graph_mark_never_negative(g);
  expect_marks(g, "r bank before behind gate", true);
  expect_marks(g, "plain mixed swish y", false);
  tarei_graph_free(g);
}

static int32_t zero_point_of_rows(const tarei_graph *const g, const tarei_node *const reader) {
  return g->values[reader->in[0]].quant.zero_point;
}

/* A Relu that two layers read, beside what may be negative. */
static void rows_count_from_zero(void **state) {
  (void)state;
  for (int form = 0; form < 3; form++) { /* who reads: one layer, two, two and a Softmax */
    tarei_graph *const g = tarei_graph_new("test");
    const int r = OP(g, "Relu", "r", linear(g, "a", add_input(g, "x", "n;t;8")));
    assert_true(form < 1 || tarei_graph_mark_output(g, linear(g, "z", r)));
    assert_true(form < 2 || tarei_graph_mark_output(g, OP(g, "Softmax", "s", r)));
    const int m = linear(g, "b", r);
    end_graph(g, linear(g, "y", OP(g, "Erf", "e", m)));
    optimize(g, false);
    annotate(g);
    quant_of(g, "r")->granularity = TAREI_PER_ROW;
    quant_of(g, "e")->granularity = TAREI_PER_ROW;
    tarei_graph_mark_never_negative(g);
    quantize(g);
    const tarei_node *const b = node_called(g, "n_b"), *const y = node_called(g, "n_y");
    assert_int_equal(dtype_of_input(g, b, 0), TARE_U8);
    assert_int_equal(zero_point_of_rows(g, b), 0);
    assert_true(form < 1 || node_called(g, "n_z")->in[0] == b->in[0]);
    assert_int_equal(dtype_of_input(g, y, 0), TARE_F32); /* it quantizes its rows itself */
    assert_int_equal(tarei_attr_int(y, "unsigned_rows", 0), 0);
    tarei_graph_free(g);
  }
}

static void layers_that_make_rows_know_it(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int r = OP(g, form ? "Relu" : "Erf", "r", conv(g, "a", add_input(g, "x", "n;8;t"), 8));
    end_graph(g, conv(g, "y", r, 8));
    optimize(g, false);
    annotate(g);
    quant_of(g, "r")->granularity = TAREI_PER_ROW;
    quant_of(g, "r")->static_loss = 0.01;
    tarei_graph_mark_never_negative(g);
    quantize(g);
    const tarei_node *const y = node_called(g, "n_y");
    assert_int_equal(dtype_of_input(g, y, 0), TARE_F32);
    assert_int_equal(tarei_attr_int(y, "row_scales", 0), 1);
    assert_int_equal(tarei_attr_int(y, "unsigned_rows", 0), form);
    tarei_graph_free(g);
  }
}

/* Twice as many steps: rows of one level lose as little by one scale as by their own. */
static void losses_of_rows_fall(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;8");
  end_graph(g, OP(g, "Add", "y", OP(g, "Relu", "r", x), x));
  annotate(g);
  static const char *const NAMES[] = {"x", "r"};
  for (int i = 0; i < 2; i++) {
    quant_of(g, NAMES[i])->static_loss = 1e-4;
    quant_of(g, NAMES[i])->row_loss = 1e-4;
    quant_of(g, NAMES[i])->granularity = TAREI_PER_TENSOR;
  }
  tarei_graph_mark_never_negative(g);
  tarei_graph_expect_unsigned_rows(g);
  assert_int_equal(quant_of(g, "x")->granularity, TAREI_PER_TENSOR);
  assert_int_equal(tarei_quant_row_gain(quant_of(g, "x")), 0);
  assert_int_equal(quant_of(g, "r")->granularity, TAREI_PER_ROW);
  assert_int_equal(tarei_quant_row_gain(quant_of(g, "r")), 6);
  tarei_graph_free(g);
}

int never_negative_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_say_whether),          cmocka_unit_test(sums_and_products_keep_it),
      cmocka_unit_test(bounds_of_a_clip_count),         cmocka_unit_test(values_that_move_keep_it),
      cmocka_unit_test(layers_end_in_their_activation), cmocka_unit_test(rows_count_from_zero),
      cmocka_unit_test(layers_that_make_rows_know_it),  cmocka_unit_test(losses_of_rows_fall),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
