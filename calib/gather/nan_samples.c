#include "calib/gather/nan_samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

enum { MOST = TARE_NAN_SAMPLES_NAMED };

/* Where the sample stands among the first; MOST: nowhere. */
static int nan_place_of(const tare_nan_samples *const s, const int64_t index) {
  int at = 0;
  while (at < MOST && s->names[at] && s->indices[at] < index) {
    at++;
  }
  return at;
}

tare_status tarei_nan_samples_add(tare_nan_samples *const s, const int64_t index,
                                  const char *const name, const char *const tensor,
                                  tare_error *const err) {
  const int at = nan_place_of(s, index);
  s->n++;
  if (at == MOST) {
    return TARE_OK;
  }
  char *const own = tarei_strdup(name), *const of = tarei_strdup(tensor);
  if (!own || !of) {
    free(own);
    free(of);
    return tarei_fail_memory(err, name, strlen(name));
  }
  free(s->names[MOST - 1]);
  free(s->tensors[MOST - 1]);
  for (int i = MOST - 1; i > at; i--) {
    s->indices[i] = s->indices[i - 1];
    s->names[i] = s->names[i - 1];
    s->tensors[i] = s->tensors[i - 1];
  }
  s->indices[at] = index;
  s->names[at] = own;
  s->tensors[at] = of;
  return TARE_OK;
}

void tare_nan_samples_fini(tare_nan_samples *const samples) {
  for (int i = 0; i < MOST; i++) {
    free(samples->names[i]);
    free(samples->tensors[i]);
  }
  *samples = (tare_nan_samples){0};
}
