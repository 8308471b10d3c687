/* New nodes of a message, and their attributes. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/onnx/importer.h"

static bool copy_texts(char ***const to, size_t *const n_to, const char *const *const from,
                       const int n) {
  *to = tarei_calloc((size_t)n, sizeof **to);
  for (int i = 0; *to && i < n; i++) {
    (*to)[i] = tarei_strdup(from[i]);
    if (!(*to)[i]) {
      return false;
    }
    *n_to = (size_t)i + 1;
  }
  return *to != NULL;
}

/* Texts are "" where ONNX has them optional. */
static bool fill_node(Onnx__NodeProto *const node, const char *const op, const char *const domain,
                      const char *const name) {
  node->op_type = tarei_strdup(op);
  node->domain = *domain ? tarei_strdup(domain) : NULL;
  node->name = tarei_strdup(name);
  return node->op_type && node->name && (node->domain || !*domain);
}

Onnx__NodeProto *tarei_onnx_new_node(const char *const op, const char *const domain,
                                     const char *const name, const char *const *const in,
                                     const int n_in, const char *const *const out,
                                     const int n_out) {
  Onnx__NodeProto *const node = tarei_calloc(1, sizeof *node);
  if (!node) {
    return NULL;
  }
  onnx__node_proto__init(node);
  if (!fill_node(node, op, domain, name) || !copy_texts(&node->input, &node->n_input, in, n_in) ||
      !copy_texts(&node->output, &node->n_output, out, n_out)) {
    onnx__node_proto__free_unpacked(node, NULL);
    return NULL;
  }
  return node;
}

bool tarei_onnx_add_input(Onnx__NodeProto *const node, const char *const name) {
  char **const list = tarei_realloc(node->input, (node->n_input + 1) * sizeof *list);
  if (!list) {
    return false;
  }
  node->input = list;
  list[node->n_input] = tarei_strdup(name);
  return list[node->n_input++] != NULL;
}

/* NULL when out of memory. */
static Onnx__AttributeProto *new_attribute(Onnx__NodeProto *const node, const char *const name,
                                           const Onnx__AttributeProto__AttributeType type) {
  Onnx__AttributeProto **const list =
      tarei_realloc(node->attribute, (node->n_attribute + 1) * sizeof *list);
  Onnx__AttributeProto *const attr = tarei_calloc(1, sizeof *attr);
  node->attribute = list ? list : node->attribute;
  if (!list || !attr) {
    free(attr);
    return NULL;
  }
  onnx__attribute_proto__init(attr);
  list[node->n_attribute++] = attr;
  attr->name = tarei_strdup(name);
  attr->has_type = true;
  attr->type = type;
  return attr->name ? attr : NULL;
}

bool tarei_onnx_add_text(Onnx__NodeProto *const node, const char *const name,
                         const char *const text) {
  Onnx__AttributeProto *const attr =
      new_attribute(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);
  if (!attr) {
    return false;
  }
  attr->s.data = (uint8_t *)tarei_strdup(text);
  attr->s.len = attr->s.data ? strlen(text) : 0;
  attr->has_s = attr->s.data != NULL;
  return attr->has_s;
}

bool tarei_onnx_add_ints(Onnx__NodeProto *const node, const char *const name,
                         const Onnx__AttributeProto__AttributeType type,
                         const int64_t *const values, const int n) {
  Onnx__AttributeProto *const attr = new_attribute(node, name, type);
  if (!attr) {
    return false;
  }
  if (type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT) {
    attr->has_i = true;
    attr->i = *values;
    return true;
  }
  attr->ints = tarei_memdup(values, (size_t)n * sizeof *values);
  attr->n_ints = attr->ints ? (size_t)n : 0;
  return attr->ints != NULL;
}
