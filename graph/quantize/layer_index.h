/* What a table says of layers, found by the nodes of a graph: layers of the table, and those of the
 * graph, may be fused from several nodes ("a + b"). */
#ifndef TAREI_GRAPH_QUANTIZE_LAYER_INDEX_H
#define TAREI_GRAPH_QUANTIZE_LAYER_INDEX_H

#include "base/names.h"
#include "graph/op.h"
#include "graph/table/named.h"

typedef struct tarei_layer_index {
  tarei_named list;
  tarei_names nodes; /* number of the item by the names of the nodes of its layer */
  char **texts;      /* [list.n], what these names point to */
  bool *unused;      /* [list.n]: no layer was found, or the item does not belong to it */
} tarei_layer_index;

tare_status tarei_layer_index_init(tarei_layer_index *index, tarei_named list, tare_error *err);
void tarei_layer_index_fini(tarei_layer_index *index);

/* Whether an item belongs to a layer, whose name it has. */
typedef bool tarei_layer_belongs_fn(const void *item, const void *user);

/* The item that belongs to a layer; else one that only has its name, with *belongs false; -1: none.
 */
tare_status tarei_layer_index_find(const tarei_layer_index *index, const tarei_node *node,
                                   tarei_layer_belongs_fn *belongs_to, const void *user, int *found,
                                   bool *belongs, tare_error *err);

#endif
