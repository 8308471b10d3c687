/* Roundings of weights in tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/table/merge.h"
#include "graph/table/named.h"
#include "graph/table/rounding.h"
#include "unit/tables/table_files.h"

static const uint8_t UP[] = {0x5a, 0xc3, 0xff};

static tare_table *new_table(void) {
  tare_table *table = NULL;
  assert_int_equal(tarei_table_new("max", 2, &table, NULL), TARE_OK);
  assert_int_equal(tarei_roundings_add(&table->roundings, "conv", 3, 5, 7, UP, NULL), TARE_OK);
  assert_int_equal(tarei_roundings_add(&table->roundings, "a + b", 2, 8, 9, UP, NULL), TARE_OK);
  return table;
}

static void check_roundings(const tare_table *const table) {
  const tarei_rounding *const conv = tarei_named_find(TAREI_NAMED(&table->roundings), "conv");
  const tarei_rounding *const fused = tarei_named_find(TAREI_NAMED(&table->roundings), "a + b");
  assert_non_null(conv);
  assert_non_null(fused);
  assert_null(tarei_named_find(TAREI_NAMED(&table->roundings), "a"));
  assert_int_equal(table->roundings.n, 2);
  assert_ptr_equal(fused, &table->roundings.items[0]);
  assert_int_equal(conv->n, 3);
  assert_int_equal(conv->k, 5);
  assert_int_equal(conv->hash, 7);
  for (int i = 0; i < 15; i++) {
    assert_int_equal(tarei_rounding_is_up(conv, i / 5, i % 5), UP[i / 8] >> i % 8 & 1);
  }
  assert_int_equal(conv->up[1], 0x43); /* nothing behind the last weight */
  assert_memory_equal(fused->up, UP, 2);
}

static void roundings_are_found_by_layer(void **const state) {
  (void)state;
  tare_table *table = new_table();
  assert_int_equal(tarei_table_finish(table, "table", NULL), TARE_OK);
  check_roundings(table);
  tare_table *one = NULL;
  assert_int_equal(tarei_table_merge(table, -1, &one, NULL), TARE_OK);
  check_roundings(one);
  tare_table_free(&one);
  tare_table_free(&table);
}

static void a_table_without_roundings_finds_none(void **const state) {
  (void)state;
  tare_table *table = NULL;
  assert_int_equal(tarei_table_new("max", 1, &table, NULL), TARE_OK);
  assert_int_equal(tarei_table_finish(table, "table", NULL), TARE_OK);
  assert_null(tarei_named_find(TAREI_NAMED(&table->roundings), "conv"));
  tare_table_free(&table);
}

static void a_layer_has_one_rounding(void **const state) {
  (void)state;
  tare_error err = {0};
  tare_table *table = new_table();
  assert_int_equal(tarei_roundings_add(&table->roundings, "conv", 3, 5, 7, UP, NULL), TARE_OK);
  assert_int_equal(tarei_table_finish(table, "t.json", &err), TARE_E_INPUT);
  assert_string_equal(err.message, "t.json: duplicate rounding of layer 'conv'");
  tare_table_free(&table);
}

static void sizes_are_checked(void **const state) {
  (void)state;
  assert_int_equal(tarei_rounding_bytes(1, 1), 1);
  assert_int_equal(tarei_rounding_bytes(2, 4), 1);
  assert_int_equal(tarei_rounding_bytes(3, 3), 2);
  assert_int_equal(tarei_rounding_bytes(0, 3), 0);
  assert_int_equal(tarei_rounding_bytes(3, -1), 0);
  assert_int_equal(tarei_rounding_bytes(INT64_MAX, 2), 0);
  assert_int_equal(tarei_rounding_bytes(INT64_MAX, 1), 0);
}

/* --- files ------------------------------------------------------------------------------------ */

#define HEAD_OF(minor)                                                                \
  "{\n  \"format\": \"tare.calib\",\n  \"version\": {\"major\": 1, \"minor\": " minor \
  "},\n"                                                                              \
  "  \"method\": \"max\",\n  \"parameters\": {},\n"                                   \
  "  \"model\": {\"name\": \"m.onnx\", \"hash\": \"00000000deadbeef\"},\n"            \
  "  \"fit\": \"\",\n  \"pad_stats\": \"\",\n  \"per_profile\": false,\n"             \
  "  \"profiles\": [],\n  \"warnings\": [],\n"
#define TAIL "  \"tensors\": []\n}\n"
#define CONV "\"conv\": {\"n\": 3, \"k\": 5, \"hash\": \"0000000000000007\", \"up\": \"WkM=\"}"
#define FUSED                                                                                  \
  "\"a + \\\"b\\\"\": {\"n\": 2, \"k\": 8, \"hash\": \"fedcba9876543210\", \"up\": \"WsM=\", " \
  "\"future\": [1,2]}"
#define ROUNDED(minor) HEAD_OF(minor) "  \"rounding\": {\n    " FUSED ",\n    " CONV "},\n" TAIL

static void write_and_compare(const tare_table *const table, const char *const expected) {
  assert_int_equal(tare_table_write_json(table, table_path, NULL), TARE_OK);
  table_assert_file(expected);
}

static void files_keep_roundings_byte_for_byte(void **const state) {
  (void)state;
  tare_table *table = table_read_text("t.json", ROUNDED("1"));
  const tarei_rounding *const conv = tarei_named_find(TAREI_NAMED(&table->roundings), "conv");
  const tarei_rounding *const fused = tarei_named_find(TAREI_NAMED(&table->roundings), "a + \"b\"");
  assert_int_equal(conv->up[0], 0x5a);
  assert_int_equal(fused->up[1], 0xc3);
  write_and_compare(table, ROUNDED("1"));
  tare_table_free(&table);
  table = table_read_text("t.json", HEAD_OF("1") "\"rounding\": {" CONV "," FUSED "}," TAIL);
  write_and_compare(table, ROUNDED("1"));
  tare_table_free(&table);
}

