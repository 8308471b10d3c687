#include "shapes/symbol_sum.h"

#include <string.h>

#include "base/mem.h"
#include "shapes/text/profile_text.h"

static int symbol_sum_find(const char *const at, const char *const end, const char *const *names,
                           const int n) {
  for (int i = 0; i < n && i < TARE_MAX_SYMBOLS; i++) {
    if (strlen(names[i]) == (size_t)(end - at) && memcmp(names[i], at, (size_t)(end - at)) == 0) {
      return i;
    }
  }
  return -1;
}

/* "3", "a" or "3*a". */
static bool take_term(const char *at, const char *end, const char *const *const names, const int n,
                      tarei_symbol_sum *const sum) {
  const char *const star = memchr(at, '*', (size_t)(end - at));
  const char *before = at, *before_end = star ? star : at;
  int64_t factor = 1;
  tarei_trim(&before, &before_end);
  if (star && !tarei_parse_count(before, before_end, &factor)) {
    return false;
  }
  at = star ? star + 1 : at;
  tarei_trim(&at, &end);
  int64_t number;
  if (!star && tarei_parse_count(at, end, &number)) {
    return tarei_add_i64(sum->constant, number, &sum->constant);
  }
  const int symbol = symbol_sum_find(at, end, names, n);
  return symbol >= 0 && tarei_add_i64(sum->counts[symbol], factor, &sum->counts[symbol]);
}

static bool has_symbol(const tarei_symbol_sum *const sum) {
  bool has = false;
  for (int i = 0; i < TARE_MAX_SYMBOLS; i++) {
    has |= sum->counts[i] > 0;
  }
  return has;
}

tarei_symbol_sum tarei_symbol_sum_read(const char *const text, const char *const *const names,
                                       const int n) {
  tarei_symbol_sum sum = {.is = strchr(text, '+') != NULL};
  for (const char *at = text; sum.is;) {
    const char *const plus = strchr(at, '+');
    sum.is = take_term(at, plus ? plus : at + strlen(at), names, n, &sum);
    if (!plus) {
      break;
    }
    at = plus + 1;
  }
  sum.is = sum.is && has_symbol(&sum);
  return sum;
}

bool tarei_symbol_sum_value(const tarei_symbol_sum *const sum, const int64_t *const values,
                            int64_t *const value) {
  *value = sum->constant;
  for (int i = 0; i < TARE_MAX_SYMBOLS; i++) {
    int64_t term;
    if (sum->counts[i] &&
        (!tarei_mul_i64(sum->counts[i], values[i], &term) || !tarei_add_i64(*value, term, value))) {
      return false;
    }
  }
  return true;
}
