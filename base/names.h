/* A hash table from names to numbers. Names are not copied, and must outlive the table. A zeroed
 * table is empty. */
#ifndef TAREI_BASE_NAMES_H
#define TAREI_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tarei_names {
  struct tarei_names_slot {
    const char *name; /* NULL: free */
    int index;
  } * slots;
  size_t n_slots; /* a power of two, at least twice the names */
  size_t n;
} tarei_names;

bool tarei_names_init(tarei_names *names, size_t capacity);
void tarei_names_fini(tarei_names *names);
int tarei_names_find(const tarei_names *names, const char *name); /* -1 if missing */
/* Makes room for one name more than the capacity; false if memory runs out. */
bool tarei_names_grow(tarei_names *names);
/* Adds a name, which must not be in the table. At most `capacity` names may be added. */
void tarei_names_add(tarei_names *names, const char *name, int index);

#endif
