#include "tests/unit/kernels/checkkern.h"

static const tare_dtype numbers[] = {TARE_F32, TARE_F64, TARE_I32, TARE_I64, TARE_U32, TARE_U64};
static const tare_dtype short_integers[] = {TARE_BOOL, TARE_U8, TARE_I8, TARE_U16, TARE_I16};
enum { NUMBERS = sizeof numbers / sizeof *numbers, WIDEST = 8 };

static size_t reduce_element(const tare_dtype dtype) {
#define BYTES_OF(name, value, bytes, text) [value] = (bytes),
  static const size_t bytes[] = {TARE_DTYPE_LIST(BYTES_OF)};
#undef BYTES_OF
  return bytes[dtype];
}

static void *reduce_elements(const tare_dtype dtype, const size_t n) {
  uint8_t *const x = ck_bytes(n * reduce_element(dtype));
  const bool wild = ck_below(4) == 0;
  for (size_t i = 0; i < n; i++) {
    if (dtype == TARE_F32) {
      ((float *)(void *)x)[i] = ck_float(wild);
    } else if (dtype == TARE_F64) {
      ((double *)(void *)x)[i] = (double)ck_float(wild);
    } else if (dtype == TARE_BOOL) {
      x[i] &= 1;
    }
  }
  return x;
}

/* Bits of a NaN may differ. */
static void assert_same_outputs(const char *const name, const tare_dtype dtype, const void *const a,
                                const void *const b, const size_t n) {
  const double *const x = a, *const y = b;
  if (dtype == TARE_F32) {
    ck_assert_same_floats(name, a, b, n);
    return;
  }
  for (size_t i = 0; dtype == TARE_F64 && i < n; i++) {
    assert_true(memcmp(&x[i], &y[i], sizeof *x) == 0 || (isnan(x[i]) && isnan(y[i])));
  }
  if (dtype != TARE_F64) {
    ck_assert_same_bytes(name, a, b, n * reduce_element(dtype));
  }
}

static tare_dtype reduce_dtype_for(const tarei_reduce_kind kind) {
  const bool any = kind == TAREI_REDUCE_MAX || kind == TAREI_REDUCE_MIN;
  const tare_dtype number = numbers[ck_below(NUMBERS)];
  const bool taken = kind != TAREI_REDUCE_LOG_SUM_EXP || number != TARE_F32;
  return any && ck_below(2) ? short_integers[ck_below(sizeof short_integers / sizeof(tare_dtype))]
         : taken            ? number
                            : TARE_F64;
}

/* n elements `stride` apart in each of some rows, for outputs that lie side by side, or one row of
 * them behind the other. */
static void every_kind_gives_the_same_bits(void **state) {
  (void)state;
  const tarei_kernels scalar = ck_scalar();
  for (int i = 0; i < 60 * TAREI_REDUCE_COUNT; i++) {
    const tarei_reduce_kind kind = (tarei_reduce_kind)(i % TAREI_REDUCE_COUNT);
    const tare_dtype dtype = reduce_dtype_for(kind);
    const bool beside = ck_below(2);
    const size_t n = ck_size(), rows = 1 + ck_below(3);
    const size_t lanes =
        beside ? 1 + ck_below(TAREI_REDUCTION_LANES) : 1 + ck_below(TAREI_REDUCTION_ROWS);
    const size_t per_row = beside ? n * lanes : n;
    const tarei_reduction r = {.cut = {.n = 1, .size = {rows}, .stride = {per_row}},
                               .n = n,
                               .stride = beside ? lanes : 1,
                               .rows = rows,
                               .count = n * rows};
    const size_t step = beside ? 1 : n * rows;
    void *const x = reduce_elements(dtype, n * rows * lanes), *const expected =
                                                                  ck_output(lanes * WIDEST);
    scalar.reduce(kind, dtype, TAREI_REDUCE_WHOLE, &r, x, lanes, step, expected);
    CK_EACH_ROW("reduce") {
      void *const got = ck_output(lanes * WIDEST);
      ((tarei_reduce_fn *)row->function)(kind, dtype, TAREI_REDUCE_WHOLE, &r, x, lanes, step, got);
      assert_same_outputs(row->name, dtype, got, expected, lanes);
      free(got);
    }
    free(x);
    free(expected);
  }
}

/* Blocks that are joined give what one call gives. */
static void parts_make_up_the_whole(void **state) {
  (void)state;
  for (int i = 0; i < 3 * TAREI_REDUCE_COUNT; i++) {
    const tarei_reduce_kind kind = (tarei_reduce_kind)(i % TAREI_REDUCE_COUNT);
    const bool extreme = kind == TAREI_REDUCE_MAX || kind == TAREI_REDUCE_MIN;
    const tare_dtype dtype = reduce_dtype_for(kind);
    const size_t n = 2 * TAREI_REDUCE_BLOCK + ck_size(), element = reduce_element(dtype);
    void *const x = reduce_elements(dtype, n);
    const tarei_reduction whole = {.n = n, .stride = 1, .rows = 1, .count = n};
    const tarei_reduction last = {.n = 3, .stride = 1, .rows = 1, .count = n};
    CK_EACH_ROW("reduce") {
      tarei_reduce_fn *const reduce = (tarei_reduce_fn *)row->function;
      uint64_t results[3], expected, got;
      for (size_t b = 0; kind != TAREI_REDUCE_LOG_SUM_EXP && b < 3; b++) {
        const size_t at = b * TAREI_REDUCE_BLOCK, left = n - at;
        const tarei_reduction block = {
            .n = b < 2 ? TAREI_REDUCE_BLOCK : left, .stride = 1, .rows = 1};
        reduce(kind, dtype, TAREI_REDUCE_FIRST, &block, (char *)x + at * element, 1, 1,
               (char *)results + b * (extreme ? element : sizeof *results));
      }
      reduce(kind, dtype, TAREI_REDUCE_WHOLE, &whole, x, 1, 1, &expected);
      if (kind != TAREI_REDUCE_LOG_SUM_EXP) {
        reduce(kind, dtype, TAREI_REDUCE_LAST, &last, results, 1, 1, &got);
        assert_same_outputs(row->name, dtype, &got, &expected, 1);
      }
    }
    free(x);
  }
}

int reduce_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_gives_the_same_bits),
      cmocka_unit_test(parts_make_up_the_whole),
  };
  return cmocka_run_group_tests_name("kernels.reduce", tests, ck_seed, NULL);
}
