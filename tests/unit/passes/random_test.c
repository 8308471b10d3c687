/* Random graphs keep their ports, and an optimized graph stays as it is. */
#include "unit/graph/pass_helpers.h"

typedef struct maker {
  tarei_graph *g;
  uint32_t state;
  int values[64];
  int n;
} maker;

static int64_t pick(maker *const m, const int64_t n) {
  m->state = m->state * 1664525u + 1013904223u;
  return (int64_t)(m->state >> 10) % n;
}

static int constant(maker *const m, const int rank, const int64_t *const dims) {
  static const float neutral[2] = {0, 1};
  float data[256];
  const int64_t kind = pick(m, 6);
  for (int i = 0; i < 256; i++) {
    data[i] = kind < 2 ? neutral[kind] : (float)(pick(m, 2000) - 1000) / 500;
  }
  return add_floats(m->g, "c", rank, dims, data);
}

static int transposed(maker *const m, const char *const out, const int x) {
  static const int64_t perms[4][3] = {{0, 2, 1}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}};
  const int value = OP(m->g, "Transpose", out, x);
  assert_true(tarei_attr_set_ints(last_node(m->g), "perm", perms[pick(m, 6) & 3], 3));
  return value;
}

static int activated(maker *const m, const char *const out, const int x) {
  static const char *const ops[] = {"Relu", "Tanh", "Sigmoid", "Identity", "Gelu", "Dropout"};
  return OP(m->g, ops[pick(m, 6)], out, x);
}

static int shifted(maker *const m, const char *const out, const int x) {
  const int64_t dims[3] = {1, pick(m, 2) ? 4 : 1, pick(m, 2) ? 4 : 1};
  const int skip = (int)pick(m, 2);
  const int c = constant(m, 3 - skip, dims + skip);
  const char *const op = pick(m, 2) ? "Add" : "Mul";
  return pick(m, 2) ? OP(m->g, op, out, x, c) : OP(m->g, op, out, c, x);
}

static int added(maker *const m, const char *const out, const int x) {
  return OP(m->g, pick(m, 3) ? "Add" : "Mul", out, x, m->values[pick(m, m->n)]);
}

static int convolved(maker *const m, const char *const out, const int x) {
  const int w = constant(m, 3, (int64_t[]){4, 4, 3});
  const int value = OP(m->g, "Conv", out, x, w);
  assert_true(tarei_attr_set_ints(last_node(m->g), "pads", (int64_t[]){1, 1}, 2));
  return value;
}

static int normed(maker *const m, const char *const out, const int x) {
  const int scale = constant(m, 1, (int64_t[]){4}), bias = constant(m, 1, (int64_t[]){4});
  return OP(m->g, "InstanceNormalization", out, x, scale, bias);
}

static int multiplied(maker *const m, const char *const out, const int x) {
  return OP(m->g, "MatMul", out, x, constant(m, 2, (int64_t[]){4, 4}));
}

/* All tensors are [4, 4, 4], so that everything fits everywhere. */
static tarei_graph *make(const uint32_t seed) {
  static int (*const makers[])(maker *, const char *, int) = {
      transposed, transposed, activated, shifted, added, convolved, normed, multiplied};
  maker m = {.g = tarei_graph_new("random"), .state = seed * 7919u + 13u};
  m.values[m.n++] = add_input(m.g, "x", "4;4;4");
  const int n = 5 + (int)pick(&m, 20);
  for (int i = 0; i < n; i++) {
    char out[16];
    snprintf(out, sizeof out, "v%d", i);
    const int x = m.values[m.n - 1 - pick(&m, m.n < 4 ? m.n : 4)];
    m.values[m.n++] = makers[pick(&m, 8)](&m, out, x);
    if (i + 1 < n && pick(&m, 8) == 0) {
      assert_true(tarei_graph_mark_output(m.g, m.values[m.n - 1]));
    }
  }
  end_graph(m.g, m.values[m.n - 1]);
  return m.g;
}

static void expect_same_ports(const tarei_graph *const a, const tarei_graph *const b) {
  assert_int_equal(a->n_outputs, b->n_outputs);
  for (int i = 0; i < a->n_outputs; i++) {
    const tarei_value *const va = &a->values[a->outputs[i]], *const vb = &b->values[b->outputs[i]];
    assert_string_equal(va->name, vb->name);
    assert_int_equal(va->dtype, vb->dtype);
    assert_int_equal(va->rank, vb->rank);
    for (int d = 0; d < va->rank; d++) {
      assert_int_equal(va->dims[d], vb->dims[d]);
    }
  }
}

static void check_seed(const uint32_t seed, const bool keep_all_tensors) {
  tarei_graph *const before = make(seed), *const g = make(seed);
  optimize(g, keep_all_tensors);
  expect_same_ports(before, g);
  tarei_str first = {0}, second = {0};
  tarei_graph_print(g, &first);
  optimize(g, keep_all_tensors);
  tarei_graph_print(g, &second);
  assert_string_equal(tarei_str_get(&first), tarei_str_get(&second));
  tarei_str_free(&first);
  tarei_str_free(&second);
  tarei_graph_free(before);
  tarei_graph_free(g);
}

static uint32_t seed_at_work;

static void random_graphs_keep_their_ports(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 300; seed++) {
    seed_at_work = seed;
    check_seed(seed, seed & 1);
  }
}

/* Runs after a failure too. */
static int print_seed(void **state) {
  (void)state;
  print_message("last seed: %u\n", seed_at_work);
  return 0;
}

int random_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(random_graphs_keep_their_ports, print_seed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
