/* Roundings of weights in tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "graph/table/merge.h"
#include "graph/table/rounding.h"

static const uint8_t UP[] = {0x5a, 0xc3, 0xff};

static tare_table *new_table(void) {
  tare_table *table = NULL;
  assert_int_equal(tarei_table_new("max", 2, &table, NULL), TARE_OK);
  assert_int_equal(tarei_table_add_rounding(table, "conv", 3, 5, 7, UP, NULL), TARE_OK);
  assert_int_equal(tarei_table_add_rounding(table, "a + b", 2, 8, 9, UP, NULL), TARE_OK);
  return table;
}

static void check_roundings(const tare_table *const table) {
  const tarei_rounding *const conv = tarei_table_find_rounding(table, "conv");
  const tarei_rounding *const fused = tarei_table_find_rounding(table, "a + b");
  assert_non_null(conv);
  assert_non_null(fused);
  assert_null(tarei_table_find_rounding(table, "a"));
  assert_int_equal(table->n_roundings, 2);
  assert_ptr_equal(fused, &table->roundings[0]);
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
  assert_null(tarei_table_find_rounding(table, "conv"));
  tare_table_free(&table);
}

static void a_layer_has_one_rounding(void **const state) {
  (void)state;
  tare_error err = {0};
  tare_table *table = new_table();
  assert_int_equal(tarei_table_add_rounding(table, "conv", 3, 5, 7, UP, NULL), TARE_OK);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(roundings_are_found_by_layer),
      cmocka_unit_test(a_table_without_roundings_finds_none),
      cmocka_unit_test(a_layer_has_one_rounding),
      cmocka_unit_test(sizes_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
