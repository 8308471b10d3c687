/* One node that consists of others, with constant inputs: expanded, then evaluated. */
#ifndef TAREI_TESTS_UNIT_ENGINE_SUPPORT_EXPAND_CASE_H
#define TAREI_TESTS_UNIT_ENGINE_SUPPORT_EXPAND_CASE_H

#include "graph/op.h"

enum { EXPAND_MOST = 8 };

typedef struct expansion {
  tarei_graph *graph;
  int in[EXPAND_MOST], n_in, out[EXPAND_MOST], n_out;
  int node;
} expansion;

void expand_start(expansion *e);
/* A constant as the next input; data NULL: random float32. */
void expand_input(expansion *e, tare_dtype dtype, int rank, const int64_t *dims, const void *data);
void expand_absent(expansion *e); /* no next input */
/* The node, whose outputs in e->out that are -1 are left out. */
tarei_node *expand_node(expansion *e, const char *op, const char *domain, int opset, int n_out);
/* Infers, then computes node after node; fails the test with the message. */
void expand_run(expansion *e);
/* Inference fails with a message that holds the text. Frees the graph. */
void expand_refused(expansion *e, const char *text);
const float *expand_data(const expansion *e, int value);
/* Element i of an output. */
void expand_expect(const expansion *e, int output, size_t i, double value);

#endif
