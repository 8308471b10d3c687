#include "tools/text/columns.h"

#include <locale.h>
#include <string.h>
#include <wchar.h>

/* The bytes and columns of the first character, whatever the locale of the user. */
static size_t columns_take(const char *const text, mbstate_t *const state, int *const columns) {
  wchar_t character = 0;
  const size_t n = mbrtowc(&character, text, strlen(text), state);
  const int width = n && n <= strlen(text) ? wcwidth(character) : -1;
  if (width < 0) { /* not UTF-8, or not printable */
    *state = (mbstate_t){0};
    *columns = 1;
    return n && n <= strlen(text) ? n : 1;
  }
  *columns = width;
  return n;
}

/* Goes through a text up to some columns; returns the columns that were passed. */
static int columns_walk(const char *const text, const int most, size_t *const bytes) {
  static locale_t utf8; /* or none, where the system lacks it: then that of the user */
  utf8 = utf8 ? utf8 : newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  const locale_t before = uselocale(utf8);
  mbstate_t state = {0};
  int total = 0, width = 0;
  *bytes = 0;
  while (text[*bytes]) {
    const size_t n = columns_take(text + *bytes, &state, &width);
    if (total + width > most) {
      break;
    }
    total += width;
    *bytes += n;
  }
  (void)uselocale(before);
  return total;
}

int columns_of(const char *const text) {
  size_t bytes;
  return columns_walk(text, (int)strlen(text) * 2, &bytes);
}

size_t columns_begin(const char *const text, const int columns) {
  size_t bytes;
  (void)columns_walk(text, columns, &bytes);
  return bytes;
}

const char *columns_end(const char *const text, const int columns) {
  const int over = columns_of(text) - columns;
  size_t bytes = 0;
  if (over > 0 && columns_walk(text, over, &bytes) < over && text[bytes]) {
    size_t next;
    (void)columns_walk(text, over + 1, &next); /* over a character of two columns */
    bytes = next;
  }
  return text + bytes;
}
