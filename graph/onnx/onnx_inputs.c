#include "graph/ir/type_name.h"
#include "graph/onnx/importer.h"

tare_status tarei_onnx_add_value(tarei_importer *const importer, const char *const name,
                                 const char *const maker, int *const out, tare_error *const err) {
  if (!*name) {
    return tarei_fail(err, TARE_E_MODEL, "%s has no name", maker);
  }
  if (tarei_names_find(&importer->values, name) >= 0) {
    return tarei_fail(err, TARE_E_MODEL, "%s redefines tensor '%s'", maker, name);
  }
  *out = tarei_graph_add_value(importer->graph, name);
  if (*out < 0) {
    return tarei_fail_memory(err, name, sizeof(tarei_value));
  }
  importer->graph->values[*out].observable = true;
  tarei_names_add(&importer->values, name, *out);
  return TARE_OK;
}

tare_status tarei_onnx_set_const(tarei_importer *const importer, const int index,
                                 const tare_tensor *const tensor, tarei_buffer *const buffer,
                                 tare_error *const err) {
  tarei_value *const value = &importer->graph->values[index];
  value->data = buffer;
  value->dtype = tensor->dtype;
  value->rank = tensor->rank;
  for (int i = 0; i < tensor->rank; i++) {
    value->dims[i] = tarei_expr_const(importer->graph->exprs, tensor->dims[i]);
    if (value->dims[i] == TAREI_EXPR_NONE) {
      return tarei_fail_memory(err, value->name, sizeof(tarei_expr));
    }
  }
  return TARE_OK;
}

static tare_status import_initializer(tarei_importer *const importer,
                                      Onnx__TensorProto *const proto, tare_error *const err) {
  const char *const name = tarei_onnx_text(proto->name);
  tarei_str what = {0};
  tarei_str_add(&what, "initializer '%s'", name);
  int value = -1;
  tare_tensor tensor;
  tarei_buffer *buffer = NULL;
  tare_status status = tarei_onnx_add_value(importer, name, tarei_str_get(&what), &value, err);
  if (status == TARE_OK) {
    status =
        tarei_onnx_tensor(importer->externals, proto, tarei_str_get(&what), &tensor, &buffer, err);
  }
  tarei_str_free(&what);
  TAREI_TRY(status);
  return tarei_onnx_set_const(importer, value, &tensor, buffer, err);
}

tare_status tarei_onnx_initializers(tarei_importer *const importer, tare_error *const err) {
  const Onnx__GraphProto *const proto = importer->proto;
  for (size_t i = 0; i < proto->n_initializer; i++) {
    TAREI_TRY(import_initializer(importer, proto->initializer[i], err));
  }
  return TARE_OK;
}

typedef Onnx__TensorShapeProto__Dimension dimension;

const char *tarei_onnx_symbol(const Onnx__TensorShapeProto__Dimension *const dim) {
  return dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
                 *tarei_onnx_text(dim->dim_param)
             ? dim->dim_param
             : NULL;
}

static tarei_expr fresh_symbol(tarei_graph *const graph, const char *const input, const int axis) {
  tarei_str name = {0};
  tarei_str_add(&name, "%s_d%d", input, axis);
  const tarei_expr symbol =
      name.failed ? TAREI_EXPR_NONE : tarei_expr_new_symbol(graph->exprs, tarei_str_get(&name));
  tarei_str_free(&name);
  return symbol;
}

static tare_status import_dim(tarei_graph *const graph, const char *const input,
                              const dimension *const dim, const int axis, tarei_expr *const out,
                              tare_error *const err) {
  const bool fixed = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
  if (fixed && dim->dim_value < -1) {
    return tarei_fail(err, TARE_E_MODEL, "input '%s' has negative size %lld at axis %d", input,
                      (long long)dim->dim_value, axis);
  }
  if (fixed && dim->dim_value >= 0) {
    *out = tarei_expr_const(graph->exprs, dim->dim_value);
  } else if (tarei_onnx_symbol(dim)) {
    *out = tarei_expr_symbol(graph->exprs, tarei_onnx_symbol(dim));
  } else {
    *out = fresh_symbol(graph, input, axis);
  }
  return *out == TAREI_EXPR_NONE ? tarei_fail_memory(err, input, sizeof *out) : TARE_OK;
}

static tare_status check_type(const Onnx__ValueInfoProto *const proto, const char *const name,
                              tare_error *const err) {
  const Onnx__TypeProto *const type = proto->type;
  if (!type || type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE || !type->tensor_type) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "input '%s' is not a tensor", name);
  }
  if (!tare_dtype_size((tare_dtype)type->tensor_type->elem_type)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "input '%s': element type %s is not supported", name,
                      tarei_type_name_of(type->tensor_type->elem_type).text);
  }
  if (!type->tensor_type->shape) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "input '%s' has no rank", name);
  }
  if (type->tensor_type->shape->n_dim > TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "input '%s' has rank %zu, the limit is %d", name,
                      type->tensor_type->shape->n_dim, TARE_MAX_RANK);
  }
  return TARE_OK;
}

