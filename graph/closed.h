/*
 * Closed branches: a branch of an If that cannot run at the lengths of a model, or has an operator
 * that is not supported, refuses only the runs that take it. A body with one node of the operator
 * Closed stands in its place, so that all that goes through bodies need not know. It keeps the
 * branch while a later inference, with values for symbols, may still find that it can run.
 */
#ifndef TAREI_GRAPH_CLOSED_H
#define TAREI_GRAPH_CLOSED_H

#include "graph/ir/ir.h"

/* A stand-in with so many outputs, whose types are not known, named like the branch. NULL if memory
 * runs out. */
tarei_graph *tarei_closed_new(const tarei_graph *around, const char *name, int n_outputs,
                              const tare_error *why);

/* Why a body is closed; NULL if it is not. *status (NULL is fine) receives the status. */
const char *tarei_closed_reason(const tarei_graph *body, tare_status *status);

/* Replaces the reason. False if memory runs out. */
bool tarei_closed_explain(tarei_graph *stand_in, const tare_error *why);

/* Gives the outputs the types and dims of those of the other branch. False if memory runs out. */
bool tarei_closed_give(const tarei_graph *stand_in, const tarei_graph *other);

/* Closes a branch for good, whose types are known and which is freed. */
tare_status tarei_branch_close(const tarei_graph *around, tarei_attr *branch, const tare_error *why,
                               tare_error *err);

/* The branch itself: what a stand-in keeps, or the body. NULL for NULL. */
tarei_graph *tarei_branch_itself(tarei_graph *body);

/* Lets go of the branches that stand-ins keep, and of what only they read: they stay closed. */
void tarei_graph_drop_closed(tarei_graph *graph);

/* How many branches are closed, and number i of them in the order of the nodes, or NULL. */
int tarei_graph_n_closed(const tarei_graph *graph);
const tarei_graph *tarei_graph_closed_branch(const tarei_graph *graph, int i);

#endif
