#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "graph/quantize/row_need.h"
#include "graph/table/annotate.h"
#include "graph/table/table.h"
#include "shapes/profiles.h"

/* Values "x" and "y" (float), "w" (a constant), "ids" (int64). */
static tarei_graph *make_graph(void) {
  tarei_graph *const graph = tarei_graph_new("model.onnx");
  assert_non_null(graph);
  static const float weights[] = {1, 2};
  static const int64_t dims[] = {2};
  const int x = tarei_graph_add_value(graph, "x"), y = tarei_graph_add_value(graph, "y");
  const int ids = tarei_graph_add_value(graph, "ids");
  assert_true(tarei_graph_add_const(graph, "w", TARE_F32, 1, dims, weights) >= 0);
  graph->values[x].dtype = graph->values[y].dtype = TARE_F32;
  graph->values[ids].dtype = TARE_I64;
  return graph;
}

static tare_profiles *make_profiles(const char *const first, const char *const second) {
  const tare_port input = {.name = "x", .dtype = TARE_F32, .rank = 1, .dims = {{-1, "samples"}}};
  tare_profiles *profiles = NULL;
  assert_int_equal(tare_profiles_new(&input, 1, &profiles, NULL), TARE_OK);
  assert_int_equal(tare_profiles_add(profiles, first, NULL), TARE_OK);
  if (second) {
    assert_int_equal(tare_profiles_add(profiles, second, NULL), TARE_OK);
  }
  return profiles;
}

static tare_table *make_table(const int n_columns) {
  tare_table *table = NULL;
  assert_int_equal(tarei_table_new("minmax", n_columns, &table, NULL), TARE_OK);
  table->per_profile = n_columns > 1;
  return table;
}

static void add(tare_table *const table, const char *const name, const double a, const double b,
                const double min) {
  const tarei_cell cells[] = {{.amax = a, .min = min, .max = a}, {.amax = b, .min = min, .max = b}};
  assert_int_equal(tarei_table_add_tensor(table, name, NULL, cells, NULL), TARE_OK);
}

static const tarei_quant *quant_of(const tarei_graph *const graph, const char *const name) {
  return &graph->values[tarei_graph_find_value(graph, name)].quant;
}

static void writes_scales(void **const state) {
  (void)state;
  tarei_graph *const graph = make_graph();
  tare_profiles *profiles = make_profiles("samples=1:2:3", NULL);
  tare_table *table = make_table(1);
  add(table, "x", 127, 0, -127);
  add(table, "y", 1, 0, 0);
  add(table, "w", 5, 0, 0);
  add(table, "ids", 5, 0, 0);
  add(table, "elsewhere", 5, 0, 0);
  assert_int_equal(tarei_table_finish(table, "test", NULL), TARE_OK);
  assert_int_equal(tarei_table_annotate(table, graph, profiles, NULL), TARE_OK);
  const tarei_quant *const x = quant_of(graph, "x"), *const y = quant_of(graph, "y");
  assert_int_equal(x->granularity, TAREI_PER_TENSOR);
  assert_int_equal(x->n_scales, 1);
  assert_true(x->scales[0] == 1 && x->zero_point == TAREI_SYMMETRIC);
  assert_true(y->scales[0] == 1.0f / 127 && y->zero_point == 0);
  assert_int_equal(quant_of(graph, "w")->n_scales, 0);
  assert_int_equal(quant_of(graph, "ids")->n_scales, 0);
  /* a second time replaces */
  assert_int_equal(tarei_table_annotate(table, graph, profiles, NULL), TARE_OK);
  tare_table_free(&table);
  tare_profiles_free(&profiles);
  tarei_graph_free(graph);
}

static int32_t zero_point_of(const double amax, const double a, const double b) {
  tarei_graph *const graph = make_graph();
  tare_profiles *profiles = make_profiles("samples=1:2:3", "samples=4:5:6");
  tare_table *table = make_table(2);
  for (int p = 0; p < 2; p++) {
    tarei_str spec = {0};
    tarei_profiles_print(profiles, p, &spec);
    assert_int_equal(tarei_table_add_profile(table, tarei_str_get(&spec), 1, NULL), TARE_OK);
    tarei_str_free(&spec);
  }
  const tarei_cell cells[] = {{.amax = amax, .min = a, .max = amax},
                              {.amax = amax, .min = b, .max = amax}};
  assert_int_equal(tarei_table_add_tensor(table, "x", NULL, cells, NULL), TARE_OK);
  assert_int_equal(tarei_table_annotate(table, graph, profiles, NULL), TARE_OK);
  const int32_t zero_point = quant_of(graph, "x")->zero_point;
  tare_table_free(&table);
  tare_profiles_free(&profiles);
  tarei_graph_free(graph);
  return zero_point;
}

