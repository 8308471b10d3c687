/* Groups of lengths with the least padding, against all ways to cut them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <tare/profile.h>

enum { MOST_LENGTHS = 9 };

static uint64_t state = 1;

static int64_t random_between(const int64_t least, const int64_t most) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return least + (int64_t)(state >> 33) % (most - least + 1);
}

static int64_t padding_of_group(const tare_length_count *const l, const int first, const int last) {
  int64_t padding = 0;
  for (int i = first; i <= last; i++) {
    padding += (l[last].length - l[i].length) * l[i].samples;
  }
  return padding;
}

/* Of the lengths from `first` on. */
static int64_t least_padding(const tare_length_count *const l, const int n, const int first,
                             const int groups) {
  if (groups == 1) {
    return padding_of_group(l, first, n - 1);
  }
  int64_t least = INT64_MAX;
  for (int last = first; last <= n - groups; last++) {
    const int64_t padding =
        padding_of_group(l, first, last) + least_padding(l, n, last + 1, groups - 1);
    least = padding < least ? padding : least;
  }
  return least;
}

static int random_lengths(tare_length_count *const l, const int most) {
  const int n = (int)random_between(1, most);
  int64_t length = 0;
  for (int i = 0; i < n; i++) {
    length += random_between(1, random_between(1, 200));
    l[i] = (tare_length_count){length, random_between(1, random_between(1, 50))};
  }
  return n;
}

static void no_other_cut_pads_less(void **unused) {
  (void)unused;
  for (int round = 0; round < 2000; round++) {
    tare_length_count l[MOST_LENGTHS];
    const int n = random_lengths(l, MOST_LENGTHS), groups = (int)random_between(1, n);
    int last[MOST_LENGTHS], first = 0;
    int64_t padding = -1, sum = 0;
    assert_int_equal(tare_lengths_cut(l, n, groups, last, &padding, NULL), TARE_OK);
    for (int g = 0; g < groups; g++) {
      assert_true(last[g] >= first);
      sum += padding_of_group(l, first, last[g]);
      first = last[g] + 1;
    }
    assert_int_equal(first, n);
    assert_int_equal(padding, sum);
    assert_int_equal(padding, least_padding(l, n, 0, groups));
  }
}

static void a_group_for_each_length_pads_nothing(void **unused) {
  (void)unused;
  static tare_length_count l[TARE_MAX_PROFILES];
  int last[TARE_MAX_PROFILES];
  int64_t padding = -1;
  const int n = random_lengths(l, TARE_MAX_PROFILES);
  assert_int_equal(tare_lengths_cut(l, n, n, last, &padding, NULL), TARE_OK);
  assert_int_equal(padding, 0);
}

/* As many lengths as ten thousand recordings may have. */
static void many_lengths_are_cut(void **unused) {
  (void)unused;
  enum { MANY = 100000 };
  tare_length_count *const l = calloc(MANY, sizeof *l);
  assert_non_null(l);
  for (int i = 0; i < MANY; i++) {
    l[i] = (tare_length_count){100 + 7 * (int64_t)i, 1};
  }
  int last[4];
  int64_t padding = 0;
  assert_int_equal(tare_lengths_cut(l, MANY, 4, last, &padding, NULL), TARE_OK);
  for (int g = 0; g < 4; g++) { /* equal counts at equal distances */
    assert_int_equal(last[g], MANY / 4 * (g + 1) - 1);
  }
  free(l);
}

int length_cuts_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_other_cut_pads_less),
      cmocka_unit_test(a_group_for_each_length_pads_nothing),
      cmocka_unit_test(many_lengths_are_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
