#include "engine/plan_profiles.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/mem.h"
#include "engine/check/length_search.h"
#include "engine/sizes.h"
#include "shapes/profiles.h"

tare_status tarei_plan_map_symbols(tare_plan *const plan, tare_error *const err) {
  const tarei_exprs *const exprs = plan->root.graph->exprs;
  const int n = tarei_exprs_n_symbols(exprs);
  plan->symbols = tarei_calloc((size_t)n, sizeof *plan->symbols);
  if (!plan->symbols) {
    return tarei_fail_memory(err, "symbols", (size_t)n * sizeof *plan->symbols);
  }
  plan->n_symbols = n;
  for (int s = 0; s < n; s++) {
    const char *const name = tarei_exprs_symbol_name(exprs, s);
    const bool lacks = tarei_exprs_is_measured(exprs, s) || tarei_exprs_is_dropped(exprs, s);
    plan->symbols[s] = lacks ? -1 : tarei_profiles_find_symbol(plan->profiles, name);
    if (plan->symbols[s] < 0 && !lacks) {
      return tarei_fail(err, TARE_E_USAGE, "no profile gives a range for symbol '%s'", name);
    }
  }
  return TARE_OK;
}

void tarei_plan_symbols(const tare_plan *const plan, const int64_t *const profile_symbols,
                        int64_t *const symbols) {
  for (int s = 0; s < plan->n_symbols; s++) {
    symbols[s] = plan->symbols[s] < 0 ? 1 : profile_symbols[plan->symbols[s]];
  }
}

static void point_values(const tare_plan *const plan, const int profile, const int which,
                         int64_t values[const TARE_MAX_SYMBOLS]) {
  for (int s = 0; s < tare_profiles_n_symbols(plan->profiles); s++) {
    const tare_range r = tare_profiles_range(plan->profiles, profile, s);
    values[s] = which == 0 ? r.min : which == 1 ? r.opt : r.max;
  }
}

static void profile_point(const tare_plan *const plan, const int profile, const int which,
                          int64_t *const symbols) {
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  point_values(plan, profile, which, values);
  tarei_plan_symbols(plan, values, symbols);
}

/* The search for lengths in place of those that fail. */
typedef struct point_search {
  const tare_plan *plan;
  int64_t *symbols;
} point_search;

static bool point_works(void *const user, const int64_t *const values) {
  const point_search *const p = user;
  tarei_plan_symbols(p->plan, values, p->symbols);
  return tarei_plan_check_dims(p->plan, p->symbols, NULL) == TARE_OK;
}

/* Says in a failure which lengths would do. */
static void suggest_lengths(const tare_plan *const plan, const int64_t *const values,
                            int64_t *const symbols, tare_error *const err) {
  point_search p = {plan, symbols};
  const tarei_length_search search = {point_works, &p, plan->profiles};
  const tare_length_near near = tarei_length_search_near(&search, values);
  tarei_str text = {0};
  tarei_length_near_print(&near, plan->profiles, &text);
  if (err && text.length) {
    const tare_error at = *err;
    (void)tarei_fail(err, at.status, "%s; %s", at.message, tarei_str_get(&text));
  }
  tarei_str_free(&text);
}

static tare_status check_points(const tare_plan *const plan, int64_t *const symbols,
                                tare_error *const err) {
  static const char *const names[] = {"min", "opt", "max"};
  for (int p = 0; p < tare_profiles_count(plan->profiles); p++) {
    for (int which = 0; which < 3; which++) {
      profile_point(plan, p, which, symbols);
      if (tarei_plan_check_dims(plan, symbols, err) != TARE_OK) {
        int64_t values[TARE_MAX_SYMBOLS] = {0};
        point_values(plan, p, which, values);
        suggest_lengths(plan, values, symbols, err);
        return tarei_fail_in(err, TARE_E_SHAPE, "profile %d at its %s", p, names[which]);
      }
    }
  }
  return TARE_OK;
}

/* Room for so many points; NULL is a failure. */
static int64_t *new_points(const tare_plan *const plan, const size_t n, tare_error *const err) {
  int64_t *const points = tarei_calloc(n * (size_t)plan->n_symbols, sizeof *points);
  if (!points) {
    (void)tarei_fail_memory(err, "symbols", n * (size_t)plan->n_symbols * sizeof *points);
  }
  return points;
}

tare_status tarei_plan_check_profiles(const tare_plan *const plan, tare_error *const err) {
  int64_t *const symbols = new_points(plan, 1, err);
  const tare_status status = symbols ? check_points(plan, symbols, err) : TARE_E_MEMORY;
  free(symbols);
  return status;
}

/* Largest dims over all profiles. */
static tare_status bound_value(const tarei_part *const part, const int v, int64_t *const lo,
                               int64_t *const hi, tare_error *const err) {
  const tare_plan *const plan = part->plan;
  const tarei_value *const value = &part->graph->values[v];
  tare_tensor *const bound = &part->bounds[v];
  for (int p = 0; p < tare_profiles_count(plan->profiles); p++) {
    profile_point(plan, p, 0, lo);
    profile_point(plan, p, 2, hi);
    for (int d = 0; d < value->rank; d++) {
      int64_t min, max;
      if (!tarei_expr_bounds(part->graph->exprs, value->dims[d], lo, hi, &min, &max)) {
        return tarei_fail(err, TARE_E_SHAPE, "'%s': axis %d has no upper bound in profile %d",
                          value->name, d, p);
      }
      bound->dims[d] = max > bound->dims[d] ? max : bound->dims[d];
    }
  }
  return TARE_OK;
}

static tare_status value_bytes(const tarei_part *const part, const int v, size_t *const bytes,
                               tare_error *const err) {
  if (!tarei_sizes_bytes(&part->bounds[v], bytes)) {
    return tarei_fail_limit(err, &part->graph->limits, TAREI_LIMIT_memory, -1,
                            "at the profiles' maximum, tensor '%s' takes",
                            part->graph->values[v].name);
  }
  return TARE_OK;
}

static bool is_bounded(const tarei_part *const part, const int v) {
  const tarei_storage storage = part->slots[v].storage;
  return storage == TAREI_STORE_CONST || storage == TAREI_STORE_ARENA ||
         (storage == TAREI_STORE_INPUT && !part->graph->is_body);
}

static tare_status bound_values(const tarei_part *const part, int64_t *const lo, int64_t *const hi,
                                tare_error *const err) {
  for (int v = 0; v < part->graph->n_values; v++) {
    const tarei_value *const value = &part->graph->values[v];
    part->bounds[v] = (tare_tensor){.dtype = value->dtype, .rank = value->rank};
    if (is_bounded(part, v)) {
      TAREI_TRY(bound_value(part, v, lo, hi, err));
      TAREI_TRY(value_bytes(part, v, &part->slots[v].bytes, err));
    }
  }
  return TARE_OK;
}

tare_status tarei_part_bound(const tarei_part *const part, tare_error *const err) {
  int64_t *const lo = new_points(part->plan, 2, err);
  const tare_status status =
      lo ? bound_values(part, lo, lo + part->plan->n_symbols, err) : TARE_E_MEMORY;
  free(lo);
  return status;
}
