/* The rule that brings the shape of stored data to the shape of a sample tensor. */
#ifndef TAREI_DATASETS_PORT_SHAPE_H
#define TAREI_DATASETS_PORT_SHAPE_H

#include <tare/tensor.h>

#include "base/error.h"

/* Sets dtype, rank and dims of `out` for data of the given dims, which have the port's rank (with
 * the batch dim) or one less. Dims of size 1 are put in front where the data has fewer and the
 * port's dims there are fixed at 1: audio of n samples is [1, n] for [batch, 1, samples].
 * TARE_E_INPUT when the rank does not fit, a dim is empty, or a fixed dim differs. */
tare_status tarei_port_shape(const tare_port *port, int rank, const int64_t *dims, tare_tensor *out,
                             tare_error *err);

#endif
