#include "datasets/port_shape.h"

#include <inttypes.h>

bool tarei_dim_is_one(const tare_dim *const dim) {
  return !dim->symbol && dim->value == 1;
}

/* Dims of size 1 to put in front, or -1 when the rank cannot fit. */
static int missing_dims(const tare_port *const port, const int rank) {
  if (rank == port->rank || rank == port->rank - 1) {
    return 0;
  }
  const int missing = port->rank - 1 - rank;
  if (missing < 0 || rank < 1) {
    return -1;
  }
  for (int d = 1; d <= missing; d++) {
    if (!tarei_dim_is_one(&port->dims[d])) {
      return -1;
    }
  }
  return missing;
}

/* Longer data may be meant for a model that takes a piece of time at a run. */
static tare_status fail_fixed_dim(const tare_port *const port, const int axis, const int d,
                                  const int64_t size, tare_error *const err) {
  const int64_t want = port->dims[axis].value;
  if (want <= 1 || size < want) {
    return tarei_fail(err, TARE_E_INPUT, "dim %d is %" PRId64 ", the model needs %" PRId64, d, size,
                      want);
  }
  return tarei_fail(err, TARE_E_INPUT,
                    "dim %d is %" PRId64 ", the model needs %" PRId64 " (--chunk %s:%d=%" PRId64
                    " feeds it piece by piece)",
                    d, size, want, port->name, axis, want);
}

tare_status tarei_port_shape(const tare_port *const port, const int rank, const int64_t *const dims,
                             tare_tensor *const out, tare_error *const err) {
  const int missing = missing_dims(port, rank);
  if (missing < 0) {
    return tarei_fail(err, TARE_E_INPUT,
                      "data of rank %d does not match an input of rank %d (with or without batch)",
                      rank, port->rank);
  }
  out->dtype = port->dtype;
  out->rank = rank + missing;
  for (int d = 0; d < out->rank; d++) {
    out->dims[d] = d < missing ? 1 : dims[d - missing];
  }
  const int batch = port->rank - out->rank;
  for (int d = 0; d < out->rank; d++) {
    const tare_dim *const want = &port->dims[d + batch];
    if (out->dims[d] < (want->value == 0 ? 0 : 1)) {
      return tarei_fail(err, TARE_E_INPUT, "is empty (dim %d has size 0)", d);
    }
    if (!want->symbol && want->value >= 0 && want->value != out->dims[d]) {
      return fail_fixed_dim(port, d + batch, d, out->dims[d], err);
    }
  }
  return TARE_OK;
}
