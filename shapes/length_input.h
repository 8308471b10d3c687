/* Inputs that hold how long an axis of another input is, and what a fit makes of them. */
#ifndef TAREI_SHAPES_LENGTH_INPUT_H
#define TAREI_SHAPES_LENGTH_INPUT_H

#include <tare/calib.h>

/* TARE_E_USAGE where one names no input or symbol, is of a type that holds no lengths, or comes
 * twice. */
tare_status tarei_length_inputs_check(const tare_length_input *items, int n,
                                      const tare_port *inputs, int n_inputs, tare_error *err);

/* The one that stands in this input, or NULL. */
const tare_length_input *tarei_length_input_of(const tare_length_input *items, int n,
                                               const char *input);

/* Turns lengths inside an axis of `own` into those inside one of `run`, in place. TARE_E_INPUT
 * where an element is no length of the axis. */
tare_status tarei_length_input_follow(const tare_length_input *item, int64_t own, int64_t run,
                                      const tare_tensor *lengths, tare_error *err);

/* True where all elements are whole numbers and this one. */
bool tarei_lengths_equal(const tare_tensor *lengths, int64_t own);

/* Whether inputs of this type can hold lengths as whole numbers. */
bool tarei_is_length_dtype(tare_dtype dtype);

#endif
