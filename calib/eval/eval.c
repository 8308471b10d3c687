#include <tare/eval.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "base/refusals.h"
#include "base/str.h"
#include "calib/eval/command_files.h"
#include "calib/eval/comparison.h"
#include "calib/eval/eval_fit.h"
#include "calib/eval/eval_ports.h"
#include "calib/eval/eval_samples.h"
#include "calib/eval/eval_save.h"
#include "calib/eval/eval_side.h"
#include "calib/metrics/custom.h"
#include "calib/metrics/rows.h"
#include "datasets/dataset.h"
#include "engine/context.h"
#include "shapes/number.h"

enum { NO_SIDE = -1 };

/* One evaluation while it runs. Samples are fitted to the profiles of the first side. */
typedef struct evaluation {
  const tare_eval_options *options;
  const tare_port *outputs;
  int n_outputs, n_profiles, n_levels; /* n_levels: 0 without a gain range */
  const tarei_metric *metric;          /* NULL for none */
  tarei_custom_metric custom;          /* that of the program, if it is one */
  tarei_metric_settings settings;      /* its own */
  tarei_eval_side *sides;
  int n_sides, reference; /* NO_SIDE for none */
  tarei_eval_fit fit;
  tarei_fitted fitted; /* of samples that are runs */
  tarei_eval_save *save;
  tarei_command_files *files; /* for a metric that a command computes; else NULL */
  bool refused;               /* what failed is the fault of the sample */
  int64_t index;              /* of the sample whose levels are taken; -1: none */
  bool dropped;               /* one of its levels was refused */
  int64_t n_chunks;           /* taken so far, of all samples */
  int64_t number;             /* of the run: by sample and level, or by chunk */
  tare_fit_counts counts;
  tarei_eval_samples samples;
} evaluation;

void tare_eval_options_init(tare_eval_options *const options) {
  *options = (tare_eval_options){.profile = -1};
}

double tare_eval_lowest_sqnr(const tare_eval_result *const result) {
  double lowest = result->n_levels ? NAN : result->total.sqnr_db;
  for (int l = 0; l < result->n_levels; l++) {
    lowest = fmin(lowest, result->levels[l].score.sqnr_db); /* NAN where nothing was compared */
  }
  return lowest;
}

double tare_eval_worst_sqnr(const tare_eval_result *const result) {
  double worst = tare_eval_lowest_sqnr(result);
  for (int o = 0; o < result->n_outputs; o++) {
    const double db = result->outputs[o].sqnr_db;
    worst = db > -INFINITY ? fmin(worst, db) : worst;
  }
  return worst;
}

void tare_eval_result_fini(tare_eval_result *const result) {
  free(result->profiles);
  free(result->levels);
  free(result->outputs);
  tarei_metric_states_free(&result->states);
  free(result->errors);
  free(result->level_errors);
  free(result->output_errors);
  free(result->sample_seconds);
  free(result->samples);
  free(result->sample_names);
  free(result->length_symbol);
  *result = (tare_eval_result){0};
}

static tare_status pick_metric(evaluation *const e, tare_error *const err) {
  const tare_eval_options *const o = e->options;
  if (!o->custom_metric) {
    return tarei_metric_pick(o->metric, o->settings, o->n_settings, &e->metric, &e->settings, err);
  }
  if (o->metric || o->n_settings) {
    return tarei_fail(err, TARE_E_USAGE,
                      "metric '%s' of the program: expected no other metric and no settings",
                      o->custom_metric->name);
  }
  TAREI_TRY(tarei_custom_metric_make(o->custom_metric, &e->custom, err));
  e->metric = &e->custom.base;
  return TARE_OK;
}

static tare_status eval_check(evaluation *const e, const tare_plan *const *const plans,
                              tare_error *const err) {
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_eval_options, e->options, err));
  for (int s = 1; s < e->n_sides; s++) {
    TAREI_TRY(tarei_eval_check_ports(plans[0], plans[s], err));
  }
  const char *const name = tarei_eval_metric_name(e->options);
  if (!name) {
    return TARE_OK;
  }
  if (e->options->streaming && e->options->streaming->size) {
    return tarei_fail(
        err, TARE_E_USAGE,
        "metric '%s' needs labels of whole samples, but the samples are fed in chunks", name);
  }
  if (e->options->output < 0 || e->options->output >= e->n_outputs) {
    return tarei_fail(err, TARE_E_USAGE, "output %d: the plan has outputs 0 to %d",
                      e->options->output, e->n_outputs - 1);
  }
  TAREI_TRY(pick_metric(e, err));
  return e->settings.command ? TARE_OK /* it gets all outputs */
                             : tarei_metric_check_output(e->metric, &e->outputs[e->options->output],
                                                         e->reference != NO_SIDE, err);
}

