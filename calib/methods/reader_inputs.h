/* The inputs of layers whose rows calibration sees (engine/observe/readers.h). */
#ifndef TAREI_CALIB_METHODS_READER_INPUTS_H
#define TAREI_CALIB_METHODS_READER_INPUTS_H

#include "calib/gram.h"
#include "engine/observe/readers.h"
#include "graph/table/table.h"

/* Rows that were not seen differ a little: what counts of an input that is always zero, of the mean
 * square of all inputs. */
#define TAREI_DAMPING 0.01

/* The smoothing of the tensor that a layer reads, or NULL. */
const tarei_smoothing *tarei_reader_smoothing(const tarei_row_reader *reader,
                                              const tarei_smoothings *all);

/* What element `at` of a row is multiplied by where the tensor is smoothed. */
double tarei_reader_factor(const tarei_row_reader *reader, const tarei_smoothing *smoothing,
                           int64_t at);

/* Mean squares of the inputs, damped, in the order of tarei_weight_view_at: of rows as large as
 * their Gram matrix has them. The gram has rows. */
void tarei_reader_squares(const tarei_row_reader *reader, const tarei_gram *gram,
                          const tarei_smoothing *smoothing, float *out);

#endif
