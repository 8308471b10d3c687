/* Tables of text lines, a name and numbers: which of the two kinds a file is. */
#ifndef TAREI_GRAPH_TABLE_FORMATS_NUMBER_LINES_H
#define TAREI_GRAPH_TABLE_FORMATS_NUMBER_LINES_H

#include "graph/table/formats/text_lines.h"

typedef enum tarei_number_lines {
  TAREI_LINES_OTHER,      /* neither */
  TAREI_LINES_THRESHOLDS, /* ONNX Runtime's: "tensor threshold" */
  TAREI_LINES_SCALES      /* ncnn's: "layer scale", and "layer_param_0 scale scale ..." */
} tarei_number_lines;

/* What a file is that begins with these bytes, or consists of them. The first line decides whether
 * it is one of the two. It is ncnn's if a line has weight scales, or a space at its end, as
 * ncnn2table writes them. */
tarei_number_lines tarei_number_lines_of(const uint8_t *data, size_t n);

/* Splits a line at its first or last run of spaces; false if there is nothing on either side. */
bool tarei_line_split_first(tarei_span line, tarei_span *name, tarei_span *rest);
bool tarei_line_split_last(tarei_span line, tarei_span *rest, tarei_span *last);

/* Whether ncnn takes a name for that of weight scales: it contains "_param_". */
bool tarei_names_weights(tarei_span name);

#endif
