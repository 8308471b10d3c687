#include "calib/tune/latency.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "calib/eval/eval_fit.h"
#include "shapes/streaming.h"

/* A plan runs several times before the next one: threads of the one before may still be spinning
 * when it begins. */
enum { MOST_ROUNDS = 200, RUNS_OF_A_TURN = 3 };
static const double ENOUGH_SECONDS = 0.5;

/* --- samples ---------------------------------------------------------------------------------- */

static tare_status keep_tensors(const tare_tensor *const tensors, const int n,
                                const tare_profiles *const profiles, tarei_latency *const l,
                                tare_error *const err) {
  tarei_latency_sample *const sample = &l->samples[l->n_samples++];
  TAREI_TRY(tare_profiles_bind(profiles, tensors, sample->symbols, err));
  sample->tensors = tarei_calloc((size_t)n, sizeof *sample->tensors);
  if (!sample->tensors) {
    return tarei_fail_memory(err, "samples to time", (size_t)n * sizeof *sample->tensors);
  }
  for (int i = 0; i < n; i++) {
    const size_t bytes = (size_t)tare_tensor_count(&tensors[i]) * tare_dtype_size(tensors[i].dtype);
    sample->tensors[i] = tensors[i];
    sample->tensors[i].data = tarei_calloc(bytes, 1);
    sample->n_tensors = i + 1;
    if (!sample->tensors[i].data) {
      return tarei_fail_memory(err, "samples to time", bytes);
    }
    if (bytes) {
      memcpy(sample->tensors[i].data, tensors[i].data, bytes);
    }
  }
  return TARE_OK;
}

/* What fits the samples, and the states of a streaming model. */
typedef struct latency_intake {
  tarei_eval_fit fit;
  tarei_fitted fitted;
  tarei_utterance utterance;
  const tare_plan *plan;
  const tare_streaming *streaming;
  int n_inputs;
} latency_intake;

static tare_status keep_sample(latency_intake *const in, const tare_sample *const sample,
                               tarei_latency *const l, tare_error *const err) {
  tare_sample own = *sample;
  if (in->streaming) {
    TAREI_TRY(
        tarei_utterance_begin(&in->utterance, tare_plan_profiles(in->plan), sample->tensors, err));
    TAREI_TRY(tarei_utterance_next(&in->utterance, &own.tensors, err));
    if (!own.tensors) {
      return TARE_OK; /* shorter than a chunk */
    }
  }
  TAREI_TRY(tarei_eval_fit_sample(&in->fit, &own, &in->fitted, err));
  return keep_tensors(in->fitted.tensors, in->n_inputs, tare_plan_profiles(in->plan), l, err);
}

/* Samples that do not fit were reported by whoever ran them; others take their place. */
static tare_status keep_samples(latency_intake *const in, tare_dataset *const data,
                                tarei_latency *const l, tare_error *const err) {
  const tare_sample *sample = NULL;
  TAREI_TRY(tare_dataset_rewind(data, err));
  do {
    tare_error why = {0};
    TAREI_TRY(tare_dataset_next(data, &sample, err));
    if (sample && sample->gain_db == 0 && keep_sample(in, sample, l, &why) != TARE_OK) {
      TAREI_TRY(tare_dataset_refuse(data, sample->index, &why, err));
    }
  } while (sample && l->n_samples < TAREI_LATENCY_SAMPLES);
  return l->n_samples ? TARE_OK
                      : tarei_fail(err, TARE_E_INPUT, "no usable sample to time: %s",
                                   tare_dataset_describe(data));
}

tare_status tarei_latency_init(tarei_latency *const l, const tare_plan *const plan,
                               tare_dataset *const data, const tare_eval_options *const options,
                               tare_error *const err) {
  const tare_port *ports = NULL;
  latency_intake in = {.plan = plan, .streaming = options->streaming};
  in.n_inputs = tare_plan_inputs(plan, &ports);
  l->threads = options->threads;
  tare_status status = tarei_eval_fit_init(&in.fit, plan, options, err);
  if (status == TARE_OK && in.streaming) {
    status = tarei_utterance_init(&in.utterance, in.streaming, err);
  }
  if (status == TARE_OK) {
    status = keep_samples(&in, data, l, err);
  }
  tarei_utterance_fini(&in.utterance);
  tarei_fitted_fini(&in.fitted);
  tarei_eval_fit_fini(&in.fit);
  return status;
}

