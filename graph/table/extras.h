/* What a file says of a table that this version does not know; table.h finds and adds it. */
#ifndef TAREI_GRAPH_TABLE_EXTRAS_H
#define TAREI_GRAPH_TABLE_EXTRAS_H

#include <stddef.h>

/* Members of a JSON object that this version does not know, in their order. */
typedef struct tarei_extra {
  char *key, *json;
} tarei_extra;
typedef struct tarei_extras {
  tarei_extra *items;
  int n;
  size_t cap;
} tarei_extras;

#endif
