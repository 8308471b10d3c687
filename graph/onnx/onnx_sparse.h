/* Sparse tensors of a model (sparse_initializer, and sparse_value of Constant) become dense ones in
 * its message, so that nothing else knows of them. */
#ifndef TAREI_GRAPH_ONNX_ONNX_SPARSE_H
#define TAREI_GRAPH_ONNX_ONNX_SPARSE_H

#include <tare/limits.h>

#include "base/error.h"
#include "onnx.pb-c.h"

/* The model then has none. TARE_E_MODEL where one is malformed, TARE_E_UNSUPPORTED (element type,
 * external data), TARE_E_LIMIT, TARE_E_MEMORY. */
tare_status tarei_onnx_fill_sparse(Onnx__ModelProto *model, const tare_limits *limits,
                                   tare_error *err);

#endif
