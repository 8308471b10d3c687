/* Agreement in an evaluation: what outputs look like and what is read in them while it runs, and
 * then the kind of each, the same for all plans (calib/eval/agreement.h). */
#ifndef TAREI_CALIB_EVAL_AGREEMENT_EVAL_AGREEMENT_H
#define TAREI_CALIB_EVAL_AGREEMENT_EVAL_AGREEMENT_H

#include "calib/eval/eval_constants.h"
#include "calib/eval/agreement/output_look.h"

/* All arrays are by output. */
typedef struct tarei_eval_agreement {
  const tare_port *inputs, *outputs;
  int n_inputs, n_outputs, n_sides, reference;
  int n_levels; /* 1 without a gain range */
  const tare_streaming *streaming;
  tare_agreement *kinds;    /* AUTO: by what is seen */
  tarei_output_look *looks; /* of the reference */
  bool *reads;              /* sequences are kept */
  tarei_answers *answers;   /* of each side, level and output */
} tarei_eval_agreement;

/* An evaluation that begins: of n_sides plans like this one. */
typedef struct tarei_agreement_setup {
  const tare_plan *plan;
  const tare_eval_options *options;
  int n_sides, reference, n_levels; /* reference below 0: none; n_levels 0 without a gain range */
} tarei_agreement_setup;

/* Zero-initialize `agreement` first, and free it with _fini. TARE_E_USAGE: a choice of the options
 * names no output, or a kind that the output cannot have. */
tare_status tarei_eval_agreement_init(tarei_eval_agreement *agreement,
                                      const tarei_agreement_setup *setup, tare_error *err);
void tarei_eval_agreement_fini(tarei_eval_agreement *agreement);

/* Takes the outputs of all sides at a level of the current sample, whose extents are known. */
tare_status tarei_eval_agreement_take(tarei_eval_agreement *agreement, const tarei_eval_runs *runs,
                                      const tarei_eval_constants *constants, int level,
                                      tare_error *err);

/* The current sample counts, or does not. */
tare_status tarei_eval_agreement_keep(tarei_eval_agreement *agreement, tare_error *err);
void tarei_eval_agreement_discard(tarei_eval_agreement *agreement);

/* Chooses the kinds. */
tare_status tarei_eval_agreement_choose(tarei_eval_agreement *agreement, tare_error *err);

/* Sets the kinds of a result, and what sequences have in its errors. */
tare_status tarei_eval_agreement_conclude(const tarei_eval_agreement *agreement, int side,
                                          tare_eval_result *result, tare_error *err);

#endif
