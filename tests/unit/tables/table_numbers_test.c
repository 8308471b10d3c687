/* Numbers of the channels of layers in tables and their files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "graph/table/layer_numbers.h"
#include "graph/table/merge.h"
#include "graph/table/named.h"
#include "unit/tables/table_files.h"

#define HEAD_OF(minor)                                                                \
  "{\n  \"format\": \"tare.calib\",\n  \"version\": {\"major\": 1, \"minor\": " minor \
  "},\n"                                                                              \
  "  \"method\": \"max\",\n  \"parameters\": {},\n"                                   \
  "  \"model\": {\"name\": \"m.onnx\", \"hash\": \"00000000deadbeef\"},\n"            \
  "  \"fit\": \"\",\n  \"pad_stats\": \"\",\n  \"per_profile\": false,\n"             \
  "  \"profiles\": [],\n  \"warnings\": [],\n"
#define TAIL "  \"tensors\": []\n}\n"
#define CONV "\"conv\": {\"hash\": \"0000000000000007\", \"scales\": [0.5, 0.25, 0.100000001]}"
#define FUSED "\"a + b\": {\"hash\": \"fedcba9876543210\", \"scales\": [3], \"future\": [1,2]}"
#define CLIPPED(minor) HEAD_OF(minor) "  \"clipping\": {\n    " FUSED ",\n    " CONV "},\n" TAIL

static void write_and_compare_numbers(const tare_table *const table, const char *const expected) {
  assert_int_equal(tare_table_write_json(table, table_path, NULL), TARE_OK);
  table_assert_file(expected);
}

static void files_keep_numbers_byte_for_byte(void **const state) {
  (void)state;
  tare_table *table =
      table_read_text("t.json", HEAD_OF("0") "\"clipping\": {" CONV "," FUSED "}," TAIL);
  const tarei_layer_numbers *const conv =
      tarei_named_find(TAREI_NAMED(&table->numbers[TAREI_NUMBERS_CLIPPING]), "conv");
  assert_int_equal(tare_table_n_clipped(table), 2);
  assert_int_equal(conv->n, 3);
  assert_true(conv->hash == 7 && conv->values[0] == 0.5F && conv->values[2] == 0.1F);
  write_and_compare_numbers(table, CLIPPED("2"));
  tare_table_free(&table);
  table = table_read_text("t.json", CLIPPED("9"));
  write_and_compare_numbers(table, CLIPPED("9"));
  tare_table_free(&table);
}

static void a_merged_table_has_them(void **const state) {
  (void)state;
  tare_table *table = table_read_text("t.json", CLIPPED("2")), *merged = NULL;
  assert_int_equal(tarei_table_merge(table, -1, &merged, NULL), TARE_OK);
  assert_int_equal(tare_table_n_clipped(merged), 2);
  assert_memory_equal(merged->numbers[TAREI_NUMBERS_CLIPPING].items[1].values,
                      table->numbers[TAREI_NUMBERS_CLIPPING].items[1].values, 3 * sizeof(float));
  tare_table_free(&merged);
  tare_table_free(&table);
}

static void refuses_malformed_numbers(void **const state) {
  (void)state;
#define IN_CONV "t.json: clipping of layer 'conv': "
#define SCALES IN_CONV "'scales' must be positive normal float32 numbers"
  static const struct {
    const char *from, *to, *says;
  } cases[] = {
      {"{" CONV "}", "3", "t.json: 'clipping' must be an object"},
      {CONV, CONV ", " CONV, "t.json: duplicate clipping of layer 'conv'"},
      {CONV, "\"conv\": [1]", "t.json: clipping of layer 'conv' must be an object"},
      {"0.5", "0", SCALES},
      {"0.5", "-0.5", SCALES},
      {"0.5", "1e39", SCALES},
      {"0.5", "1e-39", SCALES},
      {"0.5", "null", SCALES},
      {"[0.5, 0.25, 0.100000001]", "[]", IN_CONV "'scales' must have one number per channel"},
      {"[0.5, 0.25, 0.100000001]", "7", IN_CONV "'scales' must be an array"},
      {"\"scales\"", "\"scale\"", IN_CONV "'scales' is missing"},
      {"0000000000000007", "7", IN_CONV "'hash' must be 16 lower-case hexadecimal digits"},
  };
  static const char good[] = HEAD_OF("2") "\"clipping\": {" CONV "}," TAIL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2048];
    const char *const at = strstr(good, cases[i].from);
    assert_non_null(at);
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, cases[i].to,
                   at + strlen(cases[i].from));
    tare_error err = {0};
    assert_null(table_read_bytes("t.json", text, strlen(text), &err));
    assert_int_equal(err.status, TARE_E_INPUT);
    assert_string_equal(err.message, cases[i].says);
  }
}

int table_numbers_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_keep_numbers_byte_for_byte),
      cmocka_unit_test(a_merged_table_has_them),
      cmocka_unit_test(refuses_malformed_numbers),
  };
  return cmocka_run_group_tests(tests, table_make_path, table_remove_path);
}