static tare_status import_input(tarei_importer *const importer,
                                const Onnx__ValueInfoProto *const proto, tare_error *const err) {
  tarei_graph *const graph = importer->graph;
  const char *const name = tarei_onnx_text(proto->name);
  int index = -1;
  TAREI_TRY(tarei_onnx_add_value(importer, name, "the list of inputs", &index, err));
  const Onnx__TypeProto__Tensor *const type = proto->type->tensor_type; /* checked by then */
  tarei_value *const value = &graph->values[index];
  value->dtype = (tare_dtype)type->elem_type;
  value->rank = (int)type->shape->n_dim;
  for (int i = 0; i < value->rank; i++) {
    TAREI_TRY(import_dim(graph, name, type->shape->dim[i], i, &value->dims[i], err));
  }
  return tarei_graph_mark_input(graph, index) ? TARE_OK
                                              : tarei_fail_memory(err, name, sizeof index);
}

static bool onnx_inputs_is_constant(const tarei_importer *const importer, const char *const name) {
  const int value = tarei_names_find(&importer->values, name);
  return value >= 0 && tarei_value_is_const(importer->graph, value);
}

/* Symbols that the model names come first and keep their names. */
static void add_named_symbols(tarei_graph *const graph, const Onnx__ValueInfoProto *const proto) {
  const Onnx__TypeProto__Tensor *const type = proto->type->tensor_type;
  for (size_t i = 0; i < type->shape->n_dim; i++) {
    if (tarei_onnx_symbol(type->shape->dim[i])) {
      (void)tarei_expr_symbol(graph->exprs,
                              tarei_onnx_symbol(type->shape->dim[i])); /* asked for again */
    }
  }
}

tare_status tarei_onnx_inputs(tarei_importer *const importer, tare_error *const err) {
  const Onnx__GraphProto *const proto = importer->proto;
  for (size_t i = 0; i < proto->n_input; i++) {
    const char *const name = tarei_onnx_text(proto->input[i]->name);
    if (!onnx_inputs_is_constant(importer, name)) {
      TAREI_TRY(check_type(proto->input[i], name, err));
      add_named_symbols(importer->graph, proto->input[i]);
    }
  }
  for (size_t i = 0; i < proto->n_input; i++) {
    if (!onnx_inputs_is_constant(importer, tarei_onnx_text(proto->input[i]->name))) {
      TAREI_TRY(import_input(importer, proto->input[i], err));
    }
  }
  return TARE_OK;
}

static tare_status copy_of(tarei_graph *const graph, const int value, int *const out,
                           tare_error *const err) {
  *out = tarei_graph_add_unique(graph, graph->values[value].name);
  return *out >= 0 && tarei_graph_add_node(graph, "Identity", "", NULL, graph->opset, &value, 1,
                                           out, 1) >= 0
             ? TARE_OK
             : tarei_fail_memory(err, graph->values[value].name, sizeof(tarei_value));
}

tare_status tarei_onnx_outputs(tarei_importer *const importer, tare_error *const err) {
  const Onnx__GraphProto *const proto = importer->proto;
  if (proto->n_output == 0) {
    return tarei_fail(err, TARE_E_MODEL, "the graph has no outputs");
  }
  for (size_t i = 0; i < proto->n_output; i++) {
    const char *const name = tarei_onnx_text(proto->output[i]->name);
    int value = -1;
    TAREI_TRY(tarei_onnx_find(importer, name, &value, err));
    if (value < 0) {
      return tarei_fail(err, TARE_E_MODEL, "no node produces output '%s'", name);
    }
    const tarei_value *const found = &importer->graph->values[value];
    if (importer->around && (found->is_output || found->is_input)) {
      /* A body may give a value twice. What it is given lies in memory that the next turn writes.
       */
      TAREI_TRY(copy_of(importer->graph, value, &value, err));
    }
    if (importer->graph->values[value].is_output) {
      return tarei_fail(err, TARE_E_MODEL, "duplicate output '%s'", name);
    }
    if (!tarei_graph_mark_output(importer->graph, value)) {
      return tarei_fail_memory(err, name, sizeof value);
    }
  }
  return TARE_OK;
}

static size_t count_values(const Onnx__GraphProto *const proto) {
  size_t n = proto->n_initializer + proto->n_input;
  for (size_t i = 0; i < proto->n_node; i++) {
    n += proto->node[i]->n_output;
  }
  return n;
}

tare_status tarei_onnx_names(tarei_importer *const importer, tare_error *const err) {
  const size_t n = count_values(importer->proto);
  return tarei_names_init(&importer->values, n) &&
                 tarei_names_init(&importer->nodes, importer->proto->n_node)
             ? TARE_OK
             : tarei_fail_memory(err, "names", n * sizeof(struct tarei_names_slot));
}
