/* Mutations that know nothing of the structure but the words of the target. */
#include <string.h>

#include "fuzz/harness.h"

static const int64_t mutate_numbers[] = {
    0,   1,   -1,    2,     7,         8,         16,        64,        127,       128,
    255, 256, 65535, 65536, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1LL << 40, 0x7fc00000};

static size_t mutate_insert(uint8_t *const data, const size_t size, const size_t most,
                            const size_t at, const void *const bytes, const size_t n) {
  if (size + n > most) {
    return size;
  }
  memmove(data + at + n, data + at, size - at);
  memcpy(data + at, bytes, n);
  return size + n;
}

static size_t mutate_word(const fuzz_target *const target, uint8_t *const data, const size_t size,
                          const size_t most, uint64_t *const state) {
  uint32_t n = 0;
  while (target->words && target->words[n]) {
    n++;
  }
  if (!n) {
    return size;
  }
  const char *const word = target->words[fuzz_random(state, n)];
  const size_t length = strlen(word), at = fuzz_random(state, (uint32_t)size + 1);
  if (fuzz_random(state, 2) || at + length > size) {
    return mutate_insert(data, size, most, at, word, length);
  }
  memcpy(data + at, word, length);
  return size;
}

static size_t mutate_once(const fuzz_target *const target, uint8_t *const data, const size_t size,
                          const size_t most, uint64_t *const state) {
  if (!size) {
    return mutate_word(target, data, size, most, state);
  }
  const size_t at = fuzz_random(state, (uint32_t)size);
  const size_t width = (size_t)1 << fuzz_random(state, 4);
  const size_t run = 1 + fuzz_random(state, 32), from = fuzz_random(state, (uint32_t)size);
  const int64_t number = mutate_numbers[fuzz_random(state, sizeof mutate_numbers / 8)];
  switch (fuzz_random(state, 9)) {
    case 0:
      data[at] ^= (uint8_t)(1 << fuzz_random(state, 8));
      return size;
    case 1:
      data[at] = (uint8_t)fuzz_random(state, 256);
      return size;
    case 2:
      data[at] = (uint8_t)(data[at] + fuzz_random(state, 5) - 2);
      return size;
    case 3:
    case 4:
      if (at + width <= size) {
        memcpy(data + at, &number, width);
      }
      return size;
    case 5:
      return fuzz_random(state, 8) ? size : at; /* cut */
    case 6:                                     /* leave out */
      if (at + run >= size) {
        return size;
      }
      memmove(data + at, data + at + run, size - at - run);
      return size - run;
    case 7: { /* repeat */
      uint8_t copy[32];
      const size_t n = from + run <= size ? run : 1;
      memcpy(copy, data + from, n);
      return mutate_insert(data, size, most, at, copy, n);
    }
    default:
      return mutate_word(target, data, size, most, state);
  }
}

size_t fuzz_mutate_bytes(const fuzz_target *const target, uint8_t *const data, size_t size,
                         const size_t most, const unsigned seed) {
  uint64_t state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
  const uint32_t n = 1 + fuzz_random(&state, 4);
  for (uint32_t i = 0; i < n; i++) {
    size = mutate_once(target, data, size, most, &state);
  }
  return size;
}

size_t fuzz_mutate(const fuzz_target *const target, uint8_t *const data, const size_t size,
                   const size_t most, const unsigned seed) {
  return target->mutate ? target->mutate(data, size, most, seed)
                        : fuzz_mutate_bytes(target, data, size, most, seed);
}
