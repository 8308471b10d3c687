/* Sun and NeXT audio: a header of big-endian numbers, then one block of audio. */
#include <string.h>

#include "datasets/audio/container.h"

enum { AU_HEADER = 24, AU_OFFSET = 4, AU_SIZE = 8 };

static bool au_recognizes(const tarei_source *const source) {
  return source->size >= 4 && memcmp(source->data, ".snd", 4) == 0;
}

static tare_status au_check(const tarei_source *const source, tare_error *const err) {
  if (source->size < AU_HEADER) {
    return tarei_fail(err, TARE_E_INPUT, "truncated inside its header");
  }
  const uint32_t offset = tarei_container_u32(source->data + AU_OFFSET, true);
  const uint32_t size = tarei_container_u32(source->data + AU_SIZE, true);
  return size == UINT32_MAX /* written to a pipe */
             ? TARE_OK
             : tarei_container_check_size(source, offset, size, err);
}

const tarei_container tarei_container_au = {.recognizes = au_recognizes, .check = au_check};
