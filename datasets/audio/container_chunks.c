/* Containers of chunks (id, size, contents): WAV, its 64-bit forms RF64, BW64 and W64, AIFF, CAF.
 */
#include <string.h>

#include "datasets/audio/container.h"

typedef struct chunks {
  const char *mark, *form; /* e.g. RIFF and WAVE; without a form, the mark alone tells */
  size_t form_at, first;   /* the first chunk */
  const char *audio;       /* the id of its chunk begins so */
  size_t id, size;         /* bytes of each */
  size_t counted, align;   /* bytes of the head that the size counts, and what chunks end on */
  bool big_endian;
} chunks;

static const chunks KINDS[] = {
    {"RIFF", "WAVE", 8, 12, "data", 4, 4, 0, 2, false},
    {"RIFX", "WAVE", 8, 12, "data", 4, 4, 0, 2, true},
    {"RF64", "WAVE", 8, 12, "data", 4, 4, 0, 2, false},
    {"BW64", "WAVE", 8, 12, "data", 4, 4, 0, 2, false},
    {"FORM", "AIFF", 8, 12, "SSND", 4, 4, 0, 2, true},
    {"FORM", "AIFC", 8, 12, "SSND", 4, 4, 0, 2, true},
    {"riff\x2e\x91\xcf\x11", "wave", 24, 40, "data", 16, 8, 24, 8, false},
    {"caff", NULL, 0, 8, "data", 4, 8, 0, 1, true},
};

static bool begins_at(const tarei_source *const source, const size_t at, const char *const text) {
  const size_t n = strlen(text);
  return source->size >= n && at <= source->size - n && memcmp(source->data + at, text, n) == 0;
}

static const chunks *chunks_kind(const tarei_source *const source) {
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
    const chunks *const kind = &KINDS[i];
    if (source->size >= kind->first && begins_at(source, 0, kind->mark) &&
        (!kind->form || begins_at(source, kind->form_at, kind->form))) {
      return kind;
    }
  }
  return NULL;
}

static bool chunks_recognizes(const tarei_source *const source) {
  return chunks_kind(source) != NULL;
}

static uint64_t number(const uint8_t *const p, const size_t bytes, const bool big_endian) {
  const uint32_t first = tarei_container_u32(p, big_endian);
  if (bytes == 4) {
    return first;
  }
  const uint32_t second = tarei_container_u32(p + 4, big_endian);
  return big_endian ? (uint64_t)first << 32 | second : (uint64_t)second << 32 | first;
}

/* Where the size of 4 bytes is too small: in the first chunk, behind that of the whole file. */
static uint64_t long_size(const tarei_source *const source, const chunks *const kind) {
  const size_t at = kind->first + 8 + 8;
  return begins_at(source, kind->first, "ds64") && source->size >= at + 8
             ? number(source->data + at, 8, kind->big_endian)
             : UINT64_MAX;
}

static tare_status chunks_check(const tarei_source *const source, tare_error *const err) {
  const chunks *const kind = chunks_kind(source);
  const size_t head = kind->id + kind->size;
  const uint64_t unknown = kind->size == 4 ? UINT32_MAX : UINT64_MAX; /* written to a pipe */
  size_t at = kind->first;
  while (source->size - at >= head) {
    const uint64_t said = number(source->data + at + kind->id, kind->size, kind->big_endian);
    const bool is_audio = begins_at(source, at, kind->audio);
    const uint64_t size = is_audio && said == unknown ? long_size(source, kind)
                          : said > kind->counted      ? said - kind->counted
                                                      : 0;
    const size_t left = source->size - at - head;
    if (is_audio && size != UINT64_MAX) {
      TAREI_TRY(tarei_container_check_size(source, at + head, size, err));
    }
    if (is_audio || size > left) {
      break;
    }
    const size_t over = (size_t)size % kind->align, pad = over ? kind->align - over : 0;
    at += head + (size_t)size + (pad < left - size ? pad : left - (size_t)size);
  }
  return TARE_OK;
}

const tarei_container tarei_container_chunks = {.recognizes = chunks_recognizes,
                                                .check = chunks_check};
