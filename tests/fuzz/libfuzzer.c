/* A target as libFuzzer wants it, and AFL++ with its driver: FUZZ_NAME is its name. */
#include "fuzz/harness.h"

#define TARGET_OF(name) fuzz_target_##name
#define TARGET_NAMED(name) TARGET_OF(name)

fuzz_test_fn LLVMFuzzerTestOneInput;

int LLVMFuzzerTestOneInput(const uint8_t *const data, const size_t size) {
  return TARGET_NAMED(FUZZ_NAME).test(data, size);
}

#ifndef __AFL_COMPILER /* it has afl_mutator.c */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
fuzz_mutate_fn LLVMFuzzerCustomMutator;

/* libFuzzer's own mutations know what its comparisons saw. */
size_t LLVMFuzzerCustomMutator(uint8_t *const data, const size_t size, const size_t most,
                               const unsigned seed) {
  const fuzz_target *const target = &TARGET_NAMED(FUZZ_NAME);
  if (seed % 4 == 0 || (!target->mutate && seed % 2)) {
    return LLVMFuzzerMutate(data, size, most);
  }
  return fuzz_mutate(target, data, size, most, seed);
}
#endif
