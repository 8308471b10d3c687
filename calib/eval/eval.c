#include <tare/eval.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/mem.h"
#include "calib/eval/eval_fit.h"
#include "calib/eval/eval_rows.h"
#include "calib/eval/eval_save.h"
#include "calib/eval/eval_tally.h"
#include "engine/context.h"
#include "shapes/streaming.h"

/* One evaluation while it runs. */
typedef struct evaluation {
  const tare_plan *plan;
  const tare_eval_options *options;
  const tare_port *inputs, *outputs;
  int n_inputs, n_outputs, n_profiles;
  const tarei_metric *metric; /* NULL for none */
  tare_context *context, *reference;
  tare_tensor *got, *want;
  tarei_eval_fit fit;
  tarei_fitted fitted, fitted_reference; /* the second where states differ from side to side */
  tarei_utterance utterance, utterance_reference;
  tarei_eval_save *save;
  tarei_tally *tallies; /* per profile, then the total */
  tarei_tally *pending; /* the same of the sample that is taken */
  bool refused;         /* what failed is the fault of the sample */
  double seconds, reference_seconds;
  int64_t n_chunks; /* taken so far, of all samples */
} evaluation;

void tare_eval_options_init(tare_eval_options *const options) {
  *options = (tare_eval_options){.profile = -1};
}

void tare_eval_result_fini(tare_eval_result *const result) {
  free(result->profiles);
  *result = (tare_eval_result){0};
}

static tare_status check_port(const char *const kind, const tare_port *const a,
                              const tare_port *const b, tare_error *const err) {
  if (strcmp(a->name, b->name) != 0) {
    return tarei_fail(err, TARE_E_USAGE, "the plans differ: %s '%s' here, '%s' in the reference",
                      kind, a->name, b->name);
  }
  if (a->dtype != b->dtype || a->rank != b->rank) {
    return tarei_fail(err, TARE_E_USAGE,
                      "the plans differ: %s '%s' is %s of rank %d here, %s of rank %d in the "
                      "reference",
                      kind, a->name, tare_dtype_name(a->dtype), a->rank, tare_dtype_name(b->dtype),
                      b->rank);
  }
  return TARE_OK;
}

static tare_status check_ports(const char *const kind, const tare_port *const a, const int n_a,
                               const tare_port *const b, const int n_b, tare_error *const err) {
  if (n_a != n_b) {
    return tarei_fail(err, TARE_E_USAGE, "the plans differ: %d %ss here, %d in the reference", n_a,
                      kind, n_b);
  }
  for (int i = 0; i < n_a; i++) {
    TARE_TRY(check_port(kind, &a[i], &b[i], err));
  }
  return TARE_OK;
}

static tare_status check_reference(const evaluation *const e, tare_error *const err) {
  const tare_port *inputs = NULL, *outputs = NULL;
  const int n_inputs = tare_plan_inputs(e->options->against, &inputs);
  const int n_outputs = tare_plan_outputs(e->options->against, &outputs);
  TARE_TRY(check_ports("input", e->inputs, e->n_inputs, inputs, n_inputs, err));
  return check_ports("output", e->outputs, e->n_outputs, outputs, n_outputs, err);
}

static tare_status check(evaluation *const e, tare_error *const err) {
  if (e->options->against) {
    TARE_TRY(check_reference(e, err));
  }
  if (!e->options->metric) {
    return TARE_OK;
  }
  if (e->options->streaming && e->options->streaming->size) {
    return tarei_fail(
        err, TARE_E_USAGE,
        "metric '%s' reads the labels of whole samples, and these are cut into chunks",
        e->options->metric);
  }
  if (e->options->output < 0 || e->options->output >= e->n_outputs) {
    return tarei_fail(err, TARE_E_USAGE, "output %d, but the plan has outputs 0 to %d",
                      e->options->output, e->n_outputs - 1);
  }
  return tarei_metric_pick(e->options, &e->outputs[e->options->output], &e->metric, err);
}

static tare_status open_context(const evaluation *const e, const tare_plan *const plan,
                                const int profile, tare_context **const out,
                                tare_error *const err) {
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = e->options->threads;
  options.profile = profile;
  return tare_context_new(plan, &options, out, err);
}

