#include "datasets/labels/label.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct label_number {
  bool is_integer;
  int64_t integer;
  double real;
} label_number;

/* Takes the next number; false when none stands here. */
static bool label_take(const char **const at, label_number *const out) {
  const char *const start = *at + strspn(*at, " ");
  const size_t length = strcspn(start, " ");
  char *end = NULL;
  *at = start + length;
  if (length == 0 || strspn(start, "+-.0123456789eE") < length) { /* no "nan", no "0x1" */
    return false;
  }
  errno = 0;
  out->integer = strtoll(start, &end, 10);
  out->is_integer = !errno && end == *at;
  out->real = strtod(start, &end);
  return end == *at && isfinite(out->real);
}

/* How many numbers a text is, 0 where it is something else, and whether all are integers. */
static int64_t label_count(const char *const text, bool *const integers) {
  int64_t n = 0;
  label_number number;
  *integers = true;
  for (const char *at = text; at[strspn(at, " ")]; n++) {
    if (!label_take(&at, &number)) {
      return 0;
    }
    *integers = *integers && number.is_integer;
  }
  return n;
}

tare_status tarei_label_from_text(tarei_slot *const slot, tare_error *const err) {
  bool integers = true;
  const int64_t n = slot->label_text ? label_count(slot->label_text, &integers) : 0;
  if (n == 0) {
    return TARE_OK;
  }
  slot->label = (tare_tensor){.dtype = integers ? TARE_I64 : TARE_F64, .rank = n > 1, .dims = {n}};
  TAREI_TRY(tarei_slot_allocate(slot, &slot->label, n, err));
  const char *at = slot->label_text;
  for (int64_t i = 0; i < n; i++) {
    label_number number = {0};
    (void)label_take(&at, &number); /* counted above */
    if (integers) {
      ((int64_t *)slot->label.data)[i] = number.integer;
    } else {
      ((double *)slot->label.data)[i] = number.real;
    }
  }
  return TARE_OK;
}
