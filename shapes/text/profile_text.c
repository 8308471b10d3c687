#include "shapes/text/profile_text.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

bool tarei_parse_count(const char *at, const char *const end, int64_t *const value) {
  *value = 0;
  for (const char *c = at; c < end; c++) {
    if (!isdigit((unsigned char)*c) || !tarei_mul_i64(*value, 10, value) ||
        !tarei_add_i64(*value, *c - '0', value)) {
      return false;
    }
  }
  return at < end;
}

const char *tarei_find_unquoted(const char *at, const char separator) {
  bool quoted = false;
  for (; *at && (quoted || *at != separator); at++) {
    quoted ^= *at == '\'';
  }
  return quoted ? NULL : at;
}

void tarei_trim(const char **const at, const char **const end) {
  while (*at < *end && isspace((unsigned char)**at)) {
    ++*at;
  }
  while (*at < *end && isspace((unsigned char)(*end)[-1])) {
    --*end;
  }
}

char *tarei_unquote(const char *at, const char *end) {
  tarei_trim(&at, &end);
  char *const out = tarei_calloc((size_t)(end - at) + 1, 1);
  if (!out) {
    return NULL;
  }
  const bool quoted = end - at >= 2 && *at == '\'' && end[-1] == '\'';
  if (!quoted) {
    memcpy(out, at, (size_t)(end - at));
    return out;
  }
  char *to = out;
  for (at++, end--; at < end; at++) {
    *to++ = *at;
    at += *at == '\'' && at + 1 < end && at[1] == '\'';
  }
  return out;
}
