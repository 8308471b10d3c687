#include "datasets/bytes.h"

#include <string.h>

#include "base/mem.h"

enum { NUMBER_BITS = 7, NUMBER_MORE = 1 << NUMBER_BITS };

void tarei_bytes_free(tarei_bytes *const bytes) {
  free(bytes->data);
  *bytes = (tarei_bytes){0};
}

bool tarei_bytes_reserve(tarei_bytes *const bytes, const size_t n) {
  if (n <= bytes->capacity) {
    return true;
  }
  const size_t capacity = tarei_plus(n, n / 2);
  uint8_t *const grown = tarei_realloc(bytes->data, capacity);
  if (!grown) {
    return false;
  }
  bytes->data = grown;
  bytes->capacity = capacity;
  return true;
}

bool tarei_bytes_put(tarei_bytes *const bytes, const void *const data, const size_t n) {
  if (!tarei_bytes_reserve(bytes, tarei_plus(bytes->n, n))) {
    return false;
  }
  if (n) {
    memcpy(bytes->data + bytes->n, data, n);
    bytes->n += n;
  }
  return true;
}

bool tarei_bytes_put_number(tarei_bytes *const bytes, const uint64_t number) {
  uint8_t digits[10];
  size_t n = 0;
  uint64_t rest = number;
  for (; rest >= NUMBER_MORE; rest >>= NUMBER_BITS) {
    digits[n++] = (uint8_t)(rest | NUMBER_MORE);
  }
  digits[n++] = (uint8_t)rest;
  return tarei_bytes_put(bytes, digits, n);
}

void tarei_bytes_take(const uint8_t **const at, void *const data, const size_t n) {
  memcpy(data, *at, n);
  *at += n;
}

uint64_t tarei_bytes_take_number(const uint8_t **const at) {
  uint64_t number = 0;
  for (int shift = 0;; shift += NUMBER_BITS) {
    const uint8_t digit = *(*at)++;
    number |= (uint64_t)(digit & (NUMBER_MORE - 1)) << shift;
    if (digit < NUMBER_MORE) {
      return number;
    }
  }
}
