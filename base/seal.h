/*
 * A seal: 16 bytes behind the contents of a file, "tareXXH1" and the XXH64 (seed 0) of all bytes
 * before it, little-endian. It shows damage that a format would take for data.
 */
#ifndef TAREI_BASE_SEAL_H
#define TAREI_BASE_SEAL_H

#include <stdbool.h>

#include "base/outfile.h"

/* Appends the seal of what was written. TARE_E_MEMORY; failures to write as in outfile.h. */
tare_status tarei_seal_add(tarei_outfile *out, tare_error *err);

/* Checks a file: *sealed is false if it has no seal. TARE_E_INPUT if it has one that does not agree
 * with its contents, or cannot be read, TARE_E_MEMORY. */
tare_status tarei_seal_check(const char *path, bool *sealed, tare_error *err);

#endif
