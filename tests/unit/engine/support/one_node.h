/*
 * One node, run by hand: a graph of one node is inferred, its step is prepared and run with one,
 * two and three threads, whose outputs have to be the same bytes. Dims that the node measures are
 * measured first. Nothing may be written outside of
 * outputs and scratch.
 *
 * Order: one_node_start, operands, one_node_op, attributes by tarei_attr_set_* on t->node,
 * annotations, one_node_run, one_node_end.
 */
#ifndef TAREI_TESTS_UNIT_ENGINE_SUPPORT_ONE_NODE_H
#define TAREI_TESTS_UNIT_ENGINE_SUPPORT_ONE_NODE_H

#include "engine/step.h"

#define ONE_NODE_MAX 8
#define ONE_NODE_OUTPUTS 4

typedef struct one_node {
  tarei_graph *graph;
  tarei_node *node;
  int n_in, n_out, in[ONE_NODE_MAX], out[ONE_NODE_OUTPUTS];
  tare_tensor inputs[ONE_NODE_MAX],
      outputs[ONE_NODE_OUTPUTS];     /* data owned; absent inputs have none */
  int64_t symbols[TARE_MAX_SYMBOLS]; /* what they are when the step runs */
} one_node;

void one_node_start(one_node *t);
/* Adds an operand and gives its number. data NULL: random (floats in -2..2, integers small). */
int one_node_input(one_node *t, tare_dtype dtype, int rank, const int64_t *dims, const void *data);
int one_node_const(one_node *t, tare_dtype dtype, int rank, const int64_t *dims, const void *data);
int one_node_ints(one_node *t, int n, const int64_t *values); /* a constant vector */
int one_node_absent(one_node *t);
/* An axis of an operand becomes a symbol, so that inference does not know how long it is. */
void one_node_symbol(one_node *t, int input, int axis, const char *name);
void one_node_op(one_node *t, const char *op, const char *domain, int opset, int n_out);
/* Leaves an output out, after one_node_op. */
void one_node_leave_out(one_node *t, int output);
/* Annotates a value (t->in[i], t->out[i]) with its scale. */
void one_node_scale(one_node *t, int value, float scale, bool unsigned_range);
/* The zero point of rows of bytes, which have scales of their own: 0 or 128. */
void one_node_rows(one_node *t, int value, bool from_zero);
/* Infers, runs, compares; the status of what failed first. */
tare_status one_node_run(one_node *t, tare_error *err);
void one_node_run_ok(one_node *t); /* fails the test with the message */
/* Runs, and expects a failure with this text in its message; ends the node. */
void one_node_refused(one_node *t, tare_status status, const char *text);
void one_node_end(one_node *t);

/* Random numbers; the seed is printed. */
void one_node_seed(void);
uint32_t one_node_bits(void);
int64_t one_node_between(int64_t lowest, int64_t highest);
float one_node_float(void); /* -2..2 */

/* Element i of a tensor of any type but 16-bit floats. */
double one_node_value(const tare_tensor *x, size_t i);

/* Element i of y has the bytes of element `from` of x. */
void one_node_expect_element(const tare_tensor *y, int64_t i, const tare_tensor *x, int64_t from);

/* Compares output 0 with what is expected, relative to the larger of 1 and its magnitude. */
void one_node_expect_floats(const one_node *t, const float *expected, size_t n, float tolerance);

#endif
