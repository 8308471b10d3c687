#include "calib/counts.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

enum { PAGE = TAREI_COUNTS_PAGE, PAGES = TAREI_COUNTS_PAGES };

void tarei_counts_clear(tarei_counts *const c) {
  for (int p = 0; p < PAGES; p++) {
    free(c->pages[p]);
  }
  *c = (tarei_counts){0};
}

void tarei_counts_get(const tarei_counts *const c, const int page, int64_t *const out) {
  const void *const from = c->pages[page];
  if (!from) {
    memset(out, 0, PAGE * sizeof *out);
    return;
  }
  for (int i = 0; i < PAGE; i++) {
    out[i] = c->widths[page] == sizeof(uint16_t)   ? ((const uint16_t *)from)[i]
             : c->widths[page] == sizeof(uint32_t) ? ((const uint32_t *)from)[i]
                                                   : ((const int64_t *)from)[i];
  }
}

/* Makes the counters of a page `width` bytes wide and sets them. */
static bool set(tarei_counts *const c, const int page, const size_t width,
                const int64_t *const from) {
  void *const to = tarei_calloc(PAGE, width);
  if (!to) {
    return false;
  }
  for (int i = 0; i < PAGE; i++) {
    if (width == sizeof(uint16_t)) {
      ((uint16_t *)to)[i] = (uint16_t)from[i];
    } else if (width == sizeof(uint32_t)) {
      ((uint32_t *)to)[i] = (uint32_t)from[i];
    } else {
      ((int64_t *)to)[i] = from[i];
    }
  }
  free(c->pages[page]);
  c->pages[page] = to;
  c->widths[page] = (uint8_t)width;
  return true;
}

bool tarei_counts_add(tarei_counts *const c, const int page, const int64_t *const from) {
  int64_t sum[PAGE], most = 0;
  tarei_counts_get(c, page, sum);
  for (int i = 0; i < PAGE; i++) {
    assert(from[i] >= 0);
    sum[i] += from[i];
    most |= sum[i];
  }
  const size_t width = most <= INT16_MAX   ? sizeof(uint16_t)
                       : most <= INT32_MAX ? sizeof(uint32_t)
                                           : sizeof(int64_t);
  return most == 0 || set(c, page, width, sum);
}

/* False, with nothing changed, when a sum or what is added reaches the top bit: below it two never
 * wrap, and one OR tells. */
#define DEFINE_ADD(name, type, top)                                                \
  static bool name(type *restrict const to, const uint16_t *restrict const from) { \
    type bits = 0;                                                                 \
    for (int i = 0; i < PAGE; i++) {                                               \
      to[i] = (type)(to[i] + from[i]);                                             \
      bits |= to[i] | from[i];                                                     \
    }                                                                              \
    for (int i = 0; bits > (top) && i < PAGE; i++) {                               \
      to[i] = (type)(to[i] - from[i]);                                             \
    }                                                                              \
    return bits <= (top);                                                          \
  }
DEFINE_ADD(add_to_u16, uint16_t, INT16_MAX)
DEFINE_ADD(add_to_u32, uint32_t, INT32_MAX)

static bool add_in_place(tarei_counts *const c, const int page, const uint16_t *const from) {
  return (c->widths[page] == sizeof(uint16_t) && add_to_u16(c->pages[page], from)) ||
         (c->widths[page] == sizeof(uint32_t) && add_to_u32(c->pages[page], from));
}

bool tarei_counts_add_small(tarei_counts *const c, const int page, const uint16_t *const from) {
  if (add_in_place(c, page, from)) {
    return true;
  }
  int64_t wide[PAGE];
  for (int i = 0; i < PAGE; i++) {
    wide[i] = from[i];
  }
  return tarei_counts_add(c, page, wide);
}

static bool merge_page(tarei_counts *const c, const tarei_counts *const other, const int page) {
  if (other->widths[page] == sizeof(uint16_t)) {
    return tarei_counts_add_small(c, page, other->pages[page]);
  }
  int64_t counts[PAGE];
  tarei_counts_get(other, page, counts);
  return tarei_counts_add(c, page, counts);
}

bool tarei_counts_merge(tarei_counts *const c, const tarei_counts *const other) {
  for (int p = 0; p < PAGES; p++) {
    if (other->pages[p] && !merge_page(c, other, p)) {
      return false;
    }
  }
  return true;
}

bool tarei_counts_join(tarei_counts *const c, const int shift) {
  tarei_counts joined = {0};
  bool ok = true;
  for (int p = 0; p < PAGES && ok; p++) {
    int64_t from[PAGE], to[PAGE] = {0};
    const int64_t first = (int64_t)p * PAGE, page = (first >> shift) / PAGE;
    tarei_counts_get(c, p, from);
    for (int i = 0; i < PAGE; i++) {
      to[((first + i) >> shift) - page * PAGE] += from[i];
    }
    ok = tarei_counts_add(&joined, (int)page, to);
  }
  tarei_counts_clear(c);
  *c = joined;
  return ok;
}

int64_t tarei_counts_total(const tarei_counts *const c) {
  int64_t total = 0;
  for (int p = 0; p < PAGES; p++) {
    int64_t counts[PAGE];
    tarei_counts_get(c, p, counts);
    for (int i = 0; c->pages[p] && i < PAGE; i++) {
      if (__builtin_add_overflow(total, counts[i], &total)) {
        return -1;
      }
    }
  }
  return total;
}
