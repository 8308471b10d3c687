/* The choice of a form for each layer, compared with all mixes that there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "calib/tune/mix.h"
#include "unit/calib/random_floats.h"

enum { LAYERS = 5, FORMS = 4 };
static const tare_precision FORM[FORMS] = {TARE_PRECISION_FP32, TARE_PRECISION_INT8,
                                           TARE_PRECISION_INT8_ROWS, TARE_PRECISION_INT16};

static double uniform(const double low, const double high) {
  return low + (high - low) * (random_bits() / 4294967296.0);
}

static void make_layers(tarei_tune_layer *const layers) {
  for (int l = 0; l < LAYERS; l++) {
    layers[l] = (tarei_tune_layer){.chosen = TARE_PRECISION_INT8};
    for (int p = 0; p < TARE_PRECISION_COUNT; p++) {
      layers[l].noise[p] = NAN;
      layers[l].seconds[p] = NAN;
    }
    for (int f = 0; f < FORMS; f++) {
      layers[l].has[FORM[f]] = f < 2 || (random_bits() / 4294967296.0) < 0.7;
      layers[l].noise[FORM[f]] = f == 0 ? 0 : pow(10, uniform(-6, -1));
      layers[l].seconds[FORM[f]] = pow(10, uniform(-5, -3));
    }
  }
}

static void sums(const tarei_tune_layer *const layers, const int *const forms, double *const noise,
                 double *const seconds) {
  *noise = *seconds = 0;
  for (int l = 0; l < LAYERS; l++) {
    *noise += layers[l].noise[forms[l]];
    *seconds += layers[l].seconds[forms[l]];
  }
}

static void chosen(const tarei_tune_layer *const layers, int *const forms) {
  for (int l = 0; l < LAYERS; l++) {
    forms[l] = layers[l].chosen;
    assert_true(layers[l].has[forms[l]]);
  }
}

/* The fastest of all mixes that keep the bound. */
static double fastest(const tarei_tune_layer *const layers, const double bound) {
  double best = INFINITY;
  for (int code = 0; code < 1 << (2 * LAYERS); code++) {
    int forms[LAYERS];
    bool has = true;
    for (int l = 0; l < LAYERS; l++) {
      forms[l] = FORM[code >> (2 * l) & 3];
      has = has && layers[l].has[forms[l]];
    }
    double noise, seconds;
    sums(layers, forms, &noise, &seconds);
    best = has && noise <= bound ? fmin(best, seconds) : best;
  }
  return best;
}

static void keeps_the_bound_and_is_nearly_the_fastest(void **const state) {
  (void)state;
  double worst = 1, ratios = 0;
  enum { ROUNDS = 300 };
  for (int round = 0; round < ROUNDS; round++) {
    tarei_tune_layer layers[LAYERS];
    int forms[LAYERS];
    double noise, seconds;
    const double bound = pow(10, uniform(-6, 0));
    make_layers(layers);
    assert_true(tarei_mix_choose(layers, LAYERS, bound)); /* float has no noise */
    chosen(layers, forms);
    sums(layers, forms, &noise, &seconds);
    assert_true(noise <= bound);
    const double ratio = seconds / fastest(layers, bound);
    assert_true(ratio > 0.999999);
    worst = fmax(worst, ratio);
    ratios += ratio / ROUNDS;
  }
  printf("time over that of the fastest mix: %.3f on average, %.3f at most\n", ratios, worst);
  assert_true(ratios < 1.05);
}

static void takes_the_least_noise_where_nothing_holds(void **const state) {
  (void)state;
  tarei_tune_layer layers[LAYERS];
  make_layers(layers);
  for (int l = 0; l < LAYERS; l++) {
    layers[l].has[TARE_PRECISION_FP32] = false;
  }
  assert_false(tarei_mix_choose(layers, LAYERS, 1e-9));
  for (int l = 0; l < LAYERS; l++) {
    for (int f = 1; f < FORMS; f++) {
      assert_true(!layers[l].has[FORM[f]] ||
                  layers[l].noise[layers[l].chosen] <= layers[l].noise[FORM[f]]);
    }
  }
}

