/* Inputs that become constants: of every type, and only with values that it holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "graph/fix_input.h"
#include "graph/pass.h"
#include "shapes/number.h"

static tarei_graph *graph_of(const tare_dtype dtype) {
  tarei_graph *const graph = tarei_graph_new("g");
  const int x = tarei_graph_add_value(graph, "x");
  graph->values[x].dtype = dtype;
  graph->values[x].rank = 1;
  graph->values[x].dims[0] = tarei_expr_const(graph->exprs, 3);
  assert_true(tarei_graph_mark_input(graph, x));
  return graph;
}

static void expect_fixed(const tare_dtype dtype, const double value) {
  tarei_graph *const graph = graph_of(dtype);
  tare_error err = {0};
  if (tarei_graph_fix_input(graph, 0, &value, 1, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(graph->n_inputs, 0);
  const tare_tensor t = {
      .dtype = dtype, .rank = 1, .dims = {3}, .data = graph->values[0].data->data};
  for (int i = 0; i < 3; i++) {
    assert_true(tarei_real_at(&t, i) == value);
  }
  tarei_graph_free(graph);
}

static void expect_refused(const tare_dtype dtype, const double value) {
  tarei_graph *const graph = graph_of(dtype);
  tare_error err = {0};
  assert_int_equal(tarei_graph_fix_input(graph, 0, &value, 1, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "cannot set input 'x'"));
  assert_non_null(strstr(err.message, tare_dtype_name(dtype)));
  assert_int_equal(graph->n_inputs, 1);
  tarei_graph_free(graph);
}

static void each_type_takes_what_it_holds(void **state) {
  (void)state;
#define EACH_TYPE(name, value, bytes, text)                                               \
  {                                                                                       \
    const tarei_number_range range = tarei_number_range_of(TARE_##name);                  \
    expect_fixed(TARE_##name, 1);                                                         \
    expect_fixed(TARE_##name, range.least);                                               \
    expect_fixed(TARE_##name, range.greatest);                                            \
    expect_refused(TARE_##name, (double)NAN);                                             \
    expect_refused(TARE_##name, (double)INFINITY);                                        \
    if (range.integer) {                                                                  \
      expect_refused(TARE_##name, range.least - (range.least < -0x1p53 ? 2048 : 1));      \
      expect_refused(TARE_##name, range.greatest + (range.greatest > 0x1p53 ? 4096 : 1)); \
      expect_refused(TARE_##name, 0.5);                                                   \
    }                                                                                     \
  }
  TARE_DTYPE_LIST(EACH_TYPE)
#undef EACH_TYPE
}

static void dynamic_matrices_are_refused(void **state) {
  (void)state;
  tarei_graph *const graph = graph_of(TARE_F32);
  graph->values[0].rank = 2;
  graph->values[0].dims[1] = tarei_expr_symbol(graph->exprs, "n");
  tare_error err = {0};
  assert_int_equal(tarei_graph_fix_input(graph, 0, &(double){1}, 1, &err), TARE_E_USAGE);
  assert_string_equal(err.message, "cannot set input 'x': its size is dynamic");
  tarei_graph_free(graph);
}

static void elements_have_values_of_their_own(void **state) {
  (void)state;
  tarei_graph *const graph = graph_of(TARE_F32);
  tare_error err = {0};
  assert_int_equal(tarei_graph_fix_input(graph, 0, (double[]){1, 2}, 2, &err), TARE_E_USAGE);
  assert_string_equal(err.message,
                      "cannot set input 'x' to 2 values: expected one, or as many as "
                      "its 3 elements");
  assert_int_equal(tarei_graph_fix_input(graph, 0, (double[]){1, 2, 3}, 3, &err), TARE_OK);
  assert_true(((const float *)graph->values[0].data->data)[2] == 3);
  tarei_graph_free(graph);
}

/* x [n], and where there is another input, y [n, 4]. */
static tarei_graph *graph_of_vector(const bool shared) {
  tarei_graph *const graph = graph_of(TARE_F32);
  graph->values[0].dims[0] = tarei_expr_symbol(graph->exprs, "n");
  if (shared) {
    const int y = tarei_graph_add_value(graph, "y");
    graph->values[y].dtype = TARE_F32;
    graph->values[y].rank = 2;
    graph->values[y].dims[0] = graph->values[0].dims[0];
    graph->values[y].dims[1] = tarei_expr_const(graph->exprs, 4);
    assert_true(tarei_graph_mark_input(graph, y));
  }
  const int out = tarei_graph_add_value(graph, "out");
  assert_true(tarei_graph_mark_output(graph, out));
  assert_true(tarei_graph_add_node(graph, "Neg", "", NULL, 17, &(int){0}, 1, &out, 1) >= 0);
  return graph;
}

static void vectors_are_as_long_as_their_values_or_as_other_inputs(void **state) {
  (void)state;
  static const struct {
    bool shared;
    int n, length; /* length -1: that of y */
  } cases[] = {{false, 1, 1}, {false, 2, 2}, {true, 2, 2}, {true, 1, -1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tarei_graph *const graph = graph_of_vector(cases[i].shared);
    tare_error err = {0};
    int64_t length = -1;
    assert_int_equal(tarei_graph_fix_input(graph, 0, (double[]){5, 6}, cases[i].n, &err), TARE_OK);
    assert_int_equal(tarei_graph_infer(graph, &err), TARE_OK);
    (void)tarei_value_dim_const(graph, graph->outputs[0], 0, &length);
    assert_int_equal(length, cases[i].length);
    if (cases[i].shared) {
      const int y = graph->inputs[0];
      assert_true(graph->values[y].dims[0] == graph->values[graph->outputs[0]].dims[0]);
    }
    tarei_graph_free(graph);
  }
}

int fix_input_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_type_takes_what_it_holds),
      cmocka_unit_test(dynamic_matrices_are_refused),
      cmocka_unit_test(elements_have_values_of_their_own),
      cmocka_unit_test(vectors_are_as_long_as_their_values_or_as_other_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
