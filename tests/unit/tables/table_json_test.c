#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graph/table/table.h"
#include "unit/tables/table_files.h"

#define HEAD                                                                                \
  "{\n"                                                                                     \
  "  \"format\": \"tare.calib\",\n"                                                         \
  "  \"version\": {\"major\": 1, \"minor\": 4, \"codename\": \"x\"},\n"                     \
  "  \"method\": \"percentile\",\n"                                                         \
  "  \"parameters\": {\"percentile\": 99.99},\n"                                            \
  "  \"model\": {\"name\": \"m.onnx\", \"hash\": \"00000000deadbeef\", \"size\": [1,2]},\n" \
  "  \"fit\": \"native\",\n"                                                                \
  "  \"pad_stats\": \"exclude\",\n"                                                         \
  "  \"per_profile\": true,\n"                                                              \
  "  \"profiles\": [\n"                                                                     \
  "    {\"spec\": \"samples=1:2:3\", \"samples\": 12},\n"                                   \
  "    {\"spec\": \"samples=4:5:6\", \"samples\": 0, \"note\": null}],\n"                   \
  "  \"warnings\": [\n"                                                                     \
  "    \"one \\\"two\\\" \\u0001\"],\n"                                                     \
  "  \"future\": {\"a\":[true,null,1.5,\"z\"]},\n"
#define LINE_A                                                                    \
  "{\"name\": \"a\", \"amax\": [0.100000001, 3], \"min\": [-0.100000001, null], " \
  "\"max\": [0, null], \"count\": [9007199254740992, 0], \"energy_lost\": [0.25, null]"
#define LINE_B                                                                     \
  "{\"name\": \"b: \\\"c\\\" \\\\ \xc3\xa9\", \"amax\": [null, null], "            \
  "\"min\": [0, 0], \"max\": [0, 0], \"count\": [5, 7], \"energy_lost\": [0, 0], " \
  "\"same_as\": \"a\", \"extra\": {\"k\":1}}"
#define TABLE HEAD "  \"tensors\": [\n    " LINE_A "},\n    " LINE_B "]\n}\n"

static tare_table *read_text(const char *const text, tare_error *const err) {
  return table_read_bytes("t.json", text, strlen(text), err);
}

static void assert_written(const tare_table *const table, const char *const expected) {
  assert_int_equal(tare_table_write_json(table, table_path, NULL), TARE_OK);
  table_assert_file(expected);
}

static void keeps_everything_byte_for_byte(void **const state) {
  (void)state;
  tare_error err = {0};
  tare_table *table = read_text(TABLE, &err);
  assert_string_equal(err.message, "");
  assert_written(table, TABLE);
  tare_table_free(&table);
  assert_int_equal(tare_table_read(table_path, &table, NULL), TARE_OK);
  assert_written(table, TABLE);
  tare_table_free(&table);
}

/* TABLE with the first `from` replaced. */
static void replace(const char *const from, const char *const to, char *const out,
                    const size_t size) {
  const char *const at = strstr(TABLE, from);
  assert_non_null(at);
  (void)snprintf(out, size, "%.*s%s%s", (int)(at - TABLE), TABLE, to, at + strlen(from));
}

