/* "samples=1600:16000:80000,batch=1:1:4" */
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

static tare_status profile_spec_find_symbol(const tare_profiles *const set, const char *const at,
                                            const char *const end, int *const symbol,
                                            tare_error *const err) {
  char *const name = tarei_unquote(at, end);
  if (!name) {
    return tarei_fail_memory(err, "symbol name", (size_t)(end - at) + 1);
  }
  const tare_status status =
      set->n_symbols ? tarei_pick("symbol", name, set->symbols, set->n_symbols, symbol, err)
                     : tarei_fail(err, TARE_E_USAGE,
                                  "unknown symbol '%s': all dims of the inputs are fixed", name);
  free(name);
  return status;
}

static tare_status profile_spec_parse_item(const tare_profiles *const set, const char *const at,
                                           const char *const end, tare_range *const profile,
                                           bool *const seen, tare_error *const err) {
  const char *const equals = tarei_find_unquoted(at, '=');
  if (equals >= end) {
    return tarei_fail(err, TARE_E_USAGE, "expected SYMBOL=MIN:OPT:MAX, got '%.*s'", (int)(end - at),
                      at);
  }
  int symbol;
  TAREI_TRY(profile_spec_find_symbol(set, at, equals, &symbol, err));
  if (seen[symbol]) {
    return tarei_fail(err, TARE_E_USAGE, "duplicate symbol '%s'", set->symbols[symbol]);
  }
  seen[symbol] = true;
  if (!parse_range(equals + 1, end, &profile[symbol])) {
    return tarei_fail(err, TARE_E_USAGE,
                      "'%.*s' is not a range: expected MIN:OPT:MAX or one number, each 0..2^63-1",
                      (int)(end - equals - 1), equals + 1);
  }
  return TARE_OK;
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
