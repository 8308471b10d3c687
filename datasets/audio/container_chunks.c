/* WAV and AIFF: chunks of 4 bytes id, 4 bytes size and contents, padded to even. */
#include <string.h>

#include "datasets/audio/container.h"

typedef struct chunks {
  const char *outer, *form, *audio; /* e.g. RIFF, WAVE, data */
  bool big_endian;
} chunks;

static const chunks KINDS[] = {
    {"RIFF", "WAVE", "data", false},
    {"RIFX", "WAVE", "data", true},
    {"FORM", "AIFF", "SSND", true},
    {"FORM", "AIFC", "SSND", true},
};

static const chunks *chunks_kind(const tarei_source *const source) {
  for (size_t i = 0; source->size >= 12 && i < sizeof KINDS / sizeof *KINDS; i++) {
    if (memcmp(source->data, KINDS[i].outer, 4) == 0 &&
        memcmp(source->data + 8, KINDS[i].form, 4) == 0) {
      return &KINDS[i];
    }
  }
  return NULL;
}

static bool chunks_recognizes(const tarei_source *const source) {
  return chunks_kind(source) != NULL;
}

static tare_status chunks_check(const tarei_source *const source, tare_error *const err) {
  const chunks *const kind = chunks_kind(source);
  size_t at = 12;
  while (source->size - at >= 8) {
    const uint32_t size = tarei_container_u32(source->data + at + 4, kind->big_endian);
    const size_t left = source->size - at - 8;
    const bool is_audio = memcmp(source->data + at, kind->audio, 4) == 0;
    if (is_audio && size != UINT32_MAX) { /* UINT32_MAX: written to a pipe */
      TAREI_TRY(tarei_container_check_size(source, at + 8, size, err));
    }
    if (is_audio || size > left) {
      break;
    }
    at += 8 + (size_t)size + (size < left ? size & 1 : 0);
  }
  return TARE_OK;
}

const tarei_container tarei_container_chunks = {.recognizes = chunks_recognizes,
                                                .check = chunks_check};
