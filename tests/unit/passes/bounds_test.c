#include <math.h>

#include "unit/graph/pass_helpers.h"

/* Max(x, a x) and Min(x, a x) with the operands in every order. */
static void leaky_relu_in_every_order(void **state) {
  (void)state;
  for (int order = 0; order < 8; order++) {
    const bool min = order & 4;
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;8"), a = add_scalar(g, "a", min ? 3 : 0.25f);
    const int m = order & 1 ? OP(g, "Mul", "m", x, a) : OP(g, "Mul", "m", a, x);
    const char *const op = min ? "Min" : "Max";
    end_graph(g, order & 2 ? OP(g, op, "y", x, m) : OP(g, op, "y", m, x));
    assert_true(run_pass(g, &tarei_pass_fuse_bounds));
    expect_nodes(g, min ? "n_m + n_y: LeakyRelu(x) alpha=3 -> y float32[n, 8]\n"
                        : "n_m + n_y: LeakyRelu(x) alpha=0.25 -> y float32[n, 8]\n");
    tarei_graph_free(g);
  }
}

/* Other slopes, other factors, and products that somebody else reads. */
static void what_is_no_leaky_relu_stays(void **state) {
  (void)state;
  for (int form = 0; form < 4; form++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;8"), other = add_input(g, "other", "n;8");
    const int a = add_scalar(g, "a", form == 0 ? 2 : form == 1 ? NAN : 0.25f);
    const int m = OP(g, "Mul", "m", form == 2 ? other : x, a);
    const int y = OP(g, "Max", "y", x, m);
    end_graph(g, form == 3 ? OP(g, "Add", "z", y, m) : y);
    assert_false(run_pass(g, &tarei_pass_fuse_bounds));
    tarei_graph_free(g);
  }
}

/* x + 3 between 0 and 6, its sixth, and x times either, the factors in every order. */
static void hard_activations_become_one_node(void **state) {
  (void)state;
  for (int form = 0; form < 24; form++) {
    const bool swish = form % 3 > 0, late = form % 3 == 2, by_div = form / 3 & 1;
    const bool swapped = form / 6 & 1, is_right = form < 12;
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;8"), three = add_scalar(g, "three", is_right ? 3 : 2.5f);
    const int k = add_scalar(g, "k", by_div ? 6 : 1.0f / 6);
    const int sum = swapped ? OP(g, "Add", "sum", three, x) : OP(g, "Add", "sum", x, three);
    int y = OP(g, "Clip", "c", sum, add_scalar(g, "low", 0), add_scalar(g, "high", 6));
    y = late ? (swapped ? OP(g, "Mul", "m", y, x) : OP(g, "Mul", "m", x, y)) : y;
    y = OP(g, by_div ? "Div" : "Mul", "part", y, k);
    y = swish && !late ? (swapped ? OP(g, "Mul", "m", y, x) : OP(g, "Mul", "m", x, y)) : y;
    end_graph(g, y);
    assert_int_equal(run_pass(g, &tarei_pass_fuse_hard_swish), is_right);
    if (is_right) {
      assert_int_equal(g->n_nodes, 1);
      assert_string_equal(g->nodes[0].op->name, swish ? "HardSwish" : "HardSigmoid");
    }
    tarei_graph_free(g);
  }
}

/* A gate of other slope, of another tensor, or that somebody else reads stays. */
static void products_with_hard_gates_become_swish(void **state) {
  (void)state;
  for (int form = 0; form < 4; form++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;8"), other = add_input(g, "other", "n;8");
    const int gate = OP(g, "HardSigmoid", "gate", form == 1 ? other : x);
    assert_true(tarei_attr_set_float(last_node(g), "alpha", form == 2 ? 0.2f : 0.1666667f));
    const int y = OP(g, "Mul", "y", gate, x);
    end_graph(g, form == 3 ? OP(g, "Add", "z", y, gate) : y);
    assert_int_equal(run_pass(g, &tarei_pass_fuse_hard_swish), form == 0);
    if (form == 0) {
      expect_nodes(g, "n_gate + n_y: HardSwish(x) -> y float32[n, 8]\n");
    }
    tarei_graph_free(g);
  }
}

