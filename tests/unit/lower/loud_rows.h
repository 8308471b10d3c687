/* Rows of floats for the tests of row scales. */
#ifndef TAREI_TESTS_UNIT_LOWER_LOUD_ROWS_H
#define TAREI_TESTS_UNIT_LOWER_LOUD_ROWS_H

#include <math.h>
#include <stdbool.h>

#include "unit/engine/support/one_node.h"

/* Rows of very different loudness, one of them zero. */
static inline void make_rows(float *const x, const size_t rows, const size_t k,
                             const bool from_zero) {
  for (size_t r = 0; r < rows; r++) {
    const float loudness = r % 5 == 4 ? 0.0f : powf(10.0f, -(float)(r % 4) * 1.5f);
    for (size_t i = 0; i < k; i++) {
      x[r * k + i] = one_node_float() * loudness;
      x[r * k + i] = from_zero ? fabsf(x[r * k + i]) : x[r * k + i];
    }
  }
}

#endif
