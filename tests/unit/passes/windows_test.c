/* Convolutions and pools that exporters write with an axis too many, or with a Pad of their own. */
#include "unit/graph/pass_helpers.h"

static const float ramp[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static int reshaped(tarei_graph *const g, const char *const op, const char *const out, const int x,
                    const int64_t axis) {
  char name[32];
  snprintf(name, sizeof name, "at_%s", out);
  return OP(g, op, out, x, add_ints(g, name, 1, &axis));
}

/* Conv of 2 channels to 3 by windows of 1 by 2, or of 2 by 1. */
static int conv(tarei_graph *const g, const char *const out, const int x, const bool first) {
  const int64_t dims[] = {3, 2, first ? 2 : 1, first ? 1 : 2};
  char name[32];
  snprintf(name, sizeof name, "w_%s", out);
  return OP(g, "Conv", out, x, add_floats(g, name, 4, dims, ramp));
}

static void set_ints(tarei_graph *const g, const char *const name, const int n,
                     const int64_t *const values) {
  assert_true(tarei_attr_set_ints(last_node(g), name, values, n));
}

static void conv_drops_the_axis_that_goes_again(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int c = conv(g, "c", reshaped(g, "Unsqueeze", "u", add_input(g, "x", "n;2;t"), 2), false);
  set_ints(g, "kernel_shape", 2, (int64_t[]){1, 2});
  set_ints(g, "dilations", 2, (int64_t[]){3, 4});
  set_ints(g, "pads", 4, (int64_t[]){0, 5, 0, 6});
  end_graph(g, reshaped(g, "Squeeze", "y", OP(g, "Relu", "r", c), 2));
  optimize(g, true);
  expect_nodes(
      g,
      "x__nxc/Transpose: Transpose(x) perm=[0, 2, 1] -> x__nxc float32[n, t, 2]\n"
      "n_c: ConvLast(x__nxc, w_c__first__flat__last) kernel_shape=[2] dilations=[4] pads=[5, 6] "
      "-> c float32[n, t + 7, 3]\n"
      "n_r: Relu(c) -> r float32[n, t + 7, 3]\n"
      "r__ncx/Transpose: Transpose(r) perm=[0, 2, 1] -> y float32[n, 3, t + 7]\n");
  tarei_graph_free(g);
}

static void axis_may_stand_last(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int c = conv(g, "c", reshaped(g, "Unsqueeze", "u", add_input(g, "x", "n;2;t"), 3), true);
  set_ints(g, "strides", 2, (int64_t[]){2, 1});
  end_graph(g, reshaped(g, "Squeeze", "y", c, -1));
  assert_true(run_pass(g, &tarei_pass_drop_window_axis));
  assert_int_equal(count_ops(g, &tarei_op_unsqueeze), 0);
  const tarei_value *const flat = &g->values[tarei_graph_find_value(g, "c")];
  assert_int_equal(flat->rank, 3);
  assert_true(flat->observable);
  expect_floats(g, tarei_graph_find_value(g, "w_c__first__flat"), 12, ramp);
  tarei_graph_free(g);
}

static void pools_drop_it_too(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int p = OP(g, "MaxPool", "p", reshaped(g, "Unsqueeze", "u", add_input(g, "x", "n;2;t"), 2));
  set_ints(g, "kernel_shape", 2, (int64_t[]){1, 3});
  end_graph(g, reshaped(g, "Squeeze", "y", p, 2));
  optimize(g, false);
  expect_nodes(g,
               "n_p: MaxPool(x) kernel_shape=[3] -> y float32[n, 2, t - 2]\n");
  tarei_graph_free(g);
}

/* As a model that is quantized already has it. */
static void pairs_of_a_quantized_model_are_passed(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const uint8_t middle = 128;
  const int scale = add_scalar(g, "scale", 0.5f);
  const int zero = tarei_graph_add_const(g, "zero", TARE_U8, 0, NULL, &middle);
  const int u = reshaped(g, "Unsqueeze", "u", add_input(g, "x", "n;2;t"), 2);
  const int q = OP(g, "QuantizeLinear", "q", u, scale, zero);
  const int c = conv(g, "c", OP(g, "DequantizeLinear", "d", q, scale, zero), false);
  end_graph(g, reshaped(g, "Squeeze", "y", c, 2));
  optimize(g, false);
  assert_int_equal(count_ops(g, &tarei_op_unsqueeze), 0);
  assert_int_equal(count_ops(g, &tarei_op_reshape), 0);
  assert_int_equal(count_ops(g, &tarei_op_quantize), 1);
  tarei_graph_free(g);
}

/* A graph around a Conv behind an Unsqueeze whose axis does not go, or which has windows along it.
 */
static tarei_graph *conv_that_stays(const bool padded, const bool is_read) {
  tarei_graph *const g = tarei_graph_new("test");
  const int c = conv(g, "c", reshaped(g, "Unsqueeze", "u", add_input(g, "x", "n;2;t"), 2), false);
  if (padded) {
    set_ints(g, "pads", 4, (int64_t[]){1, 0, 0, 0});
  }
  if (is_read) {
    assert_true(tarei_graph_mark_output(g, OP(g, "Softmax", "other", c)));
  }
  end_graph(g, padded ? c : reshaped(g, "Squeeze", "y", c, 2));
  return g;
}

static void needed_axes_stay(void **state) {
  (void)state;
  tarei_graph *const graphs[] = {conv_that_stays(true, false), conv_that_stays(false, true)};
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
    assert_false(run_pass(graphs[i], &tarei_pass_drop_window_axis));
    tarei_graph_free(graphs[i]);
  }
}

