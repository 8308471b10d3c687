#include "datasets/tokenizer/unicode.h"

#include <string.h>
#include <utf8proc.h>

#include "base/utf8.h"

typedef struct unicode_range {
  uint32_t first, last;
} unicode_range;

#define UNICODE_ROW(first, last) {first, last},

#define TAREI_OTHER_CHANGED UNICODE_ROW
static const unicode_range OTHER[] = {
#include "datasets/tokenizer/unicode_changes.inc"
};
#undef TAREI_OTHER_CHANGED

#define TAREI_PUNCTUATION_CHANGED UNICODE_ROW
static const unicode_range PUNCTUATION[] = {
#include "datasets/tokenizer/unicode_changes.inc"
};
#undef TAREI_PUNCTUATION_CHANGED

#define TAREI_NONSPACING_CHANGED UNICODE_ROW
static const unicode_range NONSPACING[] = {
#include "datasets/tokenizer/unicode_changes.inc"
};
#undef TAREI_NONSPACING_CHANGED

#define TAREI_MARK_CHANGED UNICODE_ROW
static const unicode_range MARK[] = {
#include "datasets/tokenizer/unicode_changes.inc"
};
#undef TAREI_MARK_CHANGED

#define TAREI_NUMERIC_CHANGED UNICODE_ROW
static const unicode_range NUMERIC[] = {
#include "datasets/tokenizer/unicode_changes.inc"
};
#undef TAREI_NUMERIC_CHANGED

#define TAREI_UNDECOMPOSED UNICODE_ROW
static const unicode_range UNDECOMPOSED[] = {
#include "datasets/tokenizer/unicode_changes.inc"
};
#undef TAREI_UNDECOMPOSED

static bool in_ranges(const uint32_t c, const unicode_range *const ranges, const size_t n) {
  size_t low = 0, high = n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (c > ranges[middle].last) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < n && c >= ranges[low].first;
}

#define IN_RANGES(c, ranges) in_ranges(c, ranges, sizeof(ranges) / sizeof *(ranges))

static bool has_category(const uint32_t c, const utf8proc_category_t first,
                         const utf8proc_category_t last) {
  const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
  return category >= first && category <= last;
}

bool tarei_is_space(const uint32_t c) {
  return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

bool tarei_is_punctuation(const uint32_t c) {
  if (c < 0x80) {
    return c && strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", (int)c);
  }
  return has_category(c, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO) != IN_RANGES(c, PUNCTUATION);
}

bool tarei_is_numeric(const uint32_t c) {
  return has_category(c, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO) != IN_RANGES(c, NUMERIC);
}

bool tarei_is_nonspacing(const uint32_t c) {
  return has_category(c, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MN) != IN_RANGES(c, NONSPACING);
}

bool tarei_is_mark(const uint32_t c) {
  return has_category(c, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME) != IN_RANGES(c, MARK);
}

bool tarei_is_other(const uint32_t c) {
  return has_category(c, UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CO) != IN_RANGES(c, OTHER);
}

bool tarei_is_word(const uint32_t c) {
  const bool circled = (c >= 0x24b6 && c <= 0x24e9) || (c >= 0x1f130 && c <= 0x1f189);
  return has_category(c, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_NL) ||
         has_category(c, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PC) || circled || c == 0x200c ||
         c == 0x200d;
}

bool tarei_is_undecomposed(const uint32_t c) {
  return IN_RANGES(c, UNDECOMPOSED);
}

int tarei_lower(const uint32_t c, uint32_t out[2]) {
  static const struct {
    uint32_t first, last, lower;
  } ADDED[] = {
#define TAREI_LOWER(first, last, lower) {first, last, lower},
#include "datasets/tokenizer/unicode_changes.inc"
#undef TAREI_LOWER
  };
  if (c == 0x130) { /* I with a dot */
    out[0] = 'i';
    out[1] = 0x307;
    return 2;
  }
  out[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
  for (size_t i = 0; c >= ADDED[0].first && i < sizeof ADDED / sizeof *ADDED; i++) {
    if (c >= ADDED[i].first && c <= ADDED[i].last) {
      out[0] = ADDED[i].lower + (c - ADDED[i].first);
    }
  }
  return 1;
}

size_t tarei_utf8_check(const char *const text, const size_t n) {
  size_t at = 0;
  while (at < n) {
    uint32_t c;
    const int length = tarei_utf8_read(text + at, &c);
    if (length == 0) {
      return at;
    }
    at += (size_t)length;
  }
  return n;
}
