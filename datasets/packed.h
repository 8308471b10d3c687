/*
 * A list of byte strings, each stored as what differs from the one before: names of files share
 * their folders. Every 32nd is stored whole, and the strings up to the next are a block.
 */
#ifndef TAREI_DATASETS_PACKED_H
#define TAREI_DATASETS_PACKED_H

#include "datasets/bytes.h"

typedef struct tarei_packed_list {
  size_t n;       /* strings */
  size_t longest; /* bytes */
  uint8_t **full; /* blocks */
  size_t n_full, capacity;
  tarei_bytes open; /* the last block */
  tarei_bytes last; /* string */
} tarei_packed_list;

void tarei_packed_free(tarei_packed_list *list);

/* Appends a string; false if memory runs out, and the list is as before. */
bool tarei_packed_add(tarei_packed_list *list, const void *string, size_t n);

/* A string of the list, until one is added to it. Going on to the next is fast. Zeroed: none. */
typedef struct tarei_unpacked {
  tarei_bytes bytes;
  size_t index;
  const uint8_t *next; /* what comes behind; NULL: no string yet */
} tarei_unpacked;

void tarei_unpacked_free(tarei_unpacked *string);

/* Makes room for any string of the list, after which tarei_packed_get cannot fail. */
bool tarei_packed_reserve(const tarei_packed_list *list, tarei_unpacked *out);

/* Unpacks string i < n; false if memory runs out. Several threads may, each with its own `out`. */
bool tarei_packed_get(const tarei_packed_list *list, size_t i, tarei_unpacked *out);

#endif
