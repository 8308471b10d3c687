#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "calib/tune/mix.h"
#include "calib/tune/probes.h"
#include "calib/tune/raising.h"

enum { MOST_MIXES = 8 };
#define LOWER 0.7        /* at least so much is a bound lowered that a mix missed */
#define WIDER 1.4        /* and widened that one kept */
#define CLOSE_ENOUGH 1.2 /* 0.8 dB between a bound that is kept and one that is not */
#define MOST_EXCESS 4.0
#define MUCH_LOWER 0.25  /* the same where there is time for no other */
#define WIDE_LEAVES 0.01 /* of the noise of 8 bits, as long as 16 have not been measured */
#define LEAST_SAVED 0.1  /* of the price of float */

bool tarei_raising_is_late(const tarei_raising *const r) {
  const tare_raise_options *const o = r->options;
  return (o->seconds > 0 && tarei_now() - r->start >= o->seconds) ||
         (o->processor_seconds > 0 && tarei_thread_seconds() - r->spent >= o->processor_seconds);
}

/* --- judging ---------------------------------------------------------------------------------- */

/* What the layers have chosen, as a price. */
static double price_of(const tarei_tune_layers *const layers) {
  double price = 0;
  for (int i = 0; i < layers->n; i++) {
    price += layers->items[i].seconds[layers->items[i].chosen];
  }
  return price;
}

static void take_raised(tarei_raising *const r, const double noise, const double sure,
                        char **const requests) {
  tare_raised *const out = r->out;
  free(out->requests);
  out->requests = *requests;
  *requests = NULL;
  out->sqnr_db = tarei_sqnr_of_noise(noise);
  out->n_layers = 0;
  out->share = 0;
  r->sure = sure;
  r->price = price_of(&r->layers);
  for (int i = 0; i < r->layers.n; i++) {
    const tarei_tune_layer *const layer = &r->layers.items[i];
    out->n_layers += layer->chosen != layer->standard;
    out->share += layer->chosen != layer->standard ? layer->share : 0;
  }
}

/* Of two mixes that keep the bound the cheaper one is better, else that with less noise. */
static bool is_better(const tarei_raising *const r, const double sure) {
  const double most = tarei_noise_of_sqnr(r->options->sqnr_db);
  return sure <= most && r->sure <= most ? price_of(&r->layers) < r->price : sure < r->sure;
}

tare_status tarei_raising_judge(tarei_raising *const r, const bool anyway, double *const sure,
                                tare_error *const err) {
  tarei_str text = {0};
  tarei_tune_layers_request(&r->layers, &text);
  char *requests = text.failed ? NULL : tarei_strdup(tarei_str_get(&text));
  tarei_str_free(&text);
  if (!requests) {
    return tarei_fail_memory(err, "requests", (size_t)r->layers.n);
  }
  tarei_trial trial = {0};
  const tare_status status = tarei_trials_measure(&r->trials, r->check, requests, &trial, err);
  *sure = trial.sure;
  if (status == TARE_OK && (anyway || is_better(r, *sure))) {
    take_raised(r, trial.noise, *sure, &requests);
  }
  free(requests);
  return status;
}

static tare_status raising_try(tarei_raising *const r, double *const sure, tare_error *const err) {
  return tarei_raising_judge(r, false, sure, err);
}

/* How much more noise single layers have together than the plan. */
static double excess(const tarei_raising *const r, const double noise) {
  double sum = r->floor;
  for (int i = 0; i < r->layers.n; i++) {
    sum += tarei_probes_standard(&r->layers.items[i]);
  }
  return fmin(fmax(sum / noise, 1 / MOST_EXCESS), MOST_EXCESS);
}

/* --- when the time is over -------------------------------------------------------------------- */

/* A layer that was not measured may make all of the noise of the plan, unless it has no other form;
 * with 16 bits, all such layers together leave little. Notes which layers have a guess for these,
 * and returns whether any has. */