static void leaves_alone_what_was_not_measured(void **const state) {
  (void)state;
  tarei_tune_layer layers[LAYERS];
  make_layers(layers);
  layers[2].noise[TARE_PRECISION_INT16] = NAN;
  layers[2].has[TARE_PRECISION_INT16] = true;
  layers[2].seconds[TARE_PRECISION_INT16] = 1e-9;
  assert_true(tarei_mix_choose(layers, LAYERS, 1e9));
  assert_int_not_equal(layers[2].chosen, TARE_PRECISION_INT16);
}

/* A layer in float must gain more time than its price. */
static void float_has_a_price(void **const state) {
  (void)state;
  tarei_tune_layer layer = {.chosen = TARE_PRECISION_INT8, .float_price = 0.2};
  for (int p = 0; p < TARE_PRECISION_COUNT; p++) {
    layer.has[p] = p == TARE_PRECISION_INT8 || p == TARE_PRECISION_FP32;
    layer.noise[p] = p == TARE_PRECISION_FP32 ? 0 : 1e-3;
    layer.seconds[p] = p == TARE_PRECISION_FP32 ? 0.9 : 1;
  }
  assert_true(tarei_mix_choose(&layer, 1, 1e-2));
  assert_int_equal(layer.chosen, TARE_PRECISION_INT8);
  layer.float_price = 0;
  assert_true(tarei_mix_choose(&layer, 1, 1e-2));
  assert_int_equal(layer.chosen, TARE_PRECISION_FP32);
}

/* What raised prices take to integers beyond the share goes back, slowest for its share first. */
static void no_more_is_on_integers_than_asked(void **const state) {
  (void)state;
  enum { N = 4 };
  static const double seconds[N] = {1.1, 1.2, 1.3, 1.4}; /* float: 1 each */
  tarei_tune_layer layers[N] = {0};
  for (int l = 0; l < N; l++) {
    layers[l].chosen = TARE_PRECISION_FP32;
    layers[l].share = 0.25;
    layers[l].float_price = 0.01;
    layers[l].has[TARE_PRECISION_INT8] = layers[l].has[TARE_PRECISION_FP32] = true;
    layers[l].noise[TARE_PRECISION_INT8] = 1e-3;
    layers[l].seconds[TARE_PRECISION_INT8] = seconds[l];
    layers[l].seconds[TARE_PRECISION_FP32] = 1;
  }
  for (int wanted = 1; wanted < N; wanted++) {
    assert_true(tarei_mix_choose_share(layers, N, 1, 0.25 * wanted - 0.01));
    for (int l = 0; l < N; l++) {
      assert_int_equal(layers[l].chosen, l < wanted ? TARE_PRECISION_INT8 : TARE_PRECISION_FP32);
    }
  }
}

/* A share on integers is met where the bound allows it, and the layers keep their prices. */
static void keeps_a_share_on_integers(void **const state) {
  (void)state;
  for (int round = 0; round < 200; round++) {
    tarei_tune_layer layers[LAYERS];
    make_layers(layers);
    for (int l = 0; l < LAYERS; l++) {
      layers[l].share = 1.0 / LAYERS;
      layers[l].float_price = 1e-6;
      layers[l].seconds[TARE_PRECISION_FP32] = 1e-6; /* float is the fastest */
    }
    assert_true(tarei_mix_choose_share(layers, LAYERS, INFINITY, 0.79));
    int on_integers = 0;
    for (int l = 0; l < LAYERS; l++) {
      on_integers += layers[l].chosen != TARE_PRECISION_FP32;
      assert_true(layers[l].float_price == 1e-6);
    }
    assert_in_range(on_integers, 4, LAYERS);
    assert_true(tarei_mix_choose_share(layers, LAYERS, 0, 0.79)); /* only float has no noise */
    for (int l = 0; l < LAYERS; l++) {
      assert_int_equal(layers[l].chosen, TARE_PRECISION_FP32);
    }
  }
}

int mix_test(void) {
  seed_random();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keeps_the_bound_and_is_nearly_the_fastest),
      cmocka_unit_test(takes_the_least_noise_where_nothing_holds),
      cmocka_unit_test(leaves_alone_what_was_not_measured),
      cmocka_unit_test(float_has_a_price),
      cmocka_unit_test(keeps_a_share_on_integers),
      cmocka_unit_test(no_more_is_on_integers_than_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
