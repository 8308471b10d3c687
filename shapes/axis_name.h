/* Axes of inputs, as people name them. */
#ifndef TAREI_SHAPES_AXIS_NAME_H
#define TAREI_SHAPES_AXIS_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <tare/tensor.h>

/* The number of the port with this name of `length` characters, or -1. */
int tarei_find_port(const tare_port *ports, int n, const char *name, size_t length);

/* A decimal number over the whole text from `text` to `end`. */
bool tarei_parse_number(const char *text, const char *end, int64_t *out);

/* Reads "input" (its last axis) or "input:axis", which counts the batch; names may hold colons. The
 * axis is not checked against the rank; a negative one counts from the end. False where there is no
 * such input. */
bool tarei_parse_axis(const tare_port *inputs, int n, const char *name, size_t length, int *input,
                      int64_t *axis);

#endif
