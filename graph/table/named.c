#include "graph/table/named.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of_item(const void *const item) {
  return *(const char *const *)item;
}

static int items_by_name(const void *const a, const void *const b) {
  return strcmp(name_of_item(a), name_of_item(b));
}

const char *tarei_named_at(const tarei_named list, const int i) {
  return name_of_item((const char *)list.items + (size_t)i * list.size);
}

void tarei_named_sort(const tarei_named list) {
  if (list.n) {
    qsort(list.items, (size_t)list.n, list.size, items_by_name);
  }
}

const char *tarei_named_duplicate(const tarei_named list) {
  for (int i = 1; i < list.n; i++) {
    if (strcmp(tarei_named_at(list, i - 1), tarei_named_at(list, i)) == 0) {
      return tarei_named_at(list, i);
    }
  }
  return NULL;
}

const void *tarei_named_find(const tarei_named list, const char *const name) {
  const void *const key = &name;
  return list.n ? bsearch(key, list.items, (size_t)list.n, list.size, items_by_name) : NULL;
}
