#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graph/table/table.h"
#include "unit/tables/table_files.h"

static tare_table *read_text(const char *const text, tare_error *const err) {
  return table_read_bytes("cache", text, strlen(text), err);
}

static void assert_written(const tare_table *const table, const tare_trt_options *const options,
                           const char *const expected) {
  assert_int_equal(tare_table_write_trt(table, options, table_path, NULL), TARE_OK);
  table_assert_file(expected);
}

static tare_table *make_table(const int n, const char *const *const names,
                              const double *const amax) {
  tare_table *table = NULL;
  assert_int_equal(tarei_table_new("minmax", 1, &table, NULL), TARE_OK);
  for (int i = 0; i < n; i++) {
    const tarei_cell cell = tarei_cell_unknown(amax[i]);
    assert_int_equal(tarei_table_add_tensor(table, names[i], NULL, &cell, NULL), TARE_OK);
  }
  assert_int_equal(tarei_table_finish(table, "test", NULL), TARE_OK);
  return table;
}

/* Lines of caches that TensorRT wrote. */
static void writes_golden_lines(void **const state) {
  (void)state;
  static const char *const names[] = {"images", "input_1:0", "half", "pixels",
                                      "(Unnamed Layer* 22) [Constant]_output"};
  static const double amax[] = {1, 1 + 0.5 / 2048, 0.5 * (1 + 0.5 / 2048), 255 * (1 + 0.5 / 2048),
                                127};
  tare_table *table = make_table(5, names, amax);
  const tare_trt_options options = {.version = "8205", .algorithm = "MinMaxCalibration"};
  assert_written(table, &options,
                 "TRT-8205-MinMaxCalibration\n"
                 "images: 3c010204\n"
                 "input_1:0: 3c010a14\n"
                 "half: 3b810a14\n"
                 "pixels: 4000890a\n"
                 "(Unnamed Layer* 22) [Constant]_output: 3f800000\n");
  tare_table_free(&table);
}

static void defaults_suit_trtexec(void **const state) {
  (void)state;
  static const char *const names[] = {"x"};
  static const double amax[] = {1};
  tare_table *table = make_table(1, names, amax);
  assert_written(table, NULL, "TRT-101602-EntropyCalibration2\nx: 3c010204\n");
  tare_table_free(&table);
}

static void leaves_dead_tensors_out(void **const state) {
  (void)state;
  static const char *const names[] = {"dead", "denormal", "least", "live"};
  const double amax[] = {0, FLT_MIN, (double)FLT_MIN * 127, 127};
  tare_table *table = make_table(4, names, amax);
  assert_written(table, NULL, "TRT-101602-EntropyCalibration2\nleast: 00800000\nlive: 3f800000\n");
  tare_table_free(&table);
}

