#include "unit/graph/pass_helpers.h"

/* u = x / sqrt 2, e = erf(u), a = e + 1. */
static int add_one_plus_erf(tarei_graph *const g, const int x, const float divisor) {
  const int u = OP(g, "Div", "u", x, add_scalar(g, "sqrt2", divisor));
  const int e = OP(g, "Erf", "e", u);
  return OP(g, "Add", "a", e, add_scalar(g, "one", 1));
}

static void erf_form_in_every_order(void **state) {
  (void)state;
  for (int order = 0; order < 5; order++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;8");
    const int a = add_one_plus_erf(g, x, 1.4142135f);
    const int half = add_scalar(g, "half", 0.5f), two = add_scalar(g, "two", 2);
    int y = -1;
    if (order == 0) {
      y = OP(g, "Mul", "y", OP(g, "Mul", "m", x, a), half);
    } else if (order == 1) {
      y = OP(g, "Mul", "y", half, OP(g, "Mul", "m", a, x));
    } else if (order == 2) {
      y = OP(g, "Mul", "y", OP(g, "Mul", "m", half, x), a);
    } else if (order == 3) {
      y = OP(g, "Mul", "y", x, OP(g, "Mul", "m", a, half));
    } else {
      y = OP(g, "Div", "y", OP(g, "Mul", "m", a, x), two);
    }
    end_graph(g, y);
    assert_true(run_pass(g, &tarei_pass_fuse_gelu));
    expect_nodes(g, "n_u + n_e + n_a + n_m + n_y: Gelu(x) approximate=none -> y float32[n, 8]\n");
    tarei_graph_free(g);
  }
}

static void erf_form_with_factor(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int in = add_input(g, "in", "n;8");
  const int x = OP(g, "Mul", "x", in, in); /* x itself is a product */
  const int u = OP(g, "Mul", "u", add_scalar(g, "r", 0.70710677f), x);
  const int a = OP(g, "Add", "a", add_scalar(g, "one", 1), OP(g, "Erf", "e", u));
  const int y = OP(g, "Mul", "y", OP(g, "Mul", "m", x, add_scalar(g, "half", 0.5f)), a);
  end_graph(g, y);
  assert_true(run_pass(g, &tarei_pass_fuse_gelu));
  expect_nodes(g,
               "n_x: Mul(in, in) -> x float32[n, 8]\n"
               "n_u + n_e + n_a + n_m + n_y: Gelu(x) approximate=none -> y float32[n, 8]\n");
  tarei_graph_free(g);
}

/* The argument of Tanh in the forms of PyTorch (Pow), of products, and factored out. */
static int add_tanh_argument(tarei_graph *const g, const int x, const int form) {
  const int c = add_scalar(g, "c", 0.044715f), s = add_scalar(g, "s", 0.79788458f);
  if (form == 0) {
    const int cube = OP(g, "Pow", "x3", x, add_scalar(g, "three", 3));
    return OP(g, "Mul", "u", s, OP(g, "Add", "w", x, OP(g, "Mul", "cx3", c, cube)));
  }
  if (form == 1) {
    const int cube = OP(g, "Mul", "x3", x, OP(g, "Mul", "x2", x, x));
    return OP(g, "Mul", "u", OP(g, "Add", "w", OP(g, "Mul", "cx3", cube, c), x), s);
  }
  const int square = OP(g, "Mul", "cx2", OP(g, "Mul", "cx", c, x), x);
  const int inner = OP(g, "Add", "w", square, add_scalar(g, "one_", 1));
  return OP(g, "Mul", "u", OP(g, "Mul", "sx", x, s), inner);
}

static void tanh_form(void **state) {
  (void)state;
  for (int form = 0; form < 3; form++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;8");
    const int t = OP(g, "Tanh", "t", add_tanh_argument(g, x, form));
    const int a = OP(g, "Add", "a", t, add_scalar(g, "one", 1));
    const int m = OP(g, "Mul", "m", add_scalar(g, "half", 0.5f), x);
    end_graph(g, OP(g, "Mul", "y", m, a));
    assert_true(run_pass(g, &tarei_pass_fuse_gelu));
    assert_int_equal(g->n_nodes, 1);
    assert_ptr_equal(g->nodes[0].op, &tarei_op_gelu);
    assert_string_equal(tarei_attr_string(&g->nodes[0], "approximate", ""), "tanh");
    assert_int_equal(g->nodes[0].in[0], g->inputs[0]);
    assert_string_equal(g->values[g->outputs[0]].name, "y");
    tarei_graph_free(g);
  }
}

/* Builds the usual form with a fault in it, and expects that nothing happens. */
typedef struct fault {
  float sqrt2, one, half;
  const char *extra;  /* value with a consumer outside */
  const char *output; /* value that is an output of the graph */
  bool other_x;       /* the product is with another tensor */
  bool broadcast;     /* a constant widens the shape */
} fault;

static bool fuses(const fault *const f) {
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;8"), z = add_input(g, "z", "n;8");
  const int u = OP(g, "Div", "u", x, add_scalar(g, "sqrt2", f->sqrt2));
  const int a = OP(g, "Add", "a", OP(g, "Erf", "e", u), add_scalar(g, "one", f->one));
  const int m = OP(g, "Mul", "m", f->other_x ? z : x, a);
  const int half = f->broadcast ? add_floats(g, "half", 3, (int64_t[]){1, 1, 1}, &f->half)
                                : add_scalar(g, "half", f->half);
  const int y = OP(g, "Mul", "y", m, half);
  if (f->extra) {
    const int seen = OP(g, "Neg", "seen", tarei_graph_find_value(g, f->extra));
    assert_true(tarei_graph_mark_output(g, seen));
  }
  if (f->output) {
    assert_true(tarei_graph_mark_output(g, tarei_graph_find_value(g, f->output)));
  }
  end_graph(g, y);
  const bool changed = run_pass(g, &tarei_pass_fuse_gelu);
  tarei_graph_free(g);
  return changed;
}

static void what_only_looks_alike_stays(void **state) {
  (void)state;
  const fault good = {.sqrt2 = 1.4142135f, .one = 1, .half = 0.5f};
  assert_true(fuses(&good));
  fault f = good;
  f.sqrt2 = 1.41f;
  assert_false(fuses(&f));
  f = good;
  f.one = 1.01f;
  assert_false(fuses(&f));
  f = good;
  f.half = 0.51f;
  assert_false(fuses(&f));
  f = good;
  f.other_x = true;
  assert_false(fuses(&f));
  f = good;
  f.broadcast = true;
  assert_false(fuses(&f));
  const char *const inner[] = {"u", "e", "a", "m"};
  for (int i = 0; i < 4; i++) {
    f = good;
    f.extra = inner[i];
    assert_false(fuses(&f));
    f.extra = NULL;
    f.output = inner[i];
    assert_false(fuses(&f));
  }
}

int gelu_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(erf_form_in_every_order),
      cmocka_unit_test(erf_form_with_factor),
      cmocka_unit_test(tanh_form),
      cmocka_unit_test(what_only_looks_alike_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