void tarei_latency_fini(tarei_latency *const l) {
  for (int s = 0; s < l->n_samples; s++) {
    for (int i = 0; i < l->samples[s].n_tensors; i++) {
      free(l->samples[s].tensors[i].data);
    }
    free(l->samples[s].tensors);
  }
  *l = (tarei_latency){0};
}

/* --- runs ------------------------------------------------------------------------------------- */

/* One plan, ready to run. */
typedef struct latency_side {
  const tare_plan *plan;
  tare_context *context;
  tare_tensor *outputs;
  double *seconds; /* [sample][layer] of the shortest run */
} latency_side;

static tare_status latency_open(latency_side *const side, const int threads,
                                tare_error *const err) {
  const tare_port *ports = NULL;
  const size_t n_times = tarei_times((size_t)tare_plan_n_layers(side->plan), TAREI_LATENCY_SAMPLES);
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = threads;
  side->outputs =
      tarei_calloc((size_t)tare_plan_outputs(side->plan, &ports), sizeof *side->outputs);
  side->seconds = tarei_calloc(n_times, sizeof *side->seconds);
  if (!side->outputs || !side->seconds) {
    return tarei_fail_memory(err, "times of layers", n_times * sizeof *side->seconds);
  }
  for (size_t i = 0; i < n_times; i++) {
    side->seconds[i] = INFINITY;
  }
  return tare_context_new(side->plan, &options, &side->context, err);
}

static void latency_close(latency_side *const side) {
  tare_context_free(&side->context);
  free(side->outputs);
  free(side->seconds);
}

/* A turn of one plan on one sample. */
static tare_status run_turn(latency_side *const side, const tarei_latency *const l, const int s,
                            tare_error *const err) {
  const int n_layers = tare_plan_n_layers(side->plan);
  for (int run = 0; run < RUNS_OF_A_TURN; run++) {
    tare_context_set_profiling(side->context, true); /* from zero */
    TAREI_TRY(tare_context_run(side->context, l->samples[s].tensors, side->outputs, err));
    for (int i = 0; i < n_layers; i++) {
      double *const best = &side->seconds[(size_t)s * (size_t)n_layers + (size_t)i];
      *best = fmin(*best, tare_context_layer_seconds(side->context, i));
    }
  }
  return TARE_OK;
}

static tare_status run_all_turns(const tarei_latency *const l, latency_side *const sides,
                                 const int n, tare_error *const err) {
  for (int s = 0; s < l->n_samples; s++) {
    for (int i = 0; i < n; i++) {
      TAREI_TRY(run_turn(&sides[i], l, s, err));
    }
  }
  return TARE_OK;
}

static tare_status measure_sides(const tarei_latency *const l, latency_side *const sides,
                                 const int n, tare_error *const err) {
  for (int i = 0; i < n; i++) {
    TAREI_TRY(latency_open(&sides[i], l->threads, err));
  }
  const double end = tarei_now() + ENOUGH_SECONDS;
  for (int r = 0; r == 0 || (r < MOST_ROUNDS && tarei_now() < end); r++) {
    TAREI_TRY(run_all_turns(l, sides, n, err));
  }
  return TARE_OK;
}

tare_status tarei_latency_measure(const tarei_latency *const l, const tare_plan *const *const plans,
                                  const int n, double **const seconds, tare_error *const err) {
  latency_side sides[TAREI_LATENCY_PLANS] = {0};
  assert(n <= TAREI_LATENCY_PLANS);
  for (int i = 0; i < n; i++) {
    sides[i].plan = plans[i];
  }
  const tare_status status = measure_sides(l, sides, n, err);
  for (int i = 0; i < n; i++) {
    seconds[i] = status == TARE_OK ? sides[i].seconds : NULL;
    sides[i].seconds = status == TARE_OK ? NULL : sides[i].seconds;
    latency_close(&sides[i]);
  }
  return status;
}