static void refuses_wrong_options(void **const state) {
  (void)state;
  static const char *const names[] = {"x"};
  static const double amax[] = {1};
  tare_table *table = make_table(1, names, amax);
  const tare_trt_options wrong[] = {
      {.version = "10.3.x"}, {.version = ""}, {.algorithm = "MinMax"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    tare_error err = {0};
    assert_int_equal(tare_table_write_trt(table, &wrong[i], table_path, &err), TARE_E_USAGE);
    assert_true(err.message[0]);
  }
  tare_table_free(&table);
  static const char *const lines[] = {"a\nb"};
  table = make_table(1, lines, amax);
  assert_int_equal(tare_table_write_trt(table, NULL, table_path, NULL), TARE_E_UNSUPPORTED);
  tare_table_free(&table);
}

static void picks_a_profile(void **const state) {
  (void)state;
  tare_table *table = NULL;
  assert_int_equal(tarei_table_new("minmax", 2, &table, NULL), TARE_OK);
  const tarei_cell cells[] = {tarei_cell_unknown(1), tarei_cell_unknown(127)};
  assert_int_equal(tarei_table_add_tensor(table, "x", NULL, cells, NULL), TARE_OK);
  assert_written(table, &(tare_trt_options){.profile = 1},
                 "TRT-101602-EntropyCalibration2\nx: 3f800000\n");
  assert_int_equal(tare_table_write_trt(table, &(tare_trt_options){.profile = 2}, table_path, NULL),
                   TARE_E_USAGE);
  tare_table_free(&table);
}

#define REAL_CACHE                 \
  "TRT-7000-EntropyCalibration2\n" \
  "conv1: 3c88edfc\n"              \
  "conv2: 3ddc858b\n"              \
  "data: 3c008912\n"               \
  "ip1: 3db6bd6e\n"                \
  "ip2: 3e691968\n"                \
  "pool1: 3c88edfc\n"              \
  "pool2: 3ddc858b\n"              \
  "prob: 3c010a14\n"

static void round_trip_keeps_every_bit(void **const state) {
  (void)state;
  tare_table *table = read_text(REAL_CACHE, NULL);
  assert_string_equal(tare_table_method(table), "EntropyCalibration2");
  assert_int_equal(tare_table_n_tensors(table), 8);
  const tare_trt_options options = {.version = "7000"};
  assert_written(table, &options, REAL_CACHE);
  const tare_table_entry entry = tare_table_get(table, tare_table_find(table, "prob"), 0);
  assert_true(fabs(entry.amax - 1.000244) < 1e-6);
  assert_true(isnan(entry.min) && isnan(entry.energy_lost) && entry.count == 0);
  /* through the native form, where thresholds may lie between floats */
  assert_int_equal(tare_table_write_json(table, table_path, NULL), TARE_OK);
  tare_table_free(&table);
  assert_int_equal(tare_table_read(table_path, &table, NULL), TARE_OK);
  assert_written(table, &options, REAL_CACHE);
  tare_table_free(&table);
}

/* Caches as they are quoted, in the order of the network. */
static void cache_is_rewritten_with_its_header_and_order(void **const state) {
  (void)state;
  static const char *const caches[] = {
      "TRT-7000-EntropyCalibration2\ndata: 3c008912\nconv1: 3c88edfc\npool1: 3c88edfc\n",
      ("TRT-8205-EntropyCalibration\ninput: 3b810a13\n(Unnamed Layer* 22) [Constant]_output: "
       "3a4b050c\nonnx::Conv_329: 3c96d93c\n"),
      "TRT-100300-MinMaxCalibration\nz: 3c010204\ninput_1:0: 3c010a14\n",
      "TRT-8XXX-LegacyCalibration\nx: 3c010204\n"};
  const int format = tare_table_format_of("x.cache");
  for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
    tare_table *table = read_text(caches[i], NULL);
    assert_written(table, NULL, caches[i]);
    const char *lost[TARE_MAX_TABLE_PARTS];
    assert_int_equal(tare_table_lost(table, format, NULL, lost), 0);
    assert_true(tare_table_keeps(table, format, 0));
    tare_table_free(&table);
  }
  tare_table *table = read_text(caches[0], NULL);
  assert_written(table, &(tare_trt_options){.version = "10.3.0", .algorithm = "MinMaxCalibration"},
                 "TRT-100300-MinMaxCalibration\ndata: 3c008912\nconv1: 3c88edfc\n"
                 "pool1: 3c88edfc\n");
  tare_table_free(&table);
}

static void every_scale_survives(void **const state) {
  (void)state;
  for (uint32_t bits = 0x00800000u; bits < 0x7c000000u; bits += 0x03765431u) {
    char text[80];
    (void)snprintf(text, sizeof text, "TRT-8601-MinMaxCalibration\nx: %08x\n", bits);
    tare_table *table = read_text(text, NULL);
    if (table) { /* most of these are absurd and look swapped */
      const tare_trt_options options = {.version = "8601", .algorithm = "MinMaxCalibration"};
      assert_int_equal(tare_table_write_json(table, table_path, NULL), TARE_OK);
      tare_table_free(&table);
      assert_int_equal(tare_table_read(table_path, &table, NULL), TARE_OK);
      assert_written(table, &options, text);
    }
    tare_table_free(&table);
  }
}

