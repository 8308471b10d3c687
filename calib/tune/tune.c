#include <tare/tune.h>

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "calib/tune/search.h"

void tare_tune_options_init(tare_tune_options *const options) {
  *options = (tare_tune_options){.sqnr_db = -INFINITY, .max_drop = INFINITY};
  tare_build_options_init(&options->build);
  tare_eval_options_init(&options->eval);
}

/* The bound on the sum of the noise to begin with. Without one on the SQNR: what the layers cost
 * as they are. */
static double first_bound(const tarei_search *const s) {
  const double db = s->options->sqnr_db;
  return isinf(db) ? s->standard_noise : fmax(tarei_noise_of_sqnr(db) - s->floor, 0);
}

/* The accuracy of both plans at each level, if there are any. */
static tare_status measure_levels(tarei_search *const s, tare_plan *const *const plans,
                                  tare_error *const err) {
  const int n = tare_dataset_n_levels(s->check);
  if (n == 1) {
    return TARE_OK;
  }
  double *const sqnr_db = tarei_calloc(2 * (size_t)n, sizeof *sqnr_db);
  s->out->levels = tarei_calloc((size_t)n, sizeof *s->out->levels);
  tare_status status = sqnr_db && s->out->levels
                           ? tarei_trials_levels(&s->trials, s->check, plans, 2, sqnr_db, err)
                           : tarei_fail_memory(err, "levels", (size_t)n * sizeof *sqnr_db);
  for (int l = 0; l < n && status == TARE_OK; l++) {
    s->out->levels[s->out->n_levels++] =
        (tare_tuned_level){tare_dataset_level_db(s->check, l), sqnr_db[l], sqnr_db[n + l]};
  }
  free(sqnr_db);
  return status;
}

/* The last times of the result and of the standard plan: more runs may have made them shorter. */
static tare_status compare_both(tarei_search *const s, tare_error *const err) {
  tare_plan *plans[] = {s->out->plan, NULL};
  tare_tune_score scores[] = {s->out->score, s->out->standard};
  TAREI_TRY(tarei_trials_build(&s->trials, "", &plans[1], err));
  tare_status status = tarei_trials_time(&s->trials, plans, 2, scores, NULL, err);
  if (status == TARE_OK) {
    status = measure_levels(s, plans, err);
  }
  s->out->score = scores[0];
  s->out->standard = scores[1];
  tare_plan_free(&plans[1]);
  return status;
}

static tare_status fail_without_plan(const tarei_search *const s, tare_error *const err) {
  const double share = s->options->min_integer_share;
  if (!s->out->complete) {
    return tarei_fail(err, TARE_E_CHECK, "the search was ended before a plan held the bounds");
  }
  return share > 0
             ? tarei_fail(err, TARE_E_UNSUPPORTED,
                          "no plan with %g %% of the multiply-adds on integers holds the other "
                          "bounds: lower the share or the bounds",
                          100 * share)
             : tarei_fail(err, TARE_E_UNSUPPORTED,
                          "no plan holds the bounds, because the requests by name exclude float: "
                          "remove some, or lower the bounds");
}

static tare_status search_plan(tarei_search *const s, const tare_model *const model,
                               const tare_profiles *const profiles, tare_error *const err) {
  TAREI_TRY(tarei_trials_init(&s->trials, model, profiles, s->data, s->check, s->options, err));
  TAREI_TRY(tarei_search_forms(s, err));
  TAREI_TRY(tarei_search_layers(s, first_bound(s), err));
  TAREI_TRY(tarei_search_mixes(s, first_bound(s), err));
  s->out->times = (tare_tuned_times){s->trials.times.n_known, s->trials.times.n_measured};
  if (!s->out->plan) {
    return fail_without_plan(s, err);
  }
  TAREI_TRY(compare_both(s, err));
  return tarei_tune_layers_choose(&s->out->layers, s->out->plan, err);
}

/* The plan that was found has the outputs by which it was judged; the user's has the model's. */
static tare_status build_chosen(const tarei_search *const s, const tare_model *const model,
                                const tare_profiles *const profiles, tare_error *const err) {
  tare_build_options o = s->options->build;
  tare_plan *plan = NULL;
  o.layer_precisions = s->out->requests;
  TAREI_TRY(tare_plan_build(model, profiles, &o, &plan, err));
  tare_plan_free(&s->out->plan);
  s->out->plan = plan;
  return TARE_OK;
}

