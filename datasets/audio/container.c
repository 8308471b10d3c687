#include "datasets/audio/container.h"

#include <string.h>

const char *const tarei_audio_extensions[] = {
#define TAREI_CONTAINER(id, ...) __VA_ARGS__,
#define TAREI_CODED(mark, extension) extension,
#include "datasets/audio/containers.inc"
#undef TAREI_CODED
#undef TAREI_CONTAINER
    NULL};

static const tarei_container *const CONTAINERS[] = {
#define TAREI_CONTAINER(id, ...) &tarei_container_##id,
#define TAREI_CODED(...)
#include "datasets/audio/containers.inc"
#undef TAREI_CODED
#undef TAREI_CONTAINER
};

static const char *const MARKS[] = {
#define TAREI_CONTAINER(id, ...)
#define TAREI_CODED(mark, extension) mark,
#include "datasets/audio/containers.inc"
#undef TAREI_CODED
#undef TAREI_CONTAINER
};

static const tarei_container *container_of(const tarei_source *const source) {
  for (size_t i = 0; i < sizeof CONTAINERS / sizeof *CONTAINERS; i++) {
    if (CONTAINERS[i]->recognizes(source)) {
      return CONTAINERS[i];
    }
  }
  return NULL;
}

uint32_t tarei_container_u32(const uint8_t *const p, const bool big_endian) {
  return big_endian ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
                    : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

tare_status tarei_container_check_size(const tarei_source *const source, const size_t offset,
                                       const size_t declared, tare_error *const err) {
  const size_t left = source->size > offset ? source->size - offset : 0;
  return declared <= left
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT,
                          "truncated: the header declares %zu bytes of audio, the file has %zu",
                          declared, left);
}

bool tarei_audio_begins(const char *const path) {
  tarei_source source;
  if (tarei_source_open(path, &source, NULL) != TARE_OK) {
    return false;
  }
  bool begins = container_of(&source) != NULL;
  for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++) {
    const size_t n = strlen(MARKS[i]);
    begins |= source.size >= n && memcmp(source.data, MARKS[i], n) == 0;
  }
  tarei_source_close(&source);
  return begins;
}

tare_status tarei_container_check(const tarei_source *const source, tare_error *const err) {
  const tarei_container *const container = container_of(source);
  return container ? container->check(source, err) : TARE_OK;
}

tare_status tarei_container_check_file(const char *const path, tare_error *const err) {
  tarei_source source;
  TAREI_TRY(tarei_source_open(path, &source, err));
  const tare_status status = tarei_container_check(&source, err);
  tarei_source_close(&source);
  return status;
}
