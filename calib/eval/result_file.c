#include "calib/eval/result_file.h"

#include <string.h>

#include "calib/file/stats_read.h"
#include "calib/metrics/metric.h"
#include "calib/metrics/states.h"

int64_t tarei_result_n_scores(const tare_eval_result *const result) {
  return 1 + (int64_t)result->n_profiles + result->n_levels + result->n_outputs;
}

tare_eval_score *tarei_result_score(tare_eval_result *const result, int64_t i) {
  if (i == 0) {
    return &result->total;
  }
  i--;
  if (i < result->n_profiles) {
    return &result->profiles[i];
  }
  i -= result->n_profiles;
  return i < result->n_levels ? &result->levels[i].score : &result->outputs[i - result->n_levels];
}

void tarei_result_put_score(const tare_eval_score *const s, double *const reals,
                            int64_t *const counts) {
  const double of[TAREI_RESULT_SCORE] = {
      s->sqnr_db,        s->together_db, s->tenth_db,  s->cosine,    s->max_abs_error,
      s->top1_agreement, s->metric,      s->reference, s->agreement, s->agreement_tenth};
  const int64_t n[TAREI_RESULT_SCORE_COUNT] = {
      s->samples,         s->other_shapes, s->worst,  s->values,
      s->constant,        s->undefined,    s->broken, (int64_t)s->agreement_kind,
      s->agreement_output};
  memcpy(reals, of, sizeof of);
  memcpy(counts, n, sizeof n);
}

void tarei_result_get_score(const double *const reals, const int64_t *const counts,
                            tare_eval_score *const score) {
  *score = (tare_eval_score){.sqnr_db = reals[0],
                             .together_db = reals[1],
                             .tenth_db = reals[2],
                             .cosine = reals[3],
                             .max_abs_error = reals[4],
                             .top1_agreement = reals[5],
                             .metric = reals[6],
                             .reference = reals[7],
                             .agreement = reals[8],
                             .agreement_tenth = reals[9],
                             .samples = counts[0],
                             .other_shapes = counts[1],
                             .worst = (int)counts[2],
                             .values = counts[3],
                             .constant = counts[4],
                             .undefined = counts[5],
                             .broken = counts[6],
                             .agreement_kind = (tare_agreement)counts[7],
                             .agreement_output = (int)counts[8]};
}

int tarei_result_n_runs(const tare_eval_result *const result) {
  return result->n_levels > 0 ? result->n_levels : 1;
}

bool tare_eval_is_result_file(const char *const path) {
  return tarei_stats_is_of_format(path, TAREI_RESULT_FORMAT);
}

static const tarei_metric *result_metric(const tare_eval_result *const result) {
  return result->states ? result->states->metric : NULL;
}

/* Each result has its own copy of a metric of the program. */
static bool result_same_metric(const tarei_metric *const a, const tarei_metric *const b) {
  return a == b || (a && b && a->custom && b->custom && strcmp(a->name, b->name) == 0);
}

bool tare_eval_results_match(const tare_eval_result *const a, const tare_eval_result *const b) {
  bool match = a->n_samples == b->n_samples && a->n_levels == b->n_levels &&
               a->n_profiles == b->n_profiles && a->n_outputs == b->n_outputs &&
               result_same_metric(result_metric(a), result_metric(b));
  for (int64_t i = 0; match && a->samples && b->samples && i < a->n_samples; i++) {
    match = strcmp(a->samples[i].name, b->samples[i].name) == 0;
  }
  return match;
}
