/* A search for layers to raise, and the mixes of precisions that it judges. */
#ifndef TAREI_CALIB_TUNE_RAISING_H
#define TAREI_CALIB_TUNE_RAISING_H

#include "calib/tune/forms.h"
#include "calib/tune/trials.h"

typedef struct tarei_raising {
  tarei_trials trials;
  tare_tune_options as_tuned; /* what the trials read */
  const tare_raise_options *options;
  tare_dataset *search, *check;
  tarei_tune_layers layers;
  double start, spent; /* when it began: of the clock, of the thread */
  int64_t n_probes;    /* that it has measured */
  double floor;        /* noise with all layers in float that can be */
  double sure;         /* noise of the mix in `out`, and its price */
  double price;
  tare_raised *out;
} tarei_raising;

bool tarei_raising_is_late(const tarei_raising *raising);

/* Builds and measures what the layers have chosen, and takes it if it is the best, or `anyway`.
 * `sure` receives its noise. */
tare_status tarei_raising_judge(tarei_raising *raising, bool anyway, double *sure, tare_error *err);

/* Judges mixes by what is known of all layers: the cheapest that keeps the bound becomes `out`, or
 * if none does, the one with the least noise. `standard`: the noise of the plan without requests.
 */
tare_status tarei_raising_mix(tarei_raising *raising, double standard, tare_error *err);

/* The same where the time is over: two mixes at most, by what has been measured so far. Where
 * nothing has, layers get 16-bit rows, or float. */
tare_status tarei_raising_mix_late(tarei_raising *raising, double bound, double standard,
                                   tare_error *err);

/* Where what was found saves little of the price of float, gives all layers float. */
tare_status tarei_raising_round_up(tarei_raising *raising, tare_error *err);

#endif