static tare_status tune_run(tarei_search *const s, const tare_model *const model,
                            const tare_profiles *const profiles, tare_error *const err) {
  tare_model *judged = NULL;
  TAREI_TRY(tare_model_judged(model, &judged, err));
  tare_status status = search_plan(s, judged ? judged : model, profiles, err);
  if (status == TARE_OK && judged) {
    status = build_chosen(s, model, profiles, err);
  }
  tare_model_free(&judged);
  return status;
}

tare_status tare_tune(const tare_model *const model, const tare_profiles *const profiles,
                      tare_dataset *const search, tare_dataset *const check,
                      const tare_tune_options *const options, tare_tuned **const out,
                      tare_error *const err) {
  *out = NULL;
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_tune_options, options, err));
  if (isinf(options->sqnr_db) && isinf(options->max_drop)) {
    return tarei_fail(err, TARE_E_USAGE, "tuning needs a bound on the SQNR or on the metric");
  }
  if (!isinf(options->max_drop) && !options->eval.metric && !options->eval.custom_metric) {
    return tarei_fail(err, TARE_E_USAGE, "a bound on the metric needs a metric");
  }
  tare_tuned *tuned = tarei_calloc(1, sizeof *tuned);
  if (!tuned) {
    return tarei_fail_memory(err, "tuning", sizeof *tuned);
  }
  tuned->complete = true;
  tarei_search s = {
      .data = search, .check = check, .options = options, .out = tuned, .start = tarei_now()};
  const tare_status status = tune_run(&s, model, profiles, err);
  tarei_trials_fini(&s.trials);
  if (status != TARE_OK) {
    tare_tuned_free(&tuned);
    return status;
  }
  *out = tuned;
  return TARE_OK;
}

const tare_plan *tare_tuned_plan(const tare_tuned *const tuned) {
  return tuned->plan;
}

const char *tare_tuned_requests(const tare_tuned *const tuned) {
  return tuned->requests;
}

tare_tune_score tare_tuned_score(const tare_tuned *const tuned) {
  return tuned->score;
}

tare_tune_score tare_tuned_standard(const tare_tuned *const tuned) {
  return tuned->standard;
}

int tare_tuned_n_levels(const tare_tuned *const tuned) {
  return tuned->n_levels;
}

tare_tuned_level tare_tuned_get_level(const tare_tuned *const tuned, const int i) {
  if (!tarei_has_number(i, tuned->n_levels)) {
    return (tare_tuned_level){0};
  }
  return tuned->levels[i];
}

int tare_tuned_n_lengths(const tare_tuned *const tuned) {
  return tuned->n_lengths;
}

int tare_tuned_n_plans(const tare_tuned *const tuned) {
  return tuned->n_plans;
}

tare_tuned_times tare_tuned_get_times(const tare_tuned *const tuned) {
  return tuned->times;
}

bool tare_tuned_is_complete(const tare_tuned *const tuned) {
  return tuned->complete;
}

int tare_tuned_n_layers(const tare_tuned *const tuned) {
  return tuned->layers.n;
}

tare_tuned_layer tare_tuned_get_layer(const tare_tuned *const tuned, const int i) {
  if (!tarei_has_number(i, tuned->layers.n)) {
    return (tare_tuned_layer){0};
  }
  const tarei_tune_layer *const layer = &tuned->layers.items[i];
  tare_tuned_layer out = {.name = layer->name,
                          .request = layer->glob,
                          .standard = layer->standard,
                          .chosen = layer->chosen,
                          .keeps_level = layer->keeps_level};
  for (int p = 0; p < TARE_PRECISION_COUNT; p++) {
    out.sqnr_db[p] = layer->has[p] ? tarei_sqnr_of_noise(layer->noise[p]) : NAN;
    out.seconds[p] = layer->has[p] ? layer->seconds[p] : NAN;
  }
  return out;
}

void tare_tuned_free(tare_tuned **const tuned) {
  if (*tuned) {
    tarei_tune_layers_fini(&(*tuned)->layers);
    tare_plan_free(&(*tuned)->plan);
    free((*tuned)->requests);
    free((*tuned)->levels);
    free(*tuned);
    *tuned = NULL;
  }
}
