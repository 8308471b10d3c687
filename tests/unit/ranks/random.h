/* Random numbers of the tests of ranks: TARE_TEST_SEED repeats a run. */
#ifndef TAREI_TESTS_RANKS_RANDOM_H
#define TAREI_TESTS_RANKS_RANDOM_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static inline uint64_t random_begin(void) {
  const char *const text = getenv("TARE_TEST_SEED");
  const uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
  print_message("TARE_TEST_SEED=%llu\n", (unsigned long long)seed);
  return seed;
}

static inline int64_t random_below(uint64_t *const seed, const int64_t n) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int64_t)((*seed >> 33) % (uint64_t)n);
}

#endif
