#include "datasets/audio/audio_header.h"

#include <stdbool.h>
#include <string.h>

#include "base/source.h"

/* A container of chunks: 4 bytes id, 4 bytes size, padded to even. */
typedef struct container {
  const char *outer, *form, *audio; /* e.g. RIFF, WAVE, data */
  bool big_endian;
} container;

static const container CONTAINERS[] = {
    {"RIFF", "WAVE", "data", false},
    {"RIFX", "WAVE", "data", true},
    {"FORM", "AIFF", "SSND", true},
    {"FORM", "AIFC", "SSND", true},
};

static uint32_t read_u32(const uint8_t *const p, const bool big_endian) {
  return big_endian ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
                    : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static const container *find_container(const tarei_source *const source) {
  for (size_t i = 0; source->size >= 12 && i < sizeof CONTAINERS / sizeof *CONTAINERS; i++) {
    if (memcmp(source->data, CONTAINERS[i].outer, 4) == 0 &&
        memcmp(source->data + 8, CONTAINERS[i].form, 4) == 0) {
      return &CONTAINERS[i];
    }
  }
  return NULL;
}

static tare_status audio_header_check_chunks(const tarei_source *const source,
                                             const container *const kind, tare_error *const err) {
  size_t at = 12;
  while (source->size - at >= 8) {
    const uint32_t size = read_u32(source->data + at + 4, kind->big_endian);
    const size_t left = source->size - at - 8;
    const bool is_audio = memcmp(source->data + at, kind->audio, 4) == 0;
    if (is_audio && size != UINT32_MAX && size > left) { /* UINT32_MAX: written to a pipe */
      return tarei_fail(err, TARE_E_INPUT,
                        "is truncated: the header promises %u bytes of audio, the file has %zu",
                        size, left);
    }
    if (is_audio || size > left) {
      break;
    }
    at += 8 + (size_t)size + (size < left ? size & 1 : 0);
  }
  return TARE_OK;
}

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

/* Ogg has no length in front: the last page says that it is the last. */
static tare_status check_ogg(const tarei_source *const source, tare_error *const err) {
  size_t at = 0;
  bool ended = false;
  while (source->size - at >= 4 && memcmp(source->data + at, "OggS", 4) == 0) {
    const size_t size = ogg_page_size(source, at);
    if (size == 0 || size > source->size - at) {
      return tarei_fail(err, TARE_E_INPUT, "is truncated: the Ogg page at byte %zu is cut", at);
    }
    ended = source->data[at + OGG_FLAGS] & OGG_LAST;
    at += size;
  }
  if (at == source->size && !ended) {
    return tarei_fail(err, TARE_E_INPUT,
                      "is truncated: it ends after %zu bytes without a page marked as the last",
                      at);
  }
  return TARE_OK;
}

static bool is_ogg(const tarei_source *const source) {
  return source->size >= 4 && memcmp(source->data, "OggS", 4) == 0;
}

tare_status tarei_audio_check_header(const char *const path, tare_error *const err) {
  tarei_source source;
  TARE_TRY(tarei_source_open(path, &source, err));
  const container *const kind = find_container(&source);
  tare_status status = kind ? audio_header_check_chunks(&source, kind, err) : TARE_OK;
  if (is_ogg(&source)) {
    status = check_ogg(&source, err);
  }
  tarei_source_close(&source);
  return status;
}
