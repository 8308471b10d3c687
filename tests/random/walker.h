/*
 * A plain reading of ONNX graphs: node after node, each computed alone with dims that are numbers;
 * If, Loop and Scan are followed here. Nothing is planned, fused, laid out or shared between nodes.
 */
#ifndef TAREI_TESTS_RANDOM_WALKER_H
#define TAREI_TESTS_RANDOM_WALKER_H

#include "random/one_node.h"

/* Names with their tensors; those of the graph around are seen too. */
typedef struct scope {
  const struct scope *around;
  struct binding {
    char *name;
    tare_tensor tensor; /* owned */
    bool constant;
  } * *bindings;
  size_t n;
} scope;

void scope_bind(scope *s, const char *name, tare_tensor owned, bool constant);
const tare_tensor *scope_find(const scope *s, const char *name); /* stays where it is; or NULL */
/* Forgets what was bound after the first n. */
void scope_cut(scope *s, size_t n);

/* Element `at` along an axis, as a tensor of its own. */
tare_tensor tensor_element(const tare_tensor *t, int axis, int64_t at);

typedef struct walker {
  int opset;
  uint64_t noise; /* not 0: every float that a node computes is moved by about 1e-6 of itself */
  char why[WHY_BYTES];
} walker;

/* Computes a node and binds its outputs. False with `why`; what was bound stays. */
bool walk_node(walker *w, const Onnx__NodeProto *node, scope *s);

/* Constants and nodes in order. */
bool walk_graph(walker *w, const Onnx__GraphProto *graph, scope *s);

#endif
