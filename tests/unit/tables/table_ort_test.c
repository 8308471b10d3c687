/* ONNX Runtime's calibration table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/table/formats/format.h"
#include "graph/table/formats/json_source.h"
#include "unit/tables/table_files.h"

static tare_table *read_text(const char *const text, tare_error *const err) {
  return table_read_bytes("t.json", text, strlen(text), err);
}

static void assert_written(const tare_table *const table, const char *const expected) {
  tare_error err = {0};
  const int format = tare_table_format_of("x.ort.json");
  if (tare_table_write(table, format, NULL, table_path, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  table_assert_file(expected);
}

#define ARRAY(data) "{\"data\": " data ", \"dtype\": \"float32\", \"CLS\": \"numpy.array\"}"
#define RANGE(low, high) \
  "{\"lowest\": " ARRAY(low) ", \"highest\": " ARRAY(high) ", \"CLS\": \"TensorData\"}"
#define TABLE(tensors, method, rest)               \
  "{\"CLS\": \"TensorsData\", \"data\": {" tensors \
  "}, \"calibration_method\": {\"CLS\": "          \
  "\"CalibrationMethod\", \"value\": \"" method "\"}" rest "}"

/* As json.dumps of Python wrote them: MinMax, with names in the order of the graph. */
static const char MINMAX[] =
    TABLE("\"x\": " RANGE("[-1.0]", "[2.4000000953674316]") ", \"/a/Relu_output_0\": " RANGE(
              "[0.0]", "[1e-05]") ", \"\\u00e4\\ud83d\\ude00 \\\"q\\\"\": " RANGE("[-3e+20]",
                                                                                  "[16777216.0]"),
          "CalibrationMethod.MinMax", "");

/* quantize_static's cache, of a calibrator with histograms: other forms, more members. */
static const char ENTROPY[] = TABLE(
    "\"x\": {\"lowest\": " ARRAY("-1.5") ", \"highest\": " ARRAY(
        "0.75") ", \"hist\": {\"data\": [1, 0, 300], \"dtype\": \"int64\", \"CLS\": "
                "\"numpy.array\"}, \"hist_edges\": " ARRAY("[-2.0, -1.0, 0.0, 1.0]") ", \"bins\": "
                                                                                     "3, \"CLS\": "
                                                                                     "\"TensorDat"
                                                                                     "a\"}",
    "CalibrationMethod.Entropy", ", \"smooth_quant\": false");

static void rewrites_its_own_bytes(void **const state) {
  (void)state;
  static const char *const files[] = {MINMAX, ENTROPY};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    tare_error err = {0};
    tare_table *table = read_text(files[i], &err);
    if (!table) {
      fail_msg("%s", err.message);
    }
    assert_written(table, files[i]);
    const char *lost[TARE_MAX_TABLE_PARTS];
    assert_int_equal(tare_table_lost(table, tare_table_format_of("x.ort.json"), NULL, lost), 0);
    tare_table_free(&table);
  }
}

/* The native form keeps everything but the order of the tensors. */
static void passes_through_the_native_form(void **const state) {
  (void)state;
  tare_table *table = read_text(ENTROPY, NULL);
  assert_int_equal(tare_table_write_json(table, table_path, NULL), TARE_OK);
  tare_table_free(&table);
  assert_int_equal(tare_table_read(table_path, &table, NULL), TARE_OK);
  assert_written(table, ENTROPY);
  tare_table_free(&table);
}

static void reads_ranges_and_thresholds(void **const state) {
  (void)state;
  tare_table *table = read_text(MINMAX, NULL);
  assert_string_equal(tare_table_method(table), "MinMax");
  const tare_table_entry x = tare_table_get(table, tare_table_find(table, "x"), 0);
  assert_true(x.amax == (double)2.4f && x.min == -1 && x.max == (double)2.4f);
  assert_true(isnan(x.energy_lost) && x.count == 0);
  assert_true(tare_table_find(table, "\xc3\xa4\xf0\x9f\x98\x80 \"q\"") >= 0);
  tare_table_free(&table);
}

static void writes_the_range_inside_the_threshold(void **const state) {
  (void)state;
  static const struct {
    double amax, min, max;
    const char *text;
  } cases[] = {
      {1, -5, 3, TABLE("\"x\": " RANGE("[-1.0]", "[1.0]"), "CalibrationMethod.MinMax", "")},
      {1, -5, 0.5, TABLE("\"x\": " RANGE("[-1.0]", "[0.5]"), "CalibrationMethod.MinMax", "")},
      {1.25, 0, 1, TABLE("\"x\": " RANGE("[0.0]", "[1.25]"), "CalibrationMethod.MinMax", "")},
      {1.25, -1, 0.5, TABLE("\"x\": " RANGE("[-1.25]", "[0.5]"), "CalibrationMethod.MinMax", "")},
      {2, NAN, NAN, TABLE("\"x\": " RANGE("[-2.0]", "[2.0]"), "CalibrationMethod.MinMax", "")},
      {1e-5, 0, 1e-5,
       TABLE("\"x\": " RANGE("[0.0]", "[9.999999747378752e-06]"), "CalibrationMethod.MinMax", "")},
      {0, 0, 0, TABLE("\"x\": " RANGE("[0.0]", "[0.0]"), "CalibrationMethod.MinMax", "")},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tare_table *table = NULL;
    assert_int_equal(tarei_table_new("mse", 1, &table, NULL), TARE_OK);
    tarei_cell cell = tarei_cell_unknown(cases[i].amax);
    cell.min = cases[i].min;
    cell.max = cases[i].max;
    assert_int_equal(tarei_table_add_tensor(table, "x", NULL, &cell, NULL), TARE_OK);
    assert_int_equal(tarei_table_finish(table, "test", NULL), TARE_OK);
    assert_written(table, cases[i].text);
    tare_table_free(&table);
  }
}

