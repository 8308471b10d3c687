#include "graph/passes/dims_attr.h"
#include "unit/graph/pass_helpers.h"

/* Div by a constant, Add of a mask that is broadcast, Softmax: one node. */
static void scores_are_fused(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = OP(g, "Exp", "x", add_input(g, "in", "batch;4;n;n"));
  const int mask = add_input(g, "mask", "batch;1;1;n");
  const int scaled = OP(g, "Div", "scaled", x, add_scalar(g, "c", 8));
  end_graph(g, OP(g, "Softmax", "y", OP(g, "Add", "masked", scaled, mask)));
  assert_true(run_pass(g, &tarei_pass_fuse_softmax));
  expect_nodes(g,
               "n_x: Exp(in) -> x float32[batch, 4, n, n]\n"
               "n_scaled + n_masked + n_y: ScaledSoftmax(x, mask) scale=0.125 -> y "
               "float32[batch, 4, n, n]\n");
  assert_false(run_pass(g, &tarei_pass_fuse_softmax));
  tarei_graph_free(g);
}

static void a_factor_alone_is_fused(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "batch;n");
  end_graph(g, OP(g, "Softmax", "y", OP(g, "Mul", "m", add_scalar(g, "c", 3), x)));
  assert_true(run_pass(g, &tarei_pass_fuse_softmax));
  expect_nodes(g, "n_m + n_y: ScaledSoftmax(x) scale=3 -> y float32[batch, n]\n");
  tarei_graph_free(g);
}

static void others_are_left_alone(void **state) {
  (void)state;
  /* nothing to take in */
  tarei_graph *g = tarei_graph_new("test");
  end_graph(g, OP(g, "Softmax", "y", add_input(g, "x", "batch;n")));
  assert_false(run_pass(g, &tarei_pass_fuse_softmax));
  tarei_graph_free(g);
  /* somebody else reads the scaled scores */
  g = tarei_graph_new("test");
  const int m = OP(g, "Mul", "m", add_input(g, "x", "batch;n"), add_scalar(g, "c", 3));
  end_graph(g, OP(g, "Add", "y", OP(g, "Softmax", "p", m), m));
  assert_false(run_pass(g, &tarei_pass_fuse_softmax));
  tarei_graph_free(g);
  /* the "mask" widens the scores */
  g = tarei_graph_new("test");
  const int narrow = OP(g, "Exp", "e", add_input(g, "x", "batch;1;n"));
  end_graph(g, OP(g, "Softmax", "y", OP(g, "Add", "a", narrow, add_input(g, "wide", "batch;4;n"))));
  assert_false(run_pass(g, &tarei_pass_fuse_softmax));
  tarei_graph_free(g);
}

int softmax_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scores_are_fused),
      cmocka_unit_test(a_factor_alone_is_fused),
      cmocka_unit_test(others_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
