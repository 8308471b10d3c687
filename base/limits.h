/* Limits from inside: the sentence that a limit is exceeded is written here alone. */
#ifndef TAREI_BASE_LIMITS_H
#define TAREI_BASE_LIMITS_H

#include <tare/limits.h>

#include "base/error.h"

typedef enum tarei_limit {
#define TAREI_LIMIT_ENUM(field, name, unit, normal, least, most, text) TAREI_LIMIT_##field,
  TARE_LIMIT_LIST(TAREI_LIMIT_ENUM)
#undef TAREI_LIMIT_ENUM
      TAREI_LIMIT_COUNT
} tarei_limit;

/* TARE_E_USAGE where a limit lies outside of what its row allows. */
tare_status tarei_limits_check(const tare_limits *limits, tare_error *err);

/* TARE_E_LIMIT: "<what> 7.2 GB, more than the 500 MB that max-tensor allows". An amount below 0 is
 * one that overflows. */
tare_status tarei_fail_limit(tare_error *err, const tare_limits *limits, tarei_limit limit,
                             int64_t amount, const char *what, ...) TAREI_PRINTF(5, 6);

/* "7.2 GB": as the command prints sizes. */
enum { TAREI_BYTES_TEXT = 32 };
void tarei_bytes_text(int64_t bytes, char text[TAREI_BYTES_TEXT]);

#endif
