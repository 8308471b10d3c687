#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/ir/ir_internal.h"
#include "graph/noise_name.h"
#include "graph/onnx/importer.h"
#include "graph/op.h"

enum { MAX_ATTRS = 256 }; /* no operator has more than a few dozen */

/* "node 'n' (Conv)", with the name that the node will have. */
static void onnx_nodes_describe(const Onnx__NodeProto *const proto, const size_t index,
                                tarei_str *const out) {
  const char *const op = tarei_onnx_text(proto->op_type);
  if (*tarei_onnx_text(proto->name)) {
    tarei_str_add(out, "node '%s' (%s)", proto->name, op);
  } else {
    tarei_str_add(out, "node '%s_%zu' (%s)", op, index, op);
  }
}

static bool onnx_nodes_is_constant(const Onnx__NodeProto *const proto) {
  return tarei_op_find(tarei_onnx_text(proto->op_type), tarei_onnx_text(proto->domain)) ==
         &tarei_op_constant;
}

/* A 1-D or scalar tensor over plain numbers. */
static tare_status number_tensor(const tare_dtype dtype, const int rank, const int n,
                                 const void *const data, tarei_attr *const attr,
                                 tare_error *const err) {
  const size_t bytes = (size_t)n * tare_dtype_size(dtype);
  attr->buffer = tarei_buffer_new(bytes);
  if (!attr->buffer) {
    return tarei_fail_memory(err, "constant", bytes);
  }
  if (bytes) {
    memcpy(attr->buffer->data, data, bytes);
  }
  attr->tensor =
      (tare_tensor){.dtype = dtype, .rank = rank, .dims = {n}, .data = attr->buffer->data};
  return TARE_OK;
}

/* Gives the attribute of a Constant node its tensor, whichever form the value has. */
static tare_status constant_tensor(tarei_attr *const attr, tare_error *const err) {
  if (strcmp(attr->name, "value") == 0 && attr->kind == TAREI_ATTR_TENSOR) {
    return TARE_OK;
  }
  if (strcmp(attr->name, "value_float") == 0 && attr->kind == TAREI_ATTR_FLOAT) {
    return number_tensor(TARE_F32, 0, 1, &attr->f, attr, err);
  }
  if (strcmp(attr->name, "value_int") == 0 && attr->kind == TAREI_ATTR_INT) {
    return number_tensor(TARE_I64, 0, 1, &attr->i, attr, err);
  }
  if (strcmp(attr->name, "value_floats") == 0 && attr->kind == TAREI_ATTR_FLOATS) {
    return number_tensor(TARE_F32, 1, attr->n, attr->floats, attr, err);
  }
  if (strcmp(attr->name, "value_ints") == 0 && attr->kind == TAREI_ATTR_INTS) {
    return number_tensor(TARE_I64, 1, attr->n, attr->ints, attr, err);
  }
  return tarei_fail(err, TARE_E_UNSUPPORTED, "the value form '%s' is not supported", attr->name);
}

static tare_status import_constant(tarei_importer *const importer,
                                   const Onnx__NodeProto *const proto, const int value,
                                   tare_error *const err) {
  if (proto->n_attribute != 1 || proto->n_input != 0) {
    return tarei_fail(err, TARE_E_MODEL,
                      "has %zu values and %zu inputs: expected one value, no inputs",
                      proto->n_attribute, proto->n_input);
  }
  tarei_attr attr;
  tare_status status = tarei_onnx_attr(importer, proto->attribute[0], -1 /* node */, &attr, err);
  if (status == TARE_OK) {
    status = constant_tensor(&attr, err);
  }
  if (status == TARE_OK) {
    status =
        tarei_onnx_set_const(importer, value, &attr.tensor, tarei_buffer_retain(attr.buffer), err);
  }
  tarei_attr_fini(&attr);
  return status;
}

