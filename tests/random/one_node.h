/* One node, computed alone: a model of its own with dims that are numbers. */
#ifndef TAREI_TESTS_RANDOM_ONE_NODE_H
#define TAREI_TESTS_RANDOM_ONE_NODE_H

#include "random/messages.h"

enum { MAX_OPERANDS = 16, WHY_BYTES = 400 };

/* Computes the outputs of a node without subgraphs. `in` has NULL for what is absent. Operands that
 * `constant` marks, and those that count or measure, are constants of the model. out[i].data is to
 * be freed. False with a sentence where the node cannot run. */
bool one_node_run(const Onnx__NodeProto *node, int opset, const tare_tensor *const *in,
                  const bool *constant, tare_tensor *out, char *why);

#endif