enum { CHUNKS_AT_LEAST = 1000000 }; /* for the width of names: how many there are is not known */

static tare_status open_sides(evaluation *const e, const tare_plan *const *const plans,
                              tare_error *const err) {
  for (int s = 0; s < e->n_sides; s++) {
    tare_context_options options;
    tare_context_options_init(&options);
    options.threads = e->options->threads;
    options.profile = s == e->reference ? -1 /* by shape */ : e->options->profile;
    TAREI_TRY(tarei_eval_side_init(&e->sides[s], plans[s], e->n_outputs, e->n_profiles, e->n_levels,
                                   e->options->streaming, &options, err));
    TAREI_TRY(e->metric ? tarei_metric_states_new(e->metric, &e->settings, &e->sides[s].states, err)
                        : TARE_OK);
    e->sides[s].answers = e->metric && e->metric->read && e->options->answers;
  }
  return TARE_OK;
}

static tare_status eval_prepare(evaluation *const e, const tare_plan *const *const plans,
                                const int64_t count, tare_error *const err) {
  e->sides = tarei_calloc((size_t)e->n_sides, sizeof *e->sides);
  if (!e->sides) {
    return tarei_fail_memory(err, "evaluation", (size_t)e->n_sides * sizeof *e->sides);
  }
  TAREI_TRY(open_sides(e, plans, err));
  tarei_eval_samples_init(&e->samples, tare_plan_profiles(plans[0]), e->options->streaming);
  if (e->options->tensors) {
    if (e->reference == NO_SIDE ||
        !tarei_comparison_is_of(e->options->tensors, plans[0], plans[e->reference])) {
      return tarei_fail(err, TARE_E_USAGE,
                        "the comparison of tensors is not one of this plan and its reference");
    }
    TAREI_TRY(tarei_comparison_attach(e->options->tensors, e->sides[0].context,
                                      e->sides[e->reference].context, e->n_levels, err));
  }
  TAREI_TRY(tarei_eval_fit_init(&e->fit, plans[0], e->options, err)); /* a context knows the pin */
  if (e->settings.command) {
    const tarei_command_case about = {.n_sides = e->n_sides,
                                      .reference = e->reference,
                                      .count = count,
                                      .n_levels = e->n_levels ? e->n_levels : 1};
    TAREI_TRY(tarei_command_files_new(&about, &e->files, err));
  }
  if (e->options->save_outputs) {
    const int64_t most = e->options->streaming ? count + CHUNKS_AT_LEAST : count;
    TAREI_TRY(tarei_eval_save_new(e->options->save_outputs, most, &e->save, err));
  }
  return TARE_OK;
}

static tare_status run_side(evaluation *const e, const int s, const tare_sample *const sample,
                            const tarei_fitted *const fitted, tare_error *const err) {
  const tare_status status = tarei_eval_side_run(&e->sides[s], fitted, err);
  e->refused = status != TARE_OK;
  return status == TARE_OK
             ? TARE_OK
             : tarei_fail_in(err, status, "%s%s", sample->name,
                             s == e->reference && e->n_sides > 1 ? ": reference" : "");
}