static bool guess_noise(tarei_tune_layers *const layers, const double standard,
                        bool *const guessed) {
  bool any = false;
  for (int i = 0; i < layers->n; i++) {
    tarei_tune_layer *const layer = &layers->items[i];
    double *const noise = layer->noise;
    double *const wide = &noise[TARE_PRECISION_INT16_ROWS];
    const bool unknown = isnan(noise[layer->standard]);
    const double most = layer->has[TARE_PRECISION_FP32] ? fmin(standard, 1) : 0;
    noise[layer->standard] = unknown ? most : noise[layer->standard];
    guessed[i] = tare_precision_is_integer(layer->standard) &&
                 layer->has[TARE_PRECISION_INT16_ROWS] && isnan(*wide);
    if (guessed[i]) {
      *wide = noise[layer->standard] * WIDE_LEAVES / (unknown ? layers->n : 1);
    }
    any |= guessed[i];
  }
  return any;
}

static void forget_guesses(tarei_tune_layers *const layers, const bool *const guessed) {
  for (int i = 0; i < layers->n; i++) {
    double *const wide = &layers->items[i].noise[TARE_PRECISION_INT16_ROWS];
    *wide = guessed[i] ? NAN : *wide;
  }
}

tare_status tarei_raising_mix_late(tarei_raising *const r, const double bound,
                                   const double standard, tare_error *const err) {
  double noise = 0;
  bool *const guessed = tarei_calloc((size_t)r->layers.n, sizeof *guessed);
  if (!guessed) {
    return tarei_fail_memory(err, "layers to raise", (size_t)r->layers.n * sizeof *guessed);
  }
  const bool any = guess_noise(&r->layers, standard, guessed);
  tarei_mix_choose(r->layers.items, r->layers.n, bound);
  tare_status status = raising_try(r, &noise, err);
  if (status == TARE_OK && any && noise > tarei_noise_of_sqnr(r->options->sqnr_db)) {
    forget_guesses(&r->layers, guessed);
    tarei_mix_choose(r->layers.items, r->layers.n, bound);
    status = raising_try(r, &noise, err);
  }
  free(guessed);
  return status;
}

/* --- when there is time ----------------------------------------------------------------------- */

/* Moves the bound on the sum until the plan just keeps its own. */
tare_status tarei_raising_mix(tarei_raising *const r, const double standard,
                              tare_error *const err) {
  const double most = tarei_noise_of_sqnr(r->options->sqnr_db);
  double held = 0, failed = INFINITY, bound = most * excess(r, standard);
  for (int i = 0; i < MOST_MIXES && failed > held * CLOSE_ENOUGH; i++) {
    double noise = 0;
    r->out->complete = i == 0 || !tarei_raising_is_late(r);
    if (!r->out->complete) {
      return held > 0 ? TARE_OK : tarei_raising_mix_late(r, failed * MUCH_LOWER, standard, err);
    }
    const bool possible = tarei_mix_choose(r->layers.items, r->layers.n, bound);
    TAREI_TRY(raising_try(r, &noise, err));
    if (!possible) {
      break;
    }
    *(noise <= most ? &held : &failed) = bound;
    bound = held > 0 && !isinf(failed) ? sqrt(held * failed)
            : held > 0                 ? held * fmax(most / noise, WIDER)
                                       : bound * fmin(most / noise, LOWER);
  }
  return TARE_OK;
}

/* --- when little is left on integers ---------------------------------------------------------- */

/* Noise for hardly any time: other samples may have much more of it than those that judged. */
tare_status tarei_raising_round_up(tarei_raising *const r, tare_error *const err) {
  for (int i = 0; i < r->layers.n; i++) {
    tarei_tune_layer *const layer = &r->layers.items[i];
    layer->chosen = layer->has[TARE_PRECISION_FP32] ? TARE_PRECISION_FP32 : layer->standard;
  }
  double sure;
  const bool saves = r->price < (1 - LEAST_SAVED) * price_of(&r->layers);
  return r->out->n_layers == 0 || saves ? TARE_OK : tarei_raising_judge(r, true, &sure, err);
}