/* Values of all outputs, before any input is looked up: nodes may stand in any order. */
static tare_status declare_outputs(tarei_importer *const importer,
                                   const Onnx__NodeProto *const proto, const char *const what,
                                   tare_error *const err) {
  int value = -1;
  for (size_t i = 0; i < proto->n_output; i++) {
    const char *const name = tarei_onnx_text(proto->output[i]);
    if (*name) {
      TAREI_TRY(tarei_onnx_add_value(importer, name, what, &value, err));
    }
  }
  if (!onnx_nodes_is_constant(proto)) {
    return TARE_OK;
  }
  if (proto->n_output != 1 || value < 0) {
    return tarei_fail(err, TARE_E_MODEL, "%s: expected one output", what);
  }
  const tare_status status = import_constant(importer, proto, value, err);
  return status == TARE_OK ? status : tarei_fail_in(err, status, "%s", what);
}

static tare_status onnx_nodes_look_up(tarei_importer *const importer, char *const *const names,
                                      const size_t n, const char *const what, int *const out,
                                      tare_error *const err) {
  for (size_t i = 0; i < n; i++) {
    const char *const name = tarei_onnx_text(names[i]);
    out[i] = -1;
    if (*name) {
      TAREI_TRY(tarei_onnx_find(importer, name, &out[i], err));
    }
    if (*name && out[i] < 0) {
      return tarei_fail(err, TARE_E_MODEL, "%s reads tensor '%s', which no node or input provides",
                        what, name);
    }
  }
  return TARE_OK;
}

/* Names that passes use. Operators that become others can have an activation of their own, which no
 * pass sees (FusedConv, CausalConvWithState). */
static bool is_reserved(const tarei_node *const node, const char *const name) {
  static const char *const internal[] = {TAREI_INTERNAL_ATTRS};
  const bool own = node->op->expand && !node->op->expands;
  for (size_t i = 0; i < sizeof internal / sizeof *internal; i++) {
    if (strcmp(name, internal[i]) == 0) {
      return !own || strcmp(name, TAREI_ATTR_ACTIVATION) != 0;
    }
  }
  return false;
}

static tare_status import_attrs(tarei_importer *const importer, const Onnx__NodeProto *const proto,
                                const int node, tare_error *const err) {
  if (proto->n_attribute > MAX_ATTRS) {
    return tarei_fail(err, TARE_E_MODEL, "has %zu attributes, the limit is %d", proto->n_attribute,
                      MAX_ATTRS);
  }
  for (size_t i = 0; i < proto->n_attribute; i++) {
    const char *const name = tarei_onnx_text(proto->attribute[i]->name);
    if (tarei_attr_find(&importer->graph->nodes[node], name)) {
      return tarei_fail(err, TARE_E_MODEL, "duplicate attribute '%s'", name);
    }
    if (is_reserved(&importer->graph->nodes[node], name)) {
      return tarei_fail(
          err, TARE_E_MODEL,
          "attribute '%s' is reserved for internal use (the operator has none of this "
          "name: remove it)",
          name);
    }
    tarei_attr attr;
    const tare_status status = tarei_onnx_attr(importer, proto->attribute[i], node, &attr, err);
    if (status != TARE_OK) {
      tarei_attr_fini(&attr);
      return status;
    }
    if (!tarei_attr_put(&importer->graph->nodes[node], &attr)) {
      return tarei_fail_memory(err, "attribute", sizeof attr);
    }
  }
  return TARE_OK;
}

char *tarei_onnx_node_name(const tarei_names *const taken, const char *const prefix,
                           const Onnx__NodeProto *const proto, const size_t index) {
  const char *const given = tarei_onnx_text(proto->name);
  tarei_str name = {0};
  if (*given) {
    tarei_str_add(&name, "%s%s", prefix, given);
  } else {
    tarei_str_add(&name, "%s%s_%zu", prefix, tarei_onnx_text(proto->op_type), index);
  }
  while (!name.failed && tarei_names_find(taken, name.text) >= 0) {
    tarei_str_add(&name, "_%zu", index);
  }
  if (name.failed) {
    tarei_str_free(&name);
    return NULL;
  }
  return name.text;
}

