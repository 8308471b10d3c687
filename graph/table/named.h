/* Lists of what a table says of layers or tensors, sorted by name. The first member of an item is
 * its name. */
#ifndef TAREI_GRAPH_TABLE_NAMED_H
#define TAREI_GRAPH_TABLE_NAMED_H

#include <stddef.h>

typedef struct tarei_named {
  void *items;
  int n;
  size_t size; /* of an item */
} tarei_named;

/* A list {items, n, ...}. */
#define TAREI_NAMED(list) ((tarei_named){(list)->items, (list)->n, sizeof *(list)->items})

const char *tarei_named_at(tarei_named list, int i);
void tarei_named_sort(tarei_named list);

/* Of a sorted list: a name that is in it twice, or NULL; and the item of a name, or NULL. */
const char *tarei_named_duplicate(tarei_named list);
const void *tarei_named_find(tarei_named list, const char *name);

#endif
