#include "tools/ranks/parcels.h"

#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"

void parcel_free(parcel *const p) {
  if (p) {
    free(p->data);
  }
  free(p);
}

static parcel **parcels_find(parcel **const all, const int from) {
  parcel **at = all;
  while (*at && (*at)->from != from) {
    at = &(*at)->next;
  }
  return at;
}

static parcel *parcels_begin(parcel **const at, const int from, const message *const head) {
  parcel *const p = cli_realloc(NULL, 1, sizeof *p);
  *p = (parcel){.next = *at ? (*at)->next : NULL, .from = from, .round = head->round};
  p->bytes = (size_t)head->b;
  p->data = cli_realloc(NULL, p->bytes + 1, 1);
  parcel_free(*at);
  *at = p;
  return p;
}

void parcels_add(parcel **const all, const int from, const message *const head,
                 const char *const piece, const size_t bytes) {
  parcel **const at = parcels_find(all, from);
  parcel *p = *at;
  if (!p || p->round < head->round) {
    p = parcels_begin(at, from, head);
  }
  const bool fits =
      head->a >= 0 && (size_t)head->a <= p->bytes && bytes <= p->bytes - (size_t)head->a;
  if (p->round == head->round && fits) {
    memcpy(p->data + head->a, piece, bytes);
    p->got += bytes;
  }
}

parcel *parcels_take(parcel **const all, const int from, const int64_t round) {
  parcel **const at = parcels_find(all, from);
  parcel *const p = *at;
  if (!p || p->round != round || p->got < p->bytes) {
    return NULL;
  }
  *at = p->next;
  return p;
}

void parcels_fini(parcel **const all) {
  while (*all) {
    parcel *const p = *all;
    *all = p->next;
    parcel_free(p);
  }
}