static void prints_numbers_as_python_does(void **const state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0, "0.0"},
               {-0.0, "-0.0"},
               {1, "1.0"},
               {0.1, "0.1"},
               {(double)0.1f, "0.10000000149011612"},
               {123.456, "123.456"},
               {1e-4, "0.0001"},
               {1.5e-5, "1.5e-05"},
               {1e15, "1000000000000000.0"},
               {1e16, "1e+16"},
               {-2.5e-300, "-2.5e-300"},
               {5e-324, "5e-324"},
               {5.9604644775390625e-08, "5.960464477539063e-08"},
               {1.7976931348623157e308, "1.7976931348623157e+308"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tarei_str text = {0};
    tarei_python_number(&text, cases[i].value);
    assert_string_equal(text.text, cases[i].text);
    tarei_str_free(&text);
  }
}

static void refuses_names_that_json_cannot_hold(void **const state) {
  (void)state;
  static const char *const names[] = {"\xff", "a\xc3", "\xc0\x80", "\xed\xa0\x80",
                                      "\xf5\x80\x80\x80"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    tare_table *table = NULL;
    const tarei_cell cell = tarei_cell_unknown(1);
    assert_int_equal(tarei_table_new("mse", 1, &table, NULL), TARE_OK);
    assert_int_equal(tarei_table_add_tensor(table, names[i], NULL, &cell, NULL), TARE_OK);
    assert_int_equal(
        tare_table_write(table, tare_table_format_of("x.ort.json"), NULL, table_path, NULL),
        TARE_E_UNSUPPORTED);
    tare_table_free(&table);
  }
}

#define ONE(low, high) TABLE("\"x\": " RANGE(low, high), "CalibrationMethod.MinMax", "")

static void refuses_malformed_tables(void **const state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"{\"CLS\": \"TensorsData\", ", "not valid JSON, or truncated"},
      {"{\"CLS\": \"TensorsData\"}", "'calibration_method'"},
      {TABLE("", "CalibrationMethod.MinMax", ""), "'data' must be an object"},
      {TABLE("", "MinMax", ""), "'calibration_method' must have the value"},
      {TABLE("", "CalibrationMethod.", ""), "'calibration_method' must have the value"},
      {TABLE("\"x\": 1", "CalibrationMethod.MinMax", ""), "tensor 'x': 'lowest' must be"},
      {TABLE("\"x\": {}", "CalibrationMethod.MinMax", ""), "tensor 'x': 'lowest' must be"},
      {ONE("[]", "[1]"), "'lowest' must be an array of one number"},
      {ONE("[0]", "\"1\""), "'highest' must be an array of one number"},
      {ONE("[0]", "[1, 2]"), "'highest' has 2 numbers, one per channel"},
      {ONE("[0]", "[[[1, 2]]]"), "'highest' has 2 numbers, one per channel"},
      {ONE("[0]", "[1e39]"), "must be finite in float32, got 0 to 1e+39"},
      {ONE("[2]", "[1]"), "'lowest' must not exceed 'highest', got 2 and 1"},
      {ONE("[0]", "[NaN]"), "not valid JSON"},
      {TABLE("\"x\": " RANGE("[0]", "[1]") ", \"x\": " RANGE("[0]", "[1]"),
             "CalibrationMethod.MinMax", ""),
       "duplicate tensor 'x'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tare_error err = {0};
    assert_null(read_text(cases[i].text, &err));
    assert_int_equal(err.status, TARE_E_INPUT);
    if (!strstr(err.message, cases[i].says)) {
      fail_msg("case %d: \"%s\" does not say \"%s\"", (int)i, err.message, cases[i].says);
    }
  }
}

/* A file that is cut anywhere is refused, and never read beyond its end. */
static void refuses_every_truncation(void **const state) {
  (void)state;
  for (size_t n = 0; n + 1 < sizeof ENTROPY; n++) {
    char *const text = strndup(ENTROPY, n);
    tare_table *const table = read_text(text, NULL);
    assert_null(table);
    free(text);
  }
}

int table_ort_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rewrites_its_own_bytes),
      cmocka_unit_test(passes_through_the_native_form),
      cmocka_unit_test(reads_ranges_and_thresholds),
      cmocka_unit_test(writes_the_range_inside_the_threshold),
      cmocka_unit_test(prints_numbers_as_python_does),
      cmocka_unit_test(refuses_names_that_json_cannot_hold),
      cmocka_unit_test(refuses_malformed_tables),
      cmocka_unit_test(refuses_every_truncation),
  };
  return cmocka_run_group_tests(tests, table_make_path, table_remove_path);
}
