#include "tests/unit/kernels/checkkern.h"

#include <tare/tensor.h>

#define DTYPE_OF(name, value, bytes, text) TARE_##name,
static const tare_dtype cast_dtypes[] = {TARE_DTYPE_LIST(DTYPE_OF)};
#undef DTYPE_OF
enum { CAST_DTYPES = sizeof cast_dtypes / sizeof *cast_dtypes, CAST_WIDEST = 8 };

static size_t cast_bytes(const tare_dtype dtype) {
#define BYTES_OF(name, value, bytes, text) [value] = (bytes),
  static const size_t bytes[] = {TARE_DTYPE_LIST(BYTES_OF)};
#undef BYTES_OF
  return bytes[dtype];
}

/* Floats at the limits of the integers and of the short floats. */
static double cast_number(void) {
  static const double limits[] = {
      0,       127,     128,   255,      256,    32767,  32768,       65504,      65519,
      65520,   65535,   65536, 0x1p31,   0x1p32, 0x1p63, 0x1p64,      0x1p-14,    0x1p-24,
      0x1p-25, 0x1p-26, 1e300, INFINITY, NAN,    0.5,    1 + 0x1p-11, 1 + 0x1p-9, 1 + 0x3p-9};
  const double sign = ck_below(2) ? 1 : -1;
  return ck_below(3) ? (double)ck_float(true)
                     : sign * limits[ck_below(sizeof limits / sizeof *limits)];
}

static void *cast_elements(const tare_dtype dtype, const size_t n) {
  uint8_t *const x = ck_bytes(n * cast_bytes(dtype));
  for (size_t i = 0; i < n; i++) {
    if (dtype == TARE_F32) {
      ((float *)(void *)x)[i] = (float)cast_number();
    } else if (dtype == TARE_F64) {
      ((double *)(void *)x)[i] = cast_number();
    }
  }
  return x;
}

/* A NaN may differ from another. */
static void assert_same_elements(const char *const name, const tare_dtype to, const void *const got,
                                 const void *const expected, const size_t n) {
  if (to == TARE_F32) {
    ck_assert_same_floats(name, got, expected, n);
  } else if (to == TARE_F64) {
    for (size_t i = 0; i < n; i++) {
      const double a = ((const double *)got)[i], b = ((const double *)expected)[i];
      assert_true(memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)));
    }
  } else {
    ck_assert_same_bytes(name, got, expected, n * cast_bytes(to));
  }
}

static void every_pair_of_types_is_converted_alike(void **state) {
  (void)state;
  const tarei_kernels scalar = ck_scalar();
  for (int i = 0; i < 2 * CAST_DTYPES * CAST_DTYPES; i++) {
    const tare_dtype from = cast_dtypes[i % CAST_DTYPES];
    const tare_dtype to = cast_dtypes[i / CAST_DTYPES % CAST_DTYPES];
    const size_t n = ck_below(4) ? ck_size() : 1000 + ck_size();
    void *const x = cast_elements(from, n), *const expected = ck_output(n * CAST_WIDEST);
    scalar.cast(from, to, x, n, expected);
    CK_EACH_ROW("cast") {
      void *const got = ck_output(n * CAST_WIDEST);
      ((tarei_cast_fn *)row->function)(from, to, x, n, got);
      assert_same_elements(row->name, to, got, expected, n);
      free(got);
    }
    free(x);
    free(expected);
  }
}

/* Every float16 widens and narrows to itself; between two of them, the nearest even one comes out.
 */
static void short_floats_round_half_to_even(void **state) {
  (void)state;
  enum { FINITE = 0x7c00 };
  uint16_t *const all = ck_alloc(FINITE * sizeof *all), *const got = ck_alloc(FINITE * sizeof *got);
  float *const wide = ck_alloc(FINITE * sizeof *wide), *const between =
                                                           ck_alloc(FINITE * sizeof *wide);
  for (size_t i = 0; i < FINITE; i++) {
    all[i] = (uint16_t)i;
  }
  CK_EACH_ROW("cast") {
    tarei_cast_fn *const cast = (tarei_cast_fn *)row->function;
    cast(TARE_F16, TARE_F32, all, FINITE, wide);
    cast(TARE_F32, TARE_F16, wide, FINITE, got);
    assert_memory_equal(got, all, FINITE * sizeof *all);
    for (size_t i = 0; i < FINITE; i++) {
      between[i] = 0.5f * (wide[i] + (i + 1 < FINITE ? wide[i + 1] : 65536.0f));
    }
    cast(TARE_F32, TARE_F16, between, FINITE, got);
    for (size_t i = 0; i < FINITE; i++) {
      assert_int_equal(got[i], i + i % 2);
    }
  }
  free(all);
  free(got);
  free(wide);
  free(between);
}

int cast_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_pair_of_types_is_converted_alike),
      cmocka_unit_test(short_floats_round_half_to_even),
  };
  return cmocka_run_group_tests_name("kernels.cast", tests, ck_seed, NULL);
}
