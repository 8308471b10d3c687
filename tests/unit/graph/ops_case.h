/*
 * Shape inference of single nodes and small graphs, written as text.
 *
 * Values:      f32[batch, 3, samples]   runtime tensor of these dims
 *              i64[3]{batch, 0, ?}      runtime tensor of known contents, "?" where they are not
 *              i64{1, -1}               constant vector; f32{} is an empty one
 *              i64#5                    constant scalar
 *              -                        absent
 * Attributes:  axis=1 alpha=0.5f mode='reflect' perm=[0,2,1]
 * Several values are separated by ";", attributes by spaces.
 * Expectations are values in the first two forms, or "MODEL: part of the message", or
 * "UNSUPPORTED: part of the message".
 */
#ifndef TAREI_TESTS_UNIT_GRAPH_OPS_CASE_H
#define TAREI_TESTS_UNIT_GRAPH_OPS_CASE_H

#include "graph/pass.h"

typedef struct ops_case {
  const char *op;
  int opset;
  const char *inputs, *attrs, *expected;
} ops_case;

/* Runs each case as a graph of one node; operators of opset 0 are those of the domain "tare", of
 * opset -1 and those that ONNX does not have of com.microsoft. */
void ops_check(const ops_case *cases, size_t n);
#define OPS_CHECK(cases) ops_check(cases, sizeof(cases) / sizeof *(cases))

/* For graphs of several nodes: value indices, and the text of an inferred value. */
int ops_value(tarei_graph *graph, const char *text);
int ops_node(tarei_graph *graph, const char *op, int opset, const char *attrs, int n_out,
             const int *in, int n_in);
int ops_node_of(tarei_graph *graph, const char *op, const char *domain, int opset, int n_out,
                const int *in, int n_in); /* gives the node */
void ops_attrs(tarei_graph *graph, tarei_node *node, const char *attrs);
void ops_print(const tarei_graph *graph, int value, tarei_str *out);
void ops_expect(tarei_graph *graph, int value, const char *expected);

/* One output, inputs written out: OPS_NODE(g, "Add", 13, "", a, b). */
#define OPS_NODE(graph, op, opset, attrs, ...)                     \
  ops_node(graph, op, opset, attrs, 1, (const int[]){__VA_ARGS__}, \
           (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)))

#endif
