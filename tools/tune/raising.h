/* Searching layers to raise above 8 bits, with as many samples as the work allows. */
#ifndef TAREI_TOOLS_TUNE_RAISING_H
#define TAREI_TOOLS_TUNE_RAISING_H

#include "tools/options/options.h"
#include "tools/score.h"

/* The SQNR below which layers are raised: of plans, or of models that are written. */
double raising_below(bool written);

/* What is too bad. */
typedef struct raising_case {
  const opt_inputs *in; /* with the data of the calibration */
  const tare_model *model;
  const tare_profiles *profiles;
  tare_streaming *streaming;      /* NULL: samples are runs */
  bool per_profile;               /* so many samples of each profile, not of all */
  const tare_plan *plan;          /* of what is too bad */
  const tare_eval_result *result; /* of a run over a few samples */
  int n_probes;                   /* layers, in each form, that are measured alone */
  const char *forms;              /* that layers are raised to, for the message */
  double seconds;                 /* that the search may take; 0: any time */
  double processor_seconds;       /* of these on a processor; 0: as many measurements as a slow core
                                     makes in a minute */
  const char *time_option;        /* that allows more time; NULL: none */
} raising_case;

/* The first samples, at most `limit`; with `per_profile` so many of each profile. */
tare_status raising_samples(const raising_case *r, int64_t limit, tare_dataset **out,
                            tare_error *err);

/* Finds layers, and says which share they have and what they gain, and whether the time was over.
 * `options` have all but the time. */
tare_status raising_search(const raising_case *r, tare_raise_options *options, tare_raised *out,
                           tare_error *err);

/* An error that may not come the next time. What depends on it is not written. */
bool raising_may_pass(tare_status status);

#endif
