/* A fuzz target: a reader of files or texts from outside, and how input for it is made. One file
 * (target_<name>.c) and one row in targets.inc each. */
#ifndef TAREI_TESTS_FUZZ_TARGET_H
#define TAREI_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* The signature of LLVMFuzzerTestOneInput: returns 0; anything wrong ends the process. */
typedef int fuzz_test_fn(const uint8_t *data, size_t size);

/* Changes data in place, deterministically by the seed; returns the new size, at most `most`. */
typedef size_t fuzz_mutate_fn(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Receives one seed. */
typedef void fuzz_take_fn(void *user, const void *data, size_t size);

typedef struct fuzz_target {
  const char *name;
  const char *const *seeds; /* globs of files below the project, NULL-terminated; or NULL */
  /* Makes further seeds; NULL: none. */
  void (*make)(fuzz_take_fn *take, void *user);
  fuzz_test_fn *test;
  fuzz_mutate_fn *mutate;   /* knows the structure; NULL: bytes and words */
  const char *const *words; /* what the format is made of, NULL-terminated; or NULL */
} fuzz_target;

#define FUZZ_TARGET(name) extern const fuzz_target fuzz_target_##name;
#include "fuzz/targets.inc"
#undef FUZZ_TARGET

/* The target of a name, or NULL; by number, NULL beyond the last. */
const fuzz_target *fuzz_target_named(const char *name);
const fuzz_target *fuzz_target_at(int i);

#endif
