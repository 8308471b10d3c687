#include <tare/eval.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "base/refusals.h"
#include "calib/eval/comparison.h"
#include "calib/eval/eval_job.h"
#include "calib/eval/eval_ports.h"
#include "calib/eval/eval_score.h"
#include "calib/metrics/rows.h"
#include "calib/samples/outside.h"
#include "datasets/dataset.h"

void tare_eval_options_init(tare_eval_options *const options) {
  *options = (tare_eval_options){.profile = -1};
}

void tare_eval_result_fini(tare_eval_result *const result) {
  free(result->profiles);
  free(result->levels);
  free(result->outputs);
  for (int o = 0; result->output_names && o < result->n_outputs; o++) {
    free(result->output_names[o]);
  }
  free(result->output_names);
  tarei_metric_states_free(&result->states);
  free(result->errors);
  free(result->sample_seconds);
  free(result->samples);
  free(result->sample_names);
  free(result->length_symbol);
  *result = (tare_eval_result){0};
}

static tare_status pick_metric(tarei_eval_job *const e, tare_error *const err) {
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

static tare_status eval_check(tarei_eval_job *const e, const tare_plan *const *const plans,
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

static tare_status open_sides(tarei_eval_job *const e, const tare_plan *const *const plans,
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
    e->sides[s].is_compared = e->reference != NO_SIDE && e->reference != s;
  }
  return TARE_OK;
}

static tare_status eval_prepare(tarei_eval_job *const e, const tare_plan *const *const plans,
                                tare_dataset *const dataset, tare_error *const err) {
  const int64_t samples = tare_dataset_count(dataset);
  const int64_t count = samples < 0 ? INT32_MAX : samples * tare_dataset_n_levels(dataset);
  e->sides = tarei_calloc((size_t)e->n_sides, sizeof *e->sides);
  if (!e->sides) {
    return tarei_fail_memory(err, "evaluation", (size_t)e->n_sides * sizeof *e->sides);
  }
  TAREI_TRY(open_sides(e, plans, err));
  TAREI_TRY(tarei_eval_constants_init(&e->constants,
                                      e->reference == NO_SIDE ? NULL : plans[e->reference],
                                      e->n_sides, e->n_outputs, err));
  const tarei_agreement_setup agreement = {.plan = plans[0],
                                           .options = e->options,
                                           .n_sides = e->n_sides,
                                           .reference = e->reference,
                                           .n_levels = e->n_levels};
  TAREI_TRY(tarei_eval_agreement_init(&e->agreement, &agreement, err));
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
  TAREI_TRY(tarei_outside_cover(dataset,
                                e->fit.only ? e->fit.only : tare_plan_profiles(e->fit.plan),
                                e->options->outside, err));
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

static tare_status run_commands(const tarei_eval_job *const e, tare_error *const err) {
  TAREI_TRY(tarei_command_files_finish(e->files, err));
  for (int s = 0; s < e->n_sides; s++) {
    TAREI_TRY(tarei_command_files_run(e->files, s, e->settings.command,
                                      e->outputs[e->options->output].name, e->sides[s].states,
                                      err));
  }
  return TARE_OK;
}

static void add_reference(const tarei_eval_job *const e, tare_eval_result *const result) {
  const tarei_eval_side *const reference = &e->sides[e->reference];
  result->reference_seconds = reference->seconds;
  result->total.reference = reference->metrics[reference->n_groups - 1];
  for (int p = 0; p < e->n_profiles; p++) {
    result->profiles[p].reference = reference->metrics[p];
  }
  for (int l = 0; l < e->n_levels; l++) {
    result->levels[l].score.reference = reference->metrics[e->n_profiles + l];
  }
}

/* The first result has the facts about samples. */
static tare_status conclude_side(tarei_eval_job *const e, const tare_dataset *const dataset,
                                 const int s, tare_eval_result *const results,
                                 tare_error *const err) {
  tare_eval_result *const own = &results[s];
  TAREI_TRY(tarei_eval_side_conclude(&e->sides[s], own, err));
  TAREI_TRY(s == 0 ? tarei_eval_samples_conclude(&e->samples, own, err) : TARE_OK);
  TAREI_TRY(tarei_eval_agreement_conclude(&e->agreement, s, own, err));
  TAREI_TRY(tarei_score_result(own, results[0].samples, err));
  for (int l = 0; l < e->n_levels; l++) {
    own->levels[l].gain_db = tare_dataset_level_db(dataset, l);
  }
  own->fitted = e->counts;
  if (e->reference != NO_SIDE && e->reference != s) {
    add_reference(e, own);
  }
  return TARE_OK;
}

static tare_status eval_conclude(tarei_eval_job *const e, const tare_dataset *const dataset,
                                 tare_eval_result *const results, const int n_results,
                                 tare_error *const err) {
  struct rusage usage = {0};
  (void)getrusage(RUSAGE_SELF, &usage); /* cannot fail for ourselves */
  TAREI_TRY(e->files ? run_commands(e, err) : TARE_OK);
  for (int s = 0; s < e->n_sides; s++) {
    TAREI_TRY(tarei_eval_side_finish(&e->sides[s], err));
  }
  TAREI_TRY(tarei_eval_agreement_choose(&e->agreement, err));
  for (int s = 0; s < n_results; s++) {
    const tare_status status = conclude_side(e, dataset, s, results, err);
    results[s].peak_bytes = (int64_t)usage.ru_maxrss * 1024;
    for (int done = 0; status != TARE_OK && done <= s; done++) {
      tare_eval_result_fini(&results[done]);
    }
    TAREI_TRY(status);
  }
  return TARE_OK;
}

static void fini(tarei_eval_job *const e) {
  for (int s = 0; e->sides && s < e->n_sides; s++) {
    tarei_eval_side_fini(&e->sides[s]);
  }
  tarei_eval_save_free(&e->save);
  tarei_command_files_free(&e->files);
  tarei_eval_fit_fini(&e->fit);
  tarei_fitted_fini(&e->fitted);
  tarei_eval_samples_fini(&e->samples);
  tarei_eval_constants_fini(&e->constants);
  tarei_eval_agreement_fini(&e->agreement);
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
  tarei_eval_job e = {
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
  TAREI_TRY_GOTO(eval_prepare(&e, plans, dataset, err), done);
  TAREI_TRY_GOTO(tarei_eval_job_take_all(&e, refusals, dataset, err), done);
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
