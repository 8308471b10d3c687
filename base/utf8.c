#include "base/utf8.h"

#include <stdbool.h>

int tarei_utf8_read(const char *const text, uint32_t *const character) {
  static const struct {
    unsigned char mask, mark;
    uint32_t least;
  } FORMS[] = {{0x80, 0, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
  const unsigned char *const s = (const unsigned char *)text;
  for (int more = 0; more < 4; more++) {
    if ((s[0] & FORMS[more].mask) != FORMS[more].mark) {
      continue;
    }
    *character = s[0] & (unsigned char)~FORMS[more].mask;
    for (int i = 1; i <= more; i++) {
      if ((s[i] & 0xc0) != 0x80) { /* so is the end of the text */
        return 0;
      }
      *character = *character << 6 | (s[i] & 0x3f);
    }
    const bool half = *character >= 0xd800 && *character < 0xe000;
    return *character >= FORMS[more].least && *character < 0x110000 && !half ? more + 1 : 0;
  }
  return 0;
}

int tarei_utf8_write(const uint32_t c, char *const out) {
  const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned char MARKS[] = {0, 0xc0, 0xe0, 0xf0};
  out[0] = (char)(MARKS[more] | c >> (6 * more));
  for (int i = 1; i <= more; i++) {
    out[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3f));
  }
  return more + 1;
}
