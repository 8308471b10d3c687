/* Plans with one precision for all layers. */
#include "calib/tune/search.h"

#include <math.h>
#include <stdlib.h>

static const char *const FORMS[] = {"",        "*:fp32",       "*:int8", "*:int8-rows",
                                    "*:int16", "*:int16-rows", "*:bf16"};
enum { N_FORMS = sizeof FORMS / sizeof *FORMS, FORM_STANDARD = 0, FORM_FP32 = 1 };

/* Judges the standard plan and that in float, and of the others the fastest one that is good enough
 * on the samples of the search. */
static tare_status judge_forms(tarei_search *const s, tare_plan **const plans,
                               tare_tune_score *const scores, const int n, tare_error *const err) {
  int best = FORM_FP32;
  for (int f = FORM_FP32 + 1; f < n; f++) {
    const bool good = scores[f].sqnr_db >= s->options->sqnr_db;
    best = good && scores[f].seconds < scores[best].seconds ? f : best;
  }
  TAREI_TRY(tarei_search_judge(s, &plans[FORM_FP32], &scores[FORM_FP32], FORMS[FORM_FP32], err));
  TAREI_TRY(tarei_search_judge(s, &plans[FORM_STANDARD], &scores[FORM_STANDARD],
                               FORMS[FORM_STANDARD], err));
  s->out->standard = scores[FORM_STANDARD];
  return best == FORM_FP32 ? TARE_OK
                           : tarei_search_judge(s, &plans[best], &scores[best], FORMS[best], err);
}

static tare_status learn_forms(tarei_search *const s, tare_plan **const plans, const int n,
                               tare_error *const err) {
  tare_tune_score scores[N_FORMS];
  double *seconds[N_FORMS];
  TAREI_TRY(tarei_trials_score(&s->trials, s->data, plans, n, scores, err));
  TAREI_TRY(tarei_trials_time(&s->trials, plans, n, scores, seconds, err));
  s->standard_noise = pow(10, -scores[FORM_STANDARD].sqnr_db / 10);
  s->floor = pow(10, -scores[FORM_FP32].sqnr_db / 10);
  tare_status status = TARE_OK;
  for (int f = 0; f < n; f++) {
    if (status == TARE_OK) {
      status = tarei_tune_layers_learn(&s->out->layers, plans[f], seconds[f], err);
    }
    free(seconds[f]);
  }
  for (int i = 0; i < s->out->layers.n; i++) {
    s->out->layers.items[i].float_price =
        TAREI_SEARCH_FLOAT_PRICE * scores[FORM_FP32].seconds * s->out->layers.items[i].share;
  }
  return status == TARE_OK ? judge_forms(s, plans, scores, n, err) : status;
}

static tare_status build_forms(tarei_search *const s, tare_plan **const plans, const int n,
                               tare_error *const err) {
  for (int f = 0; f < n; f++) {
    (void)tarei_search_goes_on(s, TARE_TUNE_FORMS, f, n + 1);
    TAREI_TRY(tarei_trials_build(&s->trials, FORMS[f], &plans[f], err));
  }
  TAREI_TRY(tarei_tune_layers_find(plans[FORM_STANDARD], &s->out->layers, err));
  (void)tarei_search_goes_on(s, TARE_TUNE_FORMS, n, n + 1);
  return s->out->layers.n ? TARE_OK
                          : tarei_fail(err, TARE_E_USAGE,
                                       "no layer of the model has a choice of precision: expected "
                                       "one or more (tare build says why)");
}

tare_status tarei_search_forms(tarei_search *const s, tare_error *const err) {
  tare_plan *plans[N_FORMS] = {NULL};
  const int n = s->options->all_precisions ? N_FORMS : N_FORMS - 1;
  tare_status status = build_forms(s, plans, n, err);
  if (status == TARE_OK) {
    status = learn_forms(s, plans, n, err);
  }
  for (int f = 0; f < n; f++) {
    tare_plan_free(&plans[f]);
  }
  return status;
}
