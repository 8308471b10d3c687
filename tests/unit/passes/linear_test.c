#include "unit/graph/pass_helpers.h"

static const float ramp[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static int add_product(tarei_graph *const g, const char *const out, const int x) {
  char name[32];
  snprintf(name, sizeof name, "w_%s", out);
  return OP(g, "MatMul", out, x, add_floats(g, name, 2, (int64_t[]){4, 4}, ramp));
}

static void matmul_becomes_linear(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int m = add_product(g, "m", add_input(g, "x", "n;4;4"));
  const int d = OP(g, "MatMul", "d", m, add_input(g, "z", "4;4"));
  const int c = add_floats(g, "c", 2, (int64_t[]){4, 4}, ramp);
  end_graph(g, OP(g, "MatMul", "y", c, d)); /* the constant is on the left */
  assert_true(run_pass(g, &tarei_pass_to_linear));
  expect_nodes(g,
               "n_m: Linear(x, w_m) -> m float32[n, 4, 4]\n"
               "n_d: MatMul(m, z) -> d float32[n, 4, 4]\n"
               "n_y: MatMul(c, d) -> y float32[n, 4, 4]\n");
  tarei_graph_free(g);
}

/* alpha, beta and transB go into the constants. */
static void gemm_becomes_linear(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;2");
  const int w = add_floats(g, "w", 2, (int64_t[]){3, 2}, ramp);
  const int c = add_floats(g, "c", 2, (int64_t[]){1, 3}, ramp);
  const int y = OP(g, "Gemm", "y", x, w, c);
  assert_true(tarei_attr_set_int(last_node(g), "transB", 1));
  assert_true(tarei_attr_set_float(last_node(g), "alpha", 2));
  assert_true(tarei_attr_set_float(last_node(g), "beta", 10));
  end_graph(g, y);
  assert_true(run_pass(g, &tarei_pass_to_linear));
  expect_nodes(g, "n_y: Linear(x, w__kn, c__bias) -> y float32[n, 3]\n");
  expect_floats(g, g->nodes[0].in[1], 6, (float[]){2, 6, 10, 4, 8, 12});
  expect_floats(g, g->nodes[0].in[2], 3, (float[]){10, 20, 30});
  tarei_graph_free(g);
}

static void plain_gemm_keeps_its_constants(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int w = add_floats(g, "w", 2, (int64_t[]){2, 3}, ramp);
  end_graph(g, OP(g, "Gemm", "y", add_input(g, "x", "n;2"), w, add_vector(g, "c", 3, ramp)));
  assert_true(run_pass(g, &tarei_pass_to_linear));
  expect_nodes(g, "n_y: Linear(x, w, c) -> y float32[n, 3]\n");
  tarei_graph_free(g);
}

static void gemm_of_another_form_stays(void **state) {
  (void)state;
  for (int form = 0; form < 3; form++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "2;2");
    const int w =
        form == 1 ? add_input(g, "w", "2;2") : add_floats(g, "w", 2, (int64_t[]){2, 2}, ramp);
    const int c =
        form == 2 ? add_floats(g, "c", 2, (int64_t[]){2, 1}, ramp) : add_vector(g, "c", 2, ramp);
    const int y = OP(g, "Gemm", "y", x, w, c);
    assert_true(tarei_attr_set_int(last_node(g), "transA", form == 0));
    end_graph(g, y);
    assert_false(run_pass(g, &tarei_pass_to_linear));
    tarei_graph_free(g);
  }
}

/* x -> MatMul -> Add of `shape`; the constant first when `first`. */
static tarei_graph *with_bias(const int rank, const int64_t *const shape, const bool first,
                              const char *const output) {
  tarei_graph *const g = tarei_graph_new("test");
  const int m = add_product(g, "m", add_input(g, "x", "n;4;4"));
  const int b = add_floats(g, "b", rank, shape, ramp);
  const int y = first ? OP(g, "Add", "y", b, m) : OP(g, "Add", "y", m, b);
  if (output) {
    assert_true(tarei_graph_mark_output(g, tarei_graph_find_value(g, output)));
  }
  end_graph(g, y);
  assert_true(run_pass(g, &tarei_pass_to_linear));
  return g;
}

