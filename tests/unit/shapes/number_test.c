/* Elements of every type as numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "base/half.h"
#include "shapes/number.h"

typedef struct reading {
  double real;
  int64_t integer;
} reading;

static void expect(const tare_dtype dtype, void *const data, const int n,
                   const reading *const wanted) {
  const tare_tensor t = {.dtype = dtype, .rank = 1, .dims = {n}, .data = data};
  for (int i = 0; i < n; i++) {
    const double real = tarei_real_at(&t, i);
    if (real != wanted[i].real && !(isnan(real) && isnan(wanted[i].real))) {
      fail_msg("%s %d: %a", tare_dtype_name(dtype), i, real);
    }
    if (tarei_integer_at(&t, i) != wanted[i].integer) {
      fail_msg("%s %d: %lld", tare_dtype_name(dtype), i, (long long)tarei_integer_at(&t, i));
    }
  }
}

#define EXPECT(dtype, type, wanted, ...) \
  expect(dtype, (type[]){__VA_ARGS__}, (int)(sizeof wanted / sizeof *wanted), wanted)

static void every_type_is_read(void **state) {
  (void)state;
  static const reading whole[] = {{-3, -3}, {100, 100}};
  static const reading natural[] = {{200, 200}, {1, 1}};
  EXPECT(TARE_I8, int8_t, whole, -3, 100);
  EXPECT(TARE_I16, int16_t, whole, -3, 100);
  EXPECT(TARE_I32, int32_t, whole, -3, 100);
  EXPECT(TARE_I64, int64_t, whole, -3, 100);
  EXPECT(TARE_F32, float, whole, -3, 100);
  EXPECT(TARE_F64, double, whole, -3, 100);
  EXPECT(TARE_F16, uint16_t, whole, tarei_float_to_f16(-3), tarei_float_to_f16(100));
  EXPECT(TARE_BF16, uint16_t, whole, tarei_float_to_bf16(-3), tarei_float_to_bf16(100));
  EXPECT(TARE_U8, uint8_t, natural, 200, 1);
  EXPECT(TARE_U16, uint16_t, natural, 200, 1);
  EXPECT(TARE_U32, uint32_t, natural, 200, 1);
  EXPECT(TARE_U64, uint64_t, natural, 200, 1);
  static const reading truth[] = {{0, 0}, {1, 1}};
  EXPECT(TARE_BOOL, uint8_t, truth, 0, 1);
}

static void integers_keep_all_bits_and_saturate(void **state) {
  (void)state;
  static const reading wide[] = {{0x1p62, ((int64_t)1 << 62) + 1}, {-0x1p63, INT64_MIN}};
  EXPECT(TARE_I64, int64_t, wide, ((int64_t)1 << 62) + 1, INT64_MIN);
  static const reading large[] = {{0x1p64, INT64_MAX}, {0x1p63, INT64_MAX}};
  EXPECT(TARE_U64, uint64_t, large, UINT64_MAX, (uint64_t)INT64_MAX + 1);
  static const reading cut[] = {{1.75, 1},           {-1.75, -1},          {NAN, 0},
                                {0x1p70, INT64_MAX}, {-0x1p70, INT64_MIN}, {INFINITY, INT64_MAX}};
  EXPECT(TARE_F32, float, cut, 1.75f, -1.75f, NAN, 0x1p70f, -0x1p70f, INFINITY);
  EXPECT(TARE_F64, double, cut, 1.75, -1.75, (double)NAN, 0x1p70, -0x1p70, (double)INFINITY);
}

static void indices_are_read_by_their_width(void **state) {
  (void)state;
  int64_t wide[] = {-1, INT64_MAX};
  int32_t narrow[] = {-1, INT32_MAX};
  uint8_t truth[] = {0, 1};
  const tare_tensor t[] = {{.dtype = TARE_I64, .rank = 1, .dims = {2}, .data = wide},
                           {.dtype = TARE_I32, .rank = 1, .dims = {2}, .data = narrow},
                           {.dtype = TARE_BOOL, .rank = 1, .dims = {2}, .data = truth}};
  static const int64_t wanted[][2] = {{-1, INT64_MAX}, {-1, INT32_MAX}, {0, 1}};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 2; i++) {
      assert_true(tarei_index_at(&t[k], i) == wanted[k][i]);
    }
  }
}

static const tare_dtype TYPES[] = {
#define TYPE_ROW(name, value, bytes, text) TARE_##name,
    TARE_DTYPE_LIST(TYPE_ROW)
#undef TYPE_ROW
};
enum { N_TYPES = sizeof TYPES / sizeof *TYPES };

static double written(const tare_dtype dtype, const double value) {
  uint64_t bits[2] = {UINT64_MAX, UINT64_MAX};
  tarei_write_number(dtype, value, bits);
  const size_t size = tare_dtype_size(dtype);
  for (size_t i = size; i < sizeof bits; i++) {
    assert_int_equal(((unsigned char *)bits)[i], UINT8_MAX); /* nothing behind the element */
  }
  const tare_tensor t = {.dtype = dtype, .rank = 1, .dims = {1}, .data = bits};
  return tarei_real_at(&t, 0);
}

