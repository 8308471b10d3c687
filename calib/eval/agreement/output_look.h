/*
 * What outputs of a reference look like, by which the kind of their agreement is chosen: so it is
 * the same for all plans beside the reference.
 */
#ifndef TAREI_CALIB_EVAL_AGREEMENT_OUTPUT_LOOK_H
#define TAREI_CALIB_EVAL_AGREEMENT_OUTPUT_LOOK_H

#include <tare/eval.h>

#include "calib/eval/agreement/answers.h"

/* A plan's outputs, with the inputs that say what their axes are. */
typedef struct tarei_look_ports {
  const tare_port *inputs, *output;
  int n_inputs;
} tarei_look_ports;

enum { TAREI_LOOK_CLASSES = 64 }; /* of the first rows that are looked at */

/* Sums over rows (last axis) that were looked at. */
typedef struct tarei_output_look {
  int64_t rows;
  int64_t probabilities, logarithms, units; /* rows that sum up to 1, as such or as logarithms, or
                                               have a norm of 1 */
  double confidence; /* largest probability of a softmax, 0: as low as it can be, 1: certain */
  double smoothness; /* correlation of neighbours */
  int64_t classes[TAREI_LOOK_CLASSES]; /* first largest, of the first rows */
} tarei_output_look;

/* Looks at some rows of an output: the same number of every sample. */
void tarei_look_take(tarei_output_look *look, const tare_tensor *output, const int64_t *extents);

/* Whether an output may be sequences, by its type, shape and name: its classes are to be kept. */
bool tarei_look_may_be_read(const tarei_look_ports *ports);

/* The kind of an output. `tokens`: of all samples; NULL if they were not kept. */
tare_agreement tarei_look_kind(const tarei_look_ports *ports, const tarei_output_look *look,
                               const tarei_answers_seen *tokens, int64_t samples);

#endif
