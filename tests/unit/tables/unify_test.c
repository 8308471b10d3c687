/* Tensors that TensorRT's calibrators give one scale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <tare/table_model.h>

#include "graph/model.h"
#include "graph/table/table.h"

static int value_of(tarei_graph *const g, const char *const name) {
  int value = tarei_graph_find_value(g, name);
  if (value < 0) {
    value = tarei_graph_add_value(g, name);
    assert_true(value >= 0);
    g->values[value].dtype = name[0] == '#' ? TARE_I64 : TARE_F32;
  }
  return value;
}

/* "Op out in in ..." */
static void add(tarei_graph *const g, const char *const text) {
  char copy[100], *words[8] = {NULL}, *rest = NULL;
  int n = 0, in[8];
  (void)strcpy(copy, text);
  for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    words[n++] = word;
  }
  for (int i = 2; i < n; i++) {
    in[i - 2] = value_of(g, words[i]);
  }
  const int out = value_of(g, words[1]);
  assert_true(tarei_graph_add_node(g, words[0], "", words[1], 13, in, n - 2, &out, 1) >= 0);
}

typedef struct threshold {
  const char *tensor;
  double before, after;
} threshold;

static tare_unified check(const char *const *const nodes, const threshold *const thresholds) {
  tare_model model = {.graph = tarei_graph_new("model.onnx")};
  for (int i = 0; nodes[i]; i++) {
    add(model.graph, nodes[i]);
  }
  tare_table *table = NULL;
  assert_int_equal(tarei_table_new("minmax", 1, &table, NULL), TARE_OK);
  for (int i = 0; thresholds[i].tensor; i++) {
    const tarei_cell cell = tarei_cell_unknown(thresholds[i].before);
    assert_int_equal(tarei_table_add_tensor(table, thresholds[i].tensor, NULL, &cell, NULL),
                     TARE_OK);
  }
  assert_int_equal(tarei_table_finish(table, "test", NULL), TARE_OK);
  tare_unified unified = {0};
  assert_int_equal(tare_table_unify(table, &model, &unified, NULL), TARE_OK);
  for (int i = 0; thresholds[i].tensor; i++) {
    const int tensor = tare_table_find(table, thresholds[i].tensor);
    if (tare_table_get(table, tensor, 0).amax != thresholds[i].after) {
      fail_msg("%s: %g, expected %g", thresholds[i].tensor, tare_table_get(table, tensor, 0).amax,
               thresholds[i].after);
    }
  }
  tare_table_free(&table);
  tarei_graph_free(model.graph);
  return unified;
}

static void pooling_keeps_the_scale_of_its_input(void **const state) {
  (void)state;
  static const char *const nodes[] = {"Relu conv1 x",          "MaxPool pool1 conv1",
                                      "Relu conv2 pool1",      "AveragePool pool2 conv2",
                                      "GlobalMaxPool g pool2", NULL};
  static const threshold thresholds[] = {{"x", 9, 9},     {"conv1", 2, 2}, {"pool1", 1.5, 2},
                                         {"conv2", 3, 3}, {"pool2", 4, 3}, {"g", 1, 1},
                                         {NULL, 0, 0}};
  const tare_unified unified = check(nodes, thresholds);
  assert_int_equal(unified.groups, 2);
  assert_int_equal(unified.tensors, 4);
  assert_int_equal(unified.changed, 2);
  assert_true(unified.largest == 2 / 1.5);
}

static void concat_has_the_largest_scale_of_its_inputs(void **const state) {
  (void)state;
  static const char *const nodes[] = {"Relu a x", "Relu b x", "Concat c a b", "Relu d c", NULL};
  static const threshold thresholds[] = {{"x", 9, 9},   {"a", 1, 3}, {"b", 3, 3},
                                         {"c", 2.5, 3}, {"d", 1, 1}, {NULL, 0, 0}};
  assert_int_equal(check(nodes, thresholds).changed, 2);
}

/* a feeds a pooling and, behind a move that the table does not name, a Concat. */
static void groups_reach_through_chains(void **const state) {
  (void)state;
  static const char *const nodes[] = {
      "Relu a x",         "MaxPool p a", "Identity moved a", "Relu b x",
      "Concat c moved b", "MaxPool q c", "Transpose t q",    NULL};
  static const threshold thresholds[] = {{"a", 1, 4}, {"p", 9, 4}, {"b", 4, 4}, {"c", 7, 4},
                                         {"q", 6, 4}, {"t", 6, 4}, {NULL, 0, 0}};
  const tare_unified unified = check(nodes, thresholds);
  assert_int_equal(unified.groups, 1);
  assert_int_equal(unified.tensors, 6);
}

static void what_is_not_known_does_not_count(void **const state) {
  (void)state;
  static const char *const nodes[] = {
      "Relu a x",        "MaxPool p a",    "Relu b x", "Concat c p b",
      "Concat #n #s #d", "MaxPool only x", NULL};
  /* neither a nor b has a threshold: the largest of the others */
  static const threshold without[] = {{"p", 1, 2}, {"c", 2, 2}, {"only", 5, 5}, {NULL, 0, 0}};
  assert_int_equal(check(nodes, without).groups, 1);
  /* a dead tensor has the scale of its group */
  static const threshold dead[] = {
      {"a", 0, 2}, {"b", 2, 2}, {"#n", 1, 1}, {"#s", 3, 3}, {NULL, 0, 0}};
  assert_int_equal(check(nodes, dead).changed, 1);
}

int unify_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pooling_keeps_the_scale_of_its_input),
      cmocka_unit_test(concat_has_the_largest_scale_of_its_inputs),
      cmocka_unit_test(groups_reach_through_chains),
      cmocka_unit_test(what_is_not_known_does_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
