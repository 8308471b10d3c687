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

/* The change of one layer that saves the most time within the rest of the bound; false: none. */
static bool take_best_saving(tarei_tune_layer *const layers, const int n, const double rest) {
  double most = 0;
  int layer = -1, form = 0;
  for (int i = 0; i < n; i++) {
    const tarei_tune_layer *const l = &layers[i];
    for (int f = 0; f < TARE_PRECISION_COUNT && is_known(l, l->chosen); f++) {
      const bool fits = is_known(l, f) && l->noise[f] - l->noise[l->chosen] <= rest;
      const double saved = fits ? form_time(l, l->chosen) - form_time(l, f) : 0;
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
  while (take_best_saving(layers, n, bound - noise)) {
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

/* The layer that saves the most time for its share if it goes back to float, which must not be
 * noisier; false: none. */
static bool take_best_return(tarei_tune_layer *const layers, const int n, const double rest) {
  double most = 0;
  int layer = -1, form = 0;
  for (int i = 0; i < n; i++) {
    const tarei_tune_layer *const l = &layers[i];
    const bool may = tare_precision_is_integer(l->chosen) && is_known(l, l->chosen) &&
                     l->share > 0 && l->share <= rest;
    for (int f = 0; f < TARE_PRECISION_COUNT && may; f++) {
      const bool fits = !tare_precision_is_integer((tare_precision)f) && is_known(l, f) &&
                        l->noise[f] <= l->noise[l->chosen];
      const double saved = fits ? (form_time(l, l->chosen) - form_time(l, f)) / l->share : 0;
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
    while (take_best_return(layers, n, share_on_integers(layers, n) - share - SPARE)) {
    }
  }
  return possible;
}
