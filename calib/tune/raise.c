/*
 * More than 8 bits for the layers that need them, found by trial.
 *
 * What the noise of a layer does to the outputs follows from the layers behind it, which statistics
 * of tensors do not show: of two layers that lose the same, one may cost the outputs a thousand
 * times as much. So each is measured alone, and the noise of layers is taken to add up. That is
 * only nearly so; a mix that misses the bound is chosen again with a lower one.
 */
#include <math.h>
#include <stdlib.h>
#include <tare/tune.h>

#include "base/clock.h"
#include "base/mem.h"
#include "calib/tune/mix.h"
#include "calib/tune/probes.h"
#include "calib/tune/written.h"

/* What a product costs in a form, if in int8 with one scale it costs 1. */
static const double PRICES[TARE_PRECISION_COUNT] = {[TARE_PRECISION_INT8] = 1,
                                                    [TARE_PRECISION_INT8_ROWS] = 1.1,
                                                    [TARE_PRECISION_INT16] = 1.6,
                                                    [TARE_PRECISION_INT16_ROWS] = 1.7,
                                                    [TARE_PRECISION_FP32] = 3};
#define LAYER_SHARE 1e-3 /* of the multiply-adds, that a layer of none counts as */

enum { MOST_MIXES = 8 };
#define LOWER 0.7        /* at least so much is a bound lowered that a mix missed */
#define WIDER 1.4        /* and widened that one kept */
#define CLOSE_ENOUGH 1.2 /* 0.8 dB between a bound that is kept and one that is not */
#define MOST_EXCESS 4.0

typedef struct raising {
  tarei_trials trials;
  tare_tune_options as_tuned; /* what the trials read */
  const tare_raise_options *options;
  tare_dataset *search, *check;
  tarei_tune_layers layers;
  double start;
  bool asked;   /* the user may have asked for some of the layers */
  double floor; /* noise with all other layers in float */
  double sure;  /* noise of the mix in `out`, and its price */
  double price;
  tare_raised *out;
} raising;

static bool raising_is_late(const raising *const r) {
  return r->options->seconds > 0 && tarei_now() - r->start >= r->options->seconds;
}

/* --- single layers ---------------------------------------------------------------------------- */

/* Those that have other forms than float. */
static tare_status raising_find(raising *const r, tare_error *const err) {
  tare_plan *plan = NULL;
  if (r->trials.written) {
    return tarei_written_find(r->trials.written, r->trials.reference, &r->layers, err);
  }
  TAREI_TRY(tarei_trials_build(&r->trials, "", &plan, err));
  const tare_status status = tarei_tune_layers_find(plan, &r->layers, err);
  tare_plan_free(&plan);
  return status;
}

/* Which of the layers have a form: those that get it where all are asked for it. */
static tare_status learn_form(raising *const r, const char *const request, tare_error *const err) {
  tare_plan *plan = NULL;
  if (r->trials.written) {
    return tarei_written_learn(r->trials.written, request, &r->layers, err);
  }
  TAREI_TRY(tarei_trials_build(&r->trials, request, &plan, err));
  const tare_status status = tarei_tune_layers_learn(&r->layers, plan, NULL, err);
  tare_plan_free(&plan);
  return status;
}

/* Layers that the user asked for have no other form. What they cost is in all measurements. Models
 * that are written have one form of row scales. */
static tare_status raising_learn(raising *const r, tare_error *const err) {
  static const char *const forms[] = {"*:int8-rows", "*:int16-rows"};
  static const char *const fp32 = "*:fp32";
  const int n = r->trials.written ? 1 : 2;
  for (int i = 0; i < n; i++) {
    TAREI_TRY(learn_form(r, forms[i], err));
  }
  if (!r->asked) {
    return TARE_OK;
  }
  TAREI_TRY(learn_form(r, fp32, err));
  return tarei_trials_noise(&r->trials, r->search, &fp32, 1, &r->floor, err);
}

