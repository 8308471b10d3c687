#include "tools/heap.h"

#include <malloc.h>

enum { OWN_PAGES_BYTES = 64 << 10, MOST_ARENAS = 2 };

void heap_for_many_samples(void) {
  (void)mallopt(M_MMAP_THRESHOLD, OWN_PAGES_BYTES); /* without it, memory is only less well used */
  (void)mallopt(M_ARENA_MAX, MOST_ARENAS);
}
