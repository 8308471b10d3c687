/* Limits inside the library. All messages about an exceeded limit are written here. */
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

/* TARE_E_USAGE if a limit is outside the range that its row allows. */
tare_status tarei_limits_check(const tare_limits *limits, tare_error *err);

/* TARE_E_LIMIT: "<what> 7.2 GB, more than the 500 MB that max-tensor allows". A negative
 * amount means one that overflows. */
tare_status tarei_fail_limit(tare_error *err, const tare_limits *limits, tarei_limit limit,
                             int64_t amount, const char *what, ...) TAREI_PRINTF(5, 6);

/* Formats a size like the command does: "7.2 GB". */
enum { TAREI_BYTES_TEXT = 32 };
void tarei_bytes_text(int64_t bytes, char text[TAREI_BYTES_TEXT]);

#endif
