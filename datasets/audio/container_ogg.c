/* Ogg: pages without a length in front; the last one says that it is the last. */
#include <string.h>

#include "datasets/audio/container.h"

enum { OGG_HEADER = 27, OGG_FLAGS = 5, OGG_SEGMENTS = 26, OGG_LAST = 4 };

/* Bytes of the page at `at`, or 0 when its header is cut. */
static size_t ogg_page_size(const tarei_source *const source, const size_t at) {
  const size_t left = source->size - at;
  const uint8_t *const page = source->data + at;
  if (left < OGG_HEADER || left < OGG_HEADER + (size_t)page[OGG_SEGMENTS]) {
    return 0;
  }
  size_t size = OGG_HEADER + (size_t)page[OGG_SEGMENTS];
  for (int i = 0; i < page[OGG_SEGMENTS]; i++) {
    size += page[OGG_HEADER + i];
  }
  return size;
}

static tare_status ogg_check(const tarei_source *const source, tare_error *const err) {
  size_t at = 0;
  bool ended = false;
  while (source->size - at >= 4 && memcmp(source->data + at, "OggS", 4) == 0) {
    const size_t size = ogg_page_size(source, at);
    if (size == 0 || size > source->size - at) {
      return tarei_fail(err, TARE_E_INPUT, "truncated inside the Ogg page at byte %zu", at);
    }
    ended = source->data[at + OGG_FLAGS] & OGG_LAST;
    at += size;
  }
  if (at == source->size && !ended) {
    return tarei_fail(err, TARE_E_INPUT, "truncated: %zu bytes and no page marked as the last", at);
  }
  return TARE_OK;
}

static bool ogg_recognizes(const tarei_source *const source) {
  return source->size >= 4 && memcmp(source->data, "OggS", 4) == 0;
}

const tarei_container tarei_container_ogg = {.recognizes = ogg_recognizes, .check = ogg_check};
