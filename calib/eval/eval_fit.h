/* Fits samples for an evaluation: to the profiles of the plan, or to the pinned one. */
#ifndef TAREI_CALIB_EVAL_EVAL_FIT_H
#define TAREI_CALIB_EVAL_EVAL_FIT_H

#include <tare/eval.h>

#include "shapes/fit.h"

typedef struct tarei_eval_fit {
  const tare_plan *plan;
  const tare_port *inputs;
  int n_inputs;
  int pin;             /* -1: none */
  tare_profiles *only; /* the pinned profile alone */
  tarei_fit_options options;
} tarei_eval_fit;

/* The pinned profile must be one of the plan. Zero-initialize `fit` first, and free it with _fini.
 * TARE_E_USAGE for pad values of the wrong type. */
tare_status tarei_eval_fit_init(tarei_eval_fit *fit, const tare_plan *plan,
                                const tare_eval_options *options, tare_error *err);
void tarei_eval_fit_fini(tarei_eval_fit *fit);

/* Like tarei_fit_sample; the profile in `fitted` is that of the plan. */
tare_status tarei_eval_fit_sample(const tarei_eval_fit *fit, const tare_sample *sample,
                                  tarei_fitted *fitted, tare_error *err);

#endif