/* The zero point leaves room for twice the smallest value of any profile, and no more. */
static void small_negative_values_take_few_bytes(void **const state) {
  (void)state;
  assert_int_equal(zero_point_of(4, 0, 0.25), 0);
  assert_int_equal(zero_point_of(4, -0.17, 0), 20); /* 255 * 0.085 / 1.085 = 19.98 */
  assert_int_equal(zero_point_of(4, -0.01, -0.17), 20);
  assert_int_equal(zero_point_of(4, -1e-6, 0), 1);
  assert_int_equal(zero_point_of(4, -0.68, -0.1), 65); /* the share is 0.34 */
  assert_int_equal(zero_point_of(4, -0.69, -0.1), TAREI_SYMMETRIC);
  assert_int_equal(zero_point_of(4, -0.1, -4), TAREI_SYMMETRIC);
  assert_int_equal(zero_point_of(4, NAN, 0), TAREI_SYMMETRIC); /* not known */
  assert_int_equal(zero_point_of(4, 0, NAN), TAREI_SYMMETRIC);
  assert_int_equal(zero_point_of(0.1, -0.17, -0.17), TAREI_SYMMETRIC);
}

/* What one scale costs is less where it has more steps, and row scales are needed less. */
static void finer_bytes_lose_less(void **const state) {
  (void)state;
  for (int uneven = 0; uneven < 2; uneven++) {
    tarei_graph *const graph = make_graph();
    tare_profiles *profiles = make_profiles("samples=1:2:3", NULL);
    tare_table *table = make_table(1);
    const tarei_cell cell = {
        .amax = 4, .min = uneven ? -0.17 : -4, .max = 4, .static_loss = 8e-4, .row_loss = 3e-4};
    assert_int_equal(tarei_table_add_tensor(table, "x", NULL, &cell, NULL), TARE_OK);
    assert_int_equal(tarei_table_annotate(table, graph, profiles, NULL), TARE_OK);
    const tarei_quant *const x = quant_of(graph, "x");
    const double finer = uneven ? 127.0 / 235 : 1;
    assert_true(fabs(x->static_loss - 8e-4 * finer * finer) < 1e-9);
    assert_int_equal(x->granularity, uneven ? TAREI_PER_TENSOR : TAREI_PER_ROW);
    tare_table_free(&table);
    tare_profiles_free(&profiles);
    tarei_graph_free(graph);
  }
}

static void writes_scales_per_profile(void **const state) {
  (void)state;
  tarei_graph *const graph = make_graph();
  tare_profiles *profiles = make_profiles("samples=1:2:3", "samples=4:5:6");
  tare_table *table = make_table(2);
  for (int p = 0; p < 2; p++) {
    tarei_str spec = {0};
    tarei_profiles_print(profiles, p, &spec);
    assert_int_equal(tarei_table_add_profile(table, tarei_str_get(&spec), 1, NULL), TARE_OK);
    tarei_str_free(&spec);
  }
  add(table, "x", 127, 254, NAN);
  add(table, "y", 3, 3, 0.5);
  assert_int_equal(tarei_table_annotate(table, graph, profiles, NULL), TARE_OK);
  const tarei_quant *const x = quant_of(graph, "x"), *const y = quant_of(graph, "y");
  assert_int_equal(x->n_scales, 2);
  assert_true(x->scales[0] == 1 && x->scales[1] == 2 && x->zero_point == TAREI_SYMMETRIC);
  assert_int_equal(y->n_scales, 1); /* all profiles alike */
  assert_int_equal(y->zero_point, 0);

  tare_profiles *others = make_profiles("samples=1:2:3", "samples=4:5:7");
  tare_profiles *fewer = make_profiles("samples=1:2:3", NULL);
  tare_error err = {0};
  assert_int_equal(tarei_table_annotate(table, graph, others, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "samples=4:5:7"));
  assert_int_equal(tarei_table_annotate(table, graph, fewer, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "2 profiles"));
  tare_profiles_free(&others);
  tare_profiles_free(&fewer);
  tare_profiles_free(&profiles);
  tare_table_free(&table);
  tarei_graph_free(graph);
}

/* The column that loses most decides, and scales that are not needed often enough are not made. */
static void chooses_row_scales_by_losses(void **const state) {
  (void)state;
  static const struct {
    double fixed[2], rows[2];
    tarei_granularity expected;
    bool lost;
  } cases[] = {
      {{0.009, 1e-5}, {1e-4, 1e-4}, TAREI_PER_ROW, false},
      {{1e-5, 0.009}, {NAN, NAN}, TAREI_PER_ROW, false},
      {{1e-5, 0.02}, {1e-4, 1e-4}, TAREI_PER_ROW, true},
      {{1e-5, 1e-5}, {1e-7, 1e-7}, TAREI_PER_TENSOR, false},  /* good enough */
      {{0.02, 0.02}, {0.015, 0.015}, TAREI_PER_TENSOR, true}, /* row scales are not better */
      {{NAN, NAN}, {NAN, NAN}, TAREI_PER_TENSOR, false},
  };
  tare_profiles *profiles = make_profiles("samples=1:2:3", "samples=4:5:6");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tarei_graph *const graph = make_graph();
    tare_table *table = make_table(2);
    assert_int_equal(tarei_table_add_profile(table, "samples=1:2:3", 1, NULL), TARE_OK);
    assert_int_equal(tarei_table_add_profile(table, "samples=4:5:6", 1, NULL), TARE_OK);
    tarei_cell cells[2];
    for (int p = 0; p < 2; p++) {
      cells[p] = tarei_cell_unknown(1);
      cells[p].static_loss = cases[i].fixed[p];
      cells[p].row_loss = cases[i].rows[p];
    }
    assert_int_equal(tarei_table_add_tensor(table, "x", NULL, cells, NULL), TARE_OK);
    assert_int_equal(tarei_table_annotate(table, graph, profiles, NULL), TARE_OK);
    assert_int_equal(quant_of(graph, "x")->granularity, cases[i].expected);
    assert_int_equal(tarei_quant_loses_rows(quant_of(graph, "x")), cases[i].lost);
    tare_table_free(&table);
    tarei_graph_free(graph);
  }
  tare_profiles_free(&profiles);
}