/* Those in bodies begin with the name of the body. */
static char *name_imported(const tarei_importer *const importer, const Onnx__NodeProto *const proto,
                           const size_t index) {
  tarei_str prefix = {0};
  if (importer->around) {
    tarei_str_add(&prefix, "%s/", importer->graph->name);
  }
  char *const name =
      prefix.failed ? NULL
                    : tarei_onnx_node_name(&importer->nodes, tarei_str_get(&prefix), proto, index);
  tarei_str_free(&prefix);
  return name;
}

/* Operators write each output that is not optional, and Split all of its parts, also where the
 * model does not name it. */
static bool complete_outputs(tarei_graph *const graph, const int index) {
  const tarei_op *const op = graph->nodes[index].op;
  const int n = op == &tarei_op_split ? graph->nodes[index].n_out : op ? op->min_out : 0;
  for (int i = 0; i < n && i < graph->nodes[index].n_out; i++) {
    if (graph->nodes[index].out[i] < 0) {
      const int value = tarei_graph_add_unique(graph, graph->nodes[index].name);
      if (value < 0) {
        return false;
      }
      graph->values[value].producer = index;
      graph->nodes[index].out[i] = value;
    }
  }
  return true;
}

static tare_status import_node(tarei_importer *const importer, const Onnx__NodeProto *const proto,
                               const size_t index, const char *const what, tare_error *const err) {
  int *const in = tarei_calloc(proto->n_input, sizeof *in);
  int *const out = tarei_calloc(proto->n_output, sizeof *out);
  char *const name = name_imported(importer, proto, index);
  int node = -1;
  tare_status status = TARE_E_MEMORY; /* told below, where a node is missed */
  if (in && out && name) {
    status = onnx_nodes_look_up(importer, proto->input, proto->n_input, what, in, err);
  }
  if (status == TARE_OK) {
    status = onnx_nodes_look_up(importer, proto->output, proto->n_output, what, out, err);
  }
  if (status == TARE_OK) {
    node = tarei_graph_add_node(importer->graph, proto->op_type, tarei_onnx_text(proto->domain),
                                name, importer->graph->opset, in, (int)proto->n_input, out,
                                (int)proto->n_output);
  }
  free(in);
  free(out);
  free(name);
  if (node < 0 || !complete_outputs(importer->graph, node)) {
    return status == TARE_E_MODEL ? status : tarei_fail_memory(err, what, sizeof(tarei_node));
  }
  tarei_names_add(&importer->nodes, importer->graph->nodes[node].name, node);
  status = import_attrs(importer, proto, node, err);
  if (status == TARE_OK && proto->n_output > 0 &&
      !tarei_noise_name_set(&importer->graph->nodes[node], tarei_onnx_text(proto->output[0]))) {
    status = tarei_fail_memory(err, "attribute", sizeof(tarei_attr));
  }
  return status == TARE_OK ? status : tarei_fail_in(err, status, "%s", what);
}

tare_status tarei_onnx_nodes(tarei_importer *const importer, tare_error *const err) {
  const Onnx__GraphProto *const proto = importer->proto;
  tare_status status = TARE_OK;
  for (size_t i = 0; i < proto->n_node && status == TARE_OK; i++) {
    tarei_str what = {0};
    onnx_nodes_describe(proto->node[i], i, &what);
    status = declare_outputs(importer, proto->node[i], tarei_str_get(&what), err);
    tarei_str_free(&what);
  }
  for (size_t i = 0; i < proto->n_node && status == TARE_OK; i++) {
    if (!onnx_nodes_is_constant(proto->node[i])) {
      tarei_str what = {0};
      onnx_nodes_describe(proto->node[i], i, &what);
      status = import_node(importer, proto->node[i], i, tarei_str_get(&what), err);
      tarei_str_free(&what);
    }
  }
  return status;
}