static bool same_dims(const tare_tensor *const a, const tare_tensor *const b) {
  return a->dtype == b->dtype && a->rank == b->rank &&
         memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

/* "float32[1, 1, 4624]" */
static void add_shape(tarei_str *const to, const tare_tensor *const t) {
  tarei_str_add(to, "%s[", tare_dtype_name(t->dtype));
  for (int d = 0; d < t->rank; d++) {
    tarei_str_add(to, "%s%lld", d ? ", " : "", (long long)t->dims[d]);
  }
  tarei_str_add(to, "]");
}

static tare_status fail_shape(const char *const sample, const char *const output,
                              const tare_tensor *const got, const tare_tensor *const want,
                              tare_error *const err) {
  tarei_str ours = {0}, theirs = {0};
  add_shape(&ours, got);
  add_shape(&theirs, want);
  const tare_status status =
      tarei_fail(err, TARE_E_SHAPE,
                 "%s: output '%s' is %s, and %s in the reference: expected the same shape (where a "
                 "length follows from values that are rounded, keep the layers that decide it in "
                 "float by --layer-precisions)",
                 sample, output, tarei_str_get(&ours), tarei_str_get(&theirs));
  tarei_str_free(&ours);
  tarei_str_free(&theirs);
  return status;
}

/* What an output brings to the metric. */
static tare_status measure_metric(const evaluation *const e, const int s,
                                  const tare_sample *const sample, const int profile,
                                  const int64_t *const extents, tare_error *const err) {
  const int i = e->options->output;
  tare_metric_states *const states = e->sides[s].states;
  const tarei_metric_case c = {
      .sample = sample,
      .output = e->outputs[i].name,
      .got = &e->sides[s].outputs[i],
      .want = e->reference == NO_SIDE ? NULL : &e->sides[e->reference].outputs[i],
      .extents = extents};
  TAREI_TRY(tarei_metric_states_begin(states, profile, sample->level, err));
  TAREI_TRY(e->metric->add ? e->metric->add(&c, states, err) : TARE_OK);
  return e->options->answers && e->metric->read && sample->gain_db == 0
             ? e->metric->read(&c, &e->settings, &states->answer, err)
             : TARE_OK;
}

/* What output i of a side brought, beside that of the reference. */
static tare_status measure_output(const evaluation *const e, const int s,
                                  const tare_sample *const sample, const tarei_fitted *const fitted,
                                  const int profile, const int i, tarei_tally *const tally,
                                  tare_error *const err) {
  const tarei_eval_side *const side = &e->sides[s];
  const tare_tensor *const got = &side->outputs[i];
  const tare_tensor *const want =
      e->reference == NO_SIDE || e->reference == s ? NULL : &e->sides[e->reference].outputs[i];
  const char *const name = e->outputs[i].name;
  int64_t extents[TARE_MAX_RANK] = {0};
  TAREI_TRY(tarei_context_output_valid(side->context, i, fitted->valid, extents, err));
  if (want && !same_dims(got, want)) {
    return fail_shape(sample->name, name, got, want, err);
  }
  if (want && tarei_is_float(got->dtype)) {
    tarei_tally_output(tally, got, want, extents);
  }
  if (e->metric && i == e->options->output) {
    TAREI_TRY(measure_metric(e, s, sample, profile, extents, err));
  }
  if (e->files) {
    TAREI_TRY(tarei_command_files_output(e->files, s, e->number, name, got, extents, err));
  }
  return e->save && s == 0 ? tarei_eval_save_output(e->save, e->number, name, got, extents, err)
                           : TARE_OK;
}

/* The whole of each input: what is padding was computed with. */
static tare_status save_inputs(const evaluation *const e, const tarei_fitted *const fitted,
                               tare_error *const err) {
  const tare_port *inputs = NULL;
  const int n = tare_plan_inputs(e->sides[0].plan, &inputs);
  for (int i = 0; i < n; i++) {
    const tare_tensor *const tensor = &fitted->tensors[i];
    TAREI_TRY(
        tarei_eval_save_output(e->save, e->number, inputs[i].name, tensor, tensor->dims, err));
  }
  return TARE_OK;
}

static tare_status measure_side(evaluation *const e, const int s, const tare_sample *const sample,
                                const tarei_fitted *const fitted, const int profile,
                                tare_error *const err) {
  tarei_tally tally = {.samples = 1};
  if (e->save && s == 0 && e->options->save_inputs) {
    TAREI_TRY(save_inputs(e, fitted, err));
  }
  const tarei_eval_place place = {
      .profile = profile, .level = sample->level, .own_level = sample->gain_db == 0};
  for (int i = 0; i < e->n_outputs; i++) {
    tarei_tally output = {.samples = 1};
    TAREI_TRY(measure_output(e, s, sample, fitted, profile, i, &output, err));
    tarei_eval_side_add_output(&e->sides[s], &place, i, &output);
    output.samples = 0;
    tarei_tally_add(&tally, &output);
  }
  tarei_eval_side_add(&e->sides[s], &place, &tally);
  return TARE_OK;
}

static tare_status save_sample(const evaluation *const e, const tare_sample *const sample,
                               tare_error *const err) {
  if (e->files) {
    TAREI_TRY(tarei_command_files_begin(e->files, e->number, sample, err));
  }
  return e->save ? tarei_eval_save_sample(e->save, e->number, sample->name, err) : TARE_OK;
}

static tare_status take_whole(evaluation *const e, const tare_sample *const sample,
                              tare_error *const err) {
  TAREI_TRY(tarei_eval_fit_sample(&e->fit, sample, &e->fitted, err));
  for (int s = 0; s < e->n_sides; s++) {
    TAREI_TRY(run_side(e, s, sample, &e->fitted, err));
  }
  TAREI_TRY(save_sample(e, sample, err));
  for (int s = 0; s < e->n_sides; s++) {
    TAREI_TRY(measure_side(e, s, sample, &e->fitted, e->fitted.profile, err));
  }
  return TARE_OK;
}

/* The side's own states beside the data of the chunk; *ended says that there is none any more. */
static tare_status run_chunk(evaluation *const e, const int s, const tare_sample *const chunk,
                             bool *const ended, tare_error *const err) {
  tarei_eval_side *const side = &e->sides[s];
  tare_sample own = *chunk;
  TAREI_TRY(tarei_utterance_next(&side->utterance, &own.tensors, err));
  *ended = !own.tensors;
  if (*ended) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_eval_fit_sample(&e->fit, &own, &side->fitted, err));
  TAREI_TRY(run_side(e, s, &own, &side->fitted, err));
  return tarei_utterance_feed(&side->utterance, side->outputs, err);
}

