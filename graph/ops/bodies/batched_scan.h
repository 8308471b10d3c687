/* The batched form of Scan, before opset 9. */
#ifndef TAREI_GRAPH_OPS_BODIES_BATCHED_SCAN_H
#define TAREI_GRAPH_OPS_BODIES_BATCHED_SCAN_H

#include "graph/ir/ir.h"

/* Writes a Scan over the batch, whose body is a Scan over one sequence. */
tare_status tarei_batched_scan_expand(tarei_graph *graph, int node, tare_error *err);

#endif
