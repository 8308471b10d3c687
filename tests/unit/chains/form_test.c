/* Which operators become a chain. */
#include "graph/chains/form_chains.h"

#include "graph/chains/chain.h"
#include "unit/graph/pass_helpers.h"

static void form_chains(tarei_graph *const g) {
  tare_error err = {0};
  tarei_pass_log log = {0};
  if (tarei_graph_form_chains(g, &log, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  tarei_graph_check(g);
}

static int add_layer(tarei_graph *const g, const char *const out, const int x) {
  const float w[64] = {1};
  char name[64];
  snprintf(name, sizeof name, "%s_w", out);
  return OP(g, "MatMul", out, x, add_floats(g, name, 2, (int64_t[]){8, 8}, w));
}

static void values_that_nobody_else_reads_disappear(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;8"), v = add_input(g, "v", "8");
  const int a = OP(g, "Add", "a", x, v);
  const int s = OP(g, "Sigmoid", "s", a), t = OP(g, "Tanh", "t", a), y = OP(g, "Mul", "y", s, t);
  end_graph(g, y);
  form_chains(g);
  expect_nodes(g,
               "n_a + n_s + n_t + n_y: Chain(x, v) chain_links=Add Sigmoid Tanh Mul "
               "chain_operands=[0, 1, 2, 2, 3, 4] chain_parameters=[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
               "0, 0] -> y float32[n, 8]\n");
  tarei_graph_free(g);
}

static void values_that_others_read_stay(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;8");
  const int a = OP(g, "Exp", "a", x), b = OP(g, "Neg", "b", a), c = OP(g, "Abs", "c", b);
  assert_true(tarei_graph_mark_output(g, a));
  end_graph(g, c);
  form_chains(g);
  assert_int_equal(g->n_nodes, 2);
  assert_string_equal(g->nodes[0].name, "n_a");
  assert_string_equal(g->nodes[1].name, "n_b + n_c");
  tarei_graph_free(g);
}

static void values_of_another_shape_are_inputs(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;8"), v = add_input(g, "v", "8");
  const int small = OP(g, "Exp", "small", v);
  const int y = OP(g, "Relu", "y", OP(g, "Mul", "m", x, small));
  end_graph(g, y);
  form_chains(g);
  assert_int_equal(g->n_nodes, 2);
  assert_string_equal(g->nodes[0].name, "n_small");
  assert_string_equal(g->nodes[1].name, "n_m + n_y");
  tarei_graph_free(g);
}

static void other_types_stay_as_they_are(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_typed_input(g, "x", TARE_I64, "n;8");
  end_graph(g, OP(g, "Abs", "y", OP(g, "Add", "a", x, OP(g, "Neg", "b", x))));
  form_chains(g);
  assert_int_equal(count_ops(g, &tarei_op_chain), 0);
  tarei_graph_free(g);
}

static void what_follows_from_lengths_stays_apart(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;8");
  const int size = OP(g, "Shape", "size", x);
  const int floats = OP(g, "Cast", "floats", size);
  assert_true(tarei_attr_set_int(last_node(g), "to", TARE_F32));
  const int half = OP(g, "Exp", "e", OP(g, "Neg", "half", floats));
  const int y = OP(g, "Mul", "y", x, OP(g, "ReduceMax", "most", half));
  end_graph(g, OP(g, "Relu", "z", y));
  form_chains(g);
  assert_int_equal(count_ops(g, &tarei_op_chain), 1);
  assert_string_equal(last_node(g)->name, "n_y + n_z");
  tarei_graph_free(g);
}

static int add_slice(tarei_graph *const g, const char *const out, const int x, const int64_t from,
                     const int64_t to) {
  char names[3][16];
  const int64_t numbers[] = {from, to, 1};
  int in[3];
  for (int i = 0; i < 3; i++) {
    snprintf(names[i], sizeof names[i], "%s_%d", out, i);
    in[i] = add_ints(g, names[i], 1, &numbers[i]);
  }
  return OP(g, "Slice", out, x, in[0], in[1], in[2]);
}

static void parts_are_read_in_place(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;48");
  const int a = add_slice(g, "a", x, 0, 24), b = add_slice(g, "b", x, -24, INT64_MAX);
  end_graph(g, OP(g, "Mul", "y", a, OP(g, "Sigmoid", "s", b)));
  form_chains(g);
  assert_int_equal(g->n_nodes, 1);
  tarei_chain chain;
  assert_int_equal(tarei_chain_read(&g->nodes[0], &chain, NULL), TARE_OK);
  assert_int_equal(chain.n_inputs, 2);
  assert_int_equal(g->nodes[0].in[0], g->nodes[0].in[1]);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(chain.slices[i].axis, 1);
    assert_int_equal(chain.slices[i].length, 24);
  }
  assert_int_equal(chain.slices[0].start + chain.slices[1].start, 24);
  tarei_graph_free(g);
}

static void parts_that_layers_read_are_copied(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;32");
  const int a = add_slice(g, "a", x, 0, 24), b = add_slice(g, "b", x, 24, 32);
  const int y = OP(g, "Relu", "y", a), t = OP(g, "Abs", "t", b);
  assert_true(tarei_graph_mark_output(g, OP(g, "Mul", "z", t, b)));
  assert_true(tarei_graph_mark_output(g, add_layer(g, "l", b)));
  end_graph(g, y);
  form_chains(g);
  assert_int_equal(count_ops(g, &tarei_op_slice), 1);
  assert_int_equal(count_ops(g, &tarei_op_chain), 2);
  tarei_graph_free(g);
}

/* A sum of what two layers make is one tensor while the third runs, its operands would be two. */
static void no_tensors_are_kept_for_a_chain(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;8");
  const int sum = OP(g, "Add", "sum", add_layer(g, "l", x), add_layer(g, "m", x));
  const int all = OP(g, "Add", "all", sum, add_layer(g, "o", x));
  end_graph(g, OP(g, "Relu", "y", all));
  form_chains(g);
  assert_int_equal(count_ops(g, &tarei_op_add), 1);
  assert_int_equal(count_ops(g, &tarei_op_chain), 1);
  assert_string_equal(last_node(g)->name, "n_all + n_y");
  tarei_graph_free(g);
}

static void expansions_before_operators_that_broadcast_fall_away(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;8"), v = add_input(g, "v", "n;1");
  const int wide = OP(g, "Expand", "wide", v, OP(g, "Shape", "size", x));
  end_graph(g, OP(g, "Mul", "y", x, wide));
  form_chains(g);
  assert_int_equal(g->n_nodes, 1);
  assert_int_equal(g->nodes[0].in[1], g->inputs[1]);
  tarei_graph_free(g);
}

static void long_chains_are_several(void **state) {
  (void)state;
  enum { N = 200 };
  tarei_graph *const g = tarei_graph_new("test");
  int x = add_input(g, "x", "n;8");
  for (int i = 0; i < N; i++) {
    char name[16];
    snprintf(name, sizeof name, "v%d", i);
    x = OP(g, "Exp", name, x);
  }
  end_graph(g, x);
  form_chains(g);
  assert_int_equal(g->n_nodes, (N + TAREI_CHAIN_LINKS - 1) / TAREI_CHAIN_LINKS);
  tarei_graph_free(g);
}

static void many_operands_are_several_links(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int a = add_input(g, "a", "n;8"), b = add_input(g, "b", "n;8"), c = add_input(g, "c", "8");
  end_graph(g, OP(g, "Relu", "y", OP(g, "Max", "m", a, b, c)));
  form_chains(g);
  tarei_chain chain;
  assert_int_equal(tarei_chain_read(&g->nodes[0], &chain, NULL), TARE_OK);
  assert_int_equal(chain.n_links, 3);
  assert_int_equal(chain.links[1].operands[0], 3); /* what the first Max makes */
  assert_int_equal(chain.links[1].operands[1], 2);
  tarei_graph_free(g);
}

/* --- attributes that a plan file might have --------------------------------------------------- */

static void expect_malformed(tarei_graph *const g, const char *const attribute) {
  tarei_chain chain;
  tare_error err = {0};
  char expected[64];
  snprintf(expected, sizeof expected, "attribute '%s' is malformed", attribute);
  assert_int_equal(tarei_chain_read(&g->nodes[0], &chain, &err), TARE_E_MODEL);
  assert_string_equal(err.message, expected);
}

static void malformed_attributes_are_refused(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;8"), v = add_input(g, "v", "8");
  end_graph(g, OP(g, "Tanh", "y", OP(g, "Add", "a", x, v)));
  form_chains(g);
  tarei_node *const node = &g->nodes[0];
  static const char *const links[] = {"", "Conv Tanh", "Add  Tanh", "Add Tanhh"};
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    assert_true(tarei_attr_set_string(node, TAREI_ATTR_CHAIN_LINKS, links[i]));
    expect_malformed(g, TAREI_ATTR_CHAIN_LINKS);
  }
  assert_true(tarei_attr_set_string(node, TAREI_ATTR_CHAIN_LINKS, "Add Tanh"));
  static const int64_t operands[][3] = {{0, 1, 3}, {0, 2, 2}, {-1, 0, 2}, {0, 0, 2}, {0, 1, 1}};
  for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
    assert_true(tarei_attr_set_ints(node, TAREI_ATTR_CHAIN_OPERANDS, operands[i], 3));
    expect_malformed(g, TAREI_ATTR_CHAIN_OPERANDS);
  }
  assert_true(tarei_attr_set_ints(node, TAREI_ATTR_CHAIN_OPERANDS, (int64_t[]){0, 1, 2, 2}, 4));
  expect_malformed(g, TAREI_ATTR_CHAIN_OPERANDS);
  assert_true(tarei_attr_set_ints(node, TAREI_ATTR_CHAIN_OPERANDS, (int64_t[]){0, 1, 2}, 3));
  assert_true(tarei_attr_set_floats(node, TAREI_ATTR_CHAIN_PARAMETERS, (float[]){0}, 1));
  expect_malformed(g, TAREI_ATTR_CHAIN_PARAMETERS);
  assert_true(tarei_attr_set_floats(node, TAREI_ATTR_CHAIN_PARAMETERS, (float[6]){0}, 6));
  static const int64_t slices[][6] = {
      {1, -1, 8, -1, 0, 0}, {1, 0, -8, -1, 0, 0}, {99, 0, 8, -1, 0, 0}};
  for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
    assert_true(tarei_attr_set_ints(node, TAREI_ATTR_CHAIN_SLICES, slices[i], 6));
    expect_malformed(g, TAREI_ATTR_CHAIN_SLICES);
  }
  static const int64_t outside[][6] = {{1, 1, 8, -1, 0, 0},
                                       {1, 0, INT64_MAX, -1, 0, 0},
                                       {1, INT64_MAX, 1, -1, 0, 0},
                                       {0, 0, 1, -1, 0, 0}};
  for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
    tare_error err = {0};
    assert_true(tarei_attr_set_ints(node, TAREI_ATTR_CHAIN_SLICES, outside[i], 6));
    assert_int_equal(tarei_graph_infer(g, &err), TARE_E_MODEL);
  }
  tarei_graph_free(g);
}

int form_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_that_nobody_else_reads_disappear),
      cmocka_unit_test(values_that_others_read_stay),
      cmocka_unit_test(values_of_another_shape_are_inputs),
      cmocka_unit_test(other_types_stay_as_they_are),
      cmocka_unit_test(what_follows_from_lengths_stays_apart),
      cmocka_unit_test(parts_are_read_in_place),
      cmocka_unit_test(parts_that_layers_read_are_copied),
      cmocka_unit_test(no_tensors_are_kept_for_a_chain),
      cmocka_unit_test(expansions_before_operators_that_broadcast_fall_away),
      cmocka_unit_test(long_chains_are_several),
      cmocka_unit_test(many_operands_are_several_links),
      cmocka_unit_test(malformed_attributes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
