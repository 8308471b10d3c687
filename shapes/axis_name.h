/* Parses the names of axes of inputs. */
#ifndef TAREI_SHAPES_AXIS_NAME_H
#define TAREI_SHAPES_AXIS_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <tare/tensor.h>

/* Number of the port with the given name of `length` characters, or -1. */
int tarei_find_port(const tare_port *ports, int n, const char *name, size_t length);

/* Number of the port that has an axis with this name of `length` characters: that of the model, or
 * "<port>_d<axis>", as axes without a name have; -1 if there is none. */
int tarei_find_axis(const tare_port *ports, int n, const char *name, size_t length, int *axis);

/* Parses a decimal number that takes up the whole text from `text` to `end`. */
bool tarei_parse_number(const char *text, const char *end, int64_t *out);

/* Parses "input", meaning its last axis, or "input:axis", where axis 0 is the batch. Names may
 * contain colons. The axis is not checked against the rank; a negative one counts from the end.
 * False if there is no such input. */
bool tarei_parse_axis(const tare_port *inputs, int n, const char *name, size_t length, int *input,
                      int64_t *axis);

#endif
