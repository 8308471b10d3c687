/* Derives the shape of a sample tensor from that of stored data. */
#ifndef TAREI_DATASETS_PORT_SHAPE_H
#define TAREI_DATASETS_PORT_SHAPE_H

#include <stdbool.h>

#include <tare/tensor.h>

#include "base/error.h"

/* Whether a dim is fixed at 1. */
bool tarei_dim_is_one(const tare_dim *dim);

/* Sets dtype, rank and dims of `out` for data with the given dims, whose rank is that of the port
 * (with batch dim) or one less. If the data has fewer dims, and those missing in front are fixed at
 * 1 in the port, they are added: audio of n samples is [1, n] for [batch, 1, samples]. TARE_E_INPUT
 * if the rank does not match, a dim is 0 that may not be (data_spec.h), or a fixed dim differs. */
tare_status tarei_port_shape(const tare_port *port, int rank, const int64_t *dims, tare_tensor *out,
                             tare_error *err);

#endif
