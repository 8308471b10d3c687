#include "base/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"

bool tarei_names_init(tarei_names *const names, const size_t capacity) {
  size_t n = 16;
  while (n / 2 < capacity) {
    n *= 2;
  }
  struct tarei_names_slot *const slots = tarei_calloc(n, sizeof *slots);
  *names = (tarei_names){.slots = slots, .n_slots = slots ? n : 0}; /* else it would seem made */
  return slots != NULL;
}

void tarei_names_fini(tarei_names *const names) {
  free(names->slots);
  *names = (tarei_names){0};
}

bool tarei_names_grow(tarei_names *const names) {
  if (names->n + 1 <= names->n_slots / 2) {
    return true;
  }
  tarei_names larger;
  if (!tarei_names_init(&larger, names->n_slots)) {
    return false;
  }
  for (size_t i = 0; i < names->n_slots; i++) {
    if (names->slots[i].name) {
      tarei_names_add(&larger, names->slots[i].name, names->slots[i].index);
    }
  }
  tarei_names_fini(names);
  *names = larger;
  return true;
}

/* The slot of a name, or the free one where it would go. */
static struct tarei_names_slot *slot_of(const tarei_names *const names, const char *const name) {
  size_t i = (size_t)XXH64(name, strlen(name), 0 /* seed */);
  for (;; i++) {
    struct tarei_names_slot *const slot = &names->slots[i & (names->n_slots - 1)];
    if (!slot->name || strcmp(slot->name, name) == 0) {
      return slot;
    }
  }
}

int tarei_names_find(const tarei_names *const names, const char *const name) {
  const struct tarei_names_slot *const slot = names->n ? slot_of(names, name) : NULL;
  return slot && slot->name ? slot->index : -1;
}

void tarei_names_add(tarei_names *const names, const char *const name, const int index) {
  struct tarei_names_slot *const slot = slot_of(names, name);
  assert(!slot->name && names->n < names->n_slots / 2);
  names->n++;
  *slot = (struct tarei_names_slot){.name = name, .index = index};
}
