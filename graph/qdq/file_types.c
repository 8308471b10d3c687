#include "graph/qdq/file_types.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

tare_dtype tarei_file_type(const tarei_file_types *const t, const char *const value) {
  const int i = value ? tarei_names_find(&t->names, value) : -1;
  return i < 0 ? TARE_DTYPE_NONE : t->types[i];
}

/* The first that says a type is right. */
static void note_type(tarei_file_types *const t, const char *const name, const tare_dtype type) {
  if (name && *name && type && tarei_names_find(&t->names, name) < 0) {
    tarei_names_add(&t->names, name, t->n);
    t->types[t->n++] = type;
  }
}

static void note_infos(tarei_file_types *const t, Onnx__ValueInfoProto *const *const infos,
                       const size_t n) {
  for (size_t i = 0; i < n; i++) {
    const Onnx__TypeProto *const type = infos[i]->type;
    if (type && type->tensor_type) {
      note_type(t, infos[i]->name, (tare_dtype)type->tensor_type->elem_type);
    }
  }
}

/* A node that computes has the type of its first input, but for a few that no layer reads. */
static tare_dtype type_of_node(const tarei_file_types *const t, const Onnx__NodeProto *const node) {
  const char *const op = tarei_onnx_text(node->op_type);
  for (size_t i = 0; i < node->n_attribute; i++) {
    const Onnx__AttributeProto *const attr = node->attribute[i];
    if (strcmp(op, "Cast") == 0 && strcmp(tarei_onnx_text(attr->name), "to") == 0) {
      return (tare_dtype)attr->i;
    }
    if (strcmp(op, "Constant") == 0 && attr->t) {
      return (tare_dtype)attr->t->data_type;
    }
  }
  return node->n_input ? tarei_file_type(t, node->input[0]) : TARE_DTYPE_NONE;
}

static size_t count_typed_values(const Onnx__GraphProto *const graph) {
  size_t n = graph->n_initializer + graph->n_input + graph->n_value_info + graph->n_output;
  for (size_t i = 0; i < graph->n_node; i++) {
    n += graph->node[i]->n_output;
  }
  return n;
}

tare_status tarei_file_types_init(const tarei_onnx_file *const file, tarei_file_types *const out,
                                  tare_error *const err) {
  const Onnx__GraphProto *const graph = file->model->graph;
  const size_t n = count_typed_values(graph);
  *out = (tarei_file_types){.types = tarei_calloc(n, sizeof *out->types)};
  if (!out->types || !tarei_names_init(&out->names, n)) {
    return tarei_fail_memory(err, "types of the model", n);
  }
  for (size_t i = 0; i < graph->n_initializer; i++) {
    note_type(out, graph->initializer[i]->name, (tare_dtype)graph->initializer[i]->data_type);
  }
  note_infos(out, graph->input, graph->n_input);
  note_infos(out, graph->value_info, graph->n_value_info);
  note_infos(out, graph->output, graph->n_output);
  for (size_t i = 0; i < graph->n_node; i++) {
    const tare_dtype type = type_of_node(out, graph->node[i]);
    for (size_t o = 0; o < graph->node[i]->n_output; o++) {
      note_type(out, graph->node[i]->output[o], type);
    }
  }
  return TARE_OK;
}

void tarei_file_types_fini(tarei_file_types *const t) {
  tarei_names_fini(&t->names);
  free(t->types);
  *t = (tarei_file_types){0};
}
