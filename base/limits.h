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

/* How long something may still take by max-seconds. A thread's time on a processor counts, so that
 * neither a busy machine nor a process that was stopped looks like endless work. Asking for it is a
 * system call; it is not asked before that much time can have passed. */
typedef struct tarei_deadline {
  double next; /* time of the next question */
  double end;  /* processor time of the thread that must not be reached; 0: not asked yet */
} tarei_deadline;

void tarei_deadline_start(tarei_deadline *deadline);
/* TARE_E_LIMIT: "<what> more than the 60 seconds that max-seconds allows". To be called by one
 * thread; it counts from the first call that is more than some milliseconds after the start. */
tare_status tarei_deadline_check(tarei_deadline *deadline, const tare_limits *limits,
                                 const char *what, tare_error *err);

/* Formats a size like the command does: "7.2 GB". */
enum { TAREI_BYTES_TEXT = 32 };
void tarei_bytes_text(int64_t bytes, char text[TAREI_BYTES_TEXT]);

#endif