static void what_is_written_is_read_back(void **state) {
  (void)state;
  for (int k = 0; k < N_TYPES; k++) {
    const tarei_number_range range = tarei_number_range_of(TYPES[k]);
    const double values[] = {0, 1, range.least, range.greatest};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
      if (written(TYPES[k], values[i]) != values[i]) {
        fail_msg("%s: %a is read as %a", tare_dtype_name(TYPES[k]), values[i],
                 written(TYPES[k], values[i]));
      }
    }
    assert_int_equal(range.integer, !tarei_is_float(TYPES[k]));
  }
}

static void written_integers_saturate(void **state) {
  (void)state;
  for (int k = 0; k < N_TYPES; k++) {
    const tarei_number_range range = tarei_number_range_of(TYPES[k]);
    if (TYPES[k] == TARE_BOOL) {
      assert_true(written(TARE_BOOL, 0.5) == 1);
      assert_true(written(TARE_BOOL, -300) == 1);
    } else if (range.integer) {
      const double most = range.greatest > 0x1p53 ? range.greatest / (1 - 0x1p-53) : range.greatest;
      assert_true(written(TYPES[k], 0x1p70) == most); /* 2^63 - 1 is read as 2^63 */
      assert_true(written(TYPES[k], (double)INFINITY) == most);
      assert_true(written(TYPES[k], -0x1p70) == range.least);
      assert_true(written(TYPES[k], (double)NAN) == range.least);
      assert_true(written(TYPES[k], 1.75) == 1);
    } else {
      assert_true(isinf(written(TYPES[k], (double)INFINITY)));
      assert_true(isnan(written(TYPES[k], (double)NAN)));
    }
  }
}

static void all_of_a_row_is_filled(void **state) {
  (void)state;
  for (int k = 0; k < N_TYPES; k++) {
    const size_t size = tare_dtype_size(TYPES[k]);
    for (size_t n = 0; n < 20; n++) {
      unsigned char bytes[21 * 8], element[8];
      memset(bytes, 0xee, sizeof bytes);
      tarei_fill_number(TYPES[k], 1, bytes, n);
      tarei_write_number(TYPES[k], 1, element);
      for (size_t i = 0; i < n; i++) {
        assert_memory_equal(bytes + i * size, element, size);
      }
      assert_int_equal(bytes[n * size], 0xee);
    }
  }
}

static void floats_are_known(void **state) {
  (void)state;
  int n = 0;
#define COUNT_FLOAT(name, value, bytes, text) n += tarei_is_float(TARE_##name);
  TARE_DTYPE_LIST(COUNT_FLOAT)
#undef COUNT_FLOAT
  assert_int_equal(n, 4);
  assert_true(tarei_is_float(TARE_F32) && tarei_is_float(TARE_F64) && tarei_is_float(TARE_F16) &&
              tarei_is_float(TARE_BF16));
  assert_false(tarei_is_float(TARE_DTYPE_NONE));
}

int number_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_is_read),
      cmocka_unit_test(integers_keep_all_bits_and_saturate),
      cmocka_unit_test(indices_are_read_by_their_width),
      cmocka_unit_test(what_is_written_is_read_back),
      cmocka_unit_test(written_integers_saturate),
      cmocka_unit_test(all_of_a_row_is_filled),
      cmocka_unit_test(floats_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
