/* Operators of com.microsoft that consist of others. */
#ifndef TAREI_GRAPH_EXPAND_MS_EXPANSION_H
#define TAREI_GRAPH_EXPAND_MS_EXPANSION_H

#include "graph/op.h"

/* An operator of `least` to `most` inputs and 1 to `outputs` outputs, which `how` expands. */
#define TAREI_MS_EXPANSION(id, onnx_name, least, most, outputs, how) \
  const tarei_op tarei_op_##id = {                                   \
      .name = onnx_name,                                             \
      .domain = "com.microsoft",                                     \
      .min_in = least,                                               \
      .max_in = most,                                                \
      .min_out = 1,                                                  \
      .max_out = outputs,                                            \
      .expand = how,                                                 \
  }

#endif
