/* Thresholds as decimal text, which is what ONNX Runtime's tools write for its TensorRT provider.
 */
#ifndef TAREI_GRAPH_TABLE_FORMATS_THRESHOLD_TEXT_H
#define TAREI_GRAPH_TABLE_FORMATS_THRESHOLD_TEXT_H

#include "base/source.h"

/* Reads the threshold of a tensor; 0 for one that is always zero. TARE_E_INPUT if it is not a
 * finite float32, or negative. */
tare_status tarei_threshold_read(const tarei_source *source, const char *tensor, const char *text,
                                 double *amax, tare_error *err);

/* Whether a text is a decimal number, or "inf" or "nan" of either sign. */
bool tarei_is_decimal(const char *text);

#endif
