/* Random numbers of the tests of ranks. */
#ifndef TAREI_TESTS_UNIT_RANKS_RANDOM_H
#define TAREI_TESTS_UNIT_RANKS_RANDOM_H

#include <stdint.h>

static inline int64_t random_below(uint64_t *const seed, const int64_t n) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int64_t)((*seed >> 33) % (uint64_t)n);
}

#endif
