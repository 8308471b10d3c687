/* Tensors against what they should be. */
#ifndef TAREI_TESTS_CONFORMANCE_COMPARE_H
#define TAREI_TESTS_CONFORMANCE_COMPARE_H

#include <stdbool.h>
#include <tare/tensor.h>

/* How far floats may be off: relative * |wanted| + absolute. Integers and bools must be equal; NaN
 * equals NaN. */
typedef struct tolerance {
  double relative, absolute;
} tolerance;

/* Compares element type, dims and elements; on a difference says the first one in `why`. */
bool tensors_equal(const tare_tensor *got, const tare_tensor *want, tolerance limit, char *why,
                   size_t size);

#endif
