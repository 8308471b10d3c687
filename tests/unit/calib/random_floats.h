/* Random floats for tests; the seed is printed, so that a failure can be repeated. */
#ifndef TAREI_TESTS_UNIT_CALIB_RANDOM_FLOATS_H
#define TAREI_TESTS_UNIT_CALIB_RANDOM_FLOATS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "unit/seed.h"

static uint64_t random_state;

static inline void seed_random(void) {
  random_state = test_seed() * 2654435761u + 1;
}

static inline uint32_t random_bits(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (uint32_t)(random_state >> 32);
}

static inline int64_t random_below(const int64_t n) {
  return (int64_t)random_bits() % n;
}

/* Any finite float: every exponent as likely, denormals and both zeros among them. */
static inline float random_finite(void) {
  for (;;) {
    const uint32_t bits = random_bits();
    float x;
    memcpy(&x, &bits, sizeof x);
    if (isfinite(x)) {
      return x;
    }
  }
}

/* Like activations: mostly small, some large, some exactly zero. */
static inline float random_activation(void) {
  const float u = (float)random_bits() / 4294967296.0f - 0.5f;
  const uint32_t kind = random_bits() % 16;
  return kind == 0 ? 0.0f : kind == 1 ? u * 200 : u * u * u * 8;
}

#endif
