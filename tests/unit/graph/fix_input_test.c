/* Inputs that become constants: of every type, and only with values that it holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "graph/fix_input.h"
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
  if (tarei_graph_fix_input(graph, 0, value, &err) != TARE_OK) {
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
  assert_int_equal(tarei_graph_fix_input(graph, 0, value, &err), TARE_E_USAGE);
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

static void dynamic_inputs_are_refused(void **state) {
  (void)state;
  tarei_graph *const graph = graph_of(TARE_F32);
  graph->values[0].dims[0] = tarei_expr_symbol(graph->exprs, "n");
  tare_error err = {0};
  assert_int_equal(tarei_graph_fix_input(graph, 0, 1, &err), TARE_E_USAGE);
  assert_string_equal(err.message, "cannot set input 'x': its size is dynamic");
  tarei_graph_free(graph);
}

int fix_input_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_type_takes_what_it_holds),
      cmocka_unit_test(dynamic_inputs_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