/* Prices take the place of times. */
static void set_prices(raising *const r) {
  for (int i = 0; i < r->layers.n; i++) {
    tarei_tune_layer *const layer = &r->layers.items[i];
    layer->has[layer->standard] = true;
    layer->has[TARE_PRECISION_FP32] |= !r->asked;
    for (int f = 0; f < TARE_PRECISION_COUNT; f++) {
      layer->seconds[f] = (layer->share + LAYER_SHARE) * PRICES[f];
    }
  }
}

/* The forms of the first layers that cost more than their own, whose noise is not known. */
static int list_dearer(const tarei_tune_layers *const layers, const int n_layers,
                       tarei_probe *const out) {
  int n = 0;
  for (int l = 0; l < n_layers; l++) {
    const tarei_tune_layer *const layer = &layers->items[l];
    for (int f = 0; f < TARE_PRECISION_COUNT; f++) {
      if (layer->has[f] && isnan(layer->noise[f]) && PRICES[f] > PRICES[layer->standard]) {
        out[n++] = (tarei_probe){l, f};
      }
    }
  }
  return n;
}

static int list_standard(const tarei_tune_layers *const layers, tarei_probe *const out) {
  int n = 0;
  for (int l = 0; l < layers->n; l++) {
    if (tare_precision_is_integer(layers->items[l].standard)) {
      out[n++] = (tarei_probe){l, (int)layers->items[l].standard};
    }
  }
  return n;
}

/* False in `out->complete` if the time is over. */
static tare_status raising_probe(raising *const r, const tarei_probe *const probes, const int n,
                                 tare_error *const err) {
  for (int at = 0; at < n && r->out->complete; at += TARE_MOST_TRIALS) {
    const int group = n - at < TARE_MOST_TRIALS ? n - at : TARE_MOST_TRIALS;
    TAREI_TRY(tarei_probes_measure(&r->trials, r->search, r->layers.items, probes + at, group,
                                   r->floor, err));
    r->out->complete = !raising_is_late(r);
  }
  return TARE_OK;
}

static tare_status measure_layers(raising *const r, const double bound, tare_error *const err) {
  const size_t most = (size_t)r->layers.n * TARE_PRECISION_COUNT;
  tarei_probe *const probes = tarei_calloc(most, sizeof *probes);
  if (!probes) {
    return tarei_fail_memory(err, "layers to raise", most * sizeof *probes);
  }
  tare_status status = raising_probe(r, probes, list_standard(&r->layers, probes), err);
  if (status == TARE_OK) {
    const int n = list_dearer(&r->layers, tarei_probes_sort(&r->layers, bound), probes);
    status = raising_probe(r, probes, n, err);
  }
  free(probes);
  return status;
}

/* --- mixes ------------------------------------------------------------------------------------ */

/* What the layers have chosen, as a price. */
static double price_of(const tarei_tune_layers *const layers) {
  double price = 0;
  for (int i = 0; i < layers->n; i++) {
    price += layers->items[i].seconds[layers->items[i].chosen];
  }
  return price;
}

