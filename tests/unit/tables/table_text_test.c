/* Tables of ONNX Runtime in its older forms: text, and JSON of ranges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tare/table_model.h>

#include "graph/table/table.h"
#include "unit/tables/table_files.h"

static void assert_written(const tare_table *const table, const char *const extension,
                           const char *const expected) {
  assert_int_equal(tare_table_write(table, tare_table_format_of(extension), NULL, table_path, NULL),
                   TARE_OK);
  table_assert_file(expected);
}

static double amax_of(const tare_table *const table, const char *const tensor) {
  const int found = tare_table_find(table, tensor);
  assert_true(found >= 0);
  return tare_table_get(table, found, 0).amax;
}

#define TEXT "data 0.5\nconv1 2.4000000953674316\n/a/b:0 1e-05\nwith space 12.0\nunused 0.0\n"

static void text_keeps_bytes_and_order(void **const state) {
  (void)state;
  tare_table *table = table_read_text("file", TEXT);
  assert_int_equal(tare_table_n_tensors(table), 5);
  assert_true(amax_of(table, "conv1") == (double)2.4f);
  assert_true(amax_of(table, "with space") == 12);
  assert_true(amax_of(table, "unused") == 0);
  assert_written(table, "x.ort.cache", TEXT);
  assert_written(table, "x.ranges.json",
                 "{\"data\": [-0.5, 0.5], \"conv1\": [-2.4000000953674316, 2.4000000953674316], "
                 "\"/a/b:0\": [-1e-05, 1e-05], \"with space\": [-12.0, 12.0], "
                 "\"unused\": [0.0, 0.0]}");
  tare_table_free(&table);
}

static void text_may_have_other_line_ends(void **const state) {
  (void)state;
  tare_table *table = table_read_text("file", "data\t0.5\r\n\r\nconv1   2\r\nlast 3");
  assert_true(amax_of(table, "data") == 0.5 && amax_of(table, "last") == 3);
  assert_written(table, "x.ort.cache", "data 0.5\nconv1 2.0\nlast 3.0\n");
  tare_table_free(&table);
}

#define RANGES "{\"b\": [-0.998, 0.25], \"a\": [0.0, 2.4000000953674316], \"\\u00e9\": [0.0, 0.0]}"

static void ranges_keep_bytes_and_order(void **const state) {
  (void)state;
  tare_table *table = table_read_text("file", RANGES);
  assert_true(amax_of(table, "b") == 0.998);
  assert_true(tare_table_get(table, tare_table_find(table, "b"), 0).max == 0.25);
  assert_true(amax_of(table, "\xc3\xa9") == 0);
  assert_written(table, "x.ranges.json", RANGES);
  const char *lost[TARE_MAX_TABLE_PARTS];
  assert_int_equal(tare_table_lost(table, tare_table_format_of("x.ranges.json"), NULL, lost), 0);
  tare_table_free(&table);
}

static void refuses_malformed_files(void **const state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"data 0.5\nconv1\n", "line 2: 'conv1' must be '<tensor> <threshold>'"},
      {"data 0.5\nconv1 abc\n",
       "tensor 'conv1': the threshold must be a finite float32, got 'abc'"},
      {"data 0.5\nconv1 0x10\n", "must be a finite float32, got '0x10'"},
      {"data nan\n", "must be a finite float32, got 'nan'"},
      {"data -inf\n", "must be a finite float32, got '-inf'"},
      {"data 1e39\n", "must be a finite float32, got '1e39'"},
      {"data -0.5\n", "tensor 'data': the threshold must not be negative, got -0.5"},
      {"data 0.5\ndata 0.5\n", "duplicate tensor 'data'"},
      {"data abc\n", "not a calibration table"},
      {"0.5\n", "not a calibration table"},
      {"\x01\x02 0.5\n", "not a calibration table"},
      {"{\"a\": [0.0]}", "tensor 'a': expected an array of two numbers, low and high"},
      {"{\"a\": [0.0, 1.0, 2.0]}", "expected an array of two numbers"},
      {"{\"a\": [\"0\", 1.0]}", "expected an array of two numbers"},
      {"{\"a\": [0.0, 1.0], \"b\": 1}", "tensor 'b': expected an array of two numbers"},
      {"{\"a\": [0.0, 1e39]}", "must be finite in float32"},
      {"{\"a\": [2.0, 1.0]}", "'lowest' must not exceed 'highest'"},
      {"{\"a\": [0.0, 1.0], \"a\": [0.0, 1.0]}", "duplicate tensor 'a'"},
      {"{\"a\": [0.0, NaN]}", "not valid JSON"},
      {"{\"a\": [0.0, 1.0]", "not valid JSON, or truncated"},
      {"{\"a\": [0.0, 1.0]} x", "text after the end"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tare_error err = {0};
    assert_null(table_read_bytes("file", cases[i].text, strlen(cases[i].text), &err));
    assert_int_equal(err.status, TARE_E_INPUT);
    if (!strstr(err.message, cases[i].says)) {
      fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].text, err.message, cases[i].says);
    }
  }
  tare_error err = {0};
  assert_null(table_read_bytes("file", "data 0.5\na\0b 1\n", 15, &err));
  assert_non_null(strstr(err.message, "NUL byte"));
}

/* Any prefix and any changed byte is a table or an error. */
static void survives_every_damage(void **const state) {
  (void)state;
  static const char *const files[] = {TEXT, RANGES};
  for (int f = 0; f < 2; f++) {
    char text[200];
    const size_t n = strlen(files[f]);
    assert_true(n < sizeof text);
    for (size_t at = 0; at < n; at++) {
      tare_table *table = table_read_bytes("file", files[f], at, NULL);
      tare_table_free(&table);
      for (int value = 0; value < 256; value++) {
        memcpy(text, files[f], n);
        text[at] = (char)value;
        table = table_read_bytes("file", text, n, NULL);
        tare_table_free(&table);
      }
    }
  }
}

