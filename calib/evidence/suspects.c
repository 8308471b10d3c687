#include "calib/evidence/suspects.h"

#include <math.h>
#include <stddef.h>

#include "graph/quantize/row_need.h"
#include "graph/table/table.h"

/* Limits; docs/numerics.md says why. */
#define JUMP 4.0       /* between the largest magnitudes in neighbouring profiles */
#define FAR_SHARE 0.5F /* of the range that lies between the values and zero */

/* A tensor over all profiles. */
typedef struct suspect {
  float min, max; /* INFINITY and -INFINITY without values */
  int64_t n_odd, n_values, n_samples;
} suspect;

static suspect suspect_of(const tarei_stats_tensor *const tensor, const int n_profiles) {
  suspect s = {.min = INFINITY, .max = -INFINITY};
  for (int p = 0; p < n_profiles; p++) {
    const tarei_accumulator *const a = &tensor->buckets[p];
    s.min = fminf(s.min, a->min);
    s.max = fmaxf(s.max, a->max);
    s.n_odd += a->n_nan + a->n_inf;
    s.n_samples += a->n_samples;
    s.n_values += a->count;
  }
  return s;
}

static float suspect_amax(const suspect *const s) {
  return s->min <= s->max ? fmaxf(fabsf(s->min), fabsf(s->max)) : 0;
}

static bool suspect_is_dead(const tarei_stats_tensor *const tensor, const int n_profiles) {
  const suspect s = suspect_of(tensor, n_profiles);
  return s.min == 0 && s.max == 0;
}

static bool suspect_is_denormal(const tarei_stats_tensor *const tensor, const int n_profiles) {
  const suspect s = suspect_of(tensor, n_profiles);
  return suspect_amax(&s) > 0 && (double)suspect_amax(&s) < tarei_table_least_amax();
}

static bool suspect_is_constant(const tarei_stats_tensor *const tensor, const int n_profiles) {
  const suspect s = suspect_of(tensor, n_profiles);
  return s.min == s.max && s.min != 0;
}

static bool suspect_is_far(const tarei_stats_tensor *const tensor, const int n_profiles) {
  const suspect s = suspect_of(tensor, n_profiles);
  const float nearest = fminf(fabsf(s.min), fabsf(s.max));
  return s.min < s.max && s.min * s.max > 0 && nearest > FAR_SHARE * suspect_amax(&s);
}

static bool suspect_is_one_sided(const tarei_stats_tensor *const tensor, const int n_profiles) {
  const suspect s = suspect_of(tensor, n_profiles);
  return s.min < s.max && (s.min >= 0 || s.max <= 0) && !suspect_is_far(tensor, n_profiles);
}

static bool suspect_is_odd(const tarei_stats_tensor *const tensor, const int n_profiles) {
  return suspect_of(tensor, n_profiles).n_odd > 0;
}

static bool suspect_jumps(const tarei_stats_tensor *const tensor, const int n_profiles) {
  double before = 0;
  bool jumps = false;
  for (int p = 0; p < n_profiles; p++) {
    const double amax = (double)tarei_accumulator_amax(&tensor->buckets[p]);
    jumps = jumps || (before > 0 && amax > 0 && (amax > JUMP * before || before > JUMP * amax));
    before = amax > 0 ? amax : before;
  }
  return jumps;
}

static bool suspect_has_few_values(const tarei_stats_tensor *const tensor, const int n_profiles) {
  const suspect s = suspect_of(tensor, n_profiles);
  return suspect_amax(&s) > 0 && !tarei_range_is_settled(s.n_values, s.n_samples);
}

static const tarei_suspicion suspicions[] = {
    {"dead", "contain only zeros",
     "they stay in float; if they should not be zero, add data that brings them to life", false,
     suspect_is_dead},
    {"denormal", "contain only numbers too small for a scale",
     "they stay in float; look at the layers that make them", false, suspect_is_denormal},
    {"constant", "have a single value",
     "the data does not vary what they depend on: add other data", false, suspect_is_constant},
    {"not_finite", "contain NaN or Inf, which is not counted",
     "find the layer that makes them with tare debug, or the sample in the data", false,
     suspect_is_odd},
    {"far_from_zero", "have no values in the half of their range next to zero",
     "int8 wastes half of its steps on them; keep the layers that read them in float if accuracy "
     "suffers",
     false, suspect_is_far},
    {"scale_jump", "have ranges in neighbouring profiles that differ by more than a factor of 4",
     "use a table with --per-profile, or add samples to the profile with the small range", false,
     suspect_jumps},
    {"few_values", "have fewer than 65536 values, of fewer than 64 samples",
     "other samples may exceed their ranges and be clipped: calibrate with more samples, or keep "
     "the layers that read them in float",
     false, suspect_has_few_values},
    {"one_sided", "have values on one side of zero alone",
     "tare stores them without sign; engines with symmetric int8 waste one bit on them", true,
     suspect_is_one_sided},
};

const tarei_suspicion *tarei_suspicion_at(const int i) {
  const int n = sizeof suspicions / sizeof *suspicions;
  return i < n ? &suspicions[i] : NULL;
}
