/* Lengths of what MaxUnpool makes. */
#ifndef TAREI_GRAPH_OPS_CONV_OPS_UNPOOL_H
#define TAREI_GRAPH_OPS_CONV_OPS_UNPOOL_H

#include "graph/ops/ops_common.h"

/* What n windows span along spatial axis i, without the pads. */
static inline int64_t tarei_unpooled_length(const tarei_window *const w, const int i,
                                            const int64_t n) {
  return (n - 1) * w->strides[i] + w->kernel[i] - w->pads[i] - w->pads[w->n + i];
}

#endif
