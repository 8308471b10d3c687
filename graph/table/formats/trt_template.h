/* An existing TensorRT cache with the scales of a table in place of its own. */
#ifndef TAREI_GRAPH_TABLE_FORMATS_TRT_TEMPLATE_H
#define TAREI_GRAPH_TABLE_FORMATS_TRT_TEMPLATE_H

#include "base/str.h"
#include "graph/table/table.h"

typedef struct tarei_trt_template {
  const char *file;
  int64_t version;       /* for the header; 0: that of the file */
  const char *algorithm; /* for the header; NULL: that of the file */
  tare_table_merged merged;
} tarei_trt_template;

/* Whether a tensor has a scale: one of zero stops TensorRT's builder. */
bool tarei_trt_is_live(const tarei_table_tensor *tensor, int column);

/* Adds the line of a tensor. */
void tarei_trt_put_line(tarei_str *lines, const tarei_table_tensor *tensor, int column,
                        const char *end);

/* Adds all lines of the file, in their order. Scales of live tensors of the table are replaced, and
 * their other tensors follow; everything else stays as it is, to the byte. Sets `merged`.
 * TARE_E_INPUT if the file is missing, no cache, or byte-swapped; TARE_E_MEMORY */
tare_status tarei_trt_merge(tarei_trt_template *template, const tare_table *table, int column,
                            tarei_str *lines, tare_error *err);

/* The algorithm in the header of a file; NULL if it has none. */
const char *tarei_trt_algorithm_of(const char *file);

#endif