static void tolerates_harmless_forms(void **const state) {
  (void)state;
  tare_table *table = read_text(
      "TRT-8XXX-EntropyCalibration\r\n"
      "input_1:0: 3C010A14\r\n"
      "\r\n"
      "(Unnamed Layer* 22) [Constant]_output: 3a4b050c \r\n"
      "last:3c010204",
      NULL);
  assert_non_null(table);
  assert_int_equal(tare_table_n_tensors(table), 3);
  assert_true(tare_table_find(table, "input_1:0") >= 0);
  assert_true(tare_table_find(table, "last") >= 0);
  assert_true(tare_table_find(table, "(Unnamed Layer* 22) [Constant]_output") >= 0);
  assert_int_equal(tare_table_find(table, "input_1"), -1);
  tare_table_free(&table);
}

static void refuses_malformed_caches(void **const state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"", "not a calibration table"},
      {"x: 3c010204\n", "not a calibration table"},
      {"TRT-8601\nx: 3c010204\n", "TRT-<version>-<algorithm>"},
      {"TRT--EntropyCalibration2\nx: 3c010204\n", "TRT-<version>-<algorithm>"},
      {"TRT-8601-Percentile\nx: 3c010204\n", "Percentile"},
      {"TRT-8601-EntropyCalibration2\n", "no scales"},
      {"TRT-8601-EntropyCalibration2\nx 3c010204\n", "line 2"},
      {"TRT-8601-EntropyCalibration2\na: 3c010204\nx: 00000000\n", "line 3: '00000000' is zero"},
      {"TRT-8601-EntropyCalibration2\na: 3c010204\nx: 7fc00000\n", "not a number"},
      {"TRT-8601-EntropyCalibration2\na: 3c010204\nx: 7f800000\n", "infinite"},
      {"TRT-8601-EntropyCalibration2\na: 3c010204\nx: bc010204\n", "negative"},
      {"TRT-8601-EntropyCalibration2\na: 3c010204\nx: 00000001\n", "denormal"},
      {"TRT-8601-EntropyCalibration2\na: 3c010204\nx: 7f000000\n", "127"},
      {"TRT-8601-EntropyCalibration2\nx: 0.0078740\n", "decimal"},
      {"TRT-8601-EntropyCalibration2\nx: 3c01020\n", "8 hexadecimal digits"},
      {"TRT-8601-EntropyCalibration2\nx: 3c0102045\n", "8 hexadecimal digits"},
      {"TRT-8601-EntropyCalibration2\nx: 3c0102zz\n", "8 hexadecimal digits"},
      {"TRT-8601-EntropyCalibration2\nx: 3c010204\nx: 3c010a14\n", "duplicate"},
      {"TRT-8601-EntropyCalibration2\nx: 0402013c\ny: 140a013c\n", "byte-swapped"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tare_error err = {0};
    tare_table *const table = read_text(cases[i].text, &err);
    assert_null(table);
    assert_int_equal(err.status, TARE_E_INPUT);
    if (!strstr(err.message, cases[i].says)) {
      fail_msg("case %d: \"%s\" does not say \"%s\"", (int)i, err.message, cases[i].says);
    }
  }
  tare_table *table = NULL;
  assert_int_equal(tare_table_read("/nonexistent/x.cache", &table, NULL), TARE_E_INPUT);
  assert_null(table);
}

int table_trt_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writes_golden_lines),
      cmocka_unit_test(defaults_suit_trtexec),
      cmocka_unit_test(leaves_dead_tensors_out),
      cmocka_unit_test(refuses_wrong_options),
      cmocka_unit_test(picks_a_profile),
      cmocka_unit_test(round_trip_keeps_every_bit),
      cmocka_unit_test(cache_is_rewritten_with_its_header_and_order),
      cmocka_unit_test(every_scale_survives),
      cmocka_unit_test(tolerates_harmless_forms),
      cmocka_unit_test(refuses_malformed_caches),
  };
  return cmocka_run_group_tests(tests, table_make_path, table_remove_path);
}
