/* Random numbers that are the same everywhere (splitmix64). */
#ifndef TAREI_TESTS_RANDOM_RANDOM_H
#define TAREI_TESTS_RANDOM_RANDOM_H

#include <stdint.h>

static inline uint64_t random_bits(uint64_t *const state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* From 0 to below 1. */
static inline double random_unit(uint64_t *const state) {
  return (double)(random_bits(state) >> 11) * 0x1p-53;
}

#endif
