/* The activation that a node ends in (traits adds_residual and takes_activation, graph/op.h). */
#ifndef TAREI_GRAPH_PASSES_EPILOGUE_H
#define TAREI_GRAPH_PASSES_EPILOGUE_H

#include <string.h>

#include "graph/passes/rewrite.h"

static inline bool tarei_has_activation(const tarei_node *const node) {
  return strcmp(tarei_attr_string(node, TAREI_ATTR_ACTIVATION, "none"), "none") != 0;
}

#endif
