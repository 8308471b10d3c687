/* Making errors. A status travels up through TAREI_TRY; the sentence is written once, where it is known. */
#ifndef TAREI_BASE_ERROR_H
#define TAREI_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>
#include <tare/status.h>

#define TAREI_PRINTF(fmt_index, arg_index) \
  __attribute__((format(printf, fmt_index, arg_index)))

/* Returns early when a call failed. */
#define TAREI_TRY(call)                     \
  do {                                     \
    const tare_status try_status_ = (call); \
    if (try_status_ != TARE_OK) {          \
      return try_status_;                  \
    }                                      \
  } while (0)

/* Goes to a cleanup label when a call failed; `status` must be in scope. */
#define TAREI_TRY_GOTO(call, label) \
  do {                             \
    status = (call);               \
    if (status != TARE_OK) {       \
      goto label;                  \
    }                              \
  } while (0)

/* Writes status and sentence into err (may be NULL) and returns status. */
tare_status tarei_fail(tare_error *err, tare_status status, const char *fmt, ...)
    TAREI_PRINTF(3, 4);

/* Puts "prefix: " before the message of an error that is already set, unless it begins so; returns its
 * status. */
tare_status tarei_fail_in(tare_error *err, tare_status status, const char *fmt, ...)
    TAREI_PRINTF(3, 4);

/* The out-of-memory error: what could not be allocated, and how much. */
tare_status tarei_fail_memory(tare_error *err, const char *what, size_t bytes);

#endif
