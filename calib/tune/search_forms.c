/* Plans with one precision for all layers. */
#include "calib/tune/search.h"

#include <math.h>
#include <stdlib.h>

/* Those of the first phase come first: with them there is a plan, whatever happens then. */
static const char *const FORMS[] = {"*:fp32",       "",      "*:int8", "*:int8-rows", "*:int16",
                                    "*:int16-rows", "*:bf16"};
enum { N_FORMS = sizeof FORMS / sizeof *FORMS, FORM_FP32 = 0, FORM_STANDARD = 1, N_FIRST = 2 };

static int count_tune_forms(const tarei_search *const s) {
  return s->options->all_precisions ? N_FORMS : N_FORMS - 1;
}

/* Reports that the first `done` forms are measured, or built. */
static bool forms_go_on(tarei_search *const s, const int done) {
  return tarei_search_goes_on(s, TARE_TUNE_FORMS, done, count_tune_forms(s) + 1);
}

/* Scores plans with the samples of the search, and learns what their layers are. */
static tare_status learn_forms(tarei_search *const s, tare_plan **const plans, const int n,
                               tare_tune_score *const scores, tare_error *const err) {
  double *seconds[N_FORMS];
  TAREI_TRY(tarei_trials_score(&s->trials, s->data, plans, n, scores, err));
  TAREI_TRY(tarei_trials_time(&s->trials, plans, n, scores, seconds, err));
  tare_status status = TARE_OK;
  for (int f = 0; f < n; f++) {
    if (status == TARE_OK) {
      status = tarei_tune_layers_learn(&s->out->layers, plans[f], seconds[f], err);
    }
    free(seconds[f]);
  }
  return status;
}

/* --- float and the standard plan -------------------------------------------------------------- */

static tare_status build_first(tarei_search *const s, tare_plan **const plans,
                               tare_error *const err) {
  for (int f = 0; f < N_FIRST; f++) {
    (void)forms_go_on(s, f);
    TAREI_TRY(tarei_trials_build(&s->trials, FORMS[f], &plans[f], err));
  }
  TAREI_TRY(tarei_tune_layers_find(plans[FORM_STANDARD], &s->out->layers, err));
  return s->out->layers.n ? TARE_OK
                          : tarei_fail(err, TARE_E_UNSUPPORTED,
                                       "no layer of the model has a choice of precision: expected "
                                       "one or more (tare build says why)");
}

static tare_status judge_first(tarei_search *const s, tare_plan **const plans,
                               tare_error *const err) {
  tare_tune_score scores[N_FIRST];
  s->out->layers.may_clip = s->options->min_integer_share > 0; /* not all of them have row scales */
  TAREI_TRY(tarei_tune_layers_deny(&s->out->layers, plans[FORM_FP32],
                                   tare_dataset_n_levels(s->check) == 1, err));
  TAREI_TRY(learn_forms(s, plans, N_FIRST, scores, err));
  s->standard_noise = tarei_noise_of_sqnr(scores[FORM_STANDARD].sqnr_db);
  s->floor = tarei_noise_of_sqnr(scores[FORM_FP32].sqnr_db);
  for (int i = 0; i < s->out->layers.n; i++) {
    s->out->layers.items[i].float_price =
        TAREI_SEARCH_FLOAT_PRICE * scores[FORM_FP32].seconds * s->out->layers.items[i].share;
  }
  TAREI_TRY(tarei_trials_score(&s->trials, s->check, plans, N_FIRST, scores, err));
  s->out->standard = scores[FORM_STANDARD];
  if (isnan(s->out->standard.sqnr_db) && !isinf(s->options->sqnr_db)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "no plan can hold a bound on the SQNR: the outputs have no finite value in "
                      "float on the samples that judge plans");
  }
  TAREI_TRY(tarei_search_keep_lengths(s, &s->out->standard, err));
  for (int f = 0; f < N_FIRST; f++) {
    TAREI_TRY(tarei_search_offer(s, &plans[f], &scores[f], FORMS[f], err));
  }
  return TARE_OK;
}

/* --- the others ------------------------------------------------------------------------------- */

/* Whether a form may be the answer, by the samples of the search. */
static tare_status is_form_good(const tarei_search *const s, const tare_plan *const plan,
                                const tare_tune_score *const score, bool *const good,
                                tare_error *const err) {
  TAREI_TRY(tarei_tune_layers_permit(&s->out->layers, plan, good, err));
  *good = *good && score->sqnr_db >= s->options->sqnr_db &&
          score->integer_share >= s->options->min_integer_share;
  return TARE_OK;
}

static int fastest_good(const bool *const good, const tare_tune_score *const scores, const int n) {
  int best = -1;
  for (int f = 0; f < n; f++) {
    best = good[f] && (best < 0 || scores[f].seconds < scores[best].seconds) ? f : best;
  }
  return best;
}

/* Judges those that are good, the fastest first, until one holds the bounds. */
static tare_status judge_others(tarei_search *const s, tare_plan **const plans, const int n,
                                tare_error *const err) {
  tare_tune_score scores[N_FORMS];
  bool good[N_FORMS], holds = false;
  TAREI_TRY(learn_forms(s, plans, n, scores, err));
  for (int f = 0; f < n; f++) {
    TAREI_TRY(is_form_good(s, plans[f], &scores[f], &good[f], err));
  }
  for (int f; !holds && (f = fastest_good(good, scores, n)) >= 0;) {
    good[f] = false;
    TAREI_TRY(tarei_search_judge(s, &plans[f], &scores[f], FORMS[N_FIRST + f], err));
    holds = scores[f].holds;
  }
  return TARE_OK;
}

static tare_status build_others(tarei_search *const s, tare_plan **const plans, const int n,
                                tare_error *const err) {
  for (int f = 0; f < n; f++) {
    if (!forms_go_on(s, N_FIRST + f)) {
      return TARE_OK;
    }
    TAREI_TRY(tarei_trials_build(&s->trials, FORMS[N_FIRST + f], &plans[f], err));
  }
  return forms_go_on(s, N_FIRST + n) ? judge_others(s, plans, n, err) : TARE_OK;
}

tare_status tarei_search_forms(tarei_search *const s, tare_error *const err) {
  tare_plan *plans[N_FORMS] = {NULL};
  const int n = count_tune_forms(s);
  tare_status status = build_first(s, plans, err);
  if (status == TARE_OK) {
    status = judge_first(s, plans, err);
  }
  if (status == TARE_OK) {
    status = build_others(s, plans + N_FIRST, n - N_FIRST, err);
  }
  for (int f = 0; f < n; f++) {
    tare_plan_free(&plans[f]);
  }
  return status;
}
