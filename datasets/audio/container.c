#include "datasets/audio/container.h"

#include <stddef.h>

const char *const tarei_audio_extensions[] = {
#define TAREI_CONTAINER(id, ...) __VA_ARGS__,
#define TAREI_CODED(...) __VA_ARGS__,
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

tare_status tarei_container_check(const char *const path, tare_error *const err) {
  tarei_source source;
  TAREI_TRY(tarei_source_open(path, &source, err));
  tare_status status = TARE_OK;
  for (size_t i = 0; i < sizeof CONTAINERS / sizeof *CONTAINERS; i++) {
    if (CONTAINERS[i]->recognizes(&source)) {
      status = CONTAINERS[i]->check(&source, err);
      break;
    }
  }
  tarei_source_close(&source);
  return status;
}
