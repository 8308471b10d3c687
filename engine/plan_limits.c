#include "engine/plan_limits.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/part.h"

static bool is_own(const tarei_part *const part, const int v, const tarei_storage storage) {
  return part->slots[v].storage == storage && part->slots[v].root == v;
}

/* A tensor of symbols is as large as the user's profile; one of fixed dims as the model likes. */
static tare_status check_fixed(const tarei_part *const root, tare_error *const err) {
  const tare_limits *const limits = &root->graph->limits;
  for (int v = 0; v < root->graph->n_values; v++) {
    const tarei_value_slot *const slot = &root->slots[v];
    if (is_own(root, v, TAREI_STORE_ARENA) && !slot->dynamic &&
        slot->bytes > (size_t)limits->tensor) {
      return tarei_fail_limit(err, limits, TAREI_LIMIT_tensor, (int64_t)slot->bytes,
                              "by its fixed dims, tensor '%s' takes", root->graph->values[v].name);
    }
  }
  return TARE_OK;
}

static size_t input_bytes(const tarei_part *const root) {
  size_t bytes = 0;
  for (int v = 0; v < root->graph->n_values; v++) {
    bytes += is_own(root, v, TAREI_STORE_INPUT) ? root->slots[v].bytes : 0;
  }
  return bytes;
}

/* The largest value of a symbol stands in the profile that asks for most; the first such profile.
 */
static int largest_profile(const tare_profiles *const profiles) {
  double most = -1;
  int largest = 0;
  for (int p = 0; p < tare_profiles_count(profiles); p++) {
    double product = 1;
    for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
      product *= (double)tare_profiles_range(profiles, p, s).max;
    }
    largest = product > most ? p : largest;
    most = product > most ? product : most;
  }
  return largest;
}

static tare_status fail_memory_limit(const tare_plan *const plan, const int64_t bytes,
                                     tare_error *const err) {
  const int p = largest_profile(plan->profiles);
  const int n = tare_profiles_n_symbols(plan->profiles);
  tarei_str maxima = {0};
  for (int s = 0; s < n; s++) {
    tarei_str_add(&maxima, "%s%s=%lld", s ? ", " : " (", tare_profiles_symbol(plan->profiles, s),
                  (long long)tare_profiles_range(plan->profiles, p, s).max);
  }
  const tare_status status = tarei_fail_limit(err, &plan->root.graph->limits, TAREI_LIMIT_memory,
                                              bytes, "a run at the maximum of profile %d%s%s needs",
                                              p, tarei_str_get(&maxima), n ? ")" : "");
  tarei_str_free(&maxima);
  return status;
}

int64_t tarei_plan_run_bytes(const tare_plan *const plan, const int threads) {
  size_t bytes = tarei_part_scratch_bytes(&plan->root, threads);
  return tarei_add_size(bytes, plan->arena_bytes, &bytes) &&
                 tarei_add_size(bytes, input_bytes(&plan->root), &bytes) && bytes <= INT64_MAX
             ? (int64_t)bytes
             : INT64_MAX;
}

tare_status tarei_plan_check_limits(const tare_plan *const plan, const int threads,
                                    tare_error *const err) {
  TAREI_TRY(check_fixed(&plan->root, err));
  const int64_t bytes = tarei_plan_run_bytes(plan, threads);
  return bytes <= plan->root.graph->limits.memory ? TARE_OK : fail_memory_limit(plan, bytes, err);
}
