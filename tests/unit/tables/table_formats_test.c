/* Every pair of formats: what a file leaves out of a table is exactly what tare_table_lost names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tare/table_model.h>

#include "graph/model.h"
#include "graph/table/formats/format.h"
#include "graph/table/layer_numbers.h"
#include "graph/table/rounding.h"
#include "graph/table/smoothing.h"

static char path[64];
static tare_model model; /* products that read the tensors of the table */

static void add_layer(tarei_graph *const g, const char *const input, const char *const name) {
  static const float weights[] = {1, 2, 3, 4};
  static const int64_t dims[] = {2, 2};
  const int in = tarei_graph_add_value(g, input);
  const int constant = tarei_graph_add_const(g, name, TARE_F32, 2, dims, weights);
  const int out = tarei_graph_add_unique(g, "out");
  assert_true(in >= 0 && constant >= 0 && out >= 0);
  g->values[in].dtype = TARE_F32;
  const int inputs[] = {in, constant};
  assert_true(tarei_graph_add_node(g, "MatMul", "", name, 13, inputs, 2, &out, 1) >= 0);
}

/* A table that has some of every part, in the first of its columns. */
static tare_table *rich_table(const int n_columns) {
  tare_table *table = NULL;
  assert_int_equal(tarei_table_new("entropy", n_columns, &table, NULL), TARE_OK);
  assert_int_equal(tarei_extras_add(&table->parameters, "percentile", "99", NULL), TARE_OK);
  assert_int_equal(tarei_extras_add(&table->extras, "future", "[1,2]", NULL), TARE_OK);
  assert_int_equal(tarei_table_set_text(&table->model_name, "m.onnx", NULL), TARE_OK);
  assert_int_equal(tarei_table_set_text(&table->fit, "native", NULL), TARE_OK);
  assert_int_equal(tarei_table_set_text(&table->pad_stats, "exclude", NULL), TARE_OK);
  assert_int_equal(tarei_table_set_text(&table->gain_range, "-20:+20:10dB", NULL), TARE_OK);
  assert_int_equal(tare_table_set_layer_precisions(table, "a:fp32,b*:int16-rows", NULL), TARE_OK);
  table->model_hash = 0x1234;
  table->per_profile = n_columns > 1;
  for (int i = 0; i < 2; i++) {
    const char *const spec = i ? "samples=4:5:6" : "samples=1:2:3";
    assert_int_equal(tarei_table_add_profile(table, spec, 7, NULL), TARE_OK);
  }
  assert_int_equal(tarei_table_warn(table, NULL, "a warning"), TARE_OK);
  const tarei_cell known = {
      .amax = 12.7, .min = -12.7, .max = 3, .count = 9, .static_loss = 0.5, .row_loss = 0.001f};
  const tarei_cell cells[] = {known, known}, dead[] = {{.count = 9}, {.count = 9}};
  assert_int_equal(tarei_table_add_tensor(table, "a", NULL, cells, NULL), TARE_OK);
  assert_int_equal(tarei_table_add_tensor(table, "b: c", "a", cells, NULL), TARE_OK);
  assert_int_equal(tarei_table_add_tensor(table, "dead", NULL, dead, NULL), TARE_OK);
  const uint8_t up[] = {0x5a, 0x03};
  assert_int_equal(tarei_roundings_add(&table->roundings, "layer", 2, 5, 0x77, up, NULL), TARE_OK);
  assert_int_equal(
      tarei_smoothings_add(&table->smoothings, "a", 3, (const int8_t[]){0, -7, 24}, n_columns,
                           (const double[]){-1, -2}, (const double[]){2, 3}, 0.5, NULL),
      TARE_OK);
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    assert_int_equal(
        tarei_numbers_add(&table->numbers[k], "layer", 2, 0x77, (const float[]){0.5F, 0.25F}, NULL),
        TARE_OK);
  }
  assert_int_equal(tarei_table_finish(table, "test", NULL), TARE_OK);
  return table;
}

