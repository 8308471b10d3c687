/* Statistics files that arrive from other ranks in pieces. */
#ifndef TAREI_TOOLS_RANKS_PARCELS_H
#define TAREI_TOOLS_RANKS_PARCELS_H

#include "tools/ranks/messages.h"

typedef struct parcel {
  struct parcel *next;
  int from;
  int64_t round;
  size_t bytes, got;
  char *data;
} parcel;

/* Adds a piece to the parcels of its sender; those of earlier rounds are dropped. */
void parcels_add(parcel **all, int from, const message *head, const char *piece, size_t bytes);

/* Takes a parcel that is complete out; NULL: it is not. Free it with parcel_free. */
parcel *parcels_take(parcel **all, int from, int64_t round);

void parcel_free(parcel *p);
void parcels_fini(parcel **all);

#endif
