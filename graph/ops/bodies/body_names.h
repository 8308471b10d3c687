/* Which attributes are graphs. */
#ifndef TAREI_GRAPH_OPS_BODIES_BODY_NAMES_H
#define TAREI_GRAPH_OPS_BODIES_BODY_NAMES_H

#include "graph/op.h"

/* Whether an operator has a graph of this name. */
bool tarei_op_has_body(const tarei_op *op, const char *attribute);

#endif