/* A name is that of weights of ncnn only if a number ends it. */
static void is_told_from_tables_of_ncnn(void **const state) {
  (void)state;
  static const struct {
    const char *text;
    bool is_ncnn;
  } cases[] = {{"a 0.5\nx_param_y 2.0\n", false}, {"a 0.5\n_param_0 2.0\n", false},
               {"a 0.5\nx_param_ 2.0\n", false},  {"a 0.5\nx_param_0 2.0\n", true},
               {"a 0.5\nb 2.0 \n", true},         {"a 0.5\nb 2.0\t\r\n", false},
               {"#x_param_12 0.5\na 2.0\n", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tare_table *table = table_read_text("file", cases[i].text);
    if (tare_table_names_layers(table) != cases[i].is_ncnn) {
      fail_msg("%s", cases[i].text);
    }
    tare_table_free(&table);
  }
}

static void names_that_text_cannot_hold(void **const state) {
  (void)state;
  tare_table *table = NULL;
  const tarei_cell cell = tarei_cell_unknown(1);
  assert_int_equal(tarei_table_new("minmax", 1, &table, NULL), TARE_OK);
  assert_int_equal(tarei_table_add_tensor(table, "a\nb", NULL, &cell, NULL), TARE_OK);
  const int text = tare_table_format_of("x.ort.cache");
  assert_int_equal(tare_table_write(table, text, NULL, table_path, NULL), TARE_E_UNSUPPORTED);
  tare_table_free(&table);
}

int table_text_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_keeps_bytes_and_order),
      cmocka_unit_test(text_may_have_other_line_ends),
      cmocka_unit_test(ranges_keep_bytes_and_order),
      cmocka_unit_test(refuses_malformed_files),
      cmocka_unit_test(survives_every_damage),
      cmocka_unit_test(is_told_from_tables_of_ncnn),
      cmocka_unit_test(names_that_text_cannot_hold),
  };
  return cmocka_run_group_tests(tests, table_make_path, table_remove_path);
}
