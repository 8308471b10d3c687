/* Convolutions that stand between two Transposes of their own in the final graph. */
#ifndef TAREI_GRAPH_PASSES_CONVS_LONE_CONVS_H
#define TAREI_GRAPH_PASSES_CONVS_LONE_CONVS_H

#include "graph/pass.h"

/* Float convolutions that stand alone run channels first, as they came. Run it when layers have
 * their precisions. The log has it as channels_last, which it undoes. The graph is compact and
 * inferred afterwards. */
tare_status tarei_graph_restore_lone_convs(tarei_graph *graph, tarei_pass_log *log,
                                           tare_error *err);

#endif
