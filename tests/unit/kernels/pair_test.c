/* Functions of two numbers of any type. */
#include "tests/unit/kernels/checkkern.h"

#define DTYPE_OF(name, value, bytes, text) TARE_##name,
static const tare_dtype pair_dtypes[] = {TARE_DTYPE_LIST(DTYPE_OF)};
#undef DTYPE_OF
enum { PAIR_DTYPES = sizeof pair_dtypes / sizeof *pair_dtypes, PAIR_WIDEST = 8 };

static size_t pair_element(const tare_dtype dtype) {
#define BYTES_OF(name, value, bytes, text) [value] = (bytes),
  static const size_t bytes[] = {TARE_DTYPE_LIST(BYTES_OF)};
#undef BYTES_OF
  return bytes[dtype];
}

/* Integers of any size, or small ones of which a few are large; none is 0, as some are divisors. */
static void *pair_operand(const tare_dtype dtype, const size_t n) {
  const size_t size = pair_element(dtype);
  uint8_t *const x = ck_bytes(n * size);
  const bool small = ck_below(2);
  for (size_t i = 0; i < n; i++) {
    if (dtype == TARE_F32) {
      ((float *)(void *)x)[i] = ck_float(true);
    } else if (dtype == TARE_F64) {
      ((double *)(void *)x)[i] = (double)ck_float(true);
    } else {
      const int64_t number = (int64_t)ck_below(100) - 50;
      if (small && ck_below(2000)) {
        memcpy(x + i * size, &number, size);
      }
      x[i * size] |= 1;
    }
  }
  return x;
}

/* A NaN may differ from another. */
static void pair_assert_same(const char *const name, const tare_dtype dtype, const void *const a,
                             const void *const b, const size_t n) {
  if (dtype == TARE_F32) {
    ck_assert_same_floats(name, a, b, n);
    return;
  }
  for (size_t i = 0; dtype == TARE_F64 && i < n; i++) {
    const double x = ((const double *)a)[i], y = ((const double *)b)[i];
    assert_true(memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y)));
  }
  if (dtype != TARE_F64) {
    ck_assert_same_bytes(name, a, b, n * pair_element(dtype));
  }
}

static bool pair_gives_bools(const tarei_pair pair) {
  return pair >= TAREI_PAIR_EQUAL && pair <= TAREI_PAIR_XOR;
}

/* Operands step, or one of them is a single number; the output may be the first operand. */
static void check_pair(const tarei_pair pair, const tare_dtype dtype) {
  const tarei_kernels scalar = ck_scalar();
  const size_t n = ck_size() * (1 + ck_below(4)), a_step = ck_below(4) > 0;
  const size_t b_step = a_step ? ck_below(3) > 0 : 1, element = pair_element(dtype);
  const tare_dtype out = pair_gives_bools(pair) ? TARE_BOOL : dtype;
  void *const a = pair_operand(dtype, a_step ? n : 1), *const b =
                                                           pair_operand(dtype, b_step ? n : 1);
  void *const expected = ck_output(n * PAIR_WIDEST);
  scalar.pair(pair, dtype)(a, a_step, b, b_step, n, expected);
  CK_EACH_ROW("pair") {
    tarei_pair_row_fn *const f = ((tarei_pair_fn *)row->function)(pair, dtype);
    void *const got = ck_output(n * PAIR_WIDEST);
    f(a, a_step, b, b_step, n, got);
    pair_assert_same(row->name, out, got, expected, n);
    if (a_step && out == dtype) {
      memcpy(got, a, n * element);
      f(got, a_step, b, b_step, n, got);
      pair_assert_same(row->name, out, got, expected, n);
    }
    free(got);
  }
  free(a);
  free(b);
  free(expected);
}

static void every_function_gives_the_same_bits(void **state) {
  (void)state;
  const tarei_kernels scalar = ck_scalar();
  for (int i = 0; i < 8 * TAREI_PAIR_COUNT * PAIR_DTYPES; i++) {
    const tarei_pair pair = (tarei_pair)(i % TAREI_PAIR_COUNT);
    const tare_dtype dtype = pair_dtypes[i / TAREI_PAIR_COUNT % PAIR_DTYPES];
    if (scalar.pair(pair, dtype)) {
      check_pair(pair, dtype);
    }
  }
}

/* Numbers around 2^51, up to which quotients of 64 bits are those of doubles. */
static void large_quotients_are_exact(void **state) {
  (void)state;
  enum { N = 4096 };
  int64_t a[N], b[N], quotients[N], rests[N];
  for (int i = 0; i < N; i++) {
    const size_t bits = 45 + ck_below(i / 64 % 2 ? 6 : 18); /* of blocks with small ones alone */
    const int64_t origin = ck_below(2) ? INT64_C(1) << bits : 0;
    a[i] = (origin + (int64_t)ck_below(9) - 4) * (ck_below(2) ? 1 : -1);
    b[i] = ck_below(2) ? 1 + (int64_t)ck_below(9) : a[i] + (int64_t)ck_below(3) - 1;
    b[i] += b[i] == 0;
  }
  CK_EACH_ROW("pair") {
    tarei_pair_fn *const pair = (tarei_pair_fn *)row->function;
    for (int at = 0; at < N; at += 64) {
      pair(TAREI_PAIR_DIV, TARE_I64)(a + at, 1, b + at, 1, 64, quotients + at);
      pair(TAREI_PAIR_FMOD, TARE_I64)(a + at, 1, b + at, 1, 64, rests + at);
    }
    for (int i = 0; i < N; i++) {
      assert_int_equal(quotients[i], a[i] / b[i]);
      assert_int_equal(rests[i], a[i] % b[i]);
    }
  }
}

int pair_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_function_gives_the_same_bits),
      cmocka_unit_test(large_quotients_are_exact),
  };
  return cmocka_run_group_tests_name("kernels.pair", tests, ck_seed, NULL);
}
