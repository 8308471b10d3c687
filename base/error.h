/* Functions that make errors. The message is written where the error is detected; callers pass the
 * status up with TAREI_TRY. */
#ifndef TAREI_BASE_ERROR_H
#define TAREI_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/* Checks the number of one of n things, called `what` in the message. TARE_E_USAGE */
tare_status tarei_check_number(const char *what, int64_t number, int64_t n, tare_error *err);

/* Checks that nothing stands in the room of a struct `type` for later versions. TARE_E_USAGE */
tare_status tarei_check_reserved(const char *type, void *const *reserved, size_t n,
                                 tare_error *err);

/* The same of a pointer to options, which may be NULL. */
#define TAREI_CHECK_RESERVED(type, options, err)                                         \
  ((options) ? tarei_check_reserved(#type, (options)->reserved,                          \
                                    sizeof(((type *)0)->reserved) / sizeof(void *), err) \
             : TARE_OK)

/* Whether a number is that of one of n things. */
static inline bool tarei_has_number(const int64_t number, const int64_t n) {
  return number >= 0 && number < n;
}

/* The status of a system call on an input that failed with this errno. */
tare_status tarei_input_status(int reason);

/* Sets the out-of-memory error for an allocation of `bytes` for `what`; returns TARE_E_MEMORY. */
tare_status tarei_fail_memory(tare_error *err, const char *what, size_t bytes);

#endif
