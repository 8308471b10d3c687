#include "shapes/symbol_sum.h"

#include <string.h>

#include "base/mem.h"
#include "shapes/text/profile_text.h"

/* Whether the text from `at` to `end` is this name, as it is or in double quotes. */
static bool symbol_sum_names(const char *at, const char *const end, const char *const name) {
  const size_t length = (size_t)(end - at);
  if (strlen(name) == length && memcmp(name, at, length) == 0) {
    return true;
  }
  if (length < 2 || *at != '"' || end[-1] != '"') {
    return false;
  }
  const char *c = name;
  for (at++; at < end - 1; at++, c++) {
    at += *at == '\\';
    if (*c == 0 || *c != *at) {
      return false;
    }
  }
  return *c == 0;
}

static int symbol_sum_find(const char *const at, const char *const end, const char *const *names,
                           const int n) {
  int i = 0;
  while (i < n && !symbol_sum_names(at, end, names[i])) {
    i++;
  }
  return i < n ? i : -1;
}

static bool add_term(tarei_symbol_sum *const sum, const int symbol, const int64_t factor) {
  int t = 0;
  while (t < sum->n && sum->terms[t].symbol != symbol) {
    t++;
  }
  if (t == TAREI_SUM_TERMS) {
    return false;
  }
  if (t == sum->n) {
    sum->terms[t].symbol = symbol;
    sum->terms[t].count = 0;
    sum->n++;
  }
  return tarei_add_i64(sum->terms[t].count, factor, &sum->terms[t].count);
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
  return symbol >= 0 && add_term(sum, symbol, factor);
}

static bool has_symbol(const tarei_symbol_sum *const sum) {
  bool has = false;
  for (int t = 0; t < sum->n; t++) {
    has |= sum->terms[t].count > 0;
  }
  return has;
}

/* The next '+' that is in no quotes, or NULL. */
static const char *next_plus(const char *at) {
  bool quoted = false;
  for (; *at && (quoted || *at != '+'); at++) {
    quoted ^= *at == '"';
    at += quoted && *at == '\\' && at[1];
  }
  return *at ? at : NULL;
}

tarei_symbol_sum tarei_symbol_sum_read(const char *const text, const char *const *const names,
                                       const int n) {
  tarei_symbol_sum sum = {.is = next_plus(text) != NULL};
  for (const char *at = text; sum.is;) {
    const char *const plus = next_plus(at);
    sum.is = take_term(at, plus ? plus : at + strlen(at), names, n, &sum);
    if (!plus) {
      break;
    }
    at = plus + 1;
  }
  sum.is = sum.is && has_symbol(&sum);
  return sum;
}

int64_t tarei_symbol_sum_count(const tarei_symbol_sum *const sum, const int symbol) {
  int64_t count = 0;
  for (int t = 0; t < sum->n; t++) {
    count += sum->terms[t].symbol == symbol ? sum->terms[t].count : 0;
  }
  return count;
}

void tarei_symbol_sum_take_away(tarei_symbol_sum *const sum, const int symbol) {
  for (int t = 0; t < sum->n; t++) {
    sum->terms[t].count = sum->terms[t].symbol == symbol ? 0 : sum->terms[t].count;
  }
}

bool tarei_symbol_sum_value(const tarei_symbol_sum *const sum, const int64_t *const values,
                            int64_t *const value) {
  *value = sum->constant;
  for (int t = 0; t < sum->n; t++) {
    int64_t term;
    if (sum->terms[t].count &&
        (!tarei_mul_i64(sum->terms[t].count, values[sum->terms[t].symbol], &term) ||
         !tarei_add_i64(*value, term, value))) {
      return false;
    }
  }
  return true;
}
