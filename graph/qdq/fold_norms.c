#include "graph/qdq/fold_norms.h"

#include <string.h>

#include "graph/op.h"
#include "graph/passes/passes.h"
#include "graph/qdq/edit.h"
#include "graph/qdq/edit_uses.h"
#include "graph/qdq/file_types.h"

typedef struct norm_folder {
  tarei_graph *graph; /* in which they are folded already */
  tarei_edit edit;
  tarei_names values, makers;
  tarei_file_types types;
} norm_folder;

/* The convolution that makes what the node of the message does, NULL: it is not folded. */
static const tarei_node *norm_maker(const norm_folder *const f, const Onnx__NodeProto *const node) {
  const bool norm = strcmp(tarei_onnx_text(node->op_type), "BatchNormalization") == 0 &&
                    tarei_is_default_domain(tarei_onnx_text(node->domain));
  const int value = norm ? tarei_names_find(&f->values, node->output[0]) : -1;
  const int maker = value >= 0 ? f->graph->values[value].producer : -1;
  return maker >= 0 && f->graph->nodes[maker].op == &tarei_op_conv ? &f->graph->nodes[maker] : NULL;
}

/* A constant of the graph, in the message by the same name, which values of bodies may have. */
static tare_status norm_write_constant(norm_folder *const f, const int value, const tare_dtype real,
                                       tare_error *const err) {
  const char *const name = f->graph->values[value].name;
  if (strcmp(tarei_edit_name(&f->edit, name, ""), name) != 0 && !f->edit.failed) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "the name '%s' is needed for folded weights, but a body has it: rename that",
                      name);
  }
  const tare_tensor tensor = tarei_value_tensor(f->graph, value);
  void *const to = tarei_edit_constant(&f->edit, name, real, tensor.dims, tensor.rank);
  for (int64_t i = 0; to && i < tare_tensor_count(&tensor); i++) {
    tarei_edit_store_real(to, i, real, ((const float *)tensor.data)[i]);
  }
  return TARE_OK;
}

static tare_status norm_fold_in_message(norm_folder *const f, const Onnx__NodeProto *const norm,
                                        const tarei_node *const conv, tare_error *const err) {
  Onnx__NodeProto *const node = f->edit.graph->node[tarei_names_find(&f->makers, norm->input[0])];
  const tare_dtype real = tarei_file_type(&f->types, node->input[1]);
  const int weight = conv->in[1], bias = conv->in[2];
  TAREI_TRY(norm_write_constant(f, weight, real, err));
  TAREI_TRY(norm_write_constant(f, bias, real, err));
  const tarei_value *const values = f->graph->values;
  const char *const in[] = {node->input[0], values[weight].name, values[bias].name};
  tarei_edit_become(&f->edit, node, node->op_type, in, 3, norm->output[0]);
  return TARE_OK;
}

static tare_status norms_edit(norm_folder *const f, int *const n_folded, tare_error *const err) {
  const Onnx__GraphProto *const message = f->edit.graph;
  TAREI_TRY(tarei_graph_name_values(f->graph, &f->values, err));
  TAREI_TRY(tarei_uses_name_makers(message, &f->makers, err));
  TAREI_TRY(tarei_file_types_init(f->edit.file, &f->types, err));
  for (size_t n = 0; n < message->n_node; n++) {
    Onnx__NodeProto *const node = message->node[n];
    const tarei_node *const conv = norm_maker(f, node);
    if (conv) {
      TAREI_TRY(norm_fold_in_message(f, node, conv, err));
      tarei_edit_leave(&f->edit, node);
      ++*n_folded;
    } else {
      tarei_edit_lay(&f->edit, node);
    }
  }
  return TARE_OK;
}

tare_status tarei_fold_norms(tarei_onnx_file *const file, tarei_graph *const graph,
                             const tarei_pass_options *const passes, int *const n_folded,
                             tare_error *const err) {
  norm_folder f = {.graph = graph};
  bool changed;
  *n_folded = 0;
  TAREI_TRY(tarei_pass_run(graph, &tarei_pass_fold_batchnorm, passes, &changed, err));
  if (!changed) {
    return TARE_OK;
  }
  tare_status status = tarei_edit_begin(file, &f.edit, err);
  if (status == TARE_OK) {
    status = norms_edit(&f, n_folded, err);
  }
  if (status == TARE_OK) {
    status = tarei_edit_finish(&f.edit, err);
  } else {
    tarei_edit_fini(&f.edit);
  }
  tarei_names_fini(&f.values);
  tarei_names_fini(&f.makers);
  tarei_file_types_fini(&f.types);
  return status;
}
