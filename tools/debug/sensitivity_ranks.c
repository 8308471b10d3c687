/* Which layers of a ranking differ by more than the choice of samples. */
#include <math.h>

#include "tools/debug/sensitivity.h"

/* Whether a layer differs from another, and its own interval. */
static tare_status compare_with(const sensitivity *const s, const int base, const int layer,
                                tare_difference *const difference, tare_error *const err) {
  const tare_error_tally *const tallies[] = {s->layers[base].errors, s->layers[layer].errors};
  tare_difference both[2];
  tare_interval own[2];
  CLI_TRY(tare_sqnr_differences(tallies, 2, s->n_errors, s->n_columns, 0, both, own, err));
  s->layers[layer].interval_db = own[1];
  *difference = both[1];
  return TARE_OK;
}

tare_status sensitivity_rank_layers(sensitivity *const s, tare_error *const err) {
  int first = 0;
  for (int i = 0; i < s->n; i++) {
    tare_difference difference = {.distinct = false};
    s->layers[i].interval_db = (tare_interval){NAN, NAN};
    if (s->n_errors) { /* none: the model has no float output */
      CLI_TRY(compare_with(s, first, i, &difference, err));
    }
    first = difference.distinct ? i : first;
    s->layers[i].rank = first + 1;
  }
  return TARE_OK;
}
