#include "datasets/audio_header.h"

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

static tare_status check_chunks(const tarei_source *const source, const container *const kind,
                                tare_error *const err) {
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

tare_status tarei_audio_check_header(const char *const path, tare_error *const err) {
  tarei_source source;
  TARE_TRY(tarei_source_open(path, &source, err));
  const container *const kind = find_container(&source);
  const tare_status status = kind ? check_chunks(&source, kind, err) : TARE_OK;
  tarei_source_close(&source);
  return status;
}