static tare_table *through(const tare_table *const table, const int format) {
  tare_table *again = NULL;
  tare_error err = {0};
  const tare_table_write_options options = {.model = &model};
  if (tare_table_write(table, format, &options, path, &err) != TARE_OK ||
      tare_table_read(path, &again, &err) != TARE_OK ||
      (tare_table_names_layers(again) &&
       tare_table_resolve_layers(&again, &model, NULL, &err) != TARE_OK)) {
    fail_msg("%s", err.message);
  }
  return again;
}

/* Scales of layers are 127 / threshold, rounded to float32. */
static void assert_same_thresholds(const tare_table *const a, const tare_table *const b) {
  for (int i = 0; i < tare_table_n_tensors(a); i++) {
    const tare_table_entry entry = tare_table_get(a, i, 0);
    const int found = tare_table_find(b, entry.tensor);
    if (entry.amax > 0) {
      assert_true(found >= 0);
      assert_true(fabs(tare_table_get(b, found, 0).amax / entry.amax - 1) < 1.2e-7);
    }
  }
}

static bool is_lost(const tarei_table_part part, const char *const *const lost, const int n) {
  for (int i = 0; i < n; i++) {
    if (strcmp(lost[i], tarei_table_part_noun(part)) == 0) {
      return true;
    }
  }
  return false;
}

/* The method is the one part that a file may hold with another value. */
static bool still_there(const tare_table *const table, const tare_table *const again,
                        const tarei_table_part part) {
  return tarei_table_has(again, part, 0) &&
         (part != TAREI_TABLE_METHOD || strcmp(table->method, again->method) == 0);
}

/* Returns the table as it is read from a file of the format. */
static tare_table *check(const tare_table *const table, const int format) {
  const char *lost[TARE_MAX_TABLE_PARTS];
  const int n = tare_table_lost(table, format, NULL, lost);
  tare_table *const again = through(table, format);
  assert_same_thresholds(table, again);
  int named = 0;
  for (tarei_table_part part = 0; part < TAREI_TABLE_N_PARTS; part++) {
    const bool is_named = is_lost(part, lost, n);
    named += is_named;
    if (tarei_table_has(table, part, 0) && is_named == still_there(table, again, part)) {
      fail_msg("%s: %s: %s", tare_table_format_at(format)->noun, tarei_table_part_noun(part),
               is_named ? "named as lost, but read again" : "lost, but not named");
    }
  }
  assert_int_equal(named, n);
  return again;
}

static char *bytes_of(const tare_table *const table, const int format) {
  const tare_table_write_options options = {.model = &model};
  assert_int_equal(tare_table_write(table, format, &options, path, NULL), TARE_OK);
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  char *const text = calloc(1 << 16, 1);
  assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
  fclose(file);
  return text;
}

static void check_pair(const tare_table *const rich, const int a, const int b) {
  tare_table *const first = check(rich, a);
  tare_table *const second = check(first, b);
  const char *lost[TARE_MAX_TABLE_PARTS];
  assert_int_equal(tare_table_lost(first, a, NULL, lost), 0); /* there is no more to lose */
  char *const once = bytes_of(rich, a), *const twice = bytes_of(first, a);
  assert_string_equal(once, twice);
  free(once);
  free(twice);
  tare_table *again = second;
  tare_table_free(&again);
  again = first;
  tare_table_free(&again);
}

static void every_pair_names_what_it_loses(void **const state) {
  (void)state;
  for (int n_columns = 1; n_columns <= 2; n_columns++) {
    tare_table *rich = rich_table(n_columns);
    for (tarei_table_part part = 0; part < TAREI_TABLE_N_PARTS; part++) {
      assert_true(tarei_table_has(rich, part, 0) || part == TAREI_TABLE_COLUMNS ||
                  part == TAREI_TABLE_WEIGHTS); /* only a table of layers has them */
    }
    for (int a = 0; a < tare_n_table_formats(); a++) {
      for (int b = 0; b < tare_n_table_formats(); b++) {
        check_pair(rich, a, b);
      }
    }
    tare_table_free(&rich);
  }
}

