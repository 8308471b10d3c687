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

/* The type of the elements of a tensor, or of the tensors of a sequence. */
static tare_dtype type_of_elements(const Onnx__TypeProto *type) {
  while (type && type->value_case == ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE) {
    type = type->sequence_type ? type->sequence_type->elem_type : NULL;
  }
  return type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE && type->tensor_type
             ? (tare_dtype)type->tensor_type->elem_type
             : TARE_DTYPE_NONE;
}

static void note_infos(tarei_file_types *const t, Onnx__ValueInfoProto *const *const infos,
                       const size_t n) {
  for (size_t i = 0; i < n; i++) {
    note_type(t, infos[i]->name, type_of_elements(infos[i]->type));
  }
}

/* Operators whose output has another type than their first input. */
typedef struct type_rule {
  const char *op;
  int like;         /* the input whose type it has, or -1 */
  tare_dtype fixed; /* without such an input: the type, unless an attribute says another */
} type_rule;

static const type_rule RULES[] = {
    {"And", -1, TARE_BOOL},
    {"ArgMax", -1, TARE_I64},
    {"ArgMin", -1, TARE_I64},
    {"BlackmanWindow", -1, TARE_F32},
    {"CastLike", 1, TARE_DTYPE_NONE},
    {"Constant", -1, TARE_F32},
    {"ConstantOfShape", -1, TARE_F32},
    {"DequantizeLinear", 1, TARE_DTYPE_NONE},
    {"DynamicTimeWarping", -1, TARE_I32},
    {"EmbedLayerNormalization", 2, TARE_DTYPE_NONE},
    {"Equal", -1, TARE_BOOL},
    {"Greater", -1, TARE_BOOL},
    {"GreaterOrEqual", -1, TARE_BOOL},
    {"HammingWindow", -1, TARE_F32},
    {"HannWindow", -1, TARE_F32},
    {"IsInf", -1, TARE_BOOL},
    {"IsNaN", -1, TARE_BOOL},
    {"Less", -1, TARE_BOOL},
    {"LessOrEqual", -1, TARE_BOOL},
    {"MelWeightMatrix", -1, TARE_F32},
    {"NGramRepeatBlock", 1, TARE_DTYPE_NONE},
    {"NonMaxSuppression", -1, TARE_I64},
    {"NonZero", -1, TARE_I64},
    {"Not", -1, TARE_BOOL},
    {"OneHot", 2, TARE_DTYPE_NONE},
    {"Or", -1, TARE_BOOL},
    {"QuantizeLinear", 2, TARE_DTYPE_NONE},
    {"SequenceEmpty", -1, TARE_F32},
    {"SequenceInsert", 1, TARE_DTYPE_NONE},
    {"SequenceLength", -1, TARE_I64},
    {"Shape", -1, TARE_I64},
    {"Size", -1, TARE_I64},
    {"Where", 1, TARE_DTYPE_NONE},
    {"Xor", -1, TARE_BOOL},
};

static const type_rule *find_rule(const char *const op) {
  for (size_t i = 0; i < sizeof RULES / sizeof *RULES; i++) {
    if (strcmp(op, RULES[i].op) == 0) {
      return &RULES[i];
    }
  }
  return NULL;
}

/* The type that an attribute gives to what a node makes; TARE_DTYPE_NONE without one. */
static tare_dtype type_in_attributes(const Onnx__NodeProto *const node) {
  static const char *const NAMES[] = {"to", "dtype", "output_datatype", "output_dtype"};
  for (size_t i = 0; i < node->n_attribute; i++) {
    const Onnx__AttributeProto *const attr = node->attribute[i];
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++) {
      if (strcmp(tarei_onnx_text(attr->name), NAMES[k]) == 0 && attr->i > 0) {
        return (tare_dtype)attr->i;
      }
    }
    if (attr->t && strcmp(tarei_onnx_text(attr->name), "value") == 0) {
      return (tare_dtype)attr->t->data_type;
    }
  }
  return TARE_DTYPE_NONE;
}

/* The body of an If, Loop or Scan, or NULL. Its last outputs are those of the node. */
static const Onnx__GraphProto *body_of(const Onnx__NodeProto *const node) {
  for (size_t i = 0; i < node->n_attribute; i++) {
    if (node->attribute[i]->g && node->attribute[i]->g->n_output >= node->n_output) {
      return node->attribute[i]->g;
    }
  }
  return NULL;
}

static tare_dtype type_in_body(const Onnx__GraphProto *const body,
                               const Onnx__NodeProto *const node, const size_t output) {
  return type_of_elements(body->output[body->n_output - node->n_output + output]->type);
}

static tare_dtype type_of_input(const tarei_file_types *const t, const Onnx__NodeProto *const node,
                                const int input) {
  return (size_t)input < node->n_input ? tarei_file_type(t, node->input[input]) : TARE_DTYPE_NONE;
}

/* A node has the type that an attribute or a rule says, and otherwise that of its first input. */
static tare_dtype type_of_node(const tarei_file_types *const t, const Onnx__NodeProto *const node,
                               const size_t output) {
  const Onnx__GraphProto *const body = body_of(node);
  if (body) {
    return type_in_body(body, node, output);
  }
  const tare_dtype said = type_in_attributes(node);
  const type_rule *const rule = said ? NULL : find_rule(tarei_onnx_text(node->op_type));
  if (said) {
    return said;
  }
  return rule && rule->like < 0 ? rule->fixed : type_of_input(t, node, rule ? rule->like : 0);
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
    for (size_t o = 0; o < graph->node[i]->n_output; o++) {
      note_type(out, graph->node[i]->output[o], type_of_node(out, graph->node[i], o));
    }
  }
  return TARE_OK;
}

void tarei_file_types_fini(tarei_file_types *const t) {
  tarei_names_fini(&t->names);
  free(t->types);
  *t = (tarei_file_types){0};
}
