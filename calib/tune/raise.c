/*
 * More than 8 bits for the layers that need them, found by trial.
 *
 * What the noise of a layer does to the outputs follows from the layers behind it, which statistics
 * of tensors do not show: of two layers that lose the same, one may cost the outputs a thousand
 * times as much. So each is measured alone, and the noise of layers is taken to add up. That is
 * only nearly so; a mix that misses the bound is chosen again with a lower one (raise_mixes.c).
 */
#include <math.h>
#include <stdlib.h>
#include <tare/tune.h>

#include "base/clock.h"
#include "base/mem.h"
#include "calib/tune/probes.h"
#include "calib/tune/raising.h"
#include "calib/tune/written.h"

/* What a product costs in a form, if in int8 with one scale it costs 1. */
static const double PRICES[TARE_PRECISION_COUNT] = {[TARE_PRECISION_INT8] = 1,
                                                    [TARE_PRECISION_INT8_ROWS] = 1.1,
                                                    [TARE_PRECISION_INT16] = 1.6,
                                                    [TARE_PRECISION_INT16_ROWS] = 1.7,
                                                    [TARE_PRECISION_FP32] = 3};
#define LAYER_SHARE 1e-3 /* of the multiply-adds, that a layer of none counts as */

/* --- single layers ---------------------------------------------------------------------------- */

/* Those that have other forms than float. */
static tare_status raising_find(tarei_raising *const r, tare_error *const err) {
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
static tare_status learn_form(tarei_raising *const r, const char *const request,
                              tare_error *const err) {
  tare_plan *plan = NULL;
  if (r->trials.written) {
    return tarei_written_learn(r->trials.written, request, &r->layers, err);
  }
  TAREI_TRY(tarei_trials_build(&r->trials, request, &plan, err));
  const tare_status status = tarei_tune_layers_learn(&r->layers, plan, NULL, err);
  tare_plan_free(&plan);
  return status;
}

/* Layers that are not in float where all are asked to be, since the user or the model says
 * otherwise, have no other form. What they cost is in all measurements. */
static tare_status learn_float(tarei_raising *const r, tare_error *const err) {
  static const char *const fp32 = "*:fp32";
  bool all = true;
  TAREI_TRY(learn_form(r, fp32, err));
  for (int i = 0; i < r->layers.n; i++) {
    tarei_tune_layer *const layer = &r->layers.items[i];
    bool stays = false;
    for (int f = 0; f < TARE_PRECISION_COUNT; f++) {
      stays |= layer->has[f] && f != TARE_PRECISION_FP32;
    }
    layer->has[TARE_PRECISION_FP32] = !stays;
    all &= !stays;
  }
  return all ? TARE_OK : tarei_trials_noise(&r->trials, r->search, &fp32, 1, &r->floor, err);
}

/* Models that are written have one form of row scales. */
static tare_status raising_learn(tarei_raising *const r, tare_error *const err) {
  static const char *const forms[] = {"*:int8-rows", "*:int16-rows"};
  const int n = r->trials.written ? 1 : 2;
  TAREI_TRY(learn_float(r, err));
  for (int i = 0; i < n; i++) {
    TAREI_TRY(learn_form(r, forms[i], err));
  }
  return TARE_OK;
}

/* Prices take the place of times. */
static void set_prices(tarei_raising *const r) {
  for (int i = 0; i < r->layers.n; i++) {
    tarei_tune_layer *const layer = &r->layers.items[i];
    layer->has[layer->standard] = true;
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

/* How many of n probes come next; 0: no more may. */
static int next_probes(const tarei_raising *const r, const int n) {
  const int64_t most = r->options->most_probes;
  const int group = n < TARE_MOST_TRIALS ? n : TARE_MOST_TRIALS;
  const int64_t left = most > 0 ? most - r->n_probes : group;
  return tarei_raising_is_late(r) ? 0 : left < group ? (int)left : group;
}

/* False in `out->complete` if there were not all of them. */
static tare_status raising_probe(tarei_raising *const r, const tarei_probe *const probes,
                                 const int n, tare_error *const err) {
  int group = 0;
  for (int at = 0; at < n && r->out->complete; at += group) {
    group = next_probes(r, n - at);
    r->out->complete = group > 0;
    if (group > 0) {
      TAREI_TRY(tarei_probes_measure(&r->trials, r->search, r->layers.items, probes + at, group,
                                     r->floor, err));
      r->n_probes += group;
    }
  }
  return TARE_OK;
}

static tare_status measure_layers(tarei_raising *const r, const double bound,
                                  tare_error *const err) {
  const size_t most = (size_t)r->layers.n * TARE_PRECISION_COUNT;
  tarei_probe *const probes = tarei_calloc(most, sizeof *probes);
  if (!probes) {
    return tarei_fail_memory(err, "layers to raise", most * sizeof *probes);
  }
  tare_status status = raising_probe(r, probes, list_standard(&r->layers, probes), err);
  if (status == TARE_OK && r->out->complete) {
    const int n = list_dearer(&r->layers, tarei_probes_sort(&r->layers, bound), probes);
    status = raising_probe(r, probes, n, err);
  }
  free(probes);
  return status;
}

/* --- all -------------------------------------------------------------------------------------- */

/* Values that are rounded to lengths fall on either side of a half by chance: what a few samples
 * show of that says little about others, so that no mix of precisions can be judged. In float all
 * lengths are the same. Without them the noise is that of values again. */
static tare_status raise_lengths(tarei_raising *const r, tarei_trial *const first,
                                 tare_error *const err) {
  TAREI_TRY(
      tarei_tune_layers_keep_lengths(&r->layers, r->trials.reference, &r->out->n_lengths, err));
  if (r->out->n_lengths == 0) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_raising_judge(r, true /* anyway */, &first->sure, err));
  first->noise = tarei_noise_of_sqnr(r->out->sqnr_db);
  return TARE_OK;
}

/* Of single layers as they are without requests. */
static double least_noise(const tarei_raising *const r) {
  double least = INFINITY;
  for (int i = 0; i < r->layers.n; i++) {
    const double noise = r->layers.items[i].noise[r->layers.items[i].standard];
    least = isnan(noise) ? least : fmin(least, noise);
  }
  return least + r->floor;
}

static tare_status raise_rest(tarei_raising *const r, const tarei_trial *const first,
                              tare_error *const err) {
  const double bound =
      tarei_noise_of_sqnr(r->options->sqnr_db) * fmin(first->noise / first->sure, 1);
  TAREI_TRY(measure_layers(r, bound, err));
  r->out->alone_db = isinf(least_noise(r)) ? NAN : tarei_sqnr_of_noise(least_noise(r));
  TAREI_TRY(r->out->complete ? tarei_raising_mix(r, first->sure, err)
                             : tarei_raising_mix_late(r, bound, first->sure, err));
  return tarei_raising_round_up(r, err);
}

static tare_status raise_work(tarei_raising *const r, tare_error *const err) {
  const double most = tarei_noise_of_sqnr(r->options->below_db);
  tarei_trial first;
  tare_build_options fp32;
  tare_build_options_init(&fp32);
  fp32.isa = r->options->build.isa;
  TAREI_TRY(tare_plan_build(r->trials.model, r->trials.profiles, &fp32, &r->trials.reference, err));
  TAREI_TRY(tarei_trials_measure(&r->trials, r->check, "", &first, err));
  r->sure = first.sure;
  r->out->other_shapes = first.other_shapes;
  r->out->sqnr_db = r->out->standard_sqnr_db = tarei_sqnr_of_noise(first.noise);
  if (first.sure <= most || !first.is_judged) {
    return TARE_OK;
  }
  TAREI_TRY(raising_find(r, err));
  TAREI_TRY(raising_learn(r, err));
  set_prices(r);
  TAREI_TRY(first.other_shapes > 0 ? raise_lengths(r, &first, err) : TARE_OK);
  return first.sure <= most ? TARE_OK : raise_rest(r, &first, err);
}

/* What the user asks of models that are written is added by those who write them. */
static tare_status raise_check(tarei_raising *const r, tare_error *const err) {
  const tare_raise_written *const written = r->options->written;
  if (!written) {
    return r->options->build.table
               ? TARE_OK
               : tarei_fail(err, TARE_E_USAGE,
                            "build options: expected a table to raise layers of");
  }
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_raise_written, written, err));
  const int n = tare_profiles_count(r->trials.profiles);
  r->as_tuned.build.layer_precisions = NULL;
  return written->profile < n ? TARE_OK
                              : tarei_fail(err, TARE_E_USAGE, "profile %d: expected -1 to %d",
                                           written->profile, n - 1);
}

