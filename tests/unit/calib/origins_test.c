#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "calib/evidence/origins.h"

enum { N = 200 };

typedef struct seen {
  tarei_sample_hash hash;
  float min, max;
} seen;

/* Few different values, so that many samples have the same extreme. */
static void make_samples(seen *const samples) {
  uint64_t state = 12345;
  for (int i = 0; i < N; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    samples[i] = (seen){.hash = {.high = state, .low = (uint64_t)i},
                        .min = -(float)(state >> 32 & 7),
                        .max = (float)(state >> 40 & 7)};
  }
}

static void note(tarei_origins *const o, const seen *const s) {
  tarei_origins_note(o, s->hash, s->min, s->max);
}

static void does_not_depend_on_order_or_parts(void **const state) {
  (void)state;
  seen samples[N];
  make_samples(samples);
  tarei_origins all;
  tarei_origins_init(&all);
  for (int i = 0; i < N; i++) {
    note(&all, &samples[i]);
  }
  for (int n = 2; n <= 7; n++) {
    tarei_origins sum, parts[7];
    tarei_origins_init(&sum);
    for (int p = 0; p < n; p++) {
      tarei_origins_init(&parts[p]);
    }
    for (int i = N - 1; i >= 0; i--) {
      note(&parts[i % n], &samples[i]);
      note(&parts[i % n], &samples[i]); /* in two pieces */
    }
    for (int p = n - 1; p >= 0; p--) {
      tarei_origins_merge(&sum, &parts[p]);
    }
    assert_memory_equal(&sum, &all, sizeof all);
    assert_true(tarei_origins_are_sound(&sum, -7, 7));
  }
}

static void smallest_hash_sets_the_range(void **const state) {
  (void)state;
  seen samples[N];
  make_samples(samples);
  tarei_origins all;
  const seen *least = NULL;
  tarei_origins_init(&all);
  for (int i = 0; i < N; i++) {
    const seen *const s = &samples[i];
    note(&all, s);
    least =
        s->max == 7 && (!least || tarei_sample_hash_order(&s->hash, &least->hash) < 0) ? s : least;
  }
  assert_non_null(least);
  assert_memory_equal(&all.max, &least->hash, sizeof least->hash);
}

static void slices_divide_all_hashes(void **const state) {
  (void)state;
  int counts[TAREI_SLICES] = {0};
  for (uint64_t top = 0; top < 256; top++) {
    counts[tarei_slice_of((tarei_sample_hash){.high = top << 56})]++;
  }
  int sum = 0;
  for (int i = 0; i < TAREI_SLICES; i++) {
    assert_true(counts[i] >= 1 && (i == 0 || counts[i] <= sum));
    sum += counts[i];
  }
  assert_int_equal(sum, 256);
}

static void nothing_without_values(void **const state) {
  (void)state;
  tarei_origins o, before;
  tarei_origins_init(&o);
  before = o;
  tarei_origins_note(&o, (tarei_sample_hash){1, 2}, INFINITY, -INFINITY);
  tarei_origins_merge(&o, &before);
  assert_memory_equal(&o, &before, sizeof o);
  assert_true(tarei_origins_are_sound(&o, INFINITY, -INFINITY));
  assert_false(tarei_origins_are_sound(&o, 0, 0));
}

int origins_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(does_not_depend_on_order_or_parts),
      cmocka_unit_test(smallest_hash_sets_the_range),
      cmocka_unit_test(slices_divide_all_hashes),
      cmocka_unit_test(nothing_without_values),
  };
  return cmocka_run_group_tests_name("origins", tests, NULL, NULL);
}
