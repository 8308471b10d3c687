#include "calib/tune/trials.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "calib/eval/eval_ports.h"
#include "calib/tune/forms.h"
#include "calib/tune/plan_group.h"
#include "graph/table/table.h"

tare_status tarei_trials_init(tarei_trials *const t, const tare_model *const model,
                              const tare_profiles *const profiles, tare_dataset *const timed,
                              const tare_dataset *const labelled,
                              const tare_tune_options *const options, tare_error *const err) {
  tare_build_options fp32;
  tare_build_options_init(&fp32);
  fp32.isa = options->build.isa;
  *t = (tarei_trials){
      .model = model, .profiles = profiles, .labelled = labelled, .options = options};
  if (options->eval.custom_metric) {
    t->lower_is_better = options->eval.custom_metric->lower_is_better;
  }
  for (int m = 0; m < tare_n_metrics() && options->eval.metric; m++) {
    if (strcmp(options->eval.metric, tare_metric_name(m)) == 0) {
      t->lower_is_better = tare_metric_lower_is_better(m);
    }
  }
  TAREI_TRY(tare_plan_build(model, profiles, &fp32, &t->reference, err));
  return tarei_plan_times_init(&t->times, t->reference, timed, &options->eval, options->timings,
                               err);
}

void tarei_trials_fini(tarei_trials *const t) {
  tare_plan_free(&t->reference);
  tarei_plan_times_fini(&t->times);
}

tare_status tarei_trials_line(const tarei_trials *const t, const char *const requests,
                              char **const out, tare_error *const err) {
  const char *const given = t->options->build.layer_precisions;
  tarei_str text = {0};
  tarei_str_add(&text, "%s%s%s", requests, *requests && given && *given ? "," : "",
                given ? given : "");
  *out = text.failed ? NULL : tarei_strdup(tarei_str_get(&text));
  tarei_str_free(&text);
  return *out ? TARE_OK : tarei_fail_memory(err, "requests", strlen(requests));
}

/* As of a table that holds the requests in place of its own. */
static tare_status build_of_table(const tarei_trials *const t, const char *const requests,
                                  tare_plan **const out, tare_error *const err) {
  tare_build_options o = t->options->build;
  char *const line = tarei_strdup(requests);
  if (!line) {
    return tarei_fail_memory(err, "requests", strlen(requests));
  }
  const tare_table asks = tarei_table_asking(o.table, line);
  o.table = &asks;
  const tare_status status = tare_plan_build(t->model, t->profiles, &o, out, err);
  free(line);
  return status;
}

tare_status tarei_trials_build(const tarei_trials *const t, const char *const requests,
                               tare_plan **const out, tare_error *const err) {
  char *line = NULL;
  tare_build_options o = t->options->build;
  if (t->written) {
    return t->written->make(t->written->user, requests, NULL, out, err);
  }
  if (t->of_table) {
    return build_of_table(t, requests, out, err);
  }
  TAREI_TRY(tarei_trials_line(t, requests, &line, err));
  o.layer_precisions = line;
  const tare_status status = tare_plan_build(t->model, t->profiles, &o, out, err);
  free(line);
  return status;
}

double tarei_noise_of_sqnr(const double sqnr_db) {
  return isnan(sqnr_db) ? INFINITY : pow(10, -sqnr_db / 10); /* 0 for INFINITY */
}

double tarei_sqnr_of_noise(const double noise) {
  return -10 * log10(noise); /* INFINITY for 0 */
}

/* One pass over the data. Results: those of the plans, then that of the reference. */
static tare_status trials_pass(const tarei_trials *const t, tare_dataset *const data,
                               tare_plan *const *const plans, const int n, const bool measured,
                               tare_eval_result *const results, tare_error *const err) {
  const tare_plan *all[TAREI_TRIALS_AT_ONCE + 1];
  tare_eval_options o = t->options->eval;
  assert(n >= 1 && n <= TAREI_TRIALS_AT_ONCE);
  for (int i = 0; i < n; i++) {
    all[i] = plans[i];
  }
  all[n] = t->reference;
  o.against = t->reference;
  o.metric = measured ? o.metric : NULL;
  o.custom_metric = measured ? o.custom_metric : NULL;
  TAREI_TRY(tare_dataset_rewind(data, err));
  return tare_eval_many(all, n + 1, data, &o, results, err);
}

/* Of the worst output, or of a profile over its samples. */
static double trial_noise(const tarei_trials *const t, const tare_eval_result *const result) {
  const int profile = t->written ? t->written->profile : -1;
  return tarei_noise_of_sqnr(profile < 0 ? result->total.sqnr_db
                                         : result->profiles[profile].sqnr_db);
}