/* Older readers may ignore roundings, newer minor versions stay. */
static void roundings_raise_the_minor_version(void **const state) {
  (void)state;
  tare_table *table = table_read_text("t.json", ROUNDED("0"));
  write_and_compare(table, ROUNDED("1"));
  tare_table_free(&table);
  table = table_read_text("t.json", ROUNDED("7"));
  write_and_compare(table, ROUNDED("7"));
  tare_table_free(&table);
  table = table_read_text("t.json", HEAD_OF("0") "\"rounding\": {}," TAIL);
  write_and_compare(table, HEAD_OF("0") TAIL);
  tare_table_free(&table);
}

/* Sizes around those at which text is written in pieces. */
static void large_roundings_survive(void **const state) {
  (void)state;
  for (int64_t n = 6140; n <= 6150; n++) {
    uint8_t up[800];
    for (size_t i = 0; i < sizeof up; i++) {
      up[i] = (uint8_t)((size_t)n + i * 37);
    }
    tare_table *table = NULL, *again = NULL;
    assert_int_equal(tarei_table_new("max", 1, &table, NULL), TARE_OK);
    assert_int_equal(tarei_roundings_add(&table->roundings, "l", n, 1, 1, up, NULL), TARE_OK);
    assert_int_equal(tare_table_write_json(table, table_path, NULL), TARE_OK);
    tare_error err = {0};
    if (tare_table_read(table_path, &again, &err) != TARE_OK) {
      fail_msg("%s", err.message);
    }
    const tarei_rounding *const rounding = tarei_named_find(TAREI_NAMED(&again->roundings), "l");
    assert_non_null(rounding);
    assert_int_equal(rounding->n, n);
    assert_memory_equal(rounding->up, table->roundings.items[0].up, tarei_rounding_bytes(n, 1));
    tare_table_free(&again);
    tare_table_free(&table);
  }
}

static void refuses_malformed_roundings(void **const state) {
  (void)state;
#define IN_CONV "t.json: rounding of layer 'conv': "
#define SIZES IN_CONV "'n' and 'k' must be at least 1, and their product below 2^63"
#define HASH IN_CONV "'hash' must be 16 lower-case hexadecimal digits"
#define BASE64 IN_CONV "'up' must be base64, with its padding"
  static const struct {
    const char *from, *to, *says;
  } cases[] = {
      {"{" CONV "}", "3", "t.json: 'rounding' must be an object"},
      {"{" CONV "}", "{" CONV "}, \"rounding\": {}", "t.json: 'rounding' is duplicated"},
      {CONV, CONV ", " CONV, "t.json: duplicate rounding of layer 'conv'"},
      {CONV, "\"conv\": [1]", "t.json: rounding of layer 'conv' must be an object"},
      {"\"n\": 3, ", "", IN_CONV "'n' is missing"},
      {"\"n\": 3", "\"n\": 3, \"n\": 3", IN_CONV "'n' is duplicated"},
      {"\"n\": 3", "\"n\": 0", SIZES},
      {"\"k\": 5", "\"k\": 0", SIZES},
      {"\"n\": 3", "\"n\": -3", IN_CONV "'n' must be an integer from 0 to 2^53"},
      {"\"n\": 3", "\"n\": 1.5", IN_CONV "'n' must be an integer from 0 to 2^53"},
      {"\"k\": 5", "\"k\": \"5\"", IN_CONV "'k' must be an integer from 0 to 2^53"},
      {"\"n\": 3, \"k\": 5", "\"n\": 9007199254740992, \"k\": 9007199254740992", SIZES},
      {"\"k\": 5", "\"k\": 9007199254740992",
       IN_CONV
       "'up' must have 4503599627370496 characters for 3 x 9007199254740992 weights, got 4"},
      {"\"k\": 5", "\"k\": 9", IN_CONV "'up' must have 8 characters for 3 x 9 weights, got 4"},
      {"WkM=", "", IN_CONV "'up' must have 4 characters for 3 x 5 weights, got 0"},
      {"\"WkM=\"", "7", IN_CONV "'up' must be a string"},
      {", \"up\": \"WkM=\"", "", IN_CONV "'up' is missing"},
      {"WkM=", "W-M=", BASE64},
      {"WkM=", "WkMA", BASE64},
      {"WkM=", "WkN=", BASE64},
      {"WkM=", "WsM=", IN_CONV "'up' must have no bit set behind the last weight"},
      {"0000000000000007", "7", HASH},
      {"0000000000000007", "000000000000000G", HASH},
  };
  static const char good[] = HEAD_OF("1") "\"rounding\": {" CONV "}," TAIL;
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

int table_rounding_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(roundings_are_found_by_layer),
      cmocka_unit_test(a_table_without_roundings_finds_none),
      cmocka_unit_test(a_layer_has_one_rounding),
      cmocka_unit_test(sizes_are_checked),
      cmocka_unit_test(files_keep_roundings_byte_for_byte),
      cmocka_unit_test(roundings_raise_the_minor_version),
      cmocka_unit_test(large_roundings_survive),
      cmocka_unit_test(refuses_malformed_roundings),
  };
  return cmocka_run_group_tests(tests, table_make_path, table_remove_path);
}
