#include "calib/tune/search.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"

bool tarei_search_goes_on(tarei_search *const s, const tare_tune_phase phase, const int done,
                          const int total) {
  const tare_tune_options *const o = s->options;
  const tare_tune_state state = {phase, done, total, s->out->score, s->tried};
  const bool asked = !o->progress || o->progress(o->progress_user, &state);
  const bool late = o->seconds > 0 && tarei_now() - s->start > o->seconds;
  s->out->complete = s->out->complete && asked && !late;
  return s->out->complete;
}

/* Times are not more exact than this: of two plans that differ by less, the more accurate one is
 * better. */
static const double SAME_TIME = 0.01;

static double tune_cost(const tare_tune_score *const score) {
  const double share = 1 - score->integer_share;
  return score->seconds + TAREI_SEARCH_FLOAT_PRICE * share * score->float_seconds;
}

/* Whether float would be faster. */
static bool is_slow(const tare_tune_score *const score) {
  return score->seconds > (1 + SAME_TIME) * score->float_seconds;
}

/* Times the plan and the best one so far, and tells whether it takes its place. The price of float
 * does not make up for a plan that is slower than float. */
static tare_status tune_is_better(tarei_search *const s, tare_plan *const plan,
                                  tare_tune_score *const score, bool *const better,
                                  tare_error *const err) {
  tare_plan *plans[] = {plan, s->out->plan};
  tare_tune_score scores[] = {*score, s->out->score};
  const int n = s->out->plan ? 2 : 1;
  TAREI_TRY(tarei_trials_time(&s->trials, plans, n, scores, NULL, err));
  *score = scores[0];
  s->out->score = n > 1 ? scores[1] : s->out->score;
  const double most = scores[0].sqnr_db < scores[1].sqnr_db ? 1 - SAME_TIME : 1;
  *better = n == 1 || ((!is_slow(&scores[0]) || is_slow(&scores[1])) &&
                       tune_cost(&scores[0]) < most * tune_cost(&scores[1]));
  return TARE_OK;
}

static tare_status tune_take(tarei_search *const s, tare_plan **const plan,
                             const tare_tune_score *const score, const char *const requests,
                             tare_error *const err) {
  tare_tuned *const out = s->out;
  char *line = NULL;
  TAREI_TRY(tarei_trials_line(&s->trials, requests, &line, err));
  free(out->requests);
  tare_plan_free(&out->plan);
  out->requests = line;
  out->plan = *plan;
  out->score = *score;
  *plan = NULL;
  return TARE_OK;
}

/* The interval of a few samples may lie above what all have. Those that calibrated are no worse
 * than others: a plan that misses the bound on them misses it. */
static tare_status check_calibrated(tarei_search *const s, tare_plan **const plan,
                                    tare_tune_score *const score, tare_error *const err) {
  tare_tune_score on;
  if (!s->options->calibrated || isinf(s->options->sqnr_db)) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_trials_score(&s->trials, s->options->calibrated, plan, 1, &on, err));
  score->holds = on.sqnr_db >= s->options->sqnr_db;
  return TARE_OK;
}

tare_status tarei_search_offer(tarei_search *const s, tare_plan **const plan,
                               tare_tune_score *const score, const char *const requests,
                               tare_error *const err) {
  bool better = false;
  s->out->n_plans++;
  if (score->holds) {
    TAREI_TRY(tune_is_better(s, *plan, score, &better, err));
  }
  if (better) {
    TAREI_TRY(check_calibrated(s, plan, score, err));
  }
  return better && score->holds ? tune_take(s, plan, score, requests, err) : TARE_OK;
}

tare_status tarei_search_judge(tarei_search *const s, tare_plan **const plan,
                               tare_tune_score *const score, const char *const requests,
                               tare_error *const err) {
  TAREI_TRY(tarei_trials_score(&s->trials, s->check, plan, 1, score, err));
  return tarei_search_offer(s, plan, score, requests, err);
}

tare_status tarei_search_keep_lengths(tarei_search *const s, const tare_tune_score *const score,
                                      tare_error *const err) {
  if (s->keeps_lengths || score->holds || score->other_shapes == 0) {
    return TARE_OK;
  }
  s->keeps_lengths = true;
  return tarei_tune_layers_keep_lengths(&s->out->layers, s->trials.reference, &s->out->n_lengths,
                                        err);
}
