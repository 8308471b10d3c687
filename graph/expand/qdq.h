/* What the expansions of operators on quantized tensors share: they are a float operator between
 * DequantizeLinear and QuantizeLinear, so that one recogniser serves them and models written so. */
#ifndef TAREI_GRAPH_EXPAND_QDQ_H
#define TAREI_GRAPH_EXPAND_QDQ_H

#include "graph/ir/build.h"

/* A quantized tensor: three inputs of a node in a row (value, scale, zero point). */
typedef struct tarei_qdq {
  int value, scale, zero;
} tarei_qdq;

/* Checks that the inputs whose bits are set in `needed` are there: zero points may be left out. */
tare_status tarei_qdq_need(const tarei_build *b, unsigned needed, tare_error *err);

/* Inputs i, i + 1 and i + 2 of the node. */
tarei_qdq tarei_qdq_in(const tarei_build *b, int i);

/* Scale and zero point that stand alone, for a result. */
tarei_qdq tarei_qdq_scale(const tarei_build *b, int i);

/* The real values of a tensor. Vectors of scales go along `axis` (negative ones count from the
 * end); scales of the tensor's own rank are broadcast to it. */
int tarei_qdq_read(tarei_build *b, tarei_qdq x, int axis);

/* Quantizes x into the node's output 0; without a zero point to the type of value `like`. */
void tarei_qdq_write(tarei_build *b, int x, tarei_qdq y, int like);

/* Reads inputs 0..2, applies the operator and writes as inputs 3 and 4 say. Returns the number of
 * the operator's node, or -1, so that attributes can be given to it. */
#define TAREI_QDQ_UNARY 013 /* the inputs that it needs */
int tarei_qdq_unary(tarei_build *b, const char *op);

/* Copies the node's attributes, but for those that the float operator does not have, to another. */
void tarei_qdq_attrs(tarei_build *b, int to);

/* x with its axes permuted to channels first, or back to channels last, where `yes`. */
int tarei_qdq_channels_first(tarei_build *b, int x, bool yes);
int tarei_qdq_channels_last(tarei_build *b, int x, bool yes);

#endif