/* One pass over the data. */
static tare_status run_trials(const tarei_trials *const t, tare_dataset *const data,
                              tare_plan *const *const plans, const int n,
                              tare_eval_result *const results, tare_error *const err) {
  tare_eval_options o = t->options->eval;
  o.against = t->reference;
  o.metric = NULL;
  TAREI_TRY(tare_dataset_rewind(data, err));
  return tare_eval_many((const tare_plan *const *)plans, n, data, &o, results, err);
}

static tare_status build_trial(const void *const user, const char *const requests,
                               tare_plan **const out, tare_error *const err) {
  return tarei_trials_build(user, requests, out, err);
}

/* The noise of a group that is built. */
static tare_status group_noise(const tarei_trials *const t, tare_dataset *const data,
                               const tarei_plan_group *const group, double *const noise,
                               tare_error *const err) {
  tare_eval_result results[TARE_MOST_TRIALS];
  TAREI_TRY(run_trials(t, data, group->plans, group->n, results, err));
  for (int i = 0; i < group->n; i++) {
    noise[i] = trial_noise(t, &results[i]);
    tare_eval_result_fini(&results[i]);
  }
  return TARE_OK;
}

tare_status tarei_trials_noise(const tarei_trials *const t, tare_dataset *const data,
                               const char *const *const requests, const int n, double *const noise,
                               tare_error *const err) {
  tarei_plan_group group = tarei_plan_group_new();
  tare_status status = TARE_OK;
  for (int done = 0; done < n && status == TARE_OK;) {
    status = tarei_plan_group_build(&group, build_trial, t, requests + done, n - done, err);
    if (status == TARE_OK) {
      status = group_noise(t, data, &group, noise + done, err);
    }
    done += group.n;
    tarei_plan_group_clear(&group);
  }
  return status;
}

/* --- scores ----------------------------------------------------------------------------------- */

/* How much worse the metric of each plan is than that of the reference. */
static tare_status score_metric(const tarei_trials *const t, const tare_eval_result *const results,
                                const int n, tare_tune_score *const scores, tare_error *const err) {
  const tare_metric_states *states[TAREI_TRIALS_AT_ONCE + 1];
  tare_difference differences[TAREI_TRIALS_AT_ONCE + 1];
  for (int i = 0; i <= n; i++) {
    states[i] = results[i].states;
  }
  TAREI_TRY(tare_metric_differences(states, n + 1, n, NULL, 0, differences, err));
  for (int i = 0; i < n; i++) {
    tare_difference d = differences[i];
    if (!t->lower_is_better) {
      d.value = -differences[i].value;
      d.low = -differences[i].high;
      d.high = -differences[i].low;
    }
    if (!isinf(t->options->max_drop) && d.samples == 0 && !isnan(d.value)) {
      return tarei_fail(err, TARE_E_USAGE,
                        "metric %s is one number for all samples and has no interval to bound: "
                        "have the metric command print a line for each sample",
                        tarei_eval_metric_name(&t->options->eval));
    }
    scores[i].has_metric = true;
    scores[i].drop = d;
  }
  return TARE_OK;
}

/* A bootstrap of n samples draws the worst of them alone with a probability of n^-n: from four on
 * that is less than the 2.5 % below a 95 % interval. */
enum { LEAST_OF_INTERVAL = 4 };

/* The intervals of the SQNR of n plans. */
static tare_status score_intervals(const tare_eval_result *const results, const int n,
                                   tare_tune_score *const scores, tare_error *const err) {
  const tare_error_tally *tallies[TAREI_TRIALS_AT_ONCE];
  tare_difference differences[TAREI_TRIALS_AT_ONCE];
  tare_interval intervals[TAREI_TRIALS_AT_ONCE];
  for (int i = 0; i < n; i++) {
    tallies[i] = results[i].errors;
  }
  TAREI_TRY(tare_sqnr_differences(tallies, n, results->n_errors, results->n_columns, 0, differences,
                                  intervals, err));
  for (int i = 0; i < n; i++) { /* none where nothing counts in some draws */
    scores[i].sqnr = isnan(intervals[i].low) ? scores[i].sqnr : intervals[i];
  }
  return TARE_OK;
}

tare_status tarei_trials_measure(const tarei_trials *const t, tare_dataset *const data,
                                 const char *const requests, tarei_trial *const out,
                                 tare_error *const err) {
  static const double SPREAD_DB = 3; /* what samples differ by without a word */
  tare_plan *plan = NULL;
  tare_eval_result result;
  tare_tune_score score = {.sqnr = {.low = INFINITY}};
  TAREI_TRY(tarei_trials_build(t, requests, &plan, err));
  tare_status status = run_trials(t, data, &plan, 1, &result, err);
  tare_plan_free(&plan);
  TAREI_TRY(status);
  *out = (tarei_trial){.noise = trial_noise(t, &result),
                       .other_shapes = result.total.other_shapes,
                       .is_judged = !isnan(result.total.sqnr_db)};
  if (result.n_errors >= LEAST_OF_INTERVAL && !(t->written && t->written->profile >= 0)) {
    status = score_intervals(&result, 1, &score, err);
  }
  out->sure = fmax(out->noise, tarei_noise_of_sqnr(score.sqnr.low + SPREAD_DB));
  tare_eval_result_fini(&result);
  return status;
}

