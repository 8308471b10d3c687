/*
 * Activations of int8 layers by table.
 *
 * Where a layer writes bytes alone, the value before a Gelu or Silu is rounded to one of 256 places
 * and a table says which byte it becomes. The places cover just the range in which the byte
 * changes: below it the activation rounds to zero, above it is saturated. A table is taken where
 * neighbouring places lie closer than neighbouring bytes around 128 would, so that rounding twice
 * costs less than these bytes do.
 */
#ifndef TAREI_ENGINE_LOWER_ACT_TABLE_H
#define TAREI_ENGINE_LOWER_ACT_TABLE_H

#include "kernels/kernels.h"

typedef struct tarei_act_table {
  uint8_t bytes[256];
  float scale;        /* between places */
  int32_t zero_point; /* the place of 0 */
  uint8_t unused[56]; /* stands in plan files: a multiple of 64 bytes */
} tarei_act_table;

/* The table for bytes of this scale and zero point; false where there is none: `coarsest` limits
 * the steps of the activation between places. */
bool tarei_act_table_make(tarei_act act, float out_scale, int32_t out_zero_point, float coarsest,
                          const tarei_kernels *kernels, tarei_act_table *out);

#endif