enum { CHUNKS_AT_LEAST = 1000000 }; /* for the width of names: how many there are is not known */

static tare_status prepare(evaluation *const e, const int64_t count, tare_error *const err) {
  const size_t n = (size_t)e->n_outputs;
  e->got = tarei_calloc(n, sizeof *e->got);
  e->want = tarei_calloc(n, sizeof *e->want);
  e->tallies = tarei_calloc((size_t)e->n_profiles + 1, sizeof *e->tallies);
  e->pending = tarei_calloc((size_t)e->n_profiles + 1, sizeof *e->pending);
  if (!e->got || !e->want || !e->tallies || !e->pending) {
    return tarei_fail_memory(err, "evaluation", n * sizeof *e->got);
  }
  TARE_TRY(open_context(e, e->plan, e->options->profile, &e->context, err));
  if (e->options->against) {
    TARE_TRY(open_context(e, e->options->against, -1 /* by shape */, &e->reference, err));
  }
  TARE_TRY(tarei_eval_fit_init(&e->fit, e->plan, e->options, err)); /* the context knows the pin */
  if (e->options->streaming) {
    TARE_TRY(tarei_utterance_init(&e->utterance, e->options->streaming, err));
    TARE_TRY(tarei_utterance_init(&e->utterance_reference, e->options->streaming, err));
  }
  if (e->options->save_outputs) {
    const int64_t most = e->options->streaming ? count + CHUNKS_AT_LEAST : count;
    TARE_TRY(tarei_eval_save_new(e->options->save_outputs, most, &e->save, err));
  }
  return TARE_OK;
}

static tare_status run_timed(tare_context *const context, const tare_tensor *const inputs,
                             tare_tensor *const outputs, double *const seconds,
                             tare_error *const err) {
  const double start = tarei_now();
  const tare_status status = tare_context_run(context, inputs, outputs, err);
  *seconds += tarei_now() - start;
  return status;
}

static tare_status add_metric(const evaluation *const e, const tarei_metric_case *const c,
                              tarei_tally *const tally, tare_error *const err) {
  TARE_TRY(e->metric->add(c, &tally->metric, err));
  if (!e->reference) {
    return TARE_OK;
  }
  tarei_metric_case reference = *c;
  reference.got = &e->want[e->options->output];
  return e->metric->add(&reference, &tally->reference, err);
}

static bool same_dims(const tare_tensor *const a, const tare_tensor *const b) {
  return a->dtype == b->dtype && a->rank == b->rank &&
         memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

static tare_status measure_output(evaluation *const e, const tare_sample *const sample, const int i,
                                  tarei_tally *const tally, tare_error *const err) {
  const char *const name = e->outputs[i].name;
  int64_t extents[TARE_MAX_RANK] = {0};
  TARE_TRY(tarei_context_output_valid(e->context, i, e->fitted.valid, extents, err));
  if (e->reference && !same_dims(&e->got[i], &e->want[i])) {
    return tarei_fail(err, TARE_E_USAGE, "%s: the plans give output '%s' different shapes",
                      sample->name, name);
  }
  if (e->reference && tarei_value_reader_of(e->got[i].dtype)) {
    tarei_tally_output(tally, &e->got[i], &e->want[i], extents);
  }
  if (e->metric && i == e->options->output) {
    const tarei_metric_case c = {.sample = sample,
                                 .output = name,
                                 .got = &e->got[i],
                                 .extents = extents,
                                 .alphabet = e->options->alphabet};
    TARE_TRY(add_metric(e, &c, tally, err));
  }
  if (e->save) {
    TARE_TRY(tarei_eval_save_output(e->save, sample, name, &e->got[i], extents, err));
  }
  return TARE_OK;
}

static tare_status run_plan(evaluation *const e, const tare_sample *const sample,
                            tare_error *const err) {
  TARE_TRY(tarei_eval_fit_sample(&e->fit, sample, &e->fitted, err));
  const tare_status status = run_timed(e->context, e->fitted.tensors, e->got, &e->seconds, err);
  e->refused = status != TARE_OK;
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "%s", sample->name);
}

