/* Reads bytes in memory, plain or deflated, once from beginning to end. */
#ifndef TAREI_DATASETS_NUMPY_UNPACK_H
#define TAREI_DATASETS_NUMPY_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The bytes and how they are packed. */
typedef struct tarei_packed {
  const uint8_t *data; /* of the caller; outlives all readers */
  size_t packed_size;
  size_t size;   /* declared size when unpacked; packed_size if not deflated */
  bool deflated; /* a raw deflate stream */
  bool has_crc;
  uint32_t crc; /* of the unpacked bytes */
} tarei_packed;

typedef struct tarei_unpack tarei_unpack;

tare_status tarei_unpack_new(const tarei_packed *packed, tarei_unpack **out, tare_error *err);
void tarei_unpack_free(tarei_unpack **unpack); /* NULL is allowed; sets the handle to NULL */

/* Reads the next n bytes; `out` may be NULL to skip them. TARE_E_INPUT if there are fewer or they
 * are corrupt; at the end also if there are more than declared, or if all bytes were read and the
 * checksum differs. */
tare_status tarei_unpack_read(tarei_unpack *unpack, void *out, size_t n, tare_error *err);

/* Number of bytes not yet read. */
size_t tarei_unpack_left(const tarei_unpack *unpack);

#endif
