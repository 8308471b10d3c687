#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/table/recordings.h"

/* One column of all profiles, or a column each. */
static tare_table *make_table(const bool per_profile, const char *const *const specs,
                              const int64_t *const samples, const int n) {
  tare_table *table = NULL;
  assert_int_equal(tarei_table_new("minmax", per_profile ? n : 1, &table, NULL), TARE_OK);
  table->per_profile = per_profile;
  for (int p = 0; p < n; p++) {
    assert_int_equal(tarei_table_add_profile(table, specs[p], samples[p], NULL), TARE_OK);
  }
  return table;
}

/* An input of the rank whose first dim is the symbol, or the number if there is none. */
static void add_input(tarei_graph *const g, const char *const name, const int rank,
                      const char *const symbol, const int64_t number) {
  const int v = tarei_graph_add_value(g, name);
  assert_true(v >= 0);
  tarei_value *const value = &g->values[v];
  value->rank = rank;
  value->dims[0] =
      symbol ? tarei_expr_symbol(g->exprs, symbol) : tarei_expr_const(g->exprs, number);
  for (int d = 1; d < rank; d++) {
    value->dims[d] = tarei_expr_symbol(g->exprs, "samples");
  }
  assert_true(tarei_graph_mark_input(g, v));
}

static bool are_few(const tarei_graph *const g, const char *const spec, const int64_t samples) {
  tare_table *table = make_table(false, &spec, &samples, 1);
  const bool few = tarei_recordings_are_few(table, g);
  tare_table_free(&table);
  return few;
}

static void batches_hold_recordings(void **const state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("model.onnx");
  assert_non_null(g);
  add_input(g, "audio", 2, "batch", 0);
  assert_true(are_few(g, "batch=1:8:8,samples=9:9:9", 7)); /* may have been one each */
  assert_false(are_few(g, "batch=1:1:1,samples=9:9:9", 8));
  assert_false(are_few(g, "samples=9:9:9,batch=8:8:8", 1));
  assert_true(are_few(g, "samples=9:9:9,batch=2:8:8", 3));
  assert_false(are_few(g, "samples=9:9:9,batch=2:8:8", 4));
  assert_true(are_few(g, "minibatch=9:9:9,samples=9:9:9", 1)); /* another symbol */
  assert_false(are_few(g, "batch=1:1:1", 0));                  /* not known */
  add_input(g, "lengths", 1, "others", 0);                     /* says nothing about batches */
  assert_false(are_few(g, "batch=8:8:8,others=1:1:1", 1));
  add_input(g, "state", 3, NULL, 2); /* its first dim is no batch: the smallest counts */
  assert_true(are_few(g, "batch=8:8:8,others=1:1:1", 3));
  assert_false(are_few(g, "batch=8:8:8,others=1:1:1", 4));
  tarei_graph_free(g);
}

static void a_column_with_many_is_enough(void **const state) {
  (void)state;
  static const char *const specs[] = {"batch=1:1:1,samples=1:1:1", "batch=4:4:4,samples=2:2:2"};
  static const struct {
    int64_t samples[2];
    bool together, apart;
  } cases[] = {{{1, 1}, true, true}, {{4, 1}, false, true}, {{8, 1}, false, false}};
  tarei_graph *const g = tarei_graph_new("model.onnx");
  assert_non_null(g);
  add_input(g, "audio", 2, "batch", 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tare_table *together = make_table(false, specs, cases[i].samples, 2);
    tare_table *apart = make_table(true, specs, cases[i].samples, 2);
    assert_int_equal(tarei_recordings_are_few(together, g), cases[i].together);
    assert_int_equal(tarei_recordings_are_few(apart, g), cases[i].apart);
    tare_table_free(&together);
    tare_table_free(&apart);
  }
  tarei_graph_free(g);
}

int recordings_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(batches_hold_recordings),
      cmocka_unit_test(a_column_with_many_is_enough),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
