#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "shapes/profiles.h"

int tarei_profiles_find_symbol(const tare_profiles *const profiles, const char *const name) {
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    if (strcmp(tare_profiles_symbol(profiles, s), name) == 0) {
      return s;
    }
  }
  return -1;
}

/* The ends of a profile as values of the pool's symbols. False where `e` uses one that it lacks. */
static bool fill_ends(const tare_profiles *const profiles, const int profile,
                      const tarei_exprs *const exprs, const tarei_expr e, int64_t *const lo,
                      int64_t *const hi) {
  for (int s = 0; s < tarei_exprs_n_symbols(exprs); s++) {
    const int symbol =
        tarei_exprs_is_measured(exprs, s)
            ? -1
            : tarei_profiles_find_symbol(profiles, tarei_exprs_symbol_name(exprs, s));
    if (symbol < 0 && tarei_expr_uses(exprs, e, s)) {
      return false;
    }
    const tare_range range =
        symbol < 0 ? (tare_range){0} : tare_profiles_range(profiles, profile, symbol);
    lo[s] = range.min;
    hi[s] = range.max;
  }
  return true;
}

bool tarei_profiles_largest(const tare_profiles *const profiles, const tarei_exprs *const exprs,
                            const tarei_expr e, int64_t *const largest) {
  const size_t n = (size_t)tarei_exprs_n_symbols(exprs);
  int64_t *const lo = tarei_calloc(2 * n, sizeof *lo);
  bool known = lo && e != TAREI_EXPR_NONE && tare_profiles_count(profiles) > 0;
  *largest = INT64_MIN;
  for (int p = 0; known && p < tare_profiles_count(profiles); p++) {
    int64_t min, max;
    known = fill_ends(profiles, p, exprs, e, lo, lo + n) &&
            tarei_expr_bounds(exprs, e, lo, lo + n, &min, &max);
    *largest = known && max > *largest ? max : *largest;
  }
  free(lo);
  return known;
}
