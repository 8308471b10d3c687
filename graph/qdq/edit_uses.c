#include "graph/qdq/edit_uses.h"

#include <string.h>

static size_t count_uses(const Onnx__GraphProto *const graph) {
  size_t n = graph->n_output;
  for (size_t i = 0; i < graph->n_node; i++) {
    const Onnx__NodeProto *const node = graph->node[i];
    n += node->n_input;
    for (size_t a = 0; a < node->n_attribute; a++) {
      n += node->attribute[a]->g ? count_uses(node->attribute[a]->g) : 0;
    }
  }
  return n;
}

static void add_use(tarei_names *const uses, const char *const name) {
  if (name && *name && tarei_names_find(uses, name) < 0) {
    tarei_names_add(uses, name, 0);
  }
}

static void add_uses(tarei_names *const uses, const Onnx__GraphProto *const graph) {
  for (size_t i = 0; i < graph->n_output; i++) {
    add_use(uses, graph->output[i]->name);
  }
  for (size_t i = 0; i < graph->n_node; i++) {
    const Onnx__NodeProto *const node = graph->node[i];
    for (size_t k = 0; k < node->n_input; k++) {
      add_use(uses, node->input[k]);
    }
    for (size_t a = 0; a < node->n_attribute; a++) {
      if (node->attribute[a]->g) {
        add_uses(uses, node->attribute[a]->g);
      }
    }
  }
}

bool tarei_uses_collect(const Onnx__GraphProto *const graph, tarei_names *const out) {
  if (!tarei_names_init(out, count_uses(graph))) {
    return false;
  }
  add_uses(out, graph);
  return true;
}

static bool is_lost(const tarei_names *const before, const tarei_names *const now,
                    const char *const name) {
  return name && tarei_names_find(before, name) >= 0 && tarei_names_find(now, name) < 0;
}

/* All outputs that were read are read no more. */
static bool node_is_lost(const Onnx__NodeProto *const node, const tarei_names *const before,
                         const tarei_names *const now) {
  bool lost = false;
  for (size_t i = 0; i < node->n_output; i++) {
    if (tarei_names_find(now, tarei_onnx_text(node->output[i])) >= 0) {
      return false;
    }
    lost = lost || is_lost(before, now, node->output[i]);
  }
  return lost;
}

static bool drop_nodes(tarei_onnx_file *const file, const tarei_names *const before,
                       const tarei_names *const now, bool *const any) {
  Onnx__GraphProto *const graph = file->model->graph;
  size_t n = 0;
  bool good = true;
  for (size_t i = 0; i < graph->n_node; i++) {
    Onnx__NodeProto *const node = graph->node[i];
    const bool lost = good && node_is_lost(node, before, now);
    good = !lost || tarei_onnx_file_drop(file, &node->base);
    *any = *any || lost;
    if (!lost || !good) {
      graph->node[n++] = node;
    }
  }
  graph->n_node = n;
  return good;
}

/* Old models list constants as inputs too. */
static bool drop_input(tarei_onnx_file *const file, const char *const name) {
  Onnx__GraphProto *const graph = file->model->graph;
  for (size_t i = 0; i < graph->n_input; i++) {
    if (strcmp(tarei_onnx_text(graph->input[i]->name), name) == 0) {
      if (!tarei_onnx_file_drop(file, &graph->input[i]->base)) {
        return false;
      }
      graph->n_input--;
      memmove(&graph->input[i], &graph->input[i + 1],
              (graph->n_input - i) * sizeof(graph->input[0]));
      return true;
    }
  }
  return true;
}

static bool drop_constants(tarei_onnx_file *const file, const tarei_names *const before,
                           const tarei_names *const now) {
  Onnx__GraphProto *const graph = file->model->graph;
  size_t n = 0;
  bool good = true;
  for (size_t i = 0; i < graph->n_initializer; i++) {
    Onnx__TensorProto *const tensor = graph->initializer[i];
    const bool lost = good && is_lost(before, now, tensor->name);
    good = !lost || (drop_input(file, tensor->name) && tarei_onnx_file_drop(file, &tensor->base));
    if (!lost || !good) {
      graph->initializer[n++] = tensor;
    }
  }
  graph->n_initializer = n;
  return good;
}

bool tarei_uses_drop(tarei_onnx_file *const file, const tarei_names *const before) {
  bool good = true;
  for (bool any = true; good && any;) {
    tarei_names now = {0};
    any = false;
    good = tarei_uses_collect(file->model->graph, &now) && drop_nodes(file, before, &now, &any) &&
           (any || drop_constants(file, before, &now));
    tarei_names_fini(&now);
  }
  return good;
}
