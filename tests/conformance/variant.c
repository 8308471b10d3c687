#include "conformance/variant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tensor.h>

enum { PARAMETER_ELEMENTS = 64 };

static bool is_small(const Onnx__TensorProto *const value) {
  return value->n_dims == 0 || (value->n_dims == 1 && value->dims[0] <= PARAMETER_ELEMENTS);
}

static bool is_first(const Onnx__GraphProto *const graph, const int input) {
  const Onnx__NodeProto *const node = graph->n_node ? graph->node[0] : NULL;
  return node && node->n_input && strcmp(node->input[0], graph->input[input]->name) == 0;
}

bool is_parameter(const Onnx__GraphProto *const graph, const int input,
                  const Onnx__TensorProto *const value) {
  if (!value || !is_small(value)) {
    return false;
  }
  const int32_t type = value->data_type;
  const bool counts = type == TARE_I64 || type == TARE_I32;
  /* The first input is the data, unless it counts and is all there is (ConstantOfShape), or one
   * bound of several (Range). */
  return !is_first(graph, input) || (counts && graph->n_input == 1) ||
         (value->n_dims == 0 && graph->n_input > 1);
}

static bool make_constant(Onnx__GraphProto *const graph, const int input,
                          Onnx__TensorProto **const value) {
  const size_t bytes = (graph->n_initializer + 1) * sizeof(Onnx__TensorProto *);
  Onnx__TensorProto **const list = realloc(graph->initializer, bytes);
  char *const name = strdup(graph->input[input]->name);
  if (!list || !name) {
    abort();
  }
  if ((*value)->name != (char *)protobuf_c_empty_string) {
    free((*value)->name);
  }
  (*value)->name = name;
  list[graph->n_initializer++] = *value;
  graph->initializer = list;
  *value = NULL;
  return true;
}

/* The inputs that are left, in order. */
static void drop_inputs(Onnx__GraphProto *const graph, const bool *const drop,
                        Onnx__TensorProto **const values) {
  size_t n = 0;
  for (size_t i = 0; i < graph->n_input; i++) {
    if (drop[i]) {
      onnx__value_info_proto__free_unpacked(graph->input[i], NULL);
    } else {
      Onnx__TensorProto *const value = values[i];
      values[i] = NULL;
      values[n] = value;
      graph->input[n++] = graph->input[i];
    }
  }
  graph->n_input = n;
}

static bool make_constants(Onnx__GraphProto *const graph, Onnx__TensorProto **const values) {
  bool *const drop = calloc(graph->n_input + 1, sizeof *drop);
  bool any = false;
  for (int i = 0; drop && i < (int)graph->n_input; i++) {
    drop[i] = is_parameter(graph, i, values[i]);
  }
  for (int i = 0; drop && i < (int)graph->n_input; i++) {
    any = (drop[i] && make_constant(graph, i, &values[i])) || any;
  }
  if (any) {
    drop_inputs(graph, drop, values);
  }
  free(drop);
  return any;
}

typedef Onnx__TensorShapeProto__Dimension dimension;

static void name_dim(dimension *const dim, const variant_dims dims, const int input,
                     const int axis) {
  char name[60];
  if (dims == DIMS_OWN) {
    snprintf(name, sizeof name, "in%d_%d", input, axis);
  } else {
    snprintf(name, sizeof name, "n%" PRId64, dim->dim_value);
  }
  dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
  dim->dim_param = strdup(name);
}

static Onnx__TensorShapeProto *shape_of(const Onnx__ValueInfoProto *const value) {
  const Onnx__TypeProto *const type = value->type;
  return type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ? type->tensor_type->shape
                                                                         : NULL;
}

/* 1 stays: it may be broadcast. */
static bool make_symbols(Onnx__GraphProto *const graph, const variant v,
                         Onnx__TensorProto *const *const values) {
  bool any = false;
  for (int i = 0; i < (int)graph->n_input; i++) {
    Onnx__TensorShapeProto *const shape = shape_of(graph->input[i]);
    const bool fixed = v.fix_parameters && is_parameter(graph, i, values[i]);
    for (int d = 0; shape && !fixed && d < (int)shape->n_dim; d++) {
      dimension *const dim = shape->dim[d];
      if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
          dim->dim_value != 1) {
        name_dim(dim, v.dims, i, d);
        any = true;
      }
    }
  }
  return any;
}

/* What the file says about other shapes does not hold any more. */
static void forget_shapes(Onnx__ValueInfoProto *const *const list, const size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (shape_of(list[i])) {
      onnx__tensor_shape_proto__free_unpacked(list[i]->type->tensor_type->shape, NULL);
      list[i]->type->tensor_type->shape = NULL;
    }
  }
}

/* Of a single node with several outputs. */
static bool unname_output(Onnx__GraphProto *const graph) {
  Onnx__NodeProto *const node = graph->n_node == 1 ? graph->node[0] : NULL;
  if (!node || node->n_output < 2 || graph->n_output < 2 || !*node->output[0] ||
      strcmp(node->output[0], graph->output[0]->name) != 0) {
    return false;
  }
  *node->output[0] = '\0';
  onnx__value_info_proto__free_unpacked(graph->output[0], NULL);
  graph->n_output--;
  memmove(graph->output, graph->output + 1, graph->n_output * sizeof *graph->output);
  return true;
}

bool variant_apply(Onnx__ModelProto *const model, const variant v,
                   Onnx__TensorProto **const values) {
  Onnx__GraphProto *const graph = model->graph;
  if (v.constants && !make_constants(graph, values)) {
    return false;
  }
  if (v.unnamed && !unname_output(graph)) {
    return false;
  }
  if (v.dims == DIMS_AS_THEY_ARE) {
    return true;
  }
  forget_shapes(graph->output, graph->n_output);
  forget_shapes(graph->value_info, graph->n_value_info);
  return make_symbols(graph, v, values);
}
