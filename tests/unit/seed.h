/* The seed of a random test: TARE_TEST_SEED, or else the time. It is printed, so that a failure can
 * be repeated. */
#ifndef TAREI_TESTS_UNIT_SEED_H
#define TAREI_TESTS_UNIT_SEED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline uint64_t test_seed(void) {
  const char *const given = getenv("TARE_TEST_SEED");
  const uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
  printf("TARE_TEST_SEED=%llu\n", (unsigned long long)seed);
  return seed;
}

#endif
