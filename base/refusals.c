#include "base/refusals.h"

#include <errno.h>
#include <stddef.h>

static _Thread_local unsigned refusals;

unsigned tarei_refusals(void) {
  return refusals;
}

void *tarei_refuse(void) {
  refusals++;
  errno = 0;
  return NULL;
}

tare_status tarei_settle(const unsigned before, const tare_status status, const char *const what,
                         tare_error *const err) {
  if (refusals == before || status == TARE_E_MEMORY || status == TARE_E_LIMIT) {
    return status;
  }
  return tarei_fail(err, TARE_E_MEMORY, "%s: out of memory", what);
}
