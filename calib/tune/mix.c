/*
 * Time and noise both add up over layers, so a price on noise divides the choice into one for each
 * layer: the form with the lowest time + price * noise. The lowest price that keeps the bound gives
 * the best mix on the convex hull (Everett, "Generalized Lagrange multiplier method", 1963). What
 * is left of the bound then makes single layers faster.
 */
#include "calib/tune/mix.h"

#include <math.h>

static const double SPARE = 1e-4; /* of a share, which plans add up in another order */

static bool is_known(const tarei_tune_layer *const layer, const int form) {
  return layer->has[form] && !isnan(layer->noise[form]) && !isnan(layer->seconds[form]);
}

static double form_time(const tarei_tune_layer *const layer, const int form) {
  return layer->seconds[form] +
         (tare_precision_is_integer((tare_precision)form) ? 0 : layer->float_price);
}

static int cheapest_form(const tarei_tune_layer *const layer, const double price) {
  int best = layer->chosen;
  double lowest = INFINITY;
  for (int form = 0; form < TARE_PRECISION_COUNT; form++) {
    const double cost =
        is_known(layer, form) ? form_time(layer, form) + price * layer->noise[form] : INFINITY;
    best = cost < lowest ? form : best;
    lowest = fmin(lowest, cost);
  }
  return best;
}

static double mix_noise(const tarei_tune_layer *const layers, const int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += is_known(&layers[i], layers[i].chosen) ? layers[i].noise[layers[i].chosen] : 0;
  }
  return sum;
}

/* Chooses all forms at a price, and returns their noise. */
static double choose_at(tarei_tune_layer *const layers, const int n, const double price) {
  for (int i = 0; i < n; i++) {
    layers[i].chosen = (tare_precision)cheapest_form(&layers[i], price);
  }
  return mix_noise(layers, n);
}

/* What a layer saves in another form, of a rest that changes may take; 0 or less where it may not.
 */
typedef double mix_saving(const tarei_tune_layer *layer, int form, double rest);

/* Makes the change of one layer that saves most; false: none does. */
static bool take_best(tarei_tune_layer *const layers, const int n, mix_saving *const saving,
                      const double rest) {
  double most = 0;
  int layer = -1, form = 0;
  for (int i = 0; i < n; i++) {
    for (int f = 0; f < TARE_PRECISION_COUNT && is_known(&layers[i], layers[i].chosen); f++) {
      const double saved = is_known(&layers[i], f) ? saving(&layers[i], f, rest) : 0;
      layer = saved > most ? i : layer;
      form = saved > most ? f : form;
      most = fmax(most, saved);
    }
  }
  if (layer >= 0) {
    layers[layer].chosen = (tare_precision)form;
  }
  return layer >= 0;
}

/* Time, within the rest of the bound. */
static double time_within_bound(const tarei_tune_layer *const layer, const int form,
                                const double rest) {
  const bool fits = layer->noise[form] - layer->noise[layer->chosen] <= rest;
  return fits ? form_time(layer, layer->chosen) - form_time(layer, form) : 0;
}

/* Time for its share if it goes back to float, which must not be noisier, within what is beyond the
 * share on integers. */
static double time_of_share(const tarei_tune_layer *const layer, const int form,
                            const double rest) {
  const bool goes_back =
      tare_precision_is_integer(layer->chosen) && !tare_precision_is_integer((tare_precision)form);
  const bool may = goes_back && layer->share > 0 && layer->share <= rest &&
                   layer->noise[form] <= layer->noise[layer->chosen];
  return may ? (form_time(layer, layer->chosen) - form_time(layer, form)) / layer->share : 0;
}

bool tarei_mix_choose(tarei_tune_layer *const layers, const int n, const double bound) {
  enum { HALVINGS = 100 };
  const double most = 1e30;
  double low = 1e-30, high = most; /* seconds for all of the noise */
  if (choose_at(layers, n, 0) <= bound) {
    return true;
  }
  if (choose_at(layers, n, most) > bound) {
    return false;
  }
  for (int i = 0; i < HALVINGS; i++) {
    const double price = sqrt(low * high);
    *(choose_at(layers, n, price) <= bound ? &high : &low) = price;
  }
  double noise = choose_at(layers, n, high);
  while (take_best(layers, n, time_within_bound, bound - noise)) {
    noise = mix_noise(layers, n);
  }
  return true;
}

/* --- on integers ------------------------------------------------------------------------------ */

static double share_on_integers(const tarei_tune_layer *const layers, const int n) {
  double share = 0;
  for (int i = 0; i < n; i++) {
    share += tare_precision_is_integer(layers[i].chosen) ? layers[i].share : 0;
  }
  return share;
}

static void scale_float_prices(tarei_tune_layer *const layers, const int n, const double factor) {
  for (int i = 0; i < n; i++) {
    layers[i].float_price *= factor;
  }
}

bool tarei_mix_choose_share(tarei_tune_layer *const layers, const int n, const double bound,
                            const double share) {
  const double most = 1 << 20;
  double factor = 1;
  bool possible = tarei_mix_choose(layers, n, bound);
  while (possible && factor < most && share_on_integers(layers, n) < share) {
    scale_float_prices(layers, n, 2);
    factor *= 2;
    possible = tarei_mix_choose(layers, n, bound);
  }
  scale_float_prices(layers, n, 1 / factor);
  if (factor > 1) { /* steps are coarse, and may have taken too many */
    while (take_best(layers, n, time_of_share, share_on_integers(layers, n) - share - SPARE)) {
    }
  }
  return possible;
}
