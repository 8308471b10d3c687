/* A string that grows. If an allocation fails, it stays valid, and `failed` is set. */
#ifndef TAREI_BASE_STR_H
#define TAREI_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct tarei_str {
  char *text; /* zero-terminated; NULL until something is added */
  size_t length, capacity;
  bool failed;
} tarei_str;

void tarei_str_add(tarei_str *s, const char *fmt, ...) TAREI_PRINTF(2, 3);
void tarei_str_free(tarei_str *s);
const char *tarei_str_get(const tarei_str *s); /* "" if empty */

/* Finds `name` among n names; otherwise TARE_E_USAGE "unknown KIND 'name', expected one of a, b,
 * c". */
tare_status tarei_pick(const char *kind, const char *name, const char *const *names, int n,
                       int *out, tare_error *err);

#endif
