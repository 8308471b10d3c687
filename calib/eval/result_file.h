/* What the writer and the reader of results share; docs/formats.md describes the file. */
#ifndef TAREI_CALIB_EVAL_RESULT_FILE_H
#define TAREI_CALIB_EVAL_RESULT_FILE_H

#include <assert.h>
#include <tare/eval.h>

#define TAREI_RESULT_FORMAT "tare.result"
enum { TAREI_RESULT_MAJOR = 2, TAREI_RESULT_MINOR = 0 };

/* Columns of arrays. */
enum {
  TAREI_RESULT_SCORE = 10,
  TAREI_RESULT_SCORE_COUNT = 9,
  TAREI_RESULT_ERROR = 8,
  TAREI_RESULT_COUNT = 9,
  TAREI_RESULT_ROW = 4
};
enum { TAREI_RESULT_FITTED = offsetof(tare_fit_counts, reserved) / sizeof(int64_t) };
static_assert(TAREI_RESULT_FITTED == 7, "stored as they lie in memory");

/* Settings of a metric that its value depends on, as integers. */
enum {
  TAREI_RESULT_WORDS,
  TAREI_RESULT_TOP,
  TAREI_RESULT_IGNORES,
  TAREI_RESULT_IGNORED,
  TAREI_RESULT_AVERAGE,
  TAREI_RESULT_SHIFTS,
  TAREI_RESULT_SHIFT,
  TAREI_RESULT_NEIGHBOURS,
  TAREI_RESULT_SETTINGS
};

/* All scores, one after the other: the total, by profile, by level, and by output. */
int64_t tarei_result_n_scores(const tare_eval_result *result);
tare_eval_score *tarei_result_score(tare_eval_result *result, int64_t i);

/* A score as columns, and back. */
void tarei_result_put_score(const tare_eval_score *score, double *reals, int64_t *counts);
void tarei_result_get_score(const double *reals, const int64_t *counts, tare_eval_score *score);

/* Runs of a sample: one for each level. */
int tarei_result_n_runs(const tare_eval_result *result);

#endif