static tare_status run_reference(evaluation *const e, const tare_sample *const sample,
                                 const tarei_fitted *const fitted, tare_error *const err) {
  const tare_status status =
      run_timed(e->reference, fitted->tensors, e->want, &e->reference_seconds, err);
  e->refused = status != TARE_OK;
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "%s: reference", sample->name);
}

/* What a run, of one side or both, has brought. */
static tare_status measure_sample(evaluation *const e, const tare_sample *const sample,
                                  tare_error *const err) {
  if (e->save) {
    TARE_TRY(tarei_eval_save_sample(e->save, sample, err));
  }
  tarei_tally tally = {.samples = 1};
  for (int i = 0; i < e->n_outputs; i++) {
    TARE_TRY(measure_output(e, sample, i, &tally, err));
  }
  tarei_tally_add(&e->pending[e->fitted.profile], &tally);
  tarei_tally_add(&e->pending[e->n_profiles], &tally);
  return TARE_OK;
}

static tare_status take_whole(evaluation *const e, const tare_sample *const sample,
                              tare_error *const err) {
  TARE_TRY(run_plan(e, sample, err));
  if (e->reference) {
    TARE_TRY(run_reference(e, sample, &e->fitted, err));
  }
  return measure_sample(e, sample, err);
}

/* Each side carries its own states. */
static tare_status take_chunk(evaluation *const e, tare_sample *const chunk, const char *const name,
                              tare_error *const err) {
  tarei_str text = {0};
  tarei_str_add(&text, "%s[%lld]", name, (long long)e->utterance.at - 1);
  chunk->name = tarei_str_get(&text);
  chunk->index = e->n_chunks++;
  tare_status status = text.failed ? tarei_fail_memory(err, name, text.length) : TARE_OK;
  TARE_TRY_GOTO(status, done);
  TARE_TRY_GOTO(run_plan(e, chunk, err), done);
  TARE_TRY_GOTO(tarei_utterance_feed(&e->utterance, e->got, err), done);
  if (e->reference) {
    tare_sample beside = *chunk;
    TARE_TRY_GOTO(tarei_utterance_next(&e->utterance_reference, &beside.tensors, err), done);
    TARE_TRY_GOTO(tarei_eval_fit_sample(&e->fit, &beside, &e->fitted_reference, err), done);
    TARE_TRY_GOTO(run_reference(e, chunk, &e->fitted_reference, err), done);
    TARE_TRY_GOTO(tarei_utterance_feed(&e->utterance_reference, e->want, err), done);
  }
  status = measure_sample(e, chunk, err);
done:
  tarei_str_free(&text);
  return status;
}

static tare_status take_stream(evaluation *const e, const tare_sample *const sample,
                               tare_error *const err) {
  const tare_profiles *const profiles = tare_plan_profiles(e->plan);
  tare_status status = tarei_utterance_begin(&e->utterance, profiles, sample->tensors, err);
  if (status == TARE_OK && e->reference) {
    status = tarei_utterance_begin(&e->utterance_reference, profiles, sample->tensors, err);
  }
  if (status != TARE_OK) {
    return tarei_fail_in(err, status, "%s", sample->name);
  }
  for (;;) {
    tare_sample chunk = *sample;
    TARE_TRY(tarei_utterance_next(&e->utterance, &chunk.tensors, err));
    if (!chunk.tensors) {
      return TARE_OK;
    }
    TARE_TRY(take_chunk(e, &chunk, sample->name, err));
  }
}

/* Whether its tensors do not go together; one outside all profiles is sound, only not wanted. A
 * stream's have states beside them that no data holds. */
static bool is_unsound(const evaluation *const e, const tare_sample *const sample) {
  int64_t values[TARE_MAX_SYMBOLS];
  return !e->options->streaming &&
         tare_profiles_bind(tare_plan_profiles(e->plan), sample->tensors, values, NULL) != TARE_OK;
}

/* A sample that the model refuses is for the data set to skip; it counts as a whole or not at all.
 */