static void bias_is_taken_in(void **state) {
  (void)state;
  for (int first = 0; first < 2; first++) {
    tarei_graph *const g = with_bias(1, (int64_t[]){4}, first, NULL);
    assert_true(run_pass(g, &tarei_pass_fuse_bias));
    expect_nodes(g, "n_m + n_y: Linear(x, w_m, b) -> y float32[n, 4, 4]\n");
    tarei_graph_free(g);
  }
  tarei_graph *g = with_bias(3, (int64_t[]){1, 1, 4}, false, NULL);
  assert_true(run_pass(g, &tarei_pass_fuse_bias));
  expect_nodes(g, "n_m + n_y: Linear(x, w_m, b__flat) -> y float32[n, 4, 4]\n");
  tarei_graph_free(g);
  g = with_bias(0, NULL, false, NULL);
  assert_true(run_pass(g, &tarei_pass_fuse_bias));
  expect_floats(g, g->nodes[0].in[2], 4, (float[]){1, 1, 1, 1});
  tarei_graph_free(g);
}

static void other_additions_are_no_bias(void **state) {
  (void)state;
  tarei_graph *const graphs[] = {
      with_bias(2, (int64_t[]){4, 1}, false, NULL),       /* per row */
      with_bias(2, (int64_t[]){4, 4}, false, NULL),       /* per element */
      with_bias(4, (int64_t[]){1, 1, 1, 4}, false, NULL), /* widens the output */
      with_bias(1, (int64_t[]){4}, false, "m"),
  };
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
    assert_false(run_pass(graphs[i], &tarei_pass_fuse_bias));
    tarei_graph_free(graphs[i]);
  }
}

