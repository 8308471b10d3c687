#include "calib/input_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { FRACTION = 60 /* bits */ };

tare_status tarei_input_sums_init(tarei_input_sums *const sums, const int64_t k,
                                  tare_error *const err) {
  *sums = (tarei_input_sums){.k = (size_t)k, .sums = tarei_calloc((size_t)k, sizeof *sums->sums)};
  return sums->sums ? TARE_OK
                    : tarei_fail_memory(err, "sums of inputs", (size_t)k * sizeof *sums->sums);
}

void tarei_input_sums_fini(tarei_input_sums *const sums) {
  free(sums->sums);
  *sums = (tarei_input_sums){0};
}

void tarei_input_sums_reset(tarei_input_sums *const sums) {
  if (sums->sums) {
    memset(sums->sums, 0, sums->k * sizeof *sums->sums);
  }
  sums->n_rows = 0;
}

void tarei_input_sums_add(tarei_input_sums *const to, const double *const sums,
                          const int64_t n_rows) {
  for (size_t i = 0; i < to->k; i++) {
    if (!(fabs(sums[i]) < ldexp(1, FRACTION))) {
      return;
    }
  }
  for (size_t i = 0; i < to->k; i++) {
    to->sums[i] += (tarei_fixed)ldexp(sums[i], FRACTION);
  }
  to->n_rows += n_rows;
}

double tarei_input_mean(const tarei_input_sums *const sums, const size_t input) {
  return sums->n_rows ? ldexp((double)sums->sums[input], -FRACTION) / (double)sums->n_rows : 0;
}
