/* TensorRT caches that others wrote, with new scales. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/table/table.h"

static char path[64], template[64];

/* Caches of TensorRT 7, 8 and 10, in their own order. */
static const char *const CACHES[] = {
    "TRT-7000-EntropyCalibration2\ndata: 3c008912\nconv1: 3c88edfc\npool1: 3c88edfc\n"
    "conv2: 3ddc858b\npool2: 3ddc858b\nip1: 3db6bd6e\nip2: 3e691968\nprob: 3c010a14\n",
    "TRT-8205-EntropyCalibration2\ninput: 3b810a13\nonnx::Conv_329: 3c96d93c\n"
    "(Unnamed Layer* 22) [Constant]_output: 3a4b050c\n",
    "TRT-100300-EntropyCalibration2\ninput_1:0: 3c010a14\n",
    "TRT-100300-MinMaxCalibration\nimages: 3c010204\n",
    "TRT-8XXX-EntropyCalibration\r\nb: 3C010A14\r\n\r\na: 3c010204",
};
enum { N_CACHES = sizeof CACHES / sizeof *CACHES };

static void write_template(const char *const text, const size_t n) {
  FILE *const file = fopen(template, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, n, file), n);
  fclose(file);
}

static tare_status merge(const tare_table *const table, const char *const version,
                         const char *const algorithm, tare_table_merged *const merged,
                         tare_error *const err) {
  tare_table_setting settings[3] = {{"template", template}};
  int n = 1;
  if (version) {
    settings[n++] = (tare_table_setting){"trt-version", version};
  }
  if (algorithm) {
    settings[n++] = (tare_table_setting){"algo-header", algorithm};
  }
  const tare_table_write_options o = {.settings = settings, .n_settings = n, .merged = merged};
  return tare_table_write(table, tare_table_format_of("x.cache"), &o, path, err);
}

static void assert_file(const char *const expected) {
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  char text[1024] = "";
  (void)fread(text, 1, sizeof text - 1, file);
  fclose(file);
  assert_string_equal(text, expected);
}

static void assert_merged(const tare_table_merged merged, const int replaced, const int kept,
                          const int added) {
  assert_int_equal(merged.replaced, replaced);
  assert_int_equal(merged.kept, kept);
  assert_int_equal(merged.added, added);
}

static void rewrites_caches_to_the_byte(void **const state) {
  (void)state;
  for (int i = 0; i < N_CACHES; i++) {
    write_template(CACHES[i], strlen(CACHES[i]));
    tare_table *table = NULL;
    assert_int_equal(tare_table_read(template, &table, NULL), TARE_OK);
    tare_table_merged merged = {-1, -1, -1};
    assert_int_equal(merge(table, NULL, NULL, &merged, NULL), TARE_OK);
    assert_file(CACHES[i]);
    assert_merged(merged, tare_table_n_tensors(table), 0, 0);
    const tare_table_setting setting = {"template", template};
    const tare_table_write_options o = {.settings = &setting, .n_settings = 1};
    const char *lost[TARE_MAX_TABLE_PARTS];
    assert_int_equal(tare_table_lost(table, tare_table_format_of("x.cache"), &o, lost), 0);
    tare_table_free(&table);
  }
}

static tare_table *three_tensors(void) {
  static const struct {
    const char *name;
    double amax;
  } rows[] = {{"new", 127}, {"pool1", 1}, {"data", 127}, {"dead", 0}, {"prob", 0}};
  tare_table *table = NULL;
  assert_int_equal(tarei_table_new("mse", 1, &table, NULL), TARE_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const tarei_cell cell = tarei_cell_unknown(rows[i].amax);
    assert_int_equal(tarei_table_add_tensor(table, rows[i].name, NULL, &cell, NULL), TARE_OK);
  }
  assert_int_equal(tarei_table_finish(table, "test", NULL), TARE_OK);
  return table;
}

