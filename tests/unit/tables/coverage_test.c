/* Which tensors of a model a table names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <tare/coverage.h>

#include "graph/model.h"
#include "graph/table/table.h"

static void node(tarei_graph *const g, const char *const op, const char *const a,
                 const char *const b, const char *const out) {
  const int in[] = {tarei_graph_find_value(g, a), b ? tarei_graph_find_value(g, b) : -1};
  const int made = tarei_graph_add_value(g, out);
  assert_true(in[0] >= 0 && (!b || in[1] >= 0) && made >= 0);
  g->values[made].dtype = TARE_F32;
  g->values[made].observable = true;
  assert_true(tarei_graph_add_node(g, op, "", out, 13, in, b ? 2 : 1, &made, 1) >= 0);
}

/* x -> Relu -> MatMul by the transposed constant w -> Relu; and integers. */
static tarei_graph *make_graph(void) {
  static const float weights[] = {1, 2, 3, 4};
  static const int64_t dims[] = {2, 2};
  tarei_graph *const g = tarei_graph_new("model.onnx");
  assert_non_null(g);
  const char *const inputs[] = {"x", "ids"};
  for (int i = 0; i < 2; i++) {
    const int value = tarei_graph_add_value(g, inputs[i]);
    assert_true(value >= 0);
    g->values[value].dtype = i ? TARE_I64 : TARE_F32;
    g->values[value].is_input = g->values[value].observable = true;
  }
  assert_true(tarei_graph_add_const(g, "w", TARE_F32, 2, dims, weights) >= 0);
  node(g, "Transpose", "w", NULL, "wt");
  node(g, "Relu", "x", NULL, "read");
  node(g, "MatMul", "read", "wt", "product");
  node(g, "Relu", "product", NULL, "last");
  return g;
}

static tare_coverage *cover(const char *const *const names) {
  tare_table *table = NULL;
  const tarei_cell cell = tarei_cell_unknown(1);
  assert_int_equal(tarei_table_new("minmax", 1, &table, NULL), TARE_OK);
  for (int i = 0; names[i]; i++) {
    assert_int_equal(tarei_table_add_tensor(table, names[i], NULL, &cell, NULL), TARE_OK);
  }
  assert_int_equal(tarei_table_finish(table, "test", NULL), TARE_OK);
  tare_model model = {.graph = make_graph()};
  tare_coverage *coverage = NULL;
  assert_int_equal(tare_coverage_new(table, &model, &coverage, NULL), TARE_OK);
  tarei_graph_free(model.graph);
  tare_table_free(&table);
  return coverage;
}

static void assert_tensors(const tare_coverage *const coverage, const tare_cover kind,
                           const char *const *const names) {
  int n = 0;
  for (; names[n]; n++) {
    const char *const name = tare_coverage_tensor(coverage, kind, n);
    assert_string_equal(name ? name : "(none)", names[n]);
  }
  assert_int_equal(tare_coverage_n(coverage, kind), n);
}

#define TENSORS(...)      \
  (const char *const[]) { \
    __VA_ARGS__           \
  }

static void sorts_tensors_by_kind(void **const state) {
  (void)state;
  tare_coverage *c = cover(
      TENSORS("x", "last", "w", "wt", "ids", "old", "(Unnamed Layer* 2) [Shuffle]_output", NULL));
  assert_tensors(c, TARE_COVER_NAMED, TENSORS("x", "last", NULL));
  assert_tensors(c, TARE_COVER_MISSING, TENSORS("read", NULL));
  assert_tensors(c, TARE_COVER_UNNAMED, TENSORS("product", NULL));
  assert_tensors(c, TARE_COVER_STALE, TENSORS("old", NULL));
  assert_tensors(c, TARE_COVER_OTHER,
                 TENSORS("(Unnamed Layer* 2) [Shuffle]_output", "ids", "w", "wt", NULL));
  tare_coverage_free(&c);
  assert_null(c);
}

static void a_table_of_nothing_names_nothing(void **const state) {
  (void)state;
  tare_coverage *c = cover(TENSORS(NULL));
  assert_tensors(c, TARE_COVER_NAMED, TENSORS(NULL));
  assert_tensors(c, TARE_COVER_MISSING, TENSORS("read", NULL));
  assert_tensors(c, TARE_COVER_UNNAMED, TENSORS("x", "product", "last", NULL));
  assert_null(tare_coverage_tensor(c, TARE_COVER_MISSING, 1));
  assert_null(tare_coverage_tensor(c, TARE_COVER_MISSING, -1));
  assert_int_equal(tare_coverage_n(c, -1) + tare_coverage_n(c, TARE_COVER_COUNT), 0);
  tare_coverage_free(&c);
  tare_coverage_free(&c); /* NULL by now */
}

static void kinds_have_names(void **const state) {
  (void)state;
  for (int kind = 0; kind < TARE_COVER_COUNT; kind++) {
    assert_non_null(tare_cover_name(kind));
  }
  assert_string_equal(tare_cover_name(TARE_COVER_STALE), "stale");
  assert_null(tare_cover_name(-1));
  assert_null(tare_cover_name(TARE_COVER_COUNT));
}

int coverage_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sorts_tensors_by_kind),
      cmocka_unit_test(a_table_of_nothing_names_nothing),
      cmocka_unit_test(kinds_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
