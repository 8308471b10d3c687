/* Which passes made a node: from what they change, not from what they tell. */
#include "unit/graph/pass_helpers.h"

#include "graph/passes/rewrite.h"

static tare_error err;

static int node_of(const tarei_graph *const g, const char *const output) {
  const int value = tarei_graph_find_value(g, output);
  assert_true(value >= 0);
  return g->values[value].producer;
}

/* x -> a -> b -> c, all Relu. */
static tarei_graph *chain_of_relus(void) {
  tarei_graph *const g = tarei_graph_new("chain");
  const int x = add_input(g, "x", "4");
  const int a = OP(g, "Relu", "a", x), b = OP(g, "Relu", "b", a);
  end_graph(g, OP(g, "Relu", "c", b));
  return g;
}

static void enter(tarei_pass_notes *const notes, tarei_graph *const g, const char *const pass,
                  tarei_pass_log *const log) {
  assert_int_equal(tarei_graph_compact(g, &err), TARE_OK);
  assert_int_equal(tarei_pass_notes_enter(notes, g, pass, log, &err), TARE_OK);
}

static void fused_nodes_belong_to_all_their_passes(void **const state) {
  (void)state;
  tarei_graph *const g = chain_of_relus();
  tarei_pass_log log = {0};
  tarei_pass_notes notes = {0};
  assert_int_equal(tarei_pass_notes_take(&notes, g, &err), TARE_OK);
  enter(&notes, g, "nothing", &log);
  assert_int_equal(log.n, 0);

  assert_true(tarei_attr_set_int(&g->nodes[node_of(g, "b")], "axis", 1));
  enter(&notes, g, "marks_b", &log);
  assert_int_equal(tarei_absorb(g, node_of(g, "a"), node_of(g, "b"), &err), TARE_OK);
  enter(&notes, g, "fuses", &log);
  assert_int_equal(log.n, 2);
  assert_string_equal(log.passes[1].name, "fuses");
  assert_int_equal(log.passes[1].changed, 1);
  assert_int_equal(log.passes[1].removed, 1);
  assert_string_equal(g->nodes[node_of(g, "b")].name, "n_a + n_b");
  assert_int_equal(g->nodes[node_of(g, "b")].passes, 3); /* b was fused into a */
  assert_int_equal(g->nodes[node_of(g, "c")].passes, 0);
  tarei_pass_notes_fini(&notes);
  tarei_graph_free(g);
}

/* A new node of the same name takes the place of the old one. */
static void replaced_nodes_keep_their_passes(void **const state) {
  (void)state;
  tarei_graph *const g = chain_of_relus();
  tarei_pass_log log = {0};
  tarei_pass_notes notes = {0};
  assert_int_equal(tarei_pass_notes_take(&notes, g, &err), TARE_OK);
  g->nodes[node_of(g, "b")].op = &tarei_op_identity;
  enter(&notes, g, "first", &log);
  const int old = node_of(g, "b"), in = g->nodes[old].in[0], out = g->nodes[old].out[0];
  int node;
  tarei_graph_remove_node(g, old);
  assert_int_equal(tarei_add_node(g, &tarei_op_identity, "n_b", 17, &in, 1, out, &node, &err),
                   TARE_OK);
  enter(&notes, g, "second", &log);
  assert_int_equal(g->nodes[node_of(g, "b")].passes, 3);
  assert_int_equal(log.passes[1].changed, 1);
  assert_int_equal(log.passes[1].removed, 1);
  enter(&notes, g, "first", &log); /* which does nothing this time */
  assert_int_equal(log.passes[0].changed, 1);
  tarei_pass_notes_fini(&notes);
  tarei_graph_free(g);
}

static void the_log_is_bounded(void **const state) {
  (void)state;
  tarei_pass_log log = {0};
  char name[TAREI_PASS_NAME + 1] = {0};
  memset(name, 'x', TAREI_PASS_NAME);
  assert_int_equal(tarei_pass_log_find(&log, name), -1);
  for (int i = 0; i < TAREI_MOST_PASSES; i++) {
    snprintf(name, sizeof name, "pass %d", i);
    assert_int_equal(tarei_pass_log_find(&log, name), i);
  }
  assert_int_equal(tarei_pass_log_find(&log, "one more"), -1);
  assert_int_equal(tarei_pass_log_find(&log, "pass 7"), 7);
}

/* Every pass of the library has its text. */
static void passes_have_summaries(void **const state) {
  (void)state;
#define TAREI_PASS(name) assert_true(strlen(tarei_pass_summary(#name)) > 0);
#include "graph/passes/passes.inc"
#undef TAREI_PASS
  assert_true(strlen(tarei_pass_summary("quantize")) > 0);
  assert_true(strlen(tarei_pass_summary("fuse_quantize")) > 0);
  assert_string_equal(tarei_pass_summary("unknown"), "");
}

int log_test(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fused_nodes_belong_to_all_their_passes),
                                     cmocka_unit_test(replaced_nodes_keep_their_passes),
                                     cmocka_unit_test(the_log_is_bounded),
                                     cmocka_unit_test(passes_have_summaries)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
