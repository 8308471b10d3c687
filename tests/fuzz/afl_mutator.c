/*
 * The mutations of a target as a custom mutator of AFL++ 4: a module that afl-fuzz loads
 * (AFL_CUSTOM_MUTATOR_LIBRARY). TARE_FUZZ_TARGET names the target.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/harness.h"

typedef struct afl_mutator {
  const fuzz_target *target;
  uint64_t state;
  uint8_t *data;
  size_t room;
} afl_mutator;

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *afl_custom_init(void *fuzzer, unsigned seed);
EXPORTED size_t afl_custom_fuzz(void *mutator, const uint8_t *data, size_t size, uint8_t **out,
                                const uint8_t *other, size_t other_size, size_t most);
EXPORTED void afl_custom_deinit(void *mutator);

/* Ends afl-fuzz without a target: it does not look at what this returns. */
void *afl_custom_init(void *const fuzzer, const unsigned seed) {
  (void)fuzzer;
  const char *const name = getenv("TARE_FUZZ_TARGET");
  const fuzz_target *const target = name ? fuzz_target_named(name) : NULL;
  if (!target) {
    fprintf(stderr, "TARE_FUZZ_TARGET is '%s': expected the name of a target\n", name ? name : "");
    exit(1);
  }
  afl_mutator *const m = calloc(1, sizeof *m);
  if (m) {
    *m = (afl_mutator){.target = target, .state = (uint64_t)seed << 1 | 1};
  }
  return m;
}

size_t afl_custom_fuzz(void *const mutator, const uint8_t *const data, const size_t size,
                       uint8_t **const out, const uint8_t *const other, const size_t other_size,
                       const size_t most) {
  (void)other, (void)other_size;
  afl_mutator *const m = mutator;
  if (m->room < most) {
    free(m->data);
    m->data = malloc(most);
    m->room = m->data ? most : 0;
  }
  if (!m->data || size > most) {
    *out = NULL;
    return 0; /* this turn is left out */
  }
  memcpy(m->data, data, size);
  *out = m->data;
  return fuzz_mutate(m->target, m->data, size, most, fuzz_random(&m->state, 1u << 30));
}

void afl_custom_deinit(void *const mutator) {
  afl_mutator *const m = mutator;
  free(m->data);
  free(m);
}
