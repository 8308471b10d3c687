/* "samples=1600:16000:80000,batch=1:1:4" */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "shapes/profile_set.h"
#include "shapes/profiles.h"
#include "shapes/text/profile_text.h"

/* "N" or "min:opt:max". */
static bool parse_range(const char *at, const char *const end, tare_range *const out) {
  int64_t numbers[3];
  int n = 0;
  for (;; n++) {
    const char *const colon = memchr(at, ':', (size_t)(end - at));
    const char *from = at, *to = colon ? colon : end;
    tarei_trim(&from, &to);
    if (n == 3 || !tarei_parse_count(from, to, &numbers[n])) {
      return false;
    }
    if (!colon) {
      break;
    }
    at = colon + 1;
  }
  *out = n == 0 ? (tare_range){numbers[0], numbers[0], numbers[0]}
                : (tare_range){numbers[0], numbers[1], numbers[2]};
  return n != 1;
}

/* A symbol that several of its axes name has one range; a fixed axis has its size. */
static tare_status profile_spec_take(const tare_profiles *const set, const char *const name,
                                     const tare_range r, tare_range *const profile,
                                     bool *const seen, tare_error *const err) {
  int symbol;
  int64_t size;
  TAREI_TRY(tarei_profiles_pick(set, name, &symbol, &size, err));
  if (symbol < 0) {
    return r.min == size && r.max == size
               ? TARE_OK
               : tarei_fail(err, TARE_E_USAGE, "'%s' is an axis of fixed size %" PRId64, name,
                            size);
  }
  const tare_range known = profile[symbol];
  const bool same = known.min == r.min && known.opt == r.opt && known.max == r.max;
  if (seen[symbol] && !same) {
    return strcmp(name, set->symbols[symbol]) == 0
               ? tarei_fail(err, TARE_E_USAGE, "duplicate symbol '%s'", name)
               : tarei_fail(err, TARE_E_USAGE,
                            "'%s' is one length with %s, which has another range: %" PRId64
                            ":%" PRId64 ":%" PRId64 " (give the range once)",
                            name, set->axes[symbol], known.min, known.opt, known.max);
  }
  seen[symbol] = true;
  profile[symbol] = r;
  return TARE_OK;
}

static tare_status profile_spec_parse_item(const tare_profiles *const set, const char *const at,
                                           const char *const end, tare_range *const profile,
                                           bool *const seen, tare_error *const err) {
  const char *const equals = tarei_find_unquoted(at, '=');
  if (equals >= end) {
    return tarei_fail(err, TARE_E_USAGE, "expected SYMBOL=MIN:OPT:MAX, got '%.*s'", (int)(end - at),
                      at);
  }
  tare_range range = {0};
  char *const name = tarei_unquote(at, equals);
  if (!name) {
    return tarei_fail_memory(err, "symbol name", (size_t)(end - at) + 1);
  }
  const bool parsed = parse_range(equals + 1, end, &range);
  int ignored;
  int64_t size;
  tare_status status = tarei_profiles_pick(set, name, &ignored, &size, err);
  if (status == TARE_OK) {
    status = parsed ? profile_spec_take(set, name, range, profile, seen, err)
                    : tarei_fail(err, TARE_E_USAGE,
                                 "'%.*s' is not a range: expected MIN:OPT:MAX or one number, each "
                                 "0..2^63-1",
                                 (int)(end - equals - 1), equals + 1);
  }
  free(name);
  return status;
}

static tare_status parse_items(const tare_profiles *const set, const char *const spec,
                               tare_range *const profile, bool *const seen, tare_error *const err) {
  if (!tarei_find_unquoted(spec, 0)) {
    return tarei_fail(err, TARE_E_USAGE, "unterminated single quote");
  }
  if (spec[strspn(spec, " \t\r\n")] == 0) {
    return TARE_OK;
  }
  for (const char *at = spec;; at++) {
    const char *const end = tarei_find_unquoted(at, ',');
    const char *from = at, *to = end;
    tarei_trim(&from, &to);
    TAREI_TRY(profile_spec_parse_item(set, from, to, profile, seen, err));
    at = end;
    if (!*at) {
      return TARE_OK;
    }
  }
}

bool tarei_profile_spec_range(const char *const spec, const char *const symbol,
                              tare_range *const out) {
  bool found = false;
  if (!tarei_find_unquoted(spec, 0)) {
    return false;
  }
  for (const char *at = spec; !found; at++) {
    const char *const end = tarei_find_unquoted(at, ',');
    const char *const equals = tarei_find_unquoted(at, '=');
    char *const name = equals < end ? tarei_unquote(at, equals) : NULL;
    found = name && strcmp(name, symbol) == 0 && parse_range(equals + 1, end, out);
    free(name);
    at = end;
    if (!*at) {
      break;
    }
  }
  return found;
}

bool tare_profiles_gives(const tare_profiles *const profiles, const char *const spec,
                         const int symbol) {
  bool gives = false;
  if (!tarei_find_unquoted(spec, 0)) {
    return false;
  }
  for (const char *at = spec; !gives; at++) {
    const char *const end = tarei_find_unquoted(at, ',');
    const char *const equals = tarei_find_unquoted(at, '=');
    const char *from = at, *to = equals < end ? equals : end;
    tarei_trim(&from, &to);
    char *const name = tarei_unquote(from, to);
    int found = -1;
    int64_t size;
    gives = name && tarei_profiles_pick(profiles, name, &found, &size, NULL) == TARE_OK &&
            found == symbol;
    free(name);
    at = end;
    if (!*at) {
      break;
    }
  }
  return gives;
}

tare_status tare_profiles_add(tare_profiles *const profiles, const char *const spec,
                              tare_error *const err) {
  tare_range *const profile = tarei_profiles_ones(profiles, err);
  bool seen[TARE_MAX_SYMBOLS] = {false};
  tare_status status = profile ? parse_items(profiles, spec, profile, seen, err) : TARE_E_MEMORY;
  if (status == TARE_OK) {
    status = tarei_profiles_derive(profiles, seen, profile, err);
  }
  if (status == TARE_OK) {
    status = tarei_profiles_append(profiles, profile, err);
  }
  free(profile);
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "profile \"%s\"", spec);
}
