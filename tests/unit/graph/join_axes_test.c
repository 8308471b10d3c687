/* Axes of inputs that are one length: by which operators, and under which names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/join_axes.h"

/* Two matrices that an operator takes, and the names of their axes. */
typedef struct join_case {
  const char *op;
  int64_t axis;
  const char *a[2], *b[2];
  const char *expected; /* dims of a, then of b */
} join_case;

static int add_matrix(tarei_graph *const graph, const char *const name,
                      const char *const *const axes) {
  const int v = tarei_graph_add_value(graph, name);
  tarei_value *const value = &graph->values[v];
  value->dtype = TARE_F32;
  value->rank = 2;
  for (int d = 0; d < 2; d++) {
    const bool number = axes[d][0] >= '0' && axes[d][0] <= '9';
    value->dims[d] = number ? tarei_expr_const(graph->exprs, axes[d][0] - '0')
                            : tarei_expr_symbol(graph->exprs, axes[d]);
  }
  assert_true(tarei_graph_mark_input(graph, v));
  return v;
}

static void check_join(const join_case *const c) {
  tarei_graph *const graph = tarei_graph_new("g");
  tare_error err = {0};
  const int in[2] = {add_matrix(graph, "left", c->a), add_matrix(graph, "right", c->b)};
  const int out = tarei_graph_add_value(graph, "out");
  const int node = tarei_graph_add_node(graph, c->op, "", "n", 17, in, 2, &out, 1);
  assert_true(node >= 0);
  if (strcmp(c->op, "Concat") == 0) {
    assert_true(tarei_attr_set_int(&graph->nodes[node], "axis", c->axis));
  }
  assert_true(tarei_graph_mark_output(graph, out));
  assert_int_equal(tarei_graph_join_axes(graph, &err), TARE_OK);
  tarei_str text = {0};
  for (int i = 0; i < 2; i++) {
    for (int d = 0; d < 2; d++) {
      tarei_str_add(&text, "%s", i || d ? "," : "");
      tarei_value_print_dim(graph, in[i], d, &text);
    }
  }
  assert_string_equal(tarei_str_get(&text), c->expected);
  tarei_str_free(&text);
  tarei_graph_free(graph);
}

static void operators_join_axes(void **state) {
  (void)state;
  static const join_case cases[] = {
      /* Required: whatever the names are, and a name that says more than that of the input wins. */
      {"Concat", 1, {"n", "a"}, {"m", "b"}, "n,a,n,b"},
      {"Concat", 1, {"left_d0", "a"}, {"rows", "b"}, "rows,a,rows,b"},
      {"Concat",
       0,
       {"left_d0", "left_d1"},
       {"right_d0", "right_d1"},
       "left_d0,left_d1,right_d0,left_d1"},
      {"MatMul", 0, {"n", "k"}, {"l", "m"}, "n,k,k,m"},
      /* A number is one for axes without a name. */
      {"MatMul", 0, {"n", "left_d1"}, {"7", "3"}, "n,7,7,3"},
      {"MatMul", 0, {"n", "k"}, {"7", "3"}, "n,k,7,3"},
      /* Broadcast: only where a name says nothing. */
      {"Add", 0, {"n", "k"}, {"m", "k"}, "n,k,m,k"},
      {"Add", 0, {"n", "k"}, {"right_d0", "k"}, "n,k,n,k"},
      {"Add", 0, {"left_d0", "k"}, {"right_dynamic_axes_1", "k"}, "left_d0,k,left_d0,k"},
      {"Add", 0, {"n", "k"}, {"batch_of_right", "k"}, "n,k,n,k"},
      {"Add", 0, {"n", "k"}, {"bright_d0", "k"}, "n,k,bright_d0,k"},
      {"Add", 0, {"left_d0", "k"}, {"7", "k"}, "left_d0,k,7,k"},
      /* A name of two axes is no name of an input. */
      {"Add", 0, {"left_n", "left_n"}, {"m", "k"}, "left_n,left_n,m,k"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check_join(&cases[i]);
  }
}

static void names_are_kept(void **state) {
  (void)state;
  tarei_graph *const graph = tarei_graph_new("g");
  static const char *const a[] = {"n", "a"}, *const b[] = {"m", "b"};
  const int in[2] = {add_matrix(graph, "left", a), add_matrix(graph, "right", b)};
  const int out = tarei_graph_add_value(graph, "out");
  const int node = tarei_graph_add_node(graph, "MatMul", "", "n", 17, in, 2, &out, 1);
  assert_true(node >= 0 && tarei_graph_mark_output(graph, out));
  assert_int_equal(tarei_graph_join_axes(graph, NULL), TARE_OK);
  tarei_graph *copy = NULL;
  assert_int_equal(tarei_graph_clone(graph, &copy, NULL), TARE_OK);
  tarei_graph_free(graph);
  assert_null(copy->values[in[0]].declared);
  assert_string_equal(copy->values[in[1]].declared[0], "m");
  assert_null(copy->values[in[1]].declared[1]);
  assert_int_equal(tarei_exprs_find_symbol(copy->exprs, "m"), -1);
  tarei_graph_free(copy);
}

int join_axes_test(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(operators_join_axes),
                                     cmocka_unit_test(names_are_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
