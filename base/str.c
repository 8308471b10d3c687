#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void tarei_str_add(tarei_str *const s, const char *const fmt, ...) {
  va_list args;
  va_start(args, fmt);
  va_list again;
  va_copy(again, args);
  const int n = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  const size_t need = s->length + (n > 0 ? (size_t)n : 0) + 1;
  if (need > s->capacity) {
    const size_t capacity = need * 2;
    char *const grown = tarei_realloc(s->text, capacity);
    if (!grown) {
      s->failed = true;
      va_end(again);
      return;
    }
    s->text = grown;
    s->capacity = capacity;
  }
  (void)vsnprintf(s->text + s->length, s->capacity - s->length, fmt, again);
  va_end(again);
  s->length = need - 1;
}

void tarei_str_free(tarei_str *const s) {
  free(s->text);
  *s = (tarei_str){0};
}

const char *tarei_str_get(const tarei_str *const s) {
  return s->text ? s->text : "";
}

tare_status tarei_pick(const char *const kind, const char *const name, const char *const *names,
                       const int n, int *const out, tare_error *const err) {
  tarei_str list = {0};
  for (int i = 0; i < n; i++) {
    if (strcmp(names[i], name) == 0) {
      *out = i;
      tarei_str_free(&list);
      return TARE_OK;
    }
    tarei_str_add(&list, "%s%s", i ? ", " : "", names[i]);
  }
  const int near = tare_nearest_name(name, names, n);
  if (near >= 0) {
    tarei_str_add(&list, " (did you mean '%s'?)", names[near]);
  }
  const tare_status status = tarei_fail(err, TARE_E_USAGE, "unknown %s '%s', expected one of %s",
                                        kind, name, tarei_str_get(&list));
  tarei_str_free(&list);
  return status;
}
