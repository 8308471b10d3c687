/* Mixes of precisions, built and measured as a whole. */
#include "calib/tune/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "calib/tune/mix.h"

enum { MOST_MIXES = 10 };
static const double CLOSE_ENOUGH = 1.1; /* 0.4 dB between a mix that holds and one that does not */

/* Mixes that were built. */
typedef struct tried_mixes {
  struct tried_mix {
    char *requests;
    tare_tune_score score;
  } items[MOST_MIXES];
  int n;
} tried_mixes;

/* Builds and scores the mix that is chosen; one that is not good enough for the samples of the
 * search is not judged by the others. */
static tare_status try_mix(tarei_search *const s, const char *const requests,
                           tare_tune_score *const score, tare_error *const err) {
  tare_plan *plan = NULL;
  TAREI_TRY(tarei_trials_build(&s->trials, requests, &plan, err));
  tare_status status = tarei_trials_score(&s->trials, s->data, &plan, 1, score, err);
  if (status == TARE_OK && score->sqnr_db >= s->options->sqnr_db) {
    status = tarei_search_judge(s, &plan, score, requests, err);
  }
  tare_plan_free(&plan);
  return status;
}

/* The score of the mix that is chosen, from before if it was tried already. */
static tare_status score_mix(tarei_search *const s, tried_mixes *const tried,
                             tare_tune_score *const score, tare_error *const err) {
  tarei_str requests = {0};
  tarei_tune_layers_request(&s->out->layers, &requests);
  const char *const line = tarei_str_get(&requests);
  tare_status status = TARE_OK;
  for (int i = 0; i < tried->n; i++) {
    if (!requests.failed && strcmp(tried->items[i].requests, line) == 0) {
      *score = tried->items[i].score;
      goto done;
    }
  }
  struct tried_mix *const item = &tried->items[tried->n++];
  item->requests = requests.failed ? NULL : tarei_strdup(line);
  status = item->requests ? try_mix(s, line, score, err)
                          : tarei_fail_memory(err, "requests", requests.length);
  item->score = *score;
done:
  tarei_str_free(&requests);
  return status;
}

/* How much lower the bound on the sum has to be, by how far a plan is from its own. */
static double shortfall(const tarei_search *const s, const tare_tune_score *const score) {
  const double bound = s->options->sqnr_db; /* -INFINITY without one */
  const double missing = bound - (score->sqnr_db < bound ? score->sqnr_db : score->sqnr.low);
  return missing > 1 ? pow(10, -missing / 10) : 0.6;
}

/* A mix that is good enough, but not on integers enough, has room for more noise. */
static bool is_timid(const tarei_search *const s, const tare_tune_score *const score) {
  return score->integer_share < s->options->min_integer_share &&
         tarei_score_is_good(s->options, score);
}

static tare_status search_bounds(tarei_search *const s, double bound, tried_mixes *const tried,
                                 tare_error *const err) {
  double held = 0, failed = INFINITY; /* bounds on the sum */
  for (int i = 0; i < MOST_MIXES && failed > held * CLOSE_ENOUGH &&
                  tarei_search_goes_on(s, TARE_TUNE_MIXES, i, MOST_MIXES);
       i++) {
    const bool possible = tarei_mix_choose_share(s->out->layers.items, s->out->layers.n, bound,
                                                 s->options->min_integer_share);
    TAREI_TRY(score_mix(s, tried, &s->tried, err));
    TAREI_TRY(tarei_search_keep_lengths(s, &s->tried, err));
    *(s->tried.holds || is_timid(s, &s->tried) ? &held : &failed) = bound;
    if (!possible || (s->tried.holds && isinf(failed) && isinf(s->tried.sqnr_db))) {
      break; /* nothing is better, or all is float */
    }
    bound = held > 0 && !isinf(failed) ? sqrt(held * failed)
            : held > 0                 ? held * 1.6
                                       : bound * shortfall(s, &s->tried);
  }
  return TARE_OK;
}

tare_status tarei_search_mixes(tarei_search *const s, const double bound, tare_error *const err) {
  tried_mixes tried = {0};
  const tare_status status = search_bounds(s, bound, &tried, err);
  for (int i = 0; i < tried.n; i++) {
    free(tried.items[i].requests);
  }
  return status;
}