/* Lines without a scale stay, as does the scale of a tensor that is dead in the table. */
static void replaces_keeps_and_adds(void **const state) {
  (void)state;
  static const char text[] =
      "TRT-8601-MinMaxCalibration\r\nprob: 3c010a14\r\nodd line\r\n pool1: 11111111 \r\n"
      "pool1: 22222222 \r\n(Unnamed Layer* 2) [Shuffle]_output: 3a4b050c\r\ndata:33333333";
  tare_table *table = three_tensors();
  tare_table_merged merged;
  write_template(text, sizeof text - 1);
  assert_int_equal(merge(table, NULL, NULL, &merged, NULL), TARE_OK);
  assert_file(
      "TRT-8601-MinMaxCalibration\r\nprob: 3c010a14\r\nodd line\r\n pool1: 11111111 \r\n"
      "pool1: 3c010204 \r\n(Unnamed Layer* 2) [Shuffle]_output: 3a4b050c\r\ndata:3f800000\r\n"
      "new: 3f800000\r\n");
  assert_merged(merged, 2, 4, 1);
  assert_int_equal(merge(table, "10.3.0", NULL, NULL, NULL), TARE_OK);
  tare_table_free(&table);
}

static void replaces_parts_of_the_header(void **const state) {
  (void)state;
  tare_table *table = NULL;
  const tarei_cell cell = tarei_cell_unknown(1);
  assert_int_equal(tarei_table_new("MinMaxCalibration", 1, &table, NULL), TARE_OK);
  assert_int_equal(tarei_table_add_tensor(table, "x", NULL, &cell, NULL), TARE_OK);
  static const char text[] = "TRT-8XXX-MinMaxCalibration\nx: 3f800000\n";
  write_template(text, sizeof text - 1);
  assert_int_equal(merge(table, NULL, NULL, NULL, NULL), TARE_OK);
  assert_file("TRT-8XXX-MinMaxCalibration\nx: 3c010204\n");
  assert_int_equal(merge(table, "10.3.0", NULL, NULL, NULL), TARE_OK);
  assert_file("TRT-100300-MinMaxCalibration\nx: 3c010204\n");
  assert_int_equal(merge(table, NULL, "EntropyCalibration2", NULL, NULL), TARE_OK);
  assert_file("TRT-8XXX-EntropyCalibration2\nx: 3c010204\n");
  assert_int_equal(merge(table, "8.6.1", "EntropyCalibration2", NULL, NULL), TARE_OK);
  assert_file("TRT-8601-EntropyCalibration2\nx: 3c010204\n");
  tare_table_free(&table);
}

static void refuses_what_is_no_template(void **const state) {
  (void)state;
  static const struct {
    const char *text;
    size_t n;
    tare_status status;
    const char *says;
  } cases[] = {
      {"", 0, TARE_E_USAGE, "expected a TensorRT cache"},
      {"TRT-", 4, TARE_E_USAGE, "expected a TensorRT cache"},
      {"TRT-8601-Percentile\nx: 3c010204\n", 32, TARE_E_USAGE, "expected a TensorRT cache"},
      {"{\"format\": 1}", 13, TARE_E_USAGE, "expected a TensorRT cache"},
      {"TRT-8601-EntropyCalibration2\nx\0: 3c010204\n", 42, TARE_E_INPUT, "NUL byte"},
      {"TRT-8601-EntropyCalibration2\nx: 0402013c\n", 41, TARE_E_INPUT, "byte-swapped"},
  };
  tare_table *table = three_tensors();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tare_error err = {0};
    write_template(cases[i].text, cases[i].n);
    assert_int_equal(merge(table, NULL, NULL, NULL, &err), cases[i].status);
    if (!strstr(err.message, cases[i].says)) {
      fail_msg("case %d: \"%s\" does not say \"%s\"", (int)i, err.message, cases[i].says);
    }
  }
  unlink(template);
  assert_int_equal(merge(table, NULL, NULL, NULL, NULL), TARE_E_USAGE);
  tare_table_free(&table);
}

static int make_path(void **const state) {
  (void)state;
  strcpy(path, "/tmp/tare_out_XXXXXX");
  strcpy(template, "/tmp/tare_template_XXXXXX");
  const int a = mkstemp(path), b = mkstemp(template);
  return a < 0 || b < 0 ? -1 : close(a) + close(b);
}

static int remove_path(void **const state) {
  (void)state;
  (void)unlink(template);
  return unlink(path);
}

int table_template_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rewrites_caches_to_the_byte),
      cmocka_unit_test(replaces_keeps_and_adds),
      cmocka_unit_test(replaces_parts_of_the_header),
      cmocka_unit_test(refuses_what_is_no_template),
  };
  return cmocka_run_group_tests(tests, make_path, remove_path);
}
