/*
 * Small steps that rewrites of a graph are made of. They keep the graph's rules: names stay
 * unique, outputs keep their names, annotations stay with the name they were given to.
 */
#ifndef TAREI_GRAPH_PASSES_REWRITE_H
#define TAREI_GRAPH_PASSES_REWRITE_H

#include "graph/op.h"
#include "graph/pass.h"

/* Node that makes a value, or NULL for inputs and constants. */
tarei_node *tarei_producer(const tarei_graph *graph, int value);
/* The same when the node is an `op`, else NULL. */
tarei_node *tarei_producer_is(const tarei_graph *graph, int value, const tarei_op *op);
/* Whether dims of its outputs are measured as it runs; such a node has to stay as it is. */
bool tarei_node_measures(const tarei_graph *graph, const tarei_node *node);
/* Whether it gives the same elements other dims, which follow from shapes alone. */
bool tarei_is_reshape(const tarei_graph *graph, const tarei_node *node);
/* Input i, or -1 where it is absent. */
int tarei_node_in(const tarei_node *node, int i);
bool tarei_value_is_f32(const tarei_graph *graph, int value);
/* Whether an axis is known to have one element. */
bool tarei_axis_is_one(const tarei_graph *graph, int value, int axis);
/* A list of integers that is an input, or an attribute where that is absent; `out` has room for
 * `max`. False where it is neither, not constant, or longer. */
bool tarei_node_ints(const tarei_graph *graph, const tarei_node *node, int input, const char *name,
                     int64_t *out, int max, int *n);
/* The other input of a node with two inputs. */
int tarei_other_input(const tarei_node *node, int value);

/* Sets input i; inputs between the last one and i become absent. */
tare_status tarei_node_set_in(tarei_graph *graph, int node, int i, int value, tare_error *err);

/* Everybody uses `value` instead of output 0 of `node`, and so does the graph: the output keeps
 * its name. Where that cannot be (the value is itself an input, output or constant of the graph)
 * the node becomes an Identity. *changed is left alone when nothing happened. */
tare_status tarei_replace_output(tarei_graph *graph, int node, int value, bool *changed,
                                 tare_error *err);

/* `node` takes over output 0 of `next`, its consumer, which goes away; the value between them
 * disappears. */
void tarei_take_output(tarei_graph *graph, int node, int next);
/* Likewise; the names become "node + next". */
tare_status tarei_absorb(tarei_graph *graph, int node, int next, tare_error *err);
tare_status tarei_join_names(tarei_node *node, const char *next, tare_error *err);

/* A new value with the dtype and dims of `value`, named after it; for helpers of passes. */
tare_status tarei_add_helper(tarei_graph *graph, int value, const char *suffix, int *out,
                             tare_error *err);
/* `heir` takes the name, the annotation and the observability of `value`, and `value` gets those
 * of the heir. An output of the graph keeps its name; nothing happens then. */
void tarei_hand_over_name(tarei_graph *graph, int value, int heir);

/* `node` writes its output 0 to a new helper, *twin, which takes the name over. The caller gives the
 * old value another producer. */
tare_status tarei_add_output_twin(tarei_graph *graph, int node, const char *suffix, int *twin,
                                  tare_error *err);

/* Adds a node of one output. */
tare_status tarei_add_node(tarei_graph *graph, const tarei_op *op, const char *name, int opset,
                           const int *in, int n_in, int out, int *node, tare_error *err);
tare_status tarei_copy_attrs(tarei_graph *graph, int to, int from, tare_error *err);

#endif
