/*
 * The search for the fastest mix of precisions: its state, and its three phases.
 *
 * Plans with one precision for all layers give the time of each layer in each form, and plans with
 * one quantized layer give its noise. Noise of layers is taken to add up. Since that is only nearly
 * so, each mix is built and measured, and the bound on the sum is moved until the plan just holds
 * the bound of the user.
 */
#ifndef TAREI_CALIB_TUNE_SEARCH_H
#define TAREI_CALIB_TUNE_SEARCH_H

#include "calib/tune/forms.h"
#include "calib/tune/trials.h"

/* What a search finds. */
struct tare_tuned {
  tarei_tune_layers layers;
  tare_plan *plan;
  char *requests;
  tare_tune_score score, standard;
  tare_tuned_level *levels;
  int n_levels;
  int n_plans;
  int n_lengths; /* layers that are float since they decide lengths of outputs */
  tare_tuned_times times;
  bool complete;
};

typedef struct tarei_search {
  tarei_trials trials;
  tare_dataset *data, *check;
  const tare_tune_options *options;
  tare_tuned *out;
  double start;
  double floor;          /* noise with all layers in float: that of the user's own requests */
  double standard_noise; /* of the plan without requests */
  tare_tune_score tried; /* that of the last mix */
  int n_probed;          /* layers measured alone, in forms */
  bool keeps_lengths;    /* layers that decide lengths of outputs are float: a plan that missed the
                            bounds had other lengths */
} tarei_search;

/* A plan wholly in float must be this much faster to be preferred to one wholly on integers: float
 * weights take four times the memory, which times of single runs do not show. */
#define TAREI_SEARCH_FLOAT_PRICE 0.1

/* Reports progress; false if the search is to end here. */
bool tarei_search_goes_on(tarei_search *s, tare_tune_phase phase, int done, int total);

/* Takes a plan that was scored with the samples that it has to hold the bounds on, if it does and
 * is better than the one so far; *plan is NULL then. */
tare_status tarei_search_offer(tarei_search *s, tare_plan **plan, tare_tune_score *score,
                               const char *requests, tare_error *err);

/* Scores a plan with these samples, and offers it. */
tare_status tarei_search_judge(tarei_search *s, tare_plan **plan, tare_tune_score *score,
                               const char *requests, tare_error *err);

/* After a plan that misses the bounds and has other lengths, keeps the layers that decide them in
 * float: by chance, other mixes have the lengths of float with some samples and not with others. */
tare_status tarei_search_keep_lengths(tarei_search *s, const tare_tune_score *score,
                                      tare_error *err);

/* The phases. The bound is on the sum of the noise of the layers. */
tare_status tarei_search_forms(tarei_search *s, tare_error *err);
tare_status tarei_search_layers(tarei_search *s, double bound, tare_error *err);
tare_status tarei_search_mixes(tarei_search *s, double bound, tare_error *err);

#endif
