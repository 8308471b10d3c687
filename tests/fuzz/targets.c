/* The table of targets. */
#include <string.h>

#include "fuzz/target.h"

static const fuzz_target *const targets[] = {
#define FUZZ_TARGET(name) &fuzz_target_##name,
#include "fuzz/targets.inc"
#undef FUZZ_TARGET
};

const fuzz_target *fuzz_target_at(const int i) {
  return i >= 0 && i < (int)(sizeof targets / sizeof *targets) ? targets[i] : NULL;
}

const fuzz_target *fuzz_target_named(const char *const name) {
  const fuzz_target *target = NULL;
  for (int i = 0; (target = fuzz_target_at(i)) && strcmp(target->name, name) != 0; i++) {
  }
  return target;
}
