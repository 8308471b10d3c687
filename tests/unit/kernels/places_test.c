/* Where indices of an axis point to. */
#include "tests/unit/kernels/checkkern.h"

static int64_t place_index(const int64_t size, const bool outside) {
  static const int64_t far[] = {INT32_MIN, INT32_MAX};
  const int64_t ends[] = {-size - 1, size, far[ck_below(2)]};
  return outside ? ends[ck_below(3)] : (int64_t)ck_below(2 * (size_t)size) - size;
}

static void every_row_finds_the_places(void **state) {
  (void)state;
  for (int k = 0; k < 4000; k++) {
    const size_t n = ck_size();
    const tarei_placing p = {.size = 1 + (int64_t)ck_below(k % 2 ? 5 : 100000),
                             .stride = 1 + (int64_t)ck_below(3000),
                             .beside = (int64_t)ck_below(2)};
    const size_t outside = ck_below(4) ? n : ck_below(n);
    int64_t *const wide = ck_alloc(n * sizeof *wide);
    int32_t *const narrow = ck_alloc(n * sizeof *narrow);
    for (size_t i = 0; i < n; i++) {
      wide[i] = place_index(p.size, i == outside);
      narrow[i] = (int32_t)wide[i];
    }
    CK_EACH_ROW("places") {
      tarei_places_fn *const places = (tarei_places_fn *)row->function;
      int64_t *const got = ck_output(n * sizeof *got), *const same = ck_output(n * sizeof *same);
      assert_int_equal(places(TARE_I64, wide, n, &p, got), outside == n);
      assert_int_equal(places(TARE_I32, narrow, n, &p, same), outside == n);
      assert_memory_equal(got, same, n * sizeof *got);
      for (size_t i = 0; outside == n && i < n; i++) {
        const int64_t at = wide[i] < 0 ? wide[i] + p.size : wide[i];
        assert_int_equal(got[i], at * p.stride + (int64_t)i * p.beside);
      }
      free(got);
      free(same);
    }
    free(wide);
    free(narrow);
  }
}

static void indices_of_64_bits_do_not_wrap(void **state) {
  (void)state;
  static const int64_t far[] = {INT64_MIN, INT64_MIN + 5, INT64_MAX, INT64_MAX - 4, 5, -6};
  const tarei_placing p = {.size = 5, .stride = 1};
  CK_EACH_ROW("places") {
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
      int64_t place;
      assert_false(((tarei_places_fn *)row->function)(TARE_I64, &far[i], 1, &p, &place));
    }
  }
}

int places_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_finds_the_places),
      cmocka_unit_test(indices_of_64_bits_do_not_wrap),
  };
  return cmocka_run_group_tests_name("kernels.places", tests, ck_seed, NULL);
}