static void activations_are_taken_in(void **state) {
  (void)state;
  static const struct {
    const char *op, *attr, *text;
    float value;
    const char *name;
    float a;
  } rows[] = {
      {"Relu", NULL, NULL, 0, "relu", 0},
      {"Tanh", NULL, NULL, 0, "tanh", 0},
      {"Sigmoid", NULL, NULL, 0, "sigmoid", 0},
      {"LeakyRelu", "alpha", NULL, 0.2f, "leaky_relu", 0.2f},
      {"LeakyRelu", NULL, NULL, 0, "leaky_relu", 0.01f},
      {"Elu", "alpha", NULL, 0.5f, "elu", 0.5f},
      {"HardSigmoid", "alpha", NULL, 0.25f, "hard_sigmoid", 0.25f},
      {"HardSwish", NULL, NULL, 0, "hard_swish", 0},
      {"Gelu", NULL, NULL, 0, "gelu", 0},
      {"Gelu", "approximate", "tanh", 0, "gelu_tanh", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int y = OP(g, rows[i].op, "y", add_product(g, "m", add_input(g, "x", "n;4")));
    if (rows[i].text) {
      assert_true(tarei_attr_set_string(last_node(g), rows[i].attr, rows[i].text));
    } else if (rows[i].attr) {
      assert_true(tarei_attr_set_float(last_node(g), rows[i].attr, rows[i].value));
    }
    end_graph(g, y);
    optimize(g, false);
    assert_int_equal(g->n_nodes, 1);
    assert_string_equal(g->nodes[0].name, "n_m + n_y");
    assert_string_equal(tarei_attr_string(&g->nodes[0], "activation", ""), rows[i].name);
    assert_float_equal(tarei_attr_float(&g->nodes[0], "activation_a", -1), rows[i].a, 0);
    tarei_graph_free(g);
  }
}

static void only_silu_and_single_slopes_are_taken_in(void **state) {
  (void)state;
  static const struct {
    float alpha;
    int n_slopes, n_nodes;
  } rows[] = {{1, 0, 1}, {0.5f, 0, 2}, {0, 1, 1}, {0, 4, 2}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int m = add_product(g, "m", add_input(g, "x", "n;4"));
    const float slopes[] = {0.25f, 0.5f, 1, 2};
    const char *const name = rows[i].n_slopes ? "leaky_relu" : "silu";
    int y;
    if (rows[i].n_slopes) {
      y = OP(g, "PRelu", "y", m, add_vector(g, "s", rows[i].n_slopes, slopes));
    } else {
      y = OP(g, "Swish", "y", m);
      assert_true(tarei_attr_set_float(last_node(g), "alpha", rows[i].alpha));
    }
    end_graph(g, y);
    optimize(g, false);
    assert_int_equal(g->n_nodes, rows[i].n_nodes);
    if (rows[i].n_nodes == 1) {
      assert_string_equal(tarei_attr_string(&g->nodes[0], "activation", ""), name);
      assert_float_equal(tarei_attr_float(&g->nodes[0], "activation_a", -1),
                         rows[i].n_slopes ? 0.25f : 0, 0);
    }
    tarei_graph_free(g);
  }
}

static void clip_needs_constant_bounds(void **state) {
  (void)state;
  for (int form = 0; form < 3; form++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int m = add_product(g, "m", add_input(g, "x", "n;4"));
    const int low = form == 0 ? add_input(g, "low", "") : form == 1 ? -1 : add_scalar(g, "l", 7);
    end_graph(g, OP(g, "Clip", "y", m, low, add_scalar(g, "h", 6)));
    optimize(g, false);
    assert_int_equal(g->n_nodes, form == 1 ? 1 : 2); /* not known; good; 7 > 6 */
    if (form == 1) {
      assert_string_equal(tarei_attr_string(&g->nodes[0], "activation", ""), "clip");
      assert_float_equal(tarei_attr_float(&g->nodes[0], "activation_b", 0), 6, 0);
      assert_true(tarei_attr_float(&g->nodes[0], "activation_a", 0) < -1e38f);
    }
    tarei_graph_free(g);
  }
}

static void silu_is_taken_in(void **state) {
  (void)state;
  for (int extra = 0; extra < 2; extra++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int m = add_product(g, "m", add_input(g, "x", "n;4"));
    const int s = OP(g, "Sigmoid", "s", m);
    if (extra) {
      assert_true(tarei_graph_mark_output(g, s));
    }
    end_graph(g, OP(g, "Mul", "y", s, m));
    optimize(g, false);
    if (extra) {
      assert_int_equal(g->n_nodes, 3);
    } else {
      expect_nodes(g,
                   "n_m + n_s + n_y: Linear(x, w_m) activation=silu activation_a=0 "
                   "activation_b=0 -> y float32[n, 4]\n");
    }
    tarei_graph_free(g);
  }
}

static void residual_comes_after_the_activation(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;4");
  const int r = OP(g, "Relu", "r", add_product(g, "m", x));
  const int a = OP(g, "Add", "a", x, r);
  end_graph(g, OP(g, "Relu", "y", a)); /* stays: it works on the sum */
  optimize(g, false);
  expect_nodes(g,
               "n_m + n_r + n_a: Linear(x, w_m, -, x) activation=relu activation_a=0 "
               "activation_b=0 -> a float32[n, 4]\n"
               "n_y: Relu(a) -> y float32[n, 4]\n");
  tarei_graph_free(g);
}

static void activation_of_a_sum_comes_last(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;4");
  const int a = OP(g, "Add", "a", x, add_product(g, "m", x));
  end_graph(g, OP(g, "Tanh", "y", a));
  optimize(g, false);
  expect_nodes(g,
               "n_m + n_a + n_y: Linear(x, w_m, -, x) activation=tanh activation_a=0 "
               "activation_b=0 activation_last=1 -> y float32[n, 4]\n");
  tarei_graph_free(g);
}

/* It can still take the activation of the sum. */
static void of_two_hosts_the_one_without_activation_takes_the_residual(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;4");
  const int a = add_product(g, "a", x), b = OP(g, "Relu", "r", add_product(g, "b", x));
  end_graph(g, OP(g, "Relu", "y", OP(g, "Add", "s", a, b)));
  optimize(g, false);
  expect_nodes(g,
               "n_b + n_r: Linear(x, w_b) activation=relu activation_a=0 activation_b=0 -> r "
               "float32[n, 4]\n"
               "n_a + n_s + n_y: Linear(x, w_a, -, r) activation=relu activation_a=0 "
               "activation_b=0 activation_last=1 -> y float32[n, 4]\n");
  tarei_graph_free(g);
}

static void of_two_hosts_the_later_takes_the_residual(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;4");
  const int a = add_product(g, "a", x), b = add_product(g, "b", x);
  end_graph(g, OP(g, "Add", "y", b, a));
  optimize(g, false);
  expect_nodes(g,
               "n_a: Linear(x, w_a) -> a float32[n, 4]\n"
               "n_b + n_y: Linear(x, w_b, -, a) -> y float32[n, 4]\n");
  tarei_graph_free(g);
}

static void additions_that_are_no_residual_stay(void **state) {
  (void)state;
  for (int form = 0; form < 3; form++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;4");
    const int m = add_product(g, "m", x);
    const int other = form == 0 ? add_input(g, "z", "1;4") : form == 1 ? m : x;
    const int y = OP(g, "Add", "y", m, other);
    if (form == 2) {
      assert_true(tarei_graph_mark_output(g, m));
    }
    end_graph(g, y);
    optimize(g, false);
    assert_int_equal(g->n_nodes, 2);
    assert_ptr_equal(g->nodes[1].op, &tarei_op_add);
    tarei_graph_free(g);
  }
}

static void all_tensors_are_kept_on_request(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;4");
  const int a = OP(g, "Add", "a", add_product(g, "m", x), add_vector(g, "b", 4, ramp));
  end_graph(g, OP(g, "Add", "y", OP(g, "Relu", "r", a), x));
  optimize(g, true);
  expect_nodes(g,
               "n_m: Linear(x, w_m) -> m float32[n, 4]\n"
               "n_a: Add(m, b) -> a float32[n, 4]\n"
               "n_r: Relu(a) -> r float32[n, 4]\n"
               "n_y: Add(r, x) -> y float32[n, 4]\n");
  tarei_graph_free(g);
}

/* [mean of x, x, mean of x] joined before a convolution of single positions. */
static tarei_graph *joined_means(const int64_t taps) {
  static const float weights[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;2;t + 2");
  const int m = add_input(g, "m", "n;2;1");
  const int e = OP(g, "Expand", "e", m, OP(g, "Shape", "s", x));
  const int c = OP(g, "Concat", "c", e, x, e);
  assert_true(tarei_attr_set_int(last_node(g), "axis", 1));
  const int w = add_floats(g, "w", 3, (int64_t[]){12 / (6 * taps), 6, taps}, weights);
  end_graph(g, OP(g, "Conv", "y", c, w, add_vector(g, "b", 12 / (6 * taps), weights)));
  return g;
}

static void spread_channels_are_taken_out(void **state) {
  (void)state;
  tarei_graph *const g = joined_means(1);
  assert_true(run_pass(g, &tarei_pass_split_spread));
  expect_nodes(g,
               "n_y: Conv(x, w__own, b) -> y__own float32[n, 2, t + 2]\n"
               "n_c: Concat(m, m) axis=1 -> c__spread float32[n, 4, 1]\n"
               "n_y: Conv(c__spread, w__spread) -> y__spread float32[n, 2, 1]\n"
               "n_y: Add(y__own, y__spread) -> y float32[n, 2, t + 2]\n");
  expect_floats(g, tarei_graph_find_value(g, "w__own"), 4, (float[]){3, 4, 9, 10});
  expect_floats(g, tarei_graph_find_value(g, "w__spread"), 8, (float[]){1, 2, 5, 6, 7, 8, 11, 12});
  assert_false(run_pass(g, &tarei_pass_split_spread));
  tarei_graph_free(g);
}

/* Windows of two positions meet other values at the ends. */
static void spread_channels_of_windows_stay(void **state) {
  (void)state;
  tarei_graph *const g = joined_means(2);
  assert_false(run_pass(g, &tarei_pass_split_spread));
  tarei_graph_free(g);
}

int linear_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matmul_becomes_linear),
      cmocka_unit_test(gemm_becomes_linear),
      cmocka_unit_test(plain_gemm_keeps_its_constants),
      cmocka_unit_test(gemm_of_another_form_stays),
      cmocka_unit_test(bias_is_taken_in),
      cmocka_unit_test(other_additions_are_no_bias),
      cmocka_unit_test(activations_are_taken_in),
      cmocka_unit_test(only_silu_and_single_slopes_are_taken_in),
      cmocka_unit_test(clip_needs_constant_bounds),
      cmocka_unit_test(silu_is_taken_in),
      cmocka_unit_test(residual_comes_after_the_activation),
      cmocka_unit_test(activation_of_a_sum_comes_last),
      cmocka_unit_test(of_two_hosts_the_one_without_activation_takes_the_residual),
      cmocka_unit_test(of_two_hosts_the_later_takes_the_residual),
      cmocka_unit_test(additions_that_are_no_residual_stay),
      cmocka_unit_test(all_tensors_are_kept_on_request),
      cmocka_unit_test(spread_channels_are_taken_out),
      cmocka_unit_test(spread_channels_of_windows_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