/* Plans below 25 dB are bad, and other samples may lose 3 dB more. In models that are written for
 * other engines float is nearly always the only remedy, and another dB costs more. */
static const double RAISE_BELOW = 28, RAISE_WRITTEN_BELOW = 27, RAISE_MARGIN = 1;

void tare_raise_options_init(tare_raise_options *const options) {
  *options = (tare_raise_options){.below_db = RAISE_BELOW, .sqnr_db = RAISE_BELOW + RAISE_MARGIN};
  tare_build_options_init(&options->build);
  tare_eval_options_init(&options->eval);
}

void tare_raise_options_init_written(tare_raise_options *const options) {
  tare_raise_options_init(options);
  options->below_db = RAISE_WRITTEN_BELOW;
  options->sqnr_db = RAISE_WRITTEN_BELOW + RAISE_MARGIN;
}

tare_status tare_raise_layers(const tare_model *const model, const tare_profiles *const profiles,
                              tare_dataset *const search, tare_dataset *const check,
                              const tare_raise_options *const options, tare_raised *const out,
                              tare_error *const err) {
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_raise_options, options, err));
  *out = (tare_raised){.requests = tarei_strdup(""), .complete = true, .alone_db = NAN};
  if (!out->requests) {
    return tarei_fail_memory(err, "requests", 1);
  }
  tarei_raising r = {.options = options,
                     .as_tuned = {.build = options->build, .eval = options->eval},
                     .search = search,
                     .check = check,
                     .start = tarei_now(),
                     .spent = tarei_thread_seconds(),
                     .out = out};
  r.trials = (tarei_trials){
      .profiles = profiles, .options = &r.as_tuned, .written = options->written, .of_table = true};
  if (!r.as_tuned.build.isa) {
    r.as_tuned.build.isa = "any"; /* tables do not depend on the machine */
  }
  tare_model *judged = NULL;
  tare_status status = raise_check(&r, err);
  if (status == TARE_OK && !options->written) {
    status = tare_model_judged(model, &judged, err);
  }
  if (status == TARE_OK) {
    r.trials.model = judged ? judged : model;
    status = raise_work(&r, err);
  }
  tare_plan_free(&r.trials.reference);
  tare_model_free(&judged);
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