/* y = Conv(Pad(x)) of three axes, whose Pad has these amounts and fills with this. */
static tarei_graph *padded_conv(const int64_t *const amounts, const float fill,
                                const char *const mode) {
  tarei_graph *const g = tarei_graph_new("test");
  const int p = OP(g, "Pad", "p", add_input(g, "x", "n;2;t"), add_ints(g, "amounts", 6, amounts),
                   add_scalar(g, "fill", fill));
  if (mode) {
    assert_true(tarei_attr_set_string(last_node(g), "mode", mode));
  }
  const int c = OP(g, "Conv", "y", p, add_floats(g, "w", 3, (int64_t[]){3, 2, 2}, ramp));
  set_ints(g, "pads", 2, (int64_t[]){1, 0});
  end_graph(g, c);
  return g;
}

static void zeros_go_into_pads(void **state) {
  (void)state;
  tarei_graph *const g = padded_conv((int64_t[]){0, 0, 4, 0, 0, 3}, 0, NULL);
  assert_true(run_pass(g, &tarei_pass_join_pads));
  expect_nodes(g, "n_y: Conv(x, w) pads=[5, 3] -> y float32[n, 3, t + 7]\n");
  tarei_graph_free(g);
}

static void other_pads_stay(void **state) {
  (void)state;
  tarei_graph *const graphs[] = {
      padded_conv((int64_t[]){0, 0, 4, 0, 0, 0}, 1, NULL),
      padded_conv((int64_t[]){0, 0, 4, 0, 0, 0}, 0, "reflect"),
      padded_conv((int64_t[]){0, 0, -1, 0, 0, 0}, 0, NULL),
      padded_conv((int64_t[]){1, 0, 4, 0, 0, 0}, 0, NULL),
  };
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
    assert_false(run_pass(graphs[i], &tarei_pass_join_pads));
    tarei_graph_free(graphs[i]);
  }
}

/* A Transpose that has passed the Pad leaves its axes in an order of their own. */
static void pads_of_named_axes_are_found(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int p =
      OP(g, "Pad", "p", add_input(g, "x", "n;t;2"), add_ints(g, "amounts", 2, (int64_t[]){4, 3}));
  set_ints(g, "axes", 1, (int64_t[]){-2});
  const int64_t turned[] = {0, 2, 1};
  const int t = OP(g, "Transpose", "t", p);
  set_ints(g, "perm", 3, turned);
  const int c = OP(g, "Conv", "c", t, add_floats(g, "w", 3, (int64_t[]){3, 2, 2}, ramp));
  assert_true(tarei_attr_set_string(last_node(g), "auto_pad", "VALID"));
  const int y = OP(g, "Transpose", "y", c);
  set_ints(g, "perm", 3, turned);
  end_graph(g, y);
  optimize(g, false);
  expect_nodes(g, "n_c: ConvLast(x, w__last) pads=[4, 3] -> y float32[n, t + 6, 3]\n");
  tarei_graph_free(g);
}

int windows_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conv_drops_the_axis_that_goes_again),
      cmocka_unit_test(axis_may_stand_last),
      cmocka_unit_test(pools_drop_it_too),
      cmocka_unit_test(pairs_of_a_quantized_model_are_passed),
      cmocka_unit_test(needed_axes_stay),
      cmocka_unit_test(zeros_go_into_pads),
      cmocka_unit_test(other_pads_stay),
      cmocka_unit_test(pads_of_named_axes_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
