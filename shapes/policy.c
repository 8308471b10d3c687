#include "shapes/policy.h"

#include <assert.h>

#include "base/str.h"

static int64_t native_value(const int64_t own, const tare_range range) {
  (void)range;
  return own;
}

static int64_t pad_value(const int64_t own, const tare_range range) {
  (void)own;
  return range.max;
}

static int64_t truncate_value(const int64_t own, const tare_range range) {
  return own > range.opt ? range.opt : own;
}

static int64_t opt_value(const int64_t own, const tare_range range) {
  (void)own;
  return range.opt;
}

/* The sample's own value lies inside the range. */
typedef int64_t policy_fn(int64_t own, tare_range range);

static policy_fn *const policies[TARE_FIT_COUNT] = {
#define TAREI_POLICY(suffix, name, summary) [TARE_FIT_##suffix] = name##_value,
#include "shapes/policies.inc"
#undef TAREI_POLICY
};

static const char *const names[TARE_FIT_COUNT] = {
#define TAREI_POLICY(suffix, name, summary) [TARE_FIT_##suffix] = #name,
#include "shapes/policies.inc"
#undef TAREI_POLICY
};

int64_t tarei_policy_value(const tare_fit fit, const int64_t own, const tare_range range) {
  assert((unsigned)fit < TARE_FIT_COUNT);
  const int64_t inside = own < range.min ? range.min : own > range.max ? range.max : own;
  return policies[fit](inside, range);
}

const char *tare_fit_name(const tare_fit fit) {
  return (unsigned)fit < TARE_FIT_COUNT ? names[fit] : NULL;
}

static const char *const summaries[TARE_FIT_COUNT] = {
#define TAREI_POLICY(suffix, name, summary) [TARE_FIT_##suffix] = summary,
#include "shapes/policies.inc"
#undef TAREI_POLICY
};

const char *tare_fit_summary(const tare_fit fit) {
  return (unsigned)fit < TARE_FIT_COUNT ? summaries[fit] : NULL;
}

bool tare_fit_pads(const tare_fit fit) {
  const tare_range range = {.min = 1, .opt = 2, .max = 3};
  return (unsigned)fit < TARE_FIT_COUNT && tarei_policy_value(fit, range.min, range) > range.min;
}

tare_status tare_fit_parse(const char *const name, tare_fit *const out, tare_error *const err) {
  int index;
  TAREI_TRY(tarei_pick("fit", name, names, TARE_FIT_COUNT, &index, err));
  *out = (tare_fit)index;
  return TARE_OK;
}
