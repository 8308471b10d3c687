/* Which rank counts which samples: every sample belongs to one rank, whatever is taken and
 * returned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/ranks/assignment.h"
#include "unit/ranks/random.h"
#include "unit/seed.h"

enum { MOST_TOTAL = 300, MOST_RANKS = 8 };

/* Ranges are ascending without gaps, neighbours differ where they could be one, and free samples
 * are counted. */
static void check_ranges(const assignment *const a, const int64_t total, const int *const owners) {
  int64_t at = 0, n_free = 0;
  for (int i = 0; i < a->n; i++) {
    const sample_range *const r = &a->items[i];
    assert_int_equal(r->first, at);
    assert_true(r->end > r->first);
    for (; at < r->end; at++) {
      assert_int_equal(owners[at], r->rank);
    }
    n_free += r->rank < 0 ? r->end - r->first : 0;
  }
  assert_int_equal(at, total);
  assert_int_equal(a->n_free, n_free);
}

static void samples_are_taken_in_order(void **state) {
  (void)state;
  assignment a;
  sample_range got = {0};
  assignment_init(&a, 10);
  assert_true(assignment_take(&a, 0, 0, 4, &got));
  assert_int_equal(got.first, 0);
  assert_int_equal(got.end, 4);
  assert_true(assignment_take(&a, 1, 0, 4, &got));
  assert_int_equal(got.first, 4);
  assert_int_equal(got.end, 8);
  assert_true(assignment_take(&a, 0, 4, 4, &got));
  assert_int_equal(got.first, 8);
  assert_int_equal(got.end, 10);
  assert_false(assignment_take(&a, 1, 0, 4, &got));
  assert_int_equal(assignment_return(&a, 0), 6);
  assert_false(assignment_take(&a, 1, 10, 4, &got)); /* it is behind them already */
  assert_true(assignment_take(&a, 1, 2, 100, &got)); /* what is before is not for it in this pass */
  assert_int_equal(got.first, 2);
  assert_int_equal(got.end, 4);
  assert_int_equal(a.n_free, 4);
  assignment_fini(&a);
}

static void nothing_to_take(void **state) {
  (void)state;
  assignment a;
  sample_range got = {0};
  assignment_init(&a, 0);
  assert_false(assignment_take(&a, 0, 0, 1, &got));
  assert_int_equal(assignment_return(&a, 0), 0);
  assignment_fini(&a);
  assignment_init(&a, 3);
  assert_false(assignment_take(&a, 0, 0, 0, &got));
  assert_int_equal(a.n_free, 3);
  assignment_fini(&a);
}

/* Neighbours of one rank become one range: the list does not grow with what is taken. */
static void one_rank_needs_one_range(void **state) {
  (void)state;
  assignment a;
  sample_range got = {0};
  assignment_init(&a, 1000);
  for (int64_t at = 0; at < 1000; at = got.end) {
    assert_true(assignment_take(&a, 0, at, 7, &got));
    assert_true(a.n <= 2);
  }
  assignment_fini(&a);
}

static void random_order(void **state) {
  (void)state;
  uint64_t seed = test_seed();
  for (int round = 0; round < 300; round++) {
    assignment a;
    int owners[MOST_TOTAL];
    const int64_t total = random_below(&seed, MOST_TOTAL + 1);
    assignment_init(&a, total);
    memset(owners, 0xff, sizeof owners);
    for (int step = 0; step < 100; step++) {
      const int rank = (int)random_below(&seed, MOST_RANKS);
      if (random_below(&seed, 10) == 0) {
        int64_t n = 0;
        for (int64_t i = 0; i < total; i++) {
          n += owners[i] == rank;
          owners[i] = owners[i] == rank ? -1 : owners[i];
        }
        assert_int_equal(assignment_return(&a, rank), n);
      } else {
        const int64_t from = random_below(&seed, total + 2), most = 1 + random_below(&seed, 32);
        sample_range got = {0};
        int64_t first = from;
        while (first < total && owners[first] >= 0) {
          first++;
        }
        const bool taken = assignment_take(&a, rank, from, most, &got);
        assert_int_equal(taken, first < total);
        for (int64_t i = got.first; taken && i < got.end; i++) {
          assert_int_equal(owners[i], -1);
          owners[i] = rank;
        }
        assert_true(!taken || (got.first == first && got.end - got.first <= most));
      }
      check_ranges(&a, total, owners);
    }
    assignment_fini(&a);
  }
}

int assignment_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_are_taken_in_order),
      cmocka_unit_test(nothing_to_take),
      cmocka_unit_test(one_rank_needs_one_range),
      cmocka_unit_test(random_order),
  };
  return cmocka_run_group_tests_name("ranks/assignment", tests, NULL, NULL);
}