static tare_status take_chunk(evaluation *const e, tare_sample *const chunk, const char *const name,
                              bool *const ended, tare_error *const err) {
  tarei_str text = {0};
  tarei_str_add(&text, "%s[%lld]", name, (long long)e->sides[0].utterance.at);
  chunk->name = tarei_str_get(&text);
  e->number = e->n_chunks;
  tare_status status = text.failed ? tarei_fail_memory(err, name, text.length) : TARE_OK;
  for (int s = 0; status == TARE_OK && s < e->n_sides; s++) {
    status = run_chunk(e, s, chunk, ended, err);
    if (*ended) {
      goto done; /* all sides have the same number of chunks */
    }
  }
  e->n_chunks++;
  if (status == TARE_OK) {
    status = save_sample(e, chunk, err);
  }
  for (int s = 0; status == TARE_OK && s < e->n_sides; s++) {
    status = measure_side(e, s, chunk, &e->sides[s].fitted, e->sides[0].fitted.profile, err);
  }
done:
  tarei_str_free(&text);
  return status;
}

/* Each side carries its own states. */
static tare_status take_stream(evaluation *const e, const tare_sample *const sample,
                               tare_error *const err) {
  const tare_profiles *const profiles = tare_plan_profiles(e->sides[0].plan);
  for (int s = 0; s < e->n_sides; s++) {
    const tare_status status =
        tarei_utterance_begin(&e->sides[s].utterance, profiles, sample->tensors, err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status, "%s", sample->name);
    }
  }
  for (bool ended = false; !ended;) {
    tare_sample chunk = *sample;
    TAREI_TRY(take_chunk(e, &chunk, sample->name, &ended, err));
  }
  return TARE_OK;
}

/* Whether the dims of its tensors contradict each other. A sample outside all profiles is not
 * unsound. In a streaming model the data lacks the states, so this cannot be checked. */
static bool eval_is_unsound(const evaluation *const e, const tare_sample *const sample) {
  int64_t values[TARE_MAX_SYMBOLS];
  return !e->options->streaming && tare_profiles_bind(tare_plan_profiles(e->sides[0].plan),
                                                      sample->tensors, values, NULL) != TARE_OK;
}

static void begin_sample(evaluation *const e, const int64_t index) {
  e->index = index;
  e->dropped = false;
  for (int s = 0; s < e->n_sides; s++) {
    tarei_eval_side_begin(&e->sides[s]);
  }
}

/* Once for each sample: at its own level. */
static tare_status note_sample(evaluation *const e, const tare_sample *const sample,
                               tare_error *const err) {
  const tarei_eval_side *const side = &e->sides[0];
  return e->options->streaming
             ? tarei_eval_samples_note(&e->samples, sample->name, &side->fitted,
                                       side->utterance.n_chunks, err)
             : tarei_eval_samples_note(&e->samples, sample->name, &e->fitted, 1, err);
}

/* A sample that the model refuses is for the data set to skip; it counts as a whole or not at all,
 * and for all sides or none. */