static void take_raised(raising *const r, const double noise, const double sure,
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
static bool is_better(const raising *const r, const double sure) {
  const double most = tarei_noise_of_sqnr(r->options->sqnr_db);
  return sure <= most && r->sure <= most ? price_of(&r->layers) < r->price : sure < r->sure;
}

/* Builds and measures what the layers have chosen, and takes it if it is the best. */
static tare_status raising_try(raising *const r, double *const sure, tare_error *const err) {
  tarei_str text = {0};
  tarei_tune_layers_request(&r->layers, &text);
  char *requests = text.failed ? NULL : tarei_strdup(tarei_str_get(&text));
  tarei_str_free(&text);
  if (!requests) {
    return tarei_fail_memory(err, "requests", (size_t)r->layers.n);
  }
  double noise;
  const tare_status status =
      tarei_trials_sure_noise(&r->trials, r->check, requests, &noise, sure, err);
  if (status == TARE_OK && is_better(r, *sure)) {
    take_raised(r, noise, *sure, &requests);
  }
  free(requests);
  return status;
}

/* How much more noise single layers have together than the plan. */
static double excess(const raising *const r, const double noise) {
  double sum = r->floor;
  for (int i = 0; i < r->layers.n; i++) {
    sum += tarei_probes_standard(&r->layers.items[i]);
  }
  return fmin(fmax(sum / noise, 1 / MOST_EXCESS), MOST_EXCESS);
}

/* Moves the bound on the sum until the plan just keeps its own. */
static tare_status raise_mixes(raising *const r, const double standard, tare_error *const err) {
  const double most = tarei_noise_of_sqnr(r->options->sqnr_db);
  double held = 0, failed = INFINITY, bound = most * excess(r, standard);
  for (int i = 0; i < MOST_MIXES && failed > held * CLOSE_ENOUGH && (i == 0 || !raising_is_late(r));
       i++) {
    double noise = 0;
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

static tare_status raise_work(raising *const r, const tare_model *const model,
                              const tare_profiles *const profiles, tare_error *const err) {
  double noise;
  tare_build_options fp32;
  tare_build_options_init(&fp32);
  fp32.isa = r->options->build.isa;
  TAREI_TRY(tare_plan_build(model, profiles, &fp32, &r->trials.reference, err));
  TAREI_TRY(tarei_trials_sure_noise(&r->trials, r->check, "", &noise, &r->sure, err));
  r->out->sqnr_db = r->out->standard_sqnr_db = tarei_sqnr_of_noise(noise);
  if (r->sure <= tarei_noise_of_sqnr(r->options->below_db)) {
    return TARE_OK;
  }
  TAREI_TRY(raising_find(r, err));
  TAREI_TRY(raising_learn(r, err));
  set_prices(r);
  const double bound = tarei_noise_of_sqnr(r->options->sqnr_db) * fmin(noise / r->sure, 1);
  TAREI_TRY(measure_layers(r, bound, err));
  return r->out->complete ? raise_mixes(r, r->sure, err) : TARE_OK;
}

/* What the user asks of models that are written is added by those who write them. */
static tare_status raise_check(raising *const r, tare_error *const err) {
  const tare_raise_written *const written = r->options->written;
  const char *const given = r->options->build.layer_precisions;
  r->asked = written || (given && *given);
  if (!written) {
    return TARE_OK;
  }
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_raise_written, written, err));
  const int n = tare_profiles_count(r->trials.profiles);
  r->as_tuned.build.layer_precisions = NULL;
  return written->profile < n ? TARE_OK
                              : tarei_fail(err, TARE_E_USAGE, "profile %d: expected -1 to %d",
                                           written->profile, n - 1);
}

void tare_raise_options_init(tare_raise_options *const options) {
  *options = (tare_raise_options){.below_db = 27, .sqnr_db = 28};
  tare_build_options_init(&options->build);
  tare_eval_options_init(&options->eval);
}

tare_status tare_raise_layers(const tare_model *const model, const tare_profiles *const profiles,
                              tare_dataset *const search, tare_dataset *const check,
                              const tare_raise_options *const options, tare_raised *const out,
                              tare_error *const err) {
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_raise_options, options, err));
  *out = (tare_raised){.requests = tarei_strdup(""), .complete = true};
  if (!out->requests) {
    return tarei_fail_memory(err, "requests", 1);
  }
  raising r = {.options = options,
               .as_tuned = {.build = options->build, .eval = options->eval},
               .search = search,
               .check = check,
               .start = tarei_now(),
               .out = out};
  r.trials = (tarei_trials){
      .model = model, .profiles = profiles, .options = &r.as_tuned, .written = options->written};
  tare_status status = raise_check(&r, err);
  if (status == TARE_OK) {
    status = raise_work(&r, model, profiles, err);
  }
  tare_plan_free(&r.trials.reference);
  tarei_tune_layers_fini(&r.layers);
  if (status != TARE_OK) {
    tare_raised_fini(out);
  }
  return status;
}

void tare_raised_fini(tare_raised *const raised) {
  free(raised->requests);
  *raised = (tare_raised){0};
}
