/*
 * Writing nodes: what expansions and importers use to put operators together.
 *
 * A builder names what it makes after one node of the model ("enc.3/MatMul_2"). It keeps its first
 * failure, and every call after one does nothing, so that a whole expansion is written without
 * checks and asks once at the end (tarei_build_done). Nodes are written in the forms of opset
 * TAREI_BUILD_OPSET (axes are inputs where that version has them so).
 */
#ifndef TAREI_GRAPH_IR_BUILD_H
#define TAREI_GRAPH_IR_BUILD_H

#include "graph/op.h"

#define TAREI_BUILD_OPSET 21

typedef struct tarei_build {
  tarei_graph *graph;
  int node;    /* the node whose name prefixes everything */
  int last;    /* node that was written last, or -1 */
  bool failed; /* out of memory */
} tarei_build;

tarei_build tarei_build_at(tarei_graph *graph, int node);

/* Writes a node of the default domain (or of "tare" where it has the name only there) with one new
 * output, and returns that value, or -1 after a failure. An input of -1 is absent. */
int tarei_build_node(tarei_build *b, const char *op, const int *in, int n_in);
/* The same with outputs that exist already or are made here: out[i] of -2 becomes a new value, -1 is
 * left out. */
void tarei_build_outputs(tarei_build *b, const char *op, const int *in, int n_in, int *out,
                         int n_out);
/* The last operator of an output: writes to the existing value `out`. */
void tarei_build_into(tarei_build *b, const char *op, const int *in, int n_in, int out);

int tarei_build_unary(tarei_build *b, const char *op, int x);
int tarei_build_binary(tarei_build *b, const char *op, int x, int y);
int tarei_build_cast(tarei_build *b, int x, tare_dtype to);

/* A Reshape to dims that are known as expressions. `out` as in tarei_build_outputs: an existing value, or
 * -2 for a new one; returns it, or -1 after a failure. */
int tarei_build_reshape(tarei_build *b, int x, const tarei_expr *dims, int rank, int out);

/* Attributes of the node that was written last. */
void tarei_build_int(tarei_build *b, const char *name, int64_t value);
void tarei_build_ints(tarei_build *b, const char *name, const int64_t *values, int n);
void tarei_build_float(tarei_build *b, const char *name, float value);
void tarei_build_string(tarei_build *b, const char *name, const char *value);

/* Constants. A number takes any dtype: it is converted as Cast does. */
int tarei_build_number(tarei_build *b, tare_dtype dtype, double value); /* rank 0 */
int tarei_build_i64s(tarei_build *b, const int64_t *values, int n);     /* rank 1 */
int tarei_build_const(tarei_build *b, tare_dtype dtype, int rank, const int64_t *dims,
                      const void *data); /* copies */

/* Value of input i of the node, or -1 where it is absent. */
int tarei_build_in(const tarei_build *b, int i);

/* TARE_E_MEMORY when a call failed. */
tare_status tarei_build_done(const tarei_build *b, tare_error *err);

#endif
