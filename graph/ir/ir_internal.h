/* Shared between graph/ir*.c and the importer. */
#ifndef TAREI_GRAPH_IR_IR_INTERNAL_H
#define TAREI_GRAPH_IR_IR_INTERNAL_H

#include "graph/ir/ir.h"

void tarei_attr_fini(tarei_attr *attr);
/* Copies an attribute but for its graph. False when out of memory. */
bool tarei_attr_copy_plain(const tarei_attr *from, tarei_attr *to);
/* Puts an attribute in, over one of the same name; its memory is taken over, also on failure. */
bool tarei_attr_put(tarei_node *node, tarei_attr *attr);

/* Enters the inputs of a node, or of all nodes anew, into the uses of their values. */
void tarei_uses_link_node(tarei_graph *graph, int node);
void tarei_uses_link_all(tarei_graph *graph);

void tarei_value_fini(tarei_value *value);
void tarei_node_fini(tarei_node *node);

#endif
