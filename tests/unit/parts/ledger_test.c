#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "calib/parts/ledger.h"

static tarei_ledger ledger_of(const char *const letters) {
  tarei_ledger l = {0};
  for (const char *c = letters; *c; c++) {
    const tarei_sample_hash sample = {.high = (uint64_t)*c / 2, .low = (uint64_t)*c};
    assert_int_equal(tarei_ledger_add(&l, sample, NULL), TARE_OK);
  }
  tarei_ledger_sort(&l);
  assert_true(tarei_ledger_is_sorted(&l));
  return l;
}

static void assert_is(tarei_ledger *const l, const char *const letters) {
  tarei_ledger expected = ledger_of(letters);
  assert_int_equal(l->n, expected.n);
  assert_memory_equal(l->items, expected.items, l->n * sizeof *l->items);
  tarei_ledger_fini(&expected);
}

static void joins_what_both_have_as_often(void **const state) {
  (void)state;
  static const struct {
    const char *a, *b, *sum;
    size_t common;
  } cases[] = {{"", "", "", 0},         {"abc", "", "abc", 0},         {"", "ab", "ab", 0},
               {"abc", "b", "abbc", 1}, {"aab", "aaac", "aaaaabc", 2}, {"xyz", "abc", "abcxyz", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tarei_ledger a = ledger_of(cases[i].a), b = ledger_of(cases[i].b);
    assert_int_equal(tarei_ledger_common(&a, &b), cases[i].common);
    assert_int_equal(tarei_ledger_common(&b, &a), cases[i].common);
    assert_int_equal(tarei_ledger_join(&a, &b, NULL), TARE_OK);
    assert_is(&a, cases[i].sum);
    tarei_ledger_fini(&a);
    tarei_ledger_fini(&b);
  }
}

static void takes_each_as_often_as_it_is_there(void **const state) {
  (void)state;
  tarei_ledger l = ledger_of("abba"), more = ledger_of("bc"), sample;
  tarei_ledger_rest rest = {0};
  assert_int_equal(tarei_ledger_rest_add(&rest, &l, NULL), TARE_OK);
  assert_int_equal(tarei_ledger_rest_add(&rest, &more, NULL), TARE_OK);
  for (int turn = 0; turn < 2; turn++) {
    static const char order[] = "bbxbabaac";
    static const bool there[] = {true, true, false, true, true, false, true, false, true};
    for (int i = 0; order[i]; i++) {
      const char name[] = {order[i], '\0'};
      sample = ledger_of(name);
      assert_int_equal(tarei_ledger_rest_take(&rest, sample.items[0]), there[i]);
      tarei_ledger_fini(&sample);
    }
    assert_int_equal(rest.left, 0);
    tarei_ledger_rest_reset(&rest);
    assert_int_equal(rest.left, 6);
  }
  tarei_ledger_rest_fini(&rest);
  assert_false(tarei_ledger_rest_take(&rest, l.items[0]));
  tarei_ledger_fini(&l);
  tarei_ledger_fini(&more);
}

static tarei_sample_hash hash_of(const tare_dtype dtype, const int rank, const int64_t *const dims,
                                 void *const data) {
  tare_tensor t = {.dtype = dtype, .rank = rank, .data = data};
  for (int d = 0; d < rank; d++) {
    t.dims[d] = dims[d];
  }
  return tarei_sample_hash_of(&t, 1);
}

static bool same(const tarei_sample_hash a, const tarei_sample_hash b) {
  return a.high == b.high && a.low == b.low;
}

/* Equal contents are the same sample, with or without a dim for the batch; nothing else is. */
static void hashes_what_a_sample_holds(void **const state) {
  (void)state;
  float x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {1, 2, 3, 4, 5, 7};
  const int64_t flat[] = {6}, batch[] = {1, 6}, wide[] = {2, 3}, tall[] = {3, 2};
  const tarei_sample_hash base = hash_of(TARE_F32, 1, flat, x);
  assert_true(same(base, hash_of(TARE_F32, 2, batch, x)));
  assert_false(same(base, hash_of(TARE_F32, 1, flat, y)));
  assert_false(same(base, hash_of(TARE_I32, 1, flat, x)));
  assert_false(same(base, hash_of(TARE_F32, 2, wide, x)));
  assert_false(same(hash_of(TARE_F32, 2, tall, x), hash_of(TARE_F32, 2, wide, x)));
  tare_tensor both[2] = {{.dtype = TARE_F32, .rank = 1, .dims = {6}, .data = x},
                         {.dtype = TARE_F32, .rank = 1, .dims = {6}, .data = y}};
  const tarei_sample_hash forth = tarei_sample_hash_of(both, 2);
  both[0].data = y;
  both[1].data = x;
  assert_false(same(forth, tarei_sample_hash_of(both, 2)));
}

int ledger_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joins_what_both_have_as_often),
      cmocka_unit_test(takes_each_as_often_as_it_is_there),
      cmocka_unit_test(hashes_what_a_sample_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