static tare_status take_sample(evaluation *const e, tare_dataset *const dataset,
                               const tare_sample *const sample, tare_error *const err) {
  tare_error why = {0};
  e->refused = false;
  for (int p = 0; p <= e->n_profiles; p++) {
    e->pending[p] = (tarei_tally){0};
  }
  if ((e->options->streaming ? take_stream : take_whole)(e, sample, &why) != TARE_OK) {
    return e->refused || is_unsound(e, sample)
               ? tare_dataset_refuse(dataset, sample->index, &why, err)
               : tarei_fail(err, why.status, "%s", why.message);
  }
  for (int p = 0; p <= e->n_profiles; p++) {
    tarei_tally_add(&e->tallies[p], &e->pending[p]);
  }
  return TARE_OK;
}

static tare_status take_all(evaluation *const e, tare_dataset *const dataset,
                            tare_error *const err) {
  const int64_t total = tare_dataset_count(dataset);
  const tare_sample *sample = NULL;
  for (int64_t done = 0;; done++) {
    if (e->options->progress && !e->options->progress(e->options->progress_user, done, total)) {
      return tarei_fail(err, TARE_E_CHECK, "stopped after %lld of %lld samples", (long long)done,
                        (long long)total);
    }
    TARE_TRY(tare_dataset_next(dataset, &sample, err));
    if (!sample) {
      break;
    }
    TARE_TRY(take_sample(e, dataset, sample, err));
  }
  if (e->tallies[e->n_profiles].samples == 0) {
    return tarei_fail(err, TARE_E_INPUT, "no sample to evaluate: %s",
                      tare_dataset_describe(dataset));
  }
  return e->save ? tarei_eval_save_commit(e->save, err) : TARE_OK;
}

static tare_status conclude(const evaluation *const e, tare_eval_result *const result,
                            tare_error *const err) {
  struct rusage usage = {0};
  (void)getrusage(RUSAGE_SELF, &usage); /* cannot fail for ourselves */
  tare_eval_score *const profiles = tarei_calloc((size_t)e->n_profiles, sizeof *profiles);
  if (!profiles) {
    return tarei_fail_memory(err, "scores", (size_t)e->n_profiles * sizeof *profiles);
  }
  for (int p = 0; p < e->n_profiles; p++) {
    profiles[p] = tarei_tally_score(&e->tallies[p]);
  }
  *result = (tare_eval_result){.total = tarei_tally_score(&e->tallies[e->n_profiles]),
                               .n_profiles = e->n_profiles,
                               .profiles = profiles,
                               .seconds = e->seconds,
                               .reference_seconds = e->reference_seconds,
                               .peak_bytes = (int64_t)usage.ru_maxrss * 1024};
  return TARE_OK;
}

static void fini(evaluation *const e) {
  tare_context_free(&e->context);
  tare_context_free(&e->reference);
  tarei_eval_save_free(&e->save);
  tarei_eval_fit_fini(&e->fit);
  tarei_fitted_fini(&e->fitted);
  tarei_fitted_fini(&e->fitted_reference);
  tarei_utterance_fini(&e->utterance);
  tarei_utterance_fini(&e->utterance_reference);
  free(e->got);
  free(e->want);
  free(e->tallies);
  free(e->pending);
}

tare_status tare_eval(const tare_plan *const plan, tare_dataset *const dataset,
                      const tare_eval_options *const options, tare_eval_result *const result,
                      tare_error *const err) {
  evaluation e = {.plan = plan,
                  .options = options,
                  .n_profiles = tare_profiles_count(tare_plan_profiles(plan))};
  e.n_inputs = tare_plan_inputs(plan, &e.inputs);
  e.n_outputs = tare_plan_outputs(plan, &e.outputs);
  tare_status status = TARE_OK;
  TARE_TRY_GOTO(check(&e, err), done);
  TARE_TRY_GOTO(prepare(&e, tare_dataset_count(dataset), err), done);
  TARE_TRY_GOTO(take_all(&e, dataset, err), done);
  status = conclude(&e, result, err);
done:
  fini(&e);
  return status;
}
