#include "datasets/label.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Takes the next number; false when none stands here. */
static bool label_take(const char **const at, int64_t *const out) {
  const char *const start = *at + strspn(*at, " ");
  char *end = NULL;
  errno = 0;
  *out = strtoll(start, &end, 10);
  *at = end;
  return !errno && end != start && (*end == ' ' || !*end);
}

/* How many numbers a text is; 0 where it is something else. */
static int64_t label_count(const char *const text) {
  int64_t n = 0, value = 0;
  for (const char *at = text; at[strspn(at, " ")]; n++) {
    if (!label_take(&at, &value)) {
      return 0;
    }
  }
  return n;
}

tare_status tarei_label_from_text(tarei_slot *const slot, tare_error *const err) {
  const int64_t n = slot->label_text ? label_count(slot->label_text) : 0;
  if (n == 0) {
    return TARE_OK;
  }
  slot->label = (tare_tensor){.dtype = TARE_I64, .rank = n > 1, .dims = {n}};
  TAREI_TRY(tarei_slot_allocate(slot, &slot->label, n, err));
  const char *at = slot->label_text;
  for (int64_t i = 0; i < n; i++) {
    (void)label_take(&at, &((int64_t *)slot->label.data)[i]); /* counted above */
  }
  return TARE_OK;
}
