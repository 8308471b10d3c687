/* What ONNX Runtime's tables have for a tensor: the range that is quantized. */
#ifndef TAREI_GRAPH_TABLE_FORMATS_ORT_RANGE_H
#define TAREI_GRAPH_TABLE_FORMATS_ORT_RANGE_H

#include "graph/table/table.h"

typedef struct tarei_ort_range {
  double low, high;
} tarei_ort_range;

/* The range of the data, with its wider side moved to the threshold and the other one cut there;
 * symmetric if the range is not known, and 0..0 for a dead tensor. */
tarei_ort_range tarei_ort_range_of(const tarei_cell *cell);

/* Adds a tensor with this range. TARE_E_INPUT if a number is not finite in float32, or the lower
 * one is the larger one; TARE_E_MEMORY. */
tare_status tarei_ort_add(const char *file, const char *tensor, tarei_ort_range range,
                          tare_table *table, tare_error *err);

#endif
