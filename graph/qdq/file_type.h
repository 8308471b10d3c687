/* Element types and versions: what Q/DQ of a model can be. */
#ifndef TAREI_GRAPH_QDQ_FILE_TYPE_H
#define TAREI_GRAPH_QDQ_FILE_TYPE_H

#include "graph/qdq/place.h"

/* Element type that the model has for a value; float16 and bfloat16 are float32 in the graph.
 * TARE_DTYPE_NONE where it does not say. */
tare_dtype tarei_file_type(const tarei_onnx_file *file, const char *value);

/* What a QuantizeLinear must be able to do. */
typedef struct tarei_qdq_needs {
  tare_dtype real; /* type of what is quantized */
  bool channels;   /* a scale for each channel */
  bool bits16;
} tarei_qdq_needs;

/* Least version of the default operator set whose QuantizeLinear can do this. */
int64_t tarei_qdq_version(tarei_qdq_needs needs);

/* Domain whose QuantizeLinear can do this in this model for this target: "", "com.microsoft", or
 * NULL where there is none. */
const char *tarei_qdq_domain(const tarei_placement *placement, tarei_qdq_needs needs);

/* Whether a node quantizes, dequantizes or computes in integers. */
bool tarei_onnx_is_quantized(const Onnx__NodeProto *node);

/* Whether a node of the graph writes the value. */
bool tarei_onnx_makes(const Onnx__GraphProto *graph, const char *value);

#endif
