#include "engine/file/wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/mem.h"

void tarei_put_bytes(tarei_writer *const w, const void *const data, const size_t n) {
  if (w->failed || n > SIZE_MAX / 4 - w->n) {
    w->failed = true;
    return;
  }
  if (w->n + n > w->capacity) {
    const size_t capacity = (w->n + n) * 2;
    uint8_t *const grown = tarei_realloc(w->data, capacity);
    if (!grown) {
      w->failed = true;
      return;
    }
    w->data = grown;
    w->capacity = capacity;
  }
  if (n) {
    memcpy(w->data + w->n, data, n);
  }
  w->n += n;
}

void tarei_put_u8(tarei_writer *const w, const uint8_t x) {
  tarei_put_bytes(w, &x, 1);
}

static void put_little(tarei_writer *const w, const uint64_t x, const int bytes) {
  uint8_t b[8];
  for (int i = 0; i < bytes; i++) {
    b[i] = (uint8_t)(x >> (8 * i));
  }
  tarei_put_bytes(w, b, (size_t)bytes);
}

void tarei_put_u32(tarei_writer *const w, const uint32_t x) {
  put_little(w, x, 4);
}
void tarei_put_u64(tarei_writer *const w, const uint64_t x) {
  put_little(w, x, 8);
}
void tarei_put_f32(tarei_writer *const w, const float x) {
  put_little(w, tarei_float_to_bits(x), 4);
}

void tarei_put_text(tarei_writer *const w, const char *const text) {
  const size_t n = text ? strlen(text) : 0;
  tarei_put_u32(w, (uint32_t)n);
  tarei_put_bytes(w, text, n);
}

void tarei_writer_fini(tarei_writer *const w) {
  free(w->data);
  *w = (tarei_writer){0};
}

const void *tarei_get_bytes(tarei_reader *const r, const size_t n) {
  if (r->failed || n > r->n - r->at) {
    r->failed = true;
    return NULL;
  }
  r->at += n;
  return r->data + r->at - n;
}

static uint64_t get_little(tarei_reader *const r, const int bytes) {
  const uint8_t *const b = tarei_get_bytes(r, (size_t)bytes);
  uint64_t x = 0;
  for (int i = 0; b && i < bytes; i++) {
    x |= (uint64_t)b[i] << (8 * i);
  }
  return x;
}

uint8_t tarei_get_u8(tarei_reader *const r) {
  return (uint8_t)get_little(r, 1);
}
uint32_t tarei_get_u32(tarei_reader *const r) {
  return (uint32_t)get_little(r, 4);
}
uint64_t tarei_get_u64(tarei_reader *const r) {
  return get_little(r, 8);
}
float tarei_get_f32(tarei_reader *const r) {
  return tarei_bits_to_float(tarei_get_u32(r));
}

char *tarei_get_text(tarei_reader *const r) {
  const uint32_t n = tarei_get_u32(r);
  const char *const bytes = tarei_get_bytes(r, n);
  if (!bytes || memchr(bytes, 0, n)) {
    r->failed = true;
    return NULL;
  }
  char *const copy = tarei_realloc(NULL, (size_t)n + 1);
  if (copy) {
    memcpy(copy, bytes, n);
    copy[n] = 0;
  }
  r->failed |= !copy;
  return copy;
}

uint32_t tarei_get_count(tarei_reader *const r, const size_t least) {
  const uint32_t n = tarei_get_u32(r);
  if (n > (r->n - r->at) / (least ? least : 1)) {
    r->failed = true;
    return 0;
  }
  return n;
}