/* tare build reads the tables of this engine, and shall not do with less. */
static void own_formats_hold_all(void **const state) {
  (void)state;
  tare_table *rich = rich_table(2);
  for (int i = 0; i < tare_n_table_formats(); i++) {
    const char *lost[TARE_MAX_TABLE_PARTS];
    const int n = tare_table_lost(rich, i, NULL, lost);
    assert_int_equal(is_lost(TAREI_TABLE_COLUMNS, lost, n), !tare_table_format_at(i)->per_profile);
    if (!tare_table_format_at(i)->engine) {
      assert_int_equal(n, 0);
    }
  }
  tare_table_free(&rich);
}

static void layers_need_a_model(void **const state) {
  (void)state;
  tare_table *rich = rich_table(1);
  for (int i = 0; i < tare_n_table_formats(); i++) {
    tare_error err = {0};
    const bool names_layers = tare_table_format_at(i)->names_layers;
    assert_int_equal(tare_table_write(rich, i, NULL, path, &err),
                     names_layers ? TARE_E_USAGE : TARE_OK);
    assert_int_equal(strstr(err.message, "it needs the model") != NULL, names_layers);
  }
  tare_table_free(&rich);
}

static void options_decide_what_is_lost(void **const state) {
  (void)state;
  tare_table *table = NULL;
  assert_int_equal(tarei_table_new("MinMaxCalibration", 1, &table, NULL), TARE_OK);
  const tarei_cell cell = tarei_cell_unknown(1);
  assert_int_equal(tarei_table_add_tensor(table, "x", NULL, &cell, NULL), TARE_OK);
  const int cache = tare_table_format_of("x.cache");
  const tare_table_setting setting = {"algo-header", "MinMaxCalibration"};
  const tare_table_write_options options = {.settings = &setting, .n_settings = 1};
  const char *lost[TARE_MAX_TABLE_PARTS];
  assert_int_equal(tare_table_lost(table, cache, &options, lost), 0);
  assert_int_equal(tare_table_lost(table, cache, NULL, lost), 1);
  assert_string_equal(lost[0], "the method");
  tare_table_free(&table);
}

static int make_path(void **const state) {
  (void)state;
  (void)snprintf(path, sizeof path, "/tmp/tare_table_formats_XXXXXX");
  const int file = mkstemp(path);
  model.graph = tarei_graph_new("model.onnx");
  add_layer(model.graph, "a", "first");
  add_layer(model.graph, "b: c", "second");
  return file < 0 ? -1 : close(file);
}

static int remove_path(void **const state) {
  (void)state;
  tarei_graph_free(model.graph);
  return unlink(path);
}

/* Masks of transformers have the lowest float. Nine digits, and scales, round it beyond float32. */
static void the_largest_float_stays(void **const state) {
  (void)state;
  for (int f = 0; f < tare_n_table_formats(); f++) {
    tare_table *table = NULL;
    assert_int_equal(tarei_table_new("minmax", 1, &table, NULL), TARE_OK);
    const tarei_cell cell = {.amax = FLT_MAX, .min = -FLT_MAX, .max = 0, .count = 9};
    assert_int_equal(tarei_table_add_tensor(table, "a", NULL, &cell, NULL), TARE_OK);
    assert_int_equal(tarei_table_finish(table, "test", NULL), TARE_OK);
    tare_table *again = through(table, f);
    const double amax = tare_table_get(again, tare_table_find(again, "a"), 0).amax;
    assert_true(amax <= FLT_MAX && amax > FLT_MAX * (1 - 1.2e-7));
    tare_table_free(&again);
    tare_table_free(&table);
  }
}

int table_formats_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_pair_names_what_it_loses),
      cmocka_unit_test(own_formats_hold_all),
      cmocka_unit_test(layers_need_a_model),
      cmocka_unit_test(options_decide_what_is_lost),
      cmocka_unit_test(the_largest_float_stays),
  };
  return cmocka_run_group_tests(tests, make_path, remove_path);
}