bool tarei_score_is_good(const tare_tune_options *const o, const tare_tune_score *const score) {
  const bool bounded = score->has_metric && !isinf(o->max_drop);
  return score->sqnr.low >= o->sqnr_db && (!bounded || score->drop.high <= o->max_drop);
}

static bool bounds_hold(const tarei_trials *const t, const tare_tune_score *const score) {
  return tarei_score_is_good(t->options, score) &&
         score->integer_share >= t->options->min_integer_share;
}

static bool has_low_agreement(const tare_eval_result *const result) {
  bool low = false;
  for (int o = 0; o < result->n_outputs; o++) {
    low = low || tare_agreement_is_low(result, o);
  }
  return low;
}

static tare_status score_results(const tarei_trials *const t, tare_plan *const *const plans,
                                 const tare_eval_result *const results, const int n,
                                 const bool metric, tare_tune_score *const scores,
                                 tare_error *const err) {
  for (int i = 0; i < n; i++) {
    double in_float = 0;
    TAREI_TRY(tarei_float_share(plans[i], &in_float, err));
    const double sqnr_db = results[i].total.sqnr_db;
    scores[i] = (tare_tune_score){.sqnr_db = sqnr_db,
                                  .sqnr = {sqnr_db, sqnr_db},
                                  .drop = {.value = NAN, .low = NAN, .high = NAN},
                                  .samples = results[i].total.samples,
                                  .other_shapes = results[i].total.other_shapes,
                                  .integer_share = 1 - in_float,
                                  .agreement_kind = results[i].total.agreement_kind,
                                  .agreement_output = results[i].total.agreement_output,
                                  .agreement = results[i].total.agreement,
                                  .agreement_tenth = results[i].total.agreement_tenth,
                                  .agreement_is_low = has_low_agreement(&results[i])};
  }
  if (results->n_errors >= LEAST_OF_INTERVAL) {
    TAREI_TRY(score_intervals(results, n, scores, err));
  }
  if (metric) {
    TAREI_TRY(score_metric(t, results, n, scores, err));
  }
  for (int i = 0; i < n; i++) {
    scores[i].holds = bounds_hold(t, &scores[i]);
  }
  return TARE_OK;
}

tare_status tarei_trials_score(const tarei_trials *const t, tare_dataset *const data,
                               tare_plan *const *const plans, const int n,
                               tare_tune_score *const scores, tare_error *const err) {
  const bool measured = data == t->labelled && tarei_eval_metric_name(&t->options->eval);
  tare_eval_result results[TAREI_TRIALS_AT_ONCE + 1];
  TAREI_TRY(trials_pass(t, data, plans, n, measured, results, err));
  const tare_status status = score_results(t, plans, results, n, measured, scores, err);
  for (int i = 0; i <= n; i++) {
    tare_eval_result_fini(&results[i]);
  }
  return status;
}

tare_status tarei_trials_levels(const tarei_trials *const t, tare_dataset *const data,
                                tare_plan *const *const plans, const int n, double *const sqnr_db,
                                tare_error *const err) {
  const int n_levels = tare_dataset_n_levels(data);
  tare_eval_result results[TAREI_TRIALS_AT_ONCE + 1];
  TAREI_TRY(trials_pass(t, data, plans, n, false, results, err));
  for (int i = 0; i <= n; i++) {
    for (int l = 0; l < n_levels && i < n; l++) {
      sqnr_db[i * n_levels + l] = results[i].levels[l].score.sqnr_db;
    }
    tare_eval_result_fini(&results[i]);
  }
  return TARE_OK;
}

tare_status tarei_trials_time(tarei_trials *const t, tare_plan *const *const plans, const int n,
                              tare_tune_score *const scores, double **const layers,
                              tare_error *const err) {
  const tare_plan *all[TAREI_LATENCY_PLANS];
  double seconds[TAREI_LATENCY_PLANS], *times[TAREI_LATENCY_PLANS];
  all[0] = t->reference;
  for (int i = 0; i < n; i++) {
    all[i + 1] = plans[i];
  }
  TAREI_TRY(tarei_plan_times_get(&t->times, all, n + 1, seconds, layers ? times : NULL, err));
  for (int i = 0; i < n; i++) {
    scores[i].seconds = seconds[i + 1];
    scores[i].float_seconds = seconds[0];
    if (layers) {
      layers[i] = times[i + 1];
    }
  }
  if (layers) {
    free(times[0]);
  }
  return TARE_OK;
}
