/* The tokens of a vocabulary file: one a line, with or without its number, or JSON. */
#ifndef TAREI_CALIB_METRICS_TOKENS_H
#define TAREI_CALIB_METRICS_TOKENS_H

#include <stdint.h>

#include "base/error.h"

typedef struct tarei_tokens {
  char **items; /* by class; all there */
  int64_t n;
  size_t cap;
} tarei_tokens;

/* TARE_E_INPUT for a file that is missing, malformed, or leaves a class without a token. Free the
 * tokens with _fini in any case. */
tare_status tarei_tokens_read(const char *path, tarei_tokens *out, tare_error *err);
void tarei_tokens_fini(tarei_tokens *tokens);

#endif
