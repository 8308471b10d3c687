/* Creative Voice: blocks of a kind, a size of 3 bytes and contents, up to one of kind 0. */
#include <string.h>

#include "datasets/audio/container.h"

#define MARK "Creative Voice File\x1a"
enum { VOC_FIRST = 20, VOC_HEADER = 26, VOC_BLOCK = 4 };

static bool voc_recognizes(const tarei_source *const source) {
  return source->size >= strlen(MARK) && memcmp(source->data, MARK, strlen(MARK)) == 0;
}

static tare_status voc_check(const tarei_source *const source, tare_error *const err) {
  if (source->size < VOC_HEADER) {
    return tarei_fail(err, TARE_E_INPUT, "truncated inside its header");
  }
  size_t at = (size_t)source->data[VOC_FIRST] | (size_t)source->data[VOC_FIRST + 1] << 8;
  while (at + VOC_BLOCK <= source->size && source->data[at] != 0) {
    const size_t size = tarei_container_u32(source->data + at, false) >> 8;
    TAREI_TRY(tarei_container_check_size(source, at + VOC_BLOCK, size, err));
    at += VOC_BLOCK + size;
  }
  return TARE_OK;
}

const tarei_container tarei_container_voc = {.recognizes = voc_recognizes, .check = voc_check};
