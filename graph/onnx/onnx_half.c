/*
 * float16 and bfloat16 models compute in float32: constants are widened, inputs and outputs keep
 * their type behind a Cast, and a Cast to such a type rounds, so that what the model rounds stays
 * rounded.
 */
#include <string.h>

#include "base/half.h"
#include "base/mem.h"
#include "graph/ir/ir_internal.h"
#include "graph/onnx/importer.h"
#include "graph/op.h"

static bool is_half(const int64_t dtype) {
  return dtype == TARE_F16 || dtype == TARE_BF16;
}

static tarei_buffer *widened(const tarei_buffer *const from, const tare_dtype dtype) {
  const size_t n = from->size / sizeof(uint16_t);
  tarei_buffer *const to = tarei_buffer_new(n * sizeof(float));
  const uint16_t *const bits = from->data;
  float *const wide = to ? to->data : NULL;
  for (size_t i = 0; to && i < n; i++) {
    wide[i] = dtype == TARE_F16 ? tarei_f16_to_float(bits[i]) : tarei_bf16_to_float(bits[i]);
  }
  return to;
}

static tare_status widen_buffer(tarei_buffer **const buffer, tare_dtype *const dtype,
                                const char *const name, tare_error *const err) {
  tarei_buffer *const wide = widened(*buffer, *dtype);
  if (!wide) {
    return tarei_fail_memory(err, name, 2 * (*buffer)->size);
  }
  tarei_buffer_release(*buffer);
  *buffer = wide;
  *dtype = TARE_F32;
  return TARE_OK;
}

/* The value's own name with "_f32" behind it; a tensor of its own for observers. */
static int twin_of(tarei_graph *const graph, const int value) {
  tarei_str name = {0};
  tarei_str_add(&name, "%s_f32", graph->values[value].name);
  const int twin = name.failed ? -1 : tarei_graph_add_unique(graph, name.text);
  tarei_str_free(&name);
  if (twin >= 0) {
    graph->values[twin].observable = true;
  }
  return twin;
}

/* Named after the node or value that it belongs to. */
static tare_status add_cast(tarei_graph *const graph, const char *const of, const int from,
                            const int to, const int64_t dtype, tare_error *const err) {
  tarei_str name = {0};
  tarei_str_add(&name, "%s/Cast", of);
  const int node = name.failed ? -1
                               : tarei_graph_add_node(graph, "Cast", "", name.text, graph->opset,
                                                      &from, 1, &to, 1);
  tarei_str_free(&name);
  return node >= 0 && tarei_attr_set_int(&graph->nodes[node], "to", dtype)
             ? TARE_OK
             : tarei_fail_memory(err, graph->values[from].name, sizeof(tarei_node));
}

static tare_status widen_input(tarei_graph *const graph, const int input, tare_error *const err) {
  const int twin = twin_of(graph, input);
  if (twin < 0) {
    return tarei_fail_memory(err, graph->values[input].name, sizeof(tarei_value));
  }
  graph->values[twin].model_dtype = graph->values[input].dtype;
  tarei_graph_replace_uses(graph, input, twin);
  return add_cast(graph, graph->values[input].name, input, twin, TARE_F32, err);
}

/* What stands before the output is the twin; the output itself is rounded from it. */
static tare_status narrow_output(tarei_graph *const graph, const int output, const int64_t dtype,
                                 tare_error *const err) {
  const int producer = graph->values[output].producer;
  const int twin = producer < 0 ? -1 : twin_of(graph, output);
  if (producer < 0) {
    return TARE_OK;
  }
  if (twin < 0) {
    return tarei_fail_memory(err, graph->values[output].name, sizeof(tarei_value));
  }
  tarei_node *const node = &graph->nodes[producer];
  for (int i = 0; i < node->n_out; i++) {
    node->out[i] = node->out[i] == output ? twin : node->out[i];
  }
  graph->values[twin].producer = producer;
  tarei_graph_replace_uses(graph, output, twin);
  return add_cast(graph, graph->values[output].name, twin, output, dtype, err);
}