static tare_status take_level(evaluation *const e, tare_dataset *const dataset,
                              const tare_sample *const sample, tare_error *const err) {
  tare_error why = {0};
  e->refused = false;
  e->number = sample->index * tare_dataset_n_levels(dataset) + sample->level;
  if (e->options->tensors) {
    tarei_comparison_begin(e->options->tensors);
  }
  if ((e->options->streaming ? take_stream : take_whole)(e, sample, &why) != TARE_OK) {
    e->dropped = true;
    return e->refused || eval_is_unsound(e, sample)
               ? tare_dataset_refuse(dataset, sample->index, &why, err)
               : tarei_fail(err, why.status, "%s", why.message);
  }
  if (e->options->tensors) {
    tarei_comparison_commit(e->options->tensors, sample->level);
  }
  return sample->gain_db == 0 ? note_sample(e, sample, err) : TARE_OK;
}

/* After all its levels. */
static tare_status end_sample(evaluation *const e, tare_error *const err) {
  if (e->index < 0 || e->dropped) {
    return e->index >= 0 && e->files ? tarei_command_files_drop(e->files, e->index, err) : TARE_OK;
  }
  for (int s = 0; s < e->n_sides; s++) {
    TAREI_TRY(tarei_eval_side_commit(&e->sides[s], err));
  }
  tarei_eval_samples_keep(&e->samples);
  if (!e->options->streaming) {
    tarei_fit_count(tare_plan_profiles(e->sides[0].plan), &e->fitted, &e->counts);
  }
  return TARE_OK;
}

static tare_status eval_take(evaluation *const e, tare_dataset *const dataset,
                             const tare_sample *const sample, tare_error *const err) {
  if (sample->index != e->index) {
    TAREI_TRY(end_sample(e, err));
    begin_sample(e, sample->index);
  }
  return e->dropped ? TARE_OK : take_level(e, dataset, sample, err);
}

static tare_status take_all(evaluation *const e, const unsigned refusals,
                            tare_dataset *const dataset, tare_error *const err) {
  const int64_t total = tare_dataset_count(dataset);
  const tare_sample *sample = NULL;
  for (int64_t done = 0;; done += sample->gain_db == 0) {
    if (e->options->progress && !e->options->progress(e->options->progress_user, done, total)) {
      return tarei_dataset_stopped(dataset, done, err);
    }
    TAREI_TRY(tare_dataset_next(dataset, &sample, err));
    if (!sample) {
      break;
    }
    TAREI_TRY(eval_take(e, dataset, sample, err));
  }
  TAREI_TRY(end_sample(e, err));
  if (tarei_eval_side_total(&e->sides[0])->samples == 0) {
    return tarei_fail(err, TARE_E_INPUT, "no usable sample to evaluate: %s",
                      tare_dataset_describe(dataset));
  }
  TAREI_TRY(tarei_settle(refusals, TARE_OK, "evaluation", err));
  return e->save ? tarei_eval_save_commit(e->save, err) : TARE_OK;
}

static tare_status run_commands(const evaluation *const e, tare_error *const err) {
  TAREI_TRY(tarei_command_files_finish(e->files, err));
  for (int s = 0; s < e->n_sides; s++) {
    TAREI_TRY(tarei_command_files_run(e->files, s, e->settings.command,
                                      e->outputs[e->options->output].name, e->sides[s].states,
                                      err));
  }
  return TARE_OK;
}

static void add_reference(const evaluation *const e, tare_eval_result *const result) {
  const tarei_eval_side *const reference = &e->sides[e->reference];
  result->reference_seconds = reference->seconds;
  result->total.reference = reference->metrics[reference->n_tallies - 1];
  for (int p = 0; p < e->n_profiles; p++) {
    result->profiles[p].reference = reference->metrics[p];
  }
  for (int l = 0; l < e->n_levels; l++) {
    result->levels[l].score.reference = reference->metrics[e->n_profiles + l];
  }
}

