#include "engine/check/length_search.h"

#include <inttypes.h>
#include <string.h>

#include "shapes/profiles.h"

enum {
  NEIGHBOURS = 64, /* lengths that are tried one by one on either side */
  DOUBLINGS = 40
};

static const int64_t MOST = INT64_C(1) << 40; /* beyond it a length is none of data */

/* The values with another one for one symbol, and what follows from it for sums. */
static bool search_works_at(const tarei_length_search *const s, const int64_t *const values,
                            const int symbol, const int64_t length) {
  int64_t own[TARE_MAX_SYMBOLS] = {0};
  memcpy(own, values, (size_t)tare_profiles_n_symbols(s->profiles) * sizeof *own);
  own[symbol] = length;
  return tarei_profiles_add_up(s->profiles, own) && s->works(s->user, own);
}

/* The working one of two neighbours between which it changes. */
static int64_t search_bisect(const tarei_length_search *const s, const int64_t *const values,
                             const int symbol, int64_t fails, int64_t works) {
  while (works - fails > 1 || fails - works > 1) {
    const int64_t middle = fails + (works - fails) / 2;
    if (search_works_at(s, values, symbol, middle)) {
      works = middle;
    } else {
      fails = middle;
    }
  }
  return works;
}

/* The next length that works among the neighbours, upwards (step 1) or downwards (-1); or -1. */
static int64_t search_neighbours(const tarei_length_search *const s, const int64_t *const values,
                                 const int symbol, const int step) {
  int64_t length = values[symbol];
  for (int i = 0; i < NEIGHBOURS && length + step >= 0; i++) {
    length += step;
    if (search_works_at(s, values, symbol, length)) {
      return length;
    }
  }
  return -1;
}

static int64_t search_up(const tarei_length_search *const s, const int64_t *const values,
                         const int symbol) {
  int64_t fails = values[symbol];
  for (int i = 0; i < DOUBLINGS; i++) {
    const int64_t next = fails ? 2 * fails : 1;
    if (next > MOST) {
      return -1;
    }
    if (search_works_at(s, values, symbol, next)) {
      return search_bisect(s, values, symbol, fails, next);
    }
    fails = next;
  }
  return -1;
}

static int64_t search_down(const tarei_length_search *const s, const int64_t *const values,
                           const int symbol) {
  for (int64_t fails = values[symbol]; fails > 0; fails /= 2) {
    if (search_works_at(s, values, symbol, fails / 2)) {
      return search_bisect(s, values, symbol, fails, fails / 2);
    }
  }
  return -1;
}

/* A neighbour that works shows that what bisection found is not the nearest. */
static int64_t search_side(const tarei_length_search *const s, const int64_t *const values,
                           const int symbol, const int step) {
  const int64_t neighbour = search_neighbours(s, values, symbol, step);
  return neighbour >= 0 ? neighbour
         : step > 0     ? search_up(s, values, symbol)
                        : search_down(s, values, symbol);
}

/* Whether all lengths that are tried beyond a bound work, as they do where it is one. */
static bool search_holds_beyond(const tarei_length_search *const s, const int64_t *const values,
                                const int symbol, const int64_t bound, const int step) {
  for (int64_t i = 1; i <= NEIGHBOURS; i += 1 + i / 4) {
    const int64_t length = bound + step * i;
    if (length > 0 && !search_works_at(s, values, symbol, length)) {
      return false;
    }
  }
  return true;
}

static tare_length_near search_symbol(const tarei_length_search *const s,
                                      const int64_t *const values, const int symbol) {
  tare_length_near near = {.symbol = symbol,
                           .below = search_side(s, values, symbol, -1),
                           .above = search_side(s, values, symbol, 1)};
  near.below = near.below == 0 ? -1 : near.below; /* nothing is no length of a sample */
  if (near.below < 0 && near.above < 0) {
    near.symbol = -1;
  } else if (near.below < 0) {
    near.ends = search_holds_beyond(s, values, symbol, near.above, 1);
  } else if (near.above < 0) {
    near.ends = search_holds_beyond(s, values, symbol, near.below, -1);
  }
  return near;
}

/* By which factor the symbol has to change. */
static double near_factor(const tare_length_near *const near, const int64_t *const values) {
  const double from = (double)(values[near->symbol] > 0 ? values[near->symbol] : 1);
  const double up = near->above > 0 ? (double)near->above / from : 1e300;
  const double down = near->below > 0 ? from / (double)near->below : 1e300;
  return up < down ? up : down;
}

tare_length_near tarei_length_search_near(const tarei_length_search *const search,
                                          const int64_t *const values) {
  tare_length_near best = {.symbol = -1, .below = -1, .above = -1};
  for (int s = 0; s < tare_profiles_n_symbols(search->profiles); s++) {
    if (tare_profiles_is_sum(search->profiles, s)) {
      continue;
    }
    const tare_length_near near = search_symbol(search, values, s);
    if (near.symbol >= 0 &&
        (best.symbol < 0 || near_factor(&near, values) < near_factor(&best, values))) {
      best = near;
    }
  }
  return best;
}

void tarei_length_near_print(const tare_length_near *const near,
                             const tare_profiles *const profiles, tarei_str *const out) {
  const char *const name = near->symbol < 0 ? "" : tare_profiles_symbol(profiles, near->symbol);
  if (near->symbol < 0) {
    return;
  }
  if (near->ends) {
    tarei_str_add(out, "the %s %s that works is %" PRId64, near->above >= 0 ? "least" : "most",
                  name, near->above >= 0 ? near->above : near->below);
  } else if (near->below >= 0 && near->above >= 0) {
    tarei_str_add(out, "it works at %s=%" PRId64 " and at %s=%" PRId64, name, near->below, name,
                  near->above);
  } else {
    tarei_str_add(out, "it works at %s=%" PRId64 ", and not at all lengths", name,
                  near->above >= 0 ? near->above : near->below);
  }
}
