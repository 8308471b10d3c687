#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/memory_plan.h"

static uint64_t seed = 20261120;

static uint64_t next_random(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

static int overlap(const tarei_usage *const a, const tarei_usage *const b) {
  const int together = a->first <= b->last && b->first <= a->last;
  return together && a->bytes && b->bytes && a->offset < b->offset + b->bytes &&
         b->offset < a->offset + a->bytes;
}

static void nothing_alive_together_overlaps(void **state) {
  (void)state;
  print_message("seed %llu\n", (unsigned long long)seed);
  for (int round = 0; round < 200; round++) {
    tarei_usage u[60];
    const int n = 1 + (int)(next_random() % 60);
    for (int i = 0; i < n; i++) {
      const int first = (int)(next_random() % 40);
      u[i] = (tarei_usage){.bytes = next_random() % 5000, .first = first,
                           .last = first + (int)(next_random() % 10)};
    }
    size_t total = 0;
    assert_int_equal(tarei_memory_plan(u, n, &total, NULL), TARE_OK);
    for (int i = 0; i < n; i++) {
      assert_int_equal(u[i].offset % 64, 0);
      assert_true(!u[i].bytes || u[i].offset + u[i].bytes <= total);
      for (int j = 0; j < i; j++) {
        assert_false(overlap(&u[i], &u[j]));
      }
    }
  }
}

static void a_chain_needs_two_buffers(void **state) {
  (void)state;
  tarei_usage u[10];
  for (int i = 0; i < 10; i++) {
    u[i] = (tarei_usage){.bytes = 640, .first = i, .last = i + 1};
  }
  size_t total = 0;
  assert_int_equal(tarei_memory_plan(u, 10, &total, NULL), TARE_OK);
  assert_int_equal(total, 1280);
}

static void sizes_beyond_the_address_space_are_refused(void **state) {
  (void)state;
  tarei_usage u[] = {{.bytes = SIZE_MAX - 100, .first = 0, .last = 1},
                     {.bytes = SIZE_MAX / 2, .first = 0, .last = 1}};
  size_t total = 0;
  assert_int_equal(tarei_memory_plan(u, 2, &total, NULL), TARE_E_LIMIT);
}

int memory_plan_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_alive_together_overlaps),
      cmocka_unit_test(a_chain_needs_two_buffers),
      cmocka_unit_test(sizes_beyond_the_address_space_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
