#include "calib/refused.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Of the first refusal that is not before this index. */
static size_t refused_place(const tarei_refused *const r, const int64_t index) {
  size_t low = 0;
  for (size_t high = r->n; low < high;) {
    const size_t middle = low + (high - low) / 2;
    if (r->indices[middle] < index) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool tarei_refused_has(const tarei_refused *const refused, const int64_t index) {
  const size_t at = refused_place(refused, index);
  return at < refused->n && refused->indices[at] == index;
}

tare_status tarei_refused_add(tarei_refused *const refused, const int64_t index,
                              tare_error *const err) {
  const size_t at = refused_place(refused, index);
  if (!TAREI_GROW(refused->indices, refused->n, refused->capacity)) {
    return tarei_fail_memory(err, "refused samples", refused->n * sizeof *refused->indices);
  }
  memmove(refused->indices + at + 1, refused->indices + at,
          (refused->n - at) * sizeof *refused->indices);
  refused->indices[at] = index;
  refused->n++;
  return TARE_OK;
}

void tarei_refused_fini(tarei_refused *const refused) {
  free(refused->indices);
  *refused = (tarei_refused){0};
}
