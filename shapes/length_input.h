/* Length inputs, which contain the length of an axis of another input, and how a fit changes them.
 */
#ifndef TAREI_SHAPES_LENGTH_INPUT_H
#define TAREI_SHAPES_LENGTH_INPUT_H

#include <tare/calib.h>

/* TARE_E_USAGE if a length input names no input or symbol, has a type that cannot be a length, or
 * is a duplicate. */
tare_status tarei_length_inputs_check(const tare_length_input *items, int n,
                                      const tare_port *inputs, int n_inputs, tare_error *err);

/* The length input in this input, or NULL. */
const tare_length_input *tarei_length_input_of(const tare_length_input *items, int n,
                                               const char *input);

/* Changes, in place, lengths for an axis of length `own` to those for length `run`. TARE_E_INPUT if
 * an element is not a valid length of the axis. */
tare_status tarei_length_input_follow(const tare_length_input *item, int64_t own, int64_t run,
                                      const tare_tensor *lengths, tare_error *err);

/* Whether all elements are integers and equal to this one. */
bool tarei_lengths_equal(const tare_tensor *lengths, int64_t own);

/* Whether inputs of this type can contain lengths as integers. */
bool tarei_is_length_dtype(tare_dtype dtype);

#endif