/* A Cast to a short float rounds and comes back. */
static tare_status split_cast(tarei_graph *const graph, const int index, tare_error *const err) {
  const int out = graph->nodes[index].out[0];
  const int rounded = twin_of(graph, out);
  if (rounded < 0) {
    return tarei_fail_memory(err, graph->values[out].name, sizeof(tarei_value));
  }
  graph->values[rounded].observable = false;
  graph->nodes[index].out[0] = rounded;
  graph->values[rounded].producer = index;
  graph->values[out].model_dtype = (tare_dtype)tarei_attr_int(&graph->nodes[index], "to", 0);
  return add_cast(graph, graph->nodes[index].name, rounded, out, TARE_F32, err);
}

static void mark_outputs(tarei_graph *const graph, const tarei_node *const node,
                         const tare_dtype dtype) {
  for (int o = 0; o < node->n_out; o++) {
    if (node->out[o] >= 0) {
      graph->values[node->out[o]].model_dtype = dtype;
    }
  }
}

/* Attributes that name the type of an output. */
static tare_status widen_attrs(tarei_graph *const graph, const int index, tare_error *const err) {
  tarei_node *const node = &graph->nodes[index];
  static const char *const names[] = {"dtype", "output_dtype", "output_datatype"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const int64_t dtype = tarei_attr_int(node, names[i], 0);
    if (!is_half(dtype)) {
      continue;
    }
    mark_outputs(graph, node, (tare_dtype)dtype);
    if (!tarei_attr_set_int(node, names[i], TARE_F32)) {
      return tarei_fail_memory(err, node->name, sizeof(tarei_attr));
    }
  }
  for (int i = 0; i < node->n_attrs; i++) {
    tarei_attr *const a = &node->attrs[i];
    if (a->kind == TAREI_ATTR_TENSOR && is_half(a->tensor.dtype)) {
      mark_outputs(graph, node, a->tensor.dtype);
      TAREI_TRY(widen_buffer(&a->buffer, &a->tensor.dtype, node->name, err));
      a->tensor.data = a->buffer->data;
    } else if (a->kind == TAREI_ATTR_GRAPH) {
      TAREI_TRY(tarei_onnx_widen(a->graph, NULL, err));
    }
  }
  return TARE_OK;
}

static tare_status widen_nodes(tarei_graph *const graph, tare_error *const err) {
  const int n_nodes = graph->n_nodes; /* those that are added need nothing */
  for (int n = 0; n < n_nodes; n++) {
    if (!graph->nodes[n].op) {
      continue;
    }
    TAREI_TRY(widen_attrs(graph, n, err));
    if (tarei_node_is(&graph->nodes[n], &tarei_op_cast) && graph->nodes[n].n_out == 1 &&
        graph->nodes[n].out[0] >= 0 && is_half(tarei_attr_int(&graph->nodes[n], "to", 0))) {
      TAREI_TRY(split_cast(graph, n, err));
    }
  }
  return TARE_OK;
}

static int64_t declared_type(const Onnx__ValueInfoProto *const proto) {
  const Onnx__TypeProto *const type = proto->type;
  return type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE && type->tensor_type
             ? type->tensor_type->elem_type
             : 0;
}

tare_status tarei_onnx_widen(tarei_graph *const graph, const Onnx__GraphProto *const proto,
                             tare_error *const err) {
  for (int v = 0; v < graph->n_values; v++) {
    tarei_value *const value = &graph->values[v];
    if (value->data && is_half(value->dtype)) {
      value->model_dtype = value->dtype;
      TAREI_TRY(widen_buffer(&value->data, &value->dtype, value->name, err));
    }
  }
  TAREI_TRY(widen_nodes(graph, err));
  for (int i = 0; i < graph->n_inputs; i++) {
    if (is_half(graph->values[graph->inputs[i]].dtype)) {
      TAREI_TRY(widen_input(graph, graph->inputs[i], err));
    }
  }
  for (int i = 0; proto && i < graph->n_outputs; i++) {
    const int64_t type = declared_type(proto->output[i]);
    if (is_half(type)) {
      TAREI_TRY(narrow_output(graph, graph->outputs[i], type, err));
    }
  }
  return tarei_graph_compact(graph, err);
}
