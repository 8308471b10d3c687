/* Functions that make errors. The message is written where the error is detected; callers pass the
 * status up with TAREI_TRY. */
#ifndef TAREI_BASE_ERROR_H
#define TAREI_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>
#include <tare/status.h>

#define TAREI_PRINTF(fmt_index, arg_index) __attribute__((format(printf, fmt_index, arg_index)))

/* Returns the status of a call if it failed. */
#define TAREI_TRY(call)                     \
  do {                                      \
    const tare_status try_status_ = (call); \
    if (try_status_ != TARE_OK) {           \
      return try_status_;                   \
    }                                       \
  } while (0)

/* Jumps to a cleanup label if a call failed; `status` must be in scope. */
#define TAREI_TRY_GOTO(call, label) \
  do {                              \
    status = (call);                \
    if (status != TARE_OK) {        \
      goto label;                   \
    }                               \
  } while (0)

/* Writes status and message to err, which may be NULL, and returns the status. */
tare_status tarei_fail(tare_error *err, tare_status status, const char *fmt, ...)
    TAREI_PRINTF(3, 4);

/* Puts "prefix: " before the message of an error that is already set, unless it already begins with
 * it. Returns the status. */
tare_status tarei_fail_in(tare_error *err, tare_status status, const char *fmt, ...)
    TAREI_PRINTF(3, 4);

/* Sets the out-of-memory error for an allocation of `bytes` for `what`; returns TARE_E_MEMORY. */
tare_status tarei_fail_memory(tare_error *err, const char *what, size_t bytes);

#endif
