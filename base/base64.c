#include "base/base64.h"

#include <string.h>

#include "base/mem.h"

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t tarei_base64_length(const size_t n) {
  return tarei_times(n / 3 + (n % 3 != 0), 4);
}

void tarei_base64_put(const uint8_t *const data, const size_t n, char *text) {
  for (size_t i = 0; i < n; i += 3) {
    const size_t here = n - i < 3 ? n - i : 3;
    uint32_t word = 0;
    for (size_t b = 0; b < 3; b++) {
      word = word << 8 | (b < here ? data[i + b] : 0);
    }
    for (size_t d = 0; d < 4; d++) {
      *text++ = d <= here ? DIGITS[word >> (18 - 6 * d) & 63] : '=';
    }
  }
  *text = 0;
}

/* Four characters, the last 3 - n of which are padding, to n bytes. */
static bool take_word(const char *const text, uint8_t *const data, const size_t n) {
  uint32_t word = 0;
  for (size_t d = 0; d < 4; d++) {
    const char *const digit = d <= n && text[d] ? strchr(DIGITS, text[d]) : NULL;
    if (d <= n ? !digit : text[d] != '=') {
      return false;
    }
    word = word << 6 | (digit ? (uint32_t)(digit - DIGITS) : 0);
  }
  for (size_t b = 0; b < n; b++) {
    data[b] = (uint8_t)(word >> (16 - 8 * b));
  }
  return (word & ((1u << (24 - 8 * n)) - 1)) == 0;
}

bool tarei_base64_take(const char *const text, uint8_t *const data, const size_t n) {
  if (strlen(text) != tarei_base64_length(n)) {
    return false;
  }
  for (size_t i = 0; i < n; i += 3) {
    if (!take_word(text + i / 3 * 4, data + i, n - i < 3 ? n - i : 3)) {
      return false;
    }
  }
  return true;
}
