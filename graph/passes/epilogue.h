/* Nodes that end in act(acc + bias) + residual, or with activation_last in act(acc + bias +
 * residual): inputs X, W, bias, residual. */
#ifndef TAREI_GRAPH_EPILOGUE_H
#define TAREI_GRAPH_EPILOGUE_H

#include <string.h>

#include "graph/passes/rewrite.h"

static inline bool tarei_has_epilogue(const tarei_node *const node) {
  return node->op == &tarei_op_linear || node->op == &tarei_op_conv_last;
}

/* Also nodes that end in act(y) alone. */
static inline bool tarei_takes_activation(const tarei_node *const node) {
  return tarei_has_epilogue(node) || node->op == &tarei_op_instance_norm_last;
}

static inline bool tarei_has_activation(const tarei_node *const node) {
  return strcmp(tarei_attr_string(node, "activation", "none"), "none") != 0;
}

#endif
