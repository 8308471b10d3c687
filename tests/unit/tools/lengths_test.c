/* Profiles taken from lengths, and texts of profiles that are read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tools/options/choose_profiles.h"
#include "tools/options/lengths.h"

static const tare_port PORT = {
    .name = "ids", .dtype = TARE_I64, .rank = 2, .dims = {{-1, "batch"}, {-1, "it's, long"}}};

static lengths make(const int64_t (*const values)[2], const int n) {
  lengths l = {0};
  tare_error err = {0};
  assert_int_equal(lengths_new(&PORT, 1, &l, &err), TARE_OK);
  l.values = malloc((size_t)n * sizeof *values);
  assert_non_null(l.values);
  for (int i = 0; i < n; i++) {
    l.values[2 * i] = values[i][0];
    l.values[2 * i + 1] = values[i][1];
  }
  l.n = n;
  return l;
}

static void ranges_are_least_median_most(void **state) {
  (void)state;
  const int64_t values[][2] = {{1, 70}, {1, 10}, {1, 30}, {1, 20}, {1, 90}};
  lengths l = make(values, 5);
  const tare_range range = lengths_range(&l, 1);
  assert_int_equal(range.min, 10);
  assert_int_equal(range.opt, 30);
  assert_int_equal(range.max, 90);
  lengths_fini(&l);
}

static void specifications_are_read_back(void **state) {
  (void)state;
  const int64_t values[][2] = {{1, 70}, {1, 10}, {1, 30}};
  lengths l = make(values, 3);
  char *const spec = lengths_spec(&l);
  assert_string_equal(spec, "'it''s, long'=10:30:70");
  tare_error err = {0};
  assert_int_equal(tare_profiles_add(l.symbols, spec, &err), TARE_OK);
  char *const text = profile_text(l.symbols, 0);
  assert_string_equal(text, spec);
  free(text);
  free(spec);
  lengths_fini(&l);
}

static void single_elements_have_a_specification(void **state) {
  (void)state;
  const int64_t values[][2] = {{1, 1}};
  lengths l = make(values, 1);
  char *const spec = lengths_spec(&l);
  assert_string_equal(spec, "batch=1:1:1");
  free(spec);
  lengths_fini(&l);
}

static void profiles_are_copied_from_another_set(void **state) {
  (void)state;
  const opt_profiles none = {0};
  const opt_common common = {.quiet = true};
  tare_profiles *from = NULL, *to = NULL;
  tare_error err = {0};
  assert_int_equal(tare_profiles_new(&PORT, 1, &from, &err), TARE_OK);
  assert_int_equal(tare_profiles_add(from, "'it''s, long'=3:4:5,batch=2", &err), TARE_OK);
  assert_int_equal(profiles_choose(&none, &common, &PORT, 1, from, NULL, 0, &to, &err), TARE_OK);
  assert_int_equal(tare_profiles_count(to), 1);
  assert_int_equal(tare_profiles_range(to, 0, 0).max, 2);
  assert_int_equal(tare_profiles_range(to, 0, 1).opt, 4);
  tare_profiles_free(&from);
  tare_profiles_free(&to);
}

static void without_any_source_the_user_is_told(void **state) {
  (void)state;
  const opt_profiles none = {0};
  const opt_common common = {.quiet = true};
  tare_profiles *to = NULL;
  tare_error err = {0};
  assert_int_equal(profiles_choose(&none, &common, &PORT, 1, NULL, NULL, 0, &to, &err),
                   TARE_E_USAGE);
  assert_null(to);
}

int lengths_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranges_are_least_median_most),
      cmocka_unit_test(specifications_are_read_back),
      cmocka_unit_test(single_elements_have_a_specification),
      cmocka_unit_test(profiles_are_copied_from_another_set),
      cmocka_unit_test(without_any_source_the_user_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
