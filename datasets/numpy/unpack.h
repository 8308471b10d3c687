/* Bytes that lie in memory as they are or deflated, read once from front to back. */
#ifndef TAREI_DATASETS_NUMPY_UNPACK_H
#define TAREI_DATASETS_NUMPY_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Where and how they lie. */
typedef struct tarei_packed {
  const uint8_t *data; /* the caller's; outlives all that reads it */
  size_t packed_size;
  size_t size;   /* unpacked, as promised; equal to packed_size where not deflated */
  bool deflated; /* a raw deflate stream */
  bool has_crc;
  uint32_t crc; /* of the unpacked bytes */
} tarei_packed;

typedef struct tarei_unpack tarei_unpack;

tare_status tarei_unpack_new(const tarei_packed *packed, tarei_unpack **out, tare_error *err);
void tarei_unpack_free(tarei_unpack **unpack); /* NULL is fine; clears the handle */

/* Takes the next n bytes; `out` may be NULL to pass over them. TARE_E_INPUT when there are fewer
 * or they are damaged; at the end also when there would be more than promised, or the checksum of
 * bytes that were all taken differs. */
tare_status tarei_unpack_read(tarei_unpack *unpack, void *out, size_t n, tare_error *err);

/* Bytes that were not taken yet. */
size_t tarei_unpack_left(const tarei_unpack *unpack);

#endif