static tare_status eval_conclude(evaluation *const e, const tare_dataset *const dataset,
                                 tare_eval_result *const results, const int n_results,
                                 tare_error *const err) {
  struct rusage usage = {0};
  (void)getrusage(RUSAGE_SELF, &usage); /* cannot fail for ourselves */
  TAREI_TRY(e->files ? run_commands(e, err) : TARE_OK);
  for (int s = 0; s < e->n_sides; s++) {
    TAREI_TRY(tarei_eval_side_finish(&e->sides[s], err));
  }
  for (int s = 0; s < n_results; s++) {
    tare_status status = tarei_eval_side_conclude(&e->sides[s], &results[s], err);
    const int made = status == TARE_OK ? s + 1 : s;
    if (status == TARE_OK && s == 0) {
      status = tarei_eval_samples_conclude(&e->samples, &results[s], err);
    }
    if (status != TARE_OK) {
      for (int done = 0; done < made; done++) {
        tare_eval_result_fini(&results[done]);
      }
      return status;
    }
    for (int l = 0; l < e->n_levels; l++) {
      results[s].levels[l].gain_db = tare_dataset_level_db(dataset, l);
    }
    results[s].fitted = e->counts;
    results[s].peak_bytes = (int64_t)usage.ru_maxrss * 1024;
    if (e->reference != NO_SIDE && e->reference != s) {
      add_reference(e, &results[s]);
    }
  }
  return TARE_OK;
}

static void fini(evaluation *const e) {
  for (int s = 0; e->sides && s < e->n_sides; s++) {
    tarei_eval_side_fini(&e->sides[s]);
  }
  tarei_eval_save_free(&e->save);
  tarei_command_files_free(&e->files);
  tarei_eval_fit_fini(&e->fit);
  tarei_fitted_fini(&e->fitted);
  tarei_eval_samples_fini(&e->samples);
  tarei_metric_settings_fini(&e->settings);
  free(e->sides);
}

/* Evaluates all of plans, of which `reference` is the one to compare with, and gives the results of
 * the first n_results. */
static tare_status eval_evaluate(const tare_plan *const *const plans, const int n_plans,
                                 const int reference, tare_dataset *const dataset,
                                 const tare_eval_options *const options,
                                 tare_eval_result *const results, const int n_results,
                                 tare_error *const err) {
  evaluation e = {
      .options = options,
      .n_sides = n_plans,
      .reference = reference,
      .index = -1,
      .n_levels = *tare_dataset_gain_range(dataset) ? tare_dataset_n_levels(dataset) : 0,
      .n_profiles = tare_profiles_count(tare_plan_profiles(plans[0]))};
  e.n_outputs = tare_plan_outputs(plans[0], &e.outputs);
  const unsigned refusals = tarei_refusals();
  tare_status status = TARE_OK;
  TAREI_TRY_GOTO(eval_check(&e, plans, err), done);
  const int64_t samples = tare_dataset_count(dataset);
  const int64_t count = samples < 0 ? INT32_MAX : samples * tare_dataset_n_levels(dataset);
  TAREI_TRY_GOTO(eval_prepare(&e, plans, count, err), done);
  TAREI_TRY_GOTO(take_all(&e, refusals, dataset, err), done);
  status = eval_conclude(&e, dataset, results, n_results, err);
done:
  fini(&e);
  return status;
}

tare_status tare_eval(const tare_plan *const plan, tare_dataset *const dataset,
                      const tare_eval_options *const options, tare_eval_result *const result,
                      tare_error *const err) {
  const tare_plan *const plans[] = {plan, options->against};
  return eval_evaluate(plans, options->against ? 2 : 1, options->against ? 1 : NO_SIDE, dataset,
                       options, result, 1, err);
}

static int find_plan(const tare_plan *const *const plans, const int n,
                     const tare_plan *const wanted) {
  for (int i = 0; i < n; i++) {
    if (plans[i] == wanted) {
      return i;
    }
  }
  return NO_SIDE;
}

tare_status tare_eval_many(const tare_plan *const *const plans, const int n_plans,
                           tare_dataset *const dataset, const tare_eval_options *const options,
                           tare_eval_result *const results, tare_error *const err) {
  if (n_plans < 1) {
    return tarei_fail(err, TARE_E_USAGE, "%d plans: expected 1 or more", n_plans);
  }
  const int found = find_plan(plans, n_plans, options->against);
  if (!options->against || found != NO_SIDE) {
    return eval_evaluate(plans, n_plans, found, dataset, options, results, n_plans, err);
  }
  const tare_plan **const all = tarei_calloc((size_t)n_plans + 1, sizeof *all);
  if (!all) {
    return tarei_fail_memory(err, "evaluation", (size_t)n_plans * sizeof *all);
  }
  memcpy(all, plans, (size_t)n_plans * sizeof *all);
  all[n_plans] = options->against;
  const tare_status status =
      eval_evaluate(all, n_plans + 1, n_plans, dataset, options, results, n_plans, err);
  free(all);
  return status;
}
