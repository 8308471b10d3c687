#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <tare/tensor.h>

static void dtypes_have_sizes_and_names(void **state) {
  (void)state;
  assert_int_equal(tare_dtype_size(TARE_F32), 4);
  assert_int_equal(tare_dtype_size(TARE_BOOL), 1);
  assert_int_equal(tare_dtype_size(TARE_BF16), 2);
  assert_int_equal(tare_dtype_size(TARE_U64), 8);
  assert_int_equal(tare_dtype_size(TARE_DTYPE_NONE), 0);
  assert_int_equal(tare_dtype_size((tare_dtype)8), 0);
  assert_string_equal(tare_dtype_name(TARE_F16), "float16");
  assert_string_equal(tare_dtype_name(TARE_DTYPE_NONE), "none");
  assert_string_equal(tare_dtype_name((tare_dtype)-3), "none");
}

static void counts_are_products_or_overflow(void **state) {
  (void)state;
  assert_int_equal(tare_tensor_count(&(tare_tensor){.rank = 0}), 1);
  assert_int_equal(tare_tensor_count(&(tare_tensor){.rank = 3, .dims = {2, 3, 4}}), 24);
  assert_int_equal(tare_tensor_count(&(tare_tensor){.rank = 2, .dims = {INT64_MAX, 1}}), INT64_MAX);
  assert_int_equal(tare_tensor_count(&(tare_tensor){.rank = 2, .dims = {INT64_MAX, 2}}), -1);
  const tare_tensor empty = {.rank = 3, .dims = {INT64_MAX, 2, 0}};
  assert_int_equal(tare_tensor_count(&empty), 0);
}

int tensor_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dtypes_have_sizes_and_names),
      cmocka_unit_test(counts_are_products_or_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
