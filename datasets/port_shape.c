#include "datasets/port_shape.h"

#include <stdbool.h>

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
    if (port->dims[d].symbol || port->dims[d].value != 1) {
      return -1;
    }
  }
  return missing;
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
      return tarei_fail(err, TARE_E_INPUT, "dim %d is %lld, the model needs %lld", d,
                        (long long)out->dims[d], (long long)want->value);
    }
  }
  return TARE_OK;
}