/* Rows that older tables count as quiet lose everything. */
static void reads_losses(void **const state) {
  (void)state;
  static const struct {
    const char *members;
    double fixed, rows;
  } cases[] = {
      {", \"static_loss\": [0.125, null], \"row_loss\": [0.0001, null], \"rms\": [2.5, null], "
       "\"rows_per_sample\": [1.5, null]",
       0.125, 0.0001},
      {", \"quiet_rows\": [0.25, 0]", 0.25, NAN},
      {"", NAN, NAN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[4096];
    (void)snprintf(text, sizeof text, HEAD "  \"tensors\": [\n    " LINE_A "%s}]\n}\n",
                   cases[i].members);
    tare_error err = {0};
    tare_table *table = read_text(text, &err);
    assert_string_equal(err.message, "");
    const tare_table_entry e = tare_table_get(table, 0, 0);
    assert_true(isnan(cases[i].fixed) ? isnan(e.static_loss) : e.static_loss == cases[i].fixed);
    assert_true(isnan(cases[i].rows) ? isnan(e.row_loss) : e.row_loss == cases[i].rows);
    if (!isnan(cases[i].rows)) {
      assert_written(table, text);
    }
    tare_table_free(&table);
  }
}

/* "skip" is what older tables call it. */
static void reads_the_old_word_for_excluded_padding(void **const state) {
  (void)state;
  char text[sizeof TABLE + 1];
  tare_error err = {0};
  replace("exclude", "skip", text, sizeof text);
  tare_table *table = read_text(text, &err);
  assert_non_null(table);
  assert_written(table, TABLE);
  tare_table_free(&table);
}

static void gives_what_it_read(void **const state) {
  (void)state;
  tare_table *table = read_text(TABLE, NULL);
  assert_string_equal(tare_table_method(table), "percentile");
  assert_true(tare_table_model_hash(table) == 0xdeadbeefu);
  assert_int_equal(tare_table_n_profiles(table), 2);
  assert_string_equal(tare_table_profile(table, 1), "samples=4:5:6");
  assert_null(tare_table_profile(table, 2));
  assert_int_equal(tare_table_n_tensors(table), 2);
  assert_int_equal(tare_table_n_warnings(table), 1);
  assert_string_equal(tare_table_warning(table, 0), "one \"two\" \x01");
  assert_null(tare_table_warning(table, 1));
  const tare_table_entry a = tare_table_get(table, tare_table_find(table, "a"), 0);
  assert_true(a.amax == (double)0.1f && a.min == (double)-0.1f && a.max == 0);
  assert_true(a.count == 9007199254740992 && a.energy_lost == 0.25);
  assert_true(isnan(tare_table_get(table, 0, 1).min));
  const int dead = tare_table_find(table, "b: \"c\" \\ \xc3\xa9");
  assert_int_equal(dead, 1);
  assert_true(tare_table_get(table, dead, 0).amax == 0);
  tare_table_free(&table);
  tare_table_free(&table); /* NULL is fine */
}

static void sorts_tensors(void **const state) {
  (void)state;
  tare_table *table = read_text(HEAD "\"tensors\": [" LINE_B "," LINE_A "}]}", NULL);
  assert_non_null(table);
  assert_written(table, TABLE);
  tare_table_free(&table);
}

static void every_float_survives(void **const state) {
  (void)state;
  char text[4096], number[40];
  for (uint32_t i = 0; i < 300; i++) {
    const uint32_t bits = 0x04000000u + i * 0x0067f3b5u; /* normal and far from the limits */
    float x;
    memcpy(&x, &bits, sizeof x);
    (void)snprintf(number, sizeof number, "%.9g", (double)x);
    (void)snprintf(text, sizeof text,
                   HEAD
                   "\"tensors\": [{\"name\": \"a\", \"amax\": [%s, 1], \"min\": [0, 0], "
                   "\"max\": [1, 1], \"count\": [1, 1], \"energy_lost\": [0, 0]}]}",
                   number);
    tare_table *table = read_text(text, NULL);
    assert_non_null(table);
    assert_true(tare_table_get(table, 0, 0).amax == (double)x);
    tare_table_free(&table);
  }
}

static void refuses_malformed_tables(void **const state) {
  (void)state;
  static const struct {
    const char *from, *to, *says;
  } cases[] = {
      {"tare.calib", "other", "'format' is 'other'"},
      {"\"format\": \"tare.calib\",", "", "'format' is missing"},
      {"\"major\": 1", "\"major\": 2", "version 2 is not supported"},
      {"\"major\": 1", "\"major\": \"1\"", "'major'"},
      {"\"minor\": 4", "\"minor\": -4", "'minor'"},
      {"{\"major\": 1, \"minor\": 4, \"codename\": \"x\"}", "7", "'version' must be an object"},
      {"\"method\": \"percentile\"", "\"method\": 3", "'method' must be a string"},
      {"00000000deadbeef", "xyz", "'hash'"},
      {"\"per_profile\": true", "\"per_profile\": 1", "'per_profile'"},
      {"\"samples\": 12", "\"samples\": 1.5", "profiles[0]: 'samples'"},
      {"\"spec\": \"samples=1:2:3\", ", "", "profiles[0]: 'spec' is missing"},
      {"\"one ", "1, \"one ", "'warnings'"},
      {"[0.100000001, 3]", "[0, 3]", "tensor 'a': 'amax' must be positive"},
      {"[0.100000001, 3]", "[-1, 3]", "'amax' must be positive"},
      {"[0.100000001, 3]", "[1e39, 3]", "'amax' must be finite"},
      {"[0.100000001, 3]", "[1e999, 3]", "'amax' must be finite"},
      {"[0.100000001, 3]", "[1e-40, 3]", "denormal"},
      {"[0.100000001, 3]", "[\"1\", 3]", "'amax' must be numbers"},
      {"[0.100000001, 3]", "[1]", "one value per column"},
      {"[0.100000001, 3]", "1", "'amax' must be an array"},
      {"\"amax\": [0.100000001, 3], ", "", "'amax' is missing"},
      {"\"amax\"", "\"amax\": [1, 1], \"amax\"", "'amax' is duplicated"},
      {"[0.25, null]", "[1.25, null]", "'energy_lost' must be within 0..1"},
      {"[0, null]", "[-1, null]", "'max' must not be below 'min'"},
      {"[9007199254740992, 0]", "[-1, 0]", "'count'"},
      {"{\"name\": \"a\"", "{\"name\": \"b: \\\"c\\\" \\\\ \xc3\xa9\"", "duplicate tensor"},
      {"{\"name\": \"a\", ", "{", "tensors[0]: 'name' is missing"},
      {LINE_A "}", "3", "tensors[0] must be an object"},
      {"\"tensors\": [", "\"tensors\": [,", "not valid JSON"},
      {"]\n}\n", "", "not valid JSON, or truncated"},
      {"]\n}\n", "]\n}\n}", "text after the end"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[4096];
    replace(cases[i].from, cases[i].to, text, sizeof text);
    tare_error err = {0};
    tare_table *const table = read_text(text, &err);
    assert_null(table);
    assert_int_equal(err.status, TARE_E_INPUT);
    if (!strstr(err.message, cases[i].says)) {
      fail_msg("case %d: \"%s\" does not say \"%s\"", (int)i, err.message, cases[i].says);
    }
  }
}

/* Cut anywhere, a table is refused and nothing leaks. */
static void refuses_every_cut(void **const state) {
  (void)state;
  const size_t n = strlen(TABLE) - 1;
  for (size_t i = 0; i + 1 < n; i += 7) {
    tarei_source source = {0};
    tare_table *table = NULL;
    assert_int_equal(tarei_source_memory("cut", TABLE, i, &source, NULL), TARE_OK);
    assert_int_equal(tarei_table_read_source(&source, &table, NULL), TARE_E_INPUT);
    assert_null(table);
    tarei_source_close(&source);
  }
}

int table_json_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_losses),
      cmocka_unit_test(keeps_everything_byte_for_byte),
      cmocka_unit_test(reads_the_old_word_for_excluded_padding),
      cmocka_unit_test(gives_what_it_read),
      cmocka_unit_test(sorts_tensors),
      cmocka_unit_test(every_float_survives),
      cmocka_unit_test(refuses_malformed_tables),
      cmocka_unit_test(refuses_every_cut),
  };
  return cmocka_run_group_tests(tests, table_make_path, table_remove_path);
}