/* What is not few, or not settled, in one profile is so for the plan. Elements are those of the
 * profile with most. */
static void counts_rows_of_samples(void **const state) {
  (void)state;
  static const struct {
    double rows[2];
    int64_t samples[2], count[2];
    bool few, unsettled;
    double elements;
  } cases[] = {{{1, 8}, {9, 64}, {9, 128}, true, true, 2},
               {{1, 8}, {64, 64}, {64, 32}, true, false, 1},
               {{1, 8}, {16, 64}, {65536, 9}, true, false, 4096},
               {{1, 9}, {9, 9}, {9, 9}, false, false, 1},
               {{1, NAN}, {9, 9}, {9, 9}, false, false, 0},
               {{0, 0}, {9, 9}, {9, 9}, false, false, 0}};
  static const char *const specs[] = {"samples=1:2:3", "samples=4:5:6"};
  tare_profiles *profiles = make_profiles(specs[0], specs[1]);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tarei_graph *const graph = make_graph();
    tare_table *table = make_table(2);
    tarei_cell cells[2];
    for (int p = 0; p < 2; p++) {
      assert_int_equal(tarei_table_add_profile(table, specs[p], cases[i].samples[p], NULL),
                       TARE_OK);
      cells[p] = tarei_cell_unknown(1);
      cells[p].rows = cases[i].rows[p];
      cells[p].count = cases[i].count[p];
    }
    assert_int_equal(tarei_table_add_tensor(table, "x", NULL, cells, NULL), TARE_OK);
    assert_int_equal(tarei_table_annotate(table, graph, profiles, NULL), TARE_OK);
    assert_int_equal(quant_of(graph, "x")->few_rows, cases[i].few);
    assert_int_equal(tarei_quant_is_unsettled(quant_of(graph, "x")), cases[i].unsettled);
    assert_true(quant_of(graph, "x")->elements == cases[i].elements);
    tare_table_free(&table);
    tarei_graph_free(graph);
  }
  tare_profiles_free(&profiles);
}

static void dead_tensors_get_none(void **const state) {
  (void)state;
  tarei_graph *const graph = make_graph();
  tare_profiles *profiles = make_profiles("samples=1:2:3", NULL);
  tare_table *table = make_table(1);
  add(table, "x", 0, 0, 0);
  assert_int_equal(tarei_table_annotate(table, graph, profiles, NULL), TARE_OK);
  assert_int_equal(quant_of(graph, "x")->n_scales, 0);
  tare_table_free(&table);
  tare_profiles_free(&profiles);
  tarei_graph_free(graph);
}

static void refuses_tables_of_other_models(void **const state) {
  (void)state;
  tarei_graph *const graph = make_graph();
  tare_profiles *profiles = make_profiles("samples=1:2:3", NULL);
  tare_table *table = make_table(1);
  add(table, "elsewhere", 1, 0, 0);
  add(table, "y", 1, 0, 0); /* both models call their output so */
  graph->values[tarei_graph_find_value(graph, "y")].is_output = true;
  assert_int_equal(tarei_table_set_text(&table->model_name, "other.onnx", NULL), TARE_OK);
  tare_error err = {0};
  assert_int_equal(tarei_table_annotate(table, graph, profiles, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "other.onnx"));
  graph->model_hash = 7;
  table->model_hash = 8;
  assert_int_equal(tarei_table_annotate(table, graph, profiles, NULL), TARE_E_USAGE);
  table->model_hash = 7; /* that of a model whose only float tensor is an output */
  assert_int_equal(tarei_table_annotate(table, graph, profiles, NULL), TARE_OK);
  tare_table_free(&table);
  tare_profiles_free(&profiles);
  tarei_graph_free(graph);
}

int annotate_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writes_scales),
      cmocka_unit_test(small_negative_values_take_few_bytes),
      cmocka_unit_test(finer_bytes_lose_less),
      cmocka_unit_test(writes_scales_per_profile),
      cmocka_unit_test(chooses_row_scales_by_losses),
      cmocka_unit_test(counts_rows_of_samples),
      cmocka_unit_test(dead_tensors_get_none),
      cmocka_unit_test(refuses_tables_of_other_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
