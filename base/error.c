#include "base/error.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <tare/tare.h>

const char *tare_status_name(const tare_status status) {
  switch (status) {
#define TAREI_STATUS_CASE(name, value, exit_code) \
  case TARE_##name:                               \
    return #name;
    TARE_STATUS_LIST(TAREI_STATUS_CASE)
#undef TAREI_STATUS_CASE
  }
  return "E_?";
}

int tare_status_exit_code(const tare_status status) {
  switch (status) {
#define TAREI_STATUS_CASE(name, value, exit_code) \
  case TARE_##name:                               \
    return exit_code;
    TARE_STATUS_LIST(TAREI_STATUS_CASE)
#undef TAREI_STATUS_CASE
  }
  return 5;
}

/* Of the controls beyond ASCII, U+0080 to U+009f, UTF-8 makes two bytes. */
static bool is_control(const unsigned char *const c) {
  return c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0);
}

void tare_make_printable(char *const text) {
  for (unsigned char *c = (unsigned char *)text; *c; c++) {
    if (is_control(c)) {
      c[*c == 0xc2] = '?';
      *c = '?';
    }
  }
}

tare_status tarei_fail(tare_error *const err, const tare_status status, const char *const fmt,
                       ...) {
  if (err) {
    va_list args;
    va_start(args, fmt);
    err->status = status;
    (void)vsnprintf(err->message, sizeof err->message, fmt, args); /* cut when too long */
    va_end(args);
    tare_make_printable(err->message);
  }
  return status;
}

static bool begins_so(const char *const message, const char *const prefix) {
  const size_t n = strlen(prefix);
  return strncmp(message, prefix, n) == 0 && strncmp(message + n, ": ", 2) == 0;
}

tare_status tarei_fail_in(tare_error *const err, const tare_status status, const char *const fmt,
                          ...) {
  if (err) {
    char inner[TARE_ERROR_CAPACITY];
    memcpy(inner, err->message, sizeof inner);
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(err->message, sizeof err->message, fmt, args);
    va_end(args);
    tare_make_printable(err->message);
    if (begins_so(inner, err->message)) {
      memcpy(err->message, inner, sizeof inner);
    } else if (n >= 0 && (size_t)n + 2 < sizeof err->message) {
      (void)snprintf(err->message + n, sizeof err->message - (size_t)n, ": %.*s",
                     (int)(sizeof err->message - (size_t)n - 3), inner);
    }
    err->status = status;
  }
  return status;
}

tare_status tarei_input_status(const int reason) {
  return reason == ENOMEM ? TARE_E_MEMORY : TARE_E_INPUT;
}

tare_status tarei_fail_memory(tare_error *const err, const char *const what, const size_t bytes) {
  return tarei_fail(err, TARE_E_MEMORY, "%s: no memory for %zu bytes", what, bytes);
}

tare_status tarei_check_number(const char *const what, const int64_t number, const int64_t n,
                               tare_error *const err) {
  if (tarei_has_number(number, n)) {
    return TARE_OK;
  }
  return n < 1 ? tarei_fail(err, TARE_E_USAGE, "%s %lld: there are none", what, (long long)number)
               : tarei_fail(err, TARE_E_USAGE, "%s %lld: expected 0 to %lld", what,
                            (long long)number, (long long)n - 1);
}

tare_status tarei_check_reserved(const char *const type, void *const *const reserved,
                                 const size_t n, tare_error *const err) {
  for (size_t i = 0; i < n; i++) {
    if (reserved[i]) {
      return tarei_fail(err, TARE_E_USAGE,
                        "%s: it has a member that version %s of the library does not have (set it "
                        "to its defaults first, or use a newer library)",
                        type, TARE_VERSION);
    }
  }
  return TARE_OK;
}
