/* The end of graphs and of what they own. */
#include <stdlib.h>

#include "base/mem.h"
#include "graph/ir/ir_internal.h"

void tarei_attr_fini(tarei_attr *const attr) {
  free(attr->name);
  free(attr->s);
  free(attr->ints);
  free(attr->floats);
  free(attr->exprs);
  for (int i = 0; attr->strings && i < attr->n; i++) {
    free(attr->strings[i]);
  }
  free(attr->strings);
  tarei_buffer_release(attr->buffer);
  tarei_graph_free(attr->graph);
  *attr = (tarei_attr){0};
}

void tarei_value_fini(tarei_value *const value) {
  free(value->name);
  free(value->contents);
  free(value->quant.scales);
  for (int d = 0; value->declared && d < TARE_MAX_RANK; d++) {
    free(value->declared[d]);
  }
  free(value->declared);
  tarei_buffer_release(value->data);
  *value = (tarei_value){0};
}

void tarei_node_fini(tarei_node *const node) {
  free(node->name);
  free((int *)node->in);
  free(node->links);
  free(node->out);
  tarei_record_fini(&node->record);
  for (int i = 0; i < node->n_attrs; i++) {
    tarei_attr_fini(&node->attrs[i]);
  }
  free(node->attrs);
  *node = (tarei_node){0};
}

void tarei_graph_free(tarei_graph *const graph) {
  if (!graph) {
    return;
  }
  for (int i = 0; i < graph->n_values; i++) {
    tarei_value_fini(&graph->values[i]);
  }
  for (int i = 0; i < graph->n_nodes; i++) {
    tarei_node_fini(&graph->nodes[i]);
  }
  free(graph->values);
  free(graph->nodes);
  free(graph->inputs);
  free(graph->outputs);
  free(graph->captures);
  tarei_names_fini(&graph->names);
  if (!graph->is_body) {
    tarei_exprs_free(graph->exprs);
  }
  tarei_graph_free(graph->read);
  tarei_graph_free(graph->closed);
  free(graph->producer);
  free(graph->name);
  free(graph);
}
