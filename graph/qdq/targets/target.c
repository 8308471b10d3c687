#include "graph/qdq/targets/target.h"

#define TAREI_TARGET(id) &tarei_target_##id,
static const tarei_target *const targets[] = {
#include "graph/qdq/targets/targets.inc"
};
#undef TAREI_TARGET

enum { N_TARGETS = sizeof targets / sizeof *targets };

int tare_n_export_targets(void) {
  return N_TARGETS;
}

const tarei_target *tarei_target_at(const int target) {
  return target >= 0 && target < N_TARGETS ? targets[target] : NULL;
}

const tare_export_target *tare_export_target_at(const int target) {
  const tarei_target *const t = tarei_target_at(target);
  return t ? &t->about : NULL;
}
