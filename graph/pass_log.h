/*
 * Which passes made a graph what it is. Passes do not tell: whoever runs them compares the nodes
 * before and after. A node belongs to all passes that made it, changed it, or changed a node that
 * was fused into it.
 */
#ifndef TAREI_GRAPH_PASS_LOG_H
#define TAREI_GRAPH_PASS_LOG_H

#include "graph/ir/ir.h"

enum { TAREI_MOST_PASSES = 32 /* bits of tarei_node.passes */, TAREI_PASS_NAME = 32 };

/* Passes that changed something, in the order in which they first did. */
typedef struct tarei_pass_log {
  int n;
  struct tarei_pass_count {
    char name[TAREI_PASS_NAME];
    uint32_t changed, removed; /* nodes, in all runs of the pass */
  } passes[TAREI_MOST_PASSES];
} tarei_pass_log;

/* Number of a pass, which is added if it is new; -1 if its name is too long or the log is full. */
int tarei_pass_log_find(tarei_pass_log *log, const char *name);

/* The nodes of a graph as they were. */
typedef struct tarei_pass_notes {
  struct pass_note *nodes; /* sorted by number */
  struct pass_origin *origins;
  int n, n_origins;
} tarei_pass_notes;

tare_status tarei_pass_notes_take(tarei_pass_notes *notes, const tarei_graph *graph,
                                  tare_error *err);
/* Enters what the pass did since the notes were taken, and takes them anew. */
tare_status tarei_pass_notes_enter(tarei_pass_notes *notes, tarei_graph *graph, const char *pass,
                                   tarei_pass_log *log, tare_error *err);
void tarei_pass_notes_fini(tarei_pass_notes *notes);

#endif
