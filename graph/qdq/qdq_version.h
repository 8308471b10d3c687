/* What the Q/DQ of an opset can do, and whether a node is quantized. */
#ifndef TAREI_GRAPH_QDQ_QDQ_VERSION_H
#define TAREI_GRAPH_QDQ_QDQ_VERSION_H

#include "graph/qdq/place.h"

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

#endif
