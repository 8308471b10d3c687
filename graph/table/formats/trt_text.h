/* Lines of TensorRT's calibration cache, as they are read. */
#ifndef TAREI_GRAPH_TABLE_FORMATS_TRT_TEXT_H
#define TAREI_GRAPH_TABLE_FORMATS_TRT_TEXT_H

#include "graph/table/formats/text_lines.h"

/* Splits a line at its last colon; false if it has none behind a name. */
bool tarei_trt_split(tarei_span line, tarei_span *name, tarei_span *value);

/* The bits of a scale; false if these are not eight hexadecimal digits. */
bool tarei_trt_hex(tarei_span value, uint32_t *bits);

/* Checks the header, "TRT-<version>-<algorithm>", and returns the number of its algorithm. */
tare_status tarei_trt_header(const tarei_source *source, tarei_span line, int *algorithm,
                             tare_error *err);

extern const char *const tarei_trt_algorithms[];
int tarei_trt_n_algorithms(void);

/* TARE_E_INPUT if most scales are only plausible with their bytes swapped, which is how some other
 * writers store them. */
tare_status tarei_trt_check_order(const tarei_source *source, tare_error *err);

#endif