static void bounds_become_relu_or_clip(void **state) {
  (void)state;
  static const struct {
    const char *op;
    float k;
    const char *expected;
  } cases[] = {{"Max", 0, "n_y: Relu(x) -> y float32[n, 8]\n"},
               {"Max", -1.5f, "n_y: Clip(x) min=-1.5 -> y float32[n, 8]\n"},
               {"Min", 6, "n_y: Clip(x) max=6 -> y float32[n, 8]\n"},
               {"Min", 0, "n_y: Clip(x) max=0 -> y float32[n, 8]\n"}};
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;8"), k = add_scalar(g, "k", cases[i / 2].k);
    end_graph(g, i % 2 ? OP(g, cases[i / 2].op, "y", x, k) : OP(g, cases[i / 2].op, "y", k, x));
    assert_true(run_pass(g, &tarei_pass_fuse_bounds));
    expect_nodes(g, cases[i / 2].expected);
    tarei_graph_free(g);
  }
}

static float bounded(const float x, const bool *const max, const float *const k, const int n) {
  float y = x;
  for (int i = 0; i < n; i++) {
    y = max[i] ? fmaxf(y, k[i]) : fminf(y, k[i]);
  }
  return y;
}

/* Chains of bounds are one Clip with the values of the chain, however they cross. */
static void chains_of_bounds_are_one(void **state) {
  (void)state;
  enum { N = 4 };
  for (int choice = 0; choice < 256; choice++) {
    static const float K[] = {-2, 0, 1, 6};
    bool max[N];
    float k[N];
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;8");
    int y = x;
    for (int i = 0; i < N; i++) {
      const char name[] = {'v', (char)('0' + i), 0}, constant[] = {'k', (char)('0' + i), 0};
      max[i] = (choice + i) % 2;
      k[i] = K[choice >> (2 * i) & 3];
      y = OP(g, max[i] ? "Max" : "Min", name, y, add_scalar(g, constant, k[i]));
    }
    end_graph(g, y);
    assert_true(run_pass(g, &tarei_pass_fuse_bounds));
    assert_int_equal(g->n_nodes, 1);
    const bool relu = g->nodes[0].op == &tarei_op_relu;
    const float low = relu ? 0 : tarei_attr_float(&g->nodes[0], "min", -INFINITY);
    const float high = relu ? INFINITY : tarei_attr_float(&g->nodes[0], "max", INFINITY);
    for (float v = -3; v <= 7; v += 0.5f) {
      assert_float_equal(fminf(fmaxf(v, low), high), bounded(v, max, k, N), 0);
    }
    tarei_graph_free(g);
  }
}

/* Relu and Clip take part; what somebody else sees, and bounds that broadcast x, do not. */
static void bounds_that_are_seen_stay(void **state) {
  (void)state;
  tarei_graph *g = tarei_graph_new("test");
  int x = add_input(g, "x", "n;8");
  int r = OP(g, "Relu", "r", x);
  end_graph(g, OP(g, "Min", "y", r, add_scalar(g, "six", 6)));
  assert_true(run_pass(g, &tarei_pass_fuse_bounds));
  expect_nodes(g, "n_r + n_y: Clip(x) min=0 max=6 -> y float32[n, 8]\n");
  tarei_graph_free(g);

  g = tarei_graph_new("test");
  x = add_input(g, "x", "n;8");
  r = OP(g, "Relu", "r", x);
  const int y = OP(g, "Min", "y", r, add_scalar(g, "six", 6));
  end_graph(g, OP(g, "Add", "z", y, r));
  assert_true(run_pass(g, &tarei_pass_fuse_bounds));
  expect_nodes(g,
               "n_r: Relu(x) -> r float32[n, 8]\n"
               "n_y: Clip(r) max=6 -> y float32[n, 8]\n"
               "n_z: Add(y, r) -> z float32[n, 8]\n");
  tarei_graph_free(g);
}

int bounds_test(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hard_activations_become_one_node),
                                     cmocka_unit_test(products_with_hard_gates_become_swish),
                                     cmocka_unit_test(leaky_relu_in_every_order),
                                     cmocka_unit_test(what_is_no_leaky_relu_stays),
                                     cmocka_unit_test(bounds_become_relu_or_clip),
                                     cmocka_unit_test(chains_of_bounds_are_one),
                                     cmocka_unit_test(bounds_that_are_seen_stay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
