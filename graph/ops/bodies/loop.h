/* What the operators that take turns of a body share. */
#ifndef TAREI_GRAPH_OPS_BODIES_LOOP_H
#define TAREI_GRAPH_OPS_BODIES_LOOP_H

#include "graph/op.h"

/* Types and dims of a Loop or JoiningLoop. */
tare_status tarei_infer_loop(tarei_graph *graph, tarei_node *node, tare_error *err);

#endif
