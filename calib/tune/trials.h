/* Plans built on trial: with requests, beside the float plan. */
#ifndef TAREI_CALIB_TUNE_TRIALS_H
#define TAREI_CALIB_TUNE_TRIALS_H

#include <tare/tune.h>

#include "base/str.h"
#include "calib/tune/plan_times.h"

enum { TAREI_TRIALS_AT_ONCE = 7 }; /* plans that share a pass over the data */

typedef struct tarei_trials {
  const tare_model *model;
  const tare_profiles *profiles;
  const tare_tune_options *options;
  const tare_raise_written *written; /* what makes plans of requests; NULL: builds of `options` */
  bool of_table; /* builds get requests as those of the table: a rule may do otherwise, and float
                    has other outputs than where a user asks for it */
  const tare_dataset *labelled;
  bool lower_is_better; /* of the metric */
  tare_plan *reference; /* float; owned */
  tarei_plan_times times;
} tarei_trials;

/* Plans are timed with the first samples of `timed`; the metric is for samples of `labelled`.
 * Zero-initialize `trials` first, and free it with _fini. */
tare_status tarei_trials_init(tarei_trials *trials, const tare_model *model,
                              const tare_profiles *profiles, tare_dataset *timed,
                              const tare_dataset *labelled, const tare_tune_options *options,
                              tare_error *err);
void tarei_trials_fini(tarei_trials *trials);

/* The requests followed by those of the options, which win; to be freed. */
tare_status tarei_trials_line(const tarei_trials *trials, const char *requests, char **out,
                              tare_error *err);

/* Builds a plan with requests and those of the options, which win. */
tare_status tarei_trials_build(const tarei_trials *trials, const char *requests, tare_plan **out,
                               tare_error *err);

/* Noise of the outputs of plans with n requests (at most TARE_MOST_TRIALS) and those of the
 * options, relative to their energy. */
tare_status tarei_trials_noise(const tarei_trials *trials, tare_dataset *data,
                               const char *const *requests, int n, double *noise, tare_error *err);

/* What one plan has over the data. */
typedef struct tarei_trial {
  double noise;
  double sure; /* more where the samples differ much, as few of them do by chance: at least what the
                  lower end of the 95 % interval of the SQNR and 3 dB are */
  int64_t other_shapes; /* samples in which an output has another shape than in float */
  bool is_judged;       /* false: no value counted */
} tarei_trial;

tare_status tarei_trials_measure(const tarei_trials *trials, tare_dataset *data,
                                 const char *requests, tarei_trial *out, tare_error *err);

/* Noise relative to the energy, and the same in dB. An SQNR that is NAN is infinite noise. */
double tarei_noise_of_sqnr(double sqnr_db);
double tarei_sqnr_of_noise(double noise);

/* Whether a score holds the bounds on accuracy. */
bool tarei_score_is_good(const tare_tune_options *options, const tare_tune_score *score);

/* Scores n plans (at most TAREI_TRIALS_AT_ONCE) in one pass over the data, without their times. */
tare_status tarei_trials_score(const tarei_trials *trials, tare_dataset *data,
                               tare_plan *const *plans, int n, tare_tune_score *scores,
                               tare_error *err);

/* The SQNR of n plans at each level of the data: [plan][level]. */
tare_status tarei_trials_levels(const tarei_trials *trials, tare_dataset *data,
                                tare_plan *const *plans, int n, double *sqnr_db, tare_error *err);

/* Adds the times of n plans to their scores. `layers`: NULL, or receives for each plan an array of
 * the times of its layers, to be freed. */
tare_status tarei_trials_time(tarei_trials *trials, tare_plan *const *plans, int n,
                              tare_tune_score *scores, double **layers, tare_error *err);

#endif
