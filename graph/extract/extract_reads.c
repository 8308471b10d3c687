/* What nodes read: their inputs, and what bodies take from the graphs around them. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/extract/extract.h"

/* The names that a body defines itself. */
typedef struct body_scope {
  tarei_names defined;
  const struct body_scope *around;
} body_scope;

static void define(tarei_names *const names, const char *const name) {
  if (name && *name && tarei_names_find(names, name) < 0) {
    tarei_names_add(names, name, 0);
  }
}

static bool scope_init(body_scope *const scope, const Onnx__GraphProto *const body) {
  size_t n = body->n_input + body->n_initializer;
  for (size_t i = 0; i < body->n_node; i++) {
    n += body->node[i]->n_output;
  }
  if (!tarei_names_init(&scope->defined, n)) {
    return false;
  }
  for (size_t i = 0; i < body->n_input; i++) {
    define(&scope->defined, body->input[i]->name);
  }
  for (size_t i = 0; i < body->n_initializer; i++) {
    define(&scope->defined, body->initializer[i]->name);
  }
  for (size_t i = 0; i < body->n_node; i++) {
    for (size_t o = 0; o < body->node[i]->n_output; o++) {
      define(&scope->defined, body->node[i]->output[o]);
    }
  }
  return true;
}

static bool is_noted(const tarei_extract_node *const node, const char *const name) {
  for (int i = 0; i < node->n_uses; i++) {
    if (strcmp(node->uses[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static bool note_use(tarei_extract_node *const node, const body_scope *scope,
                     const char *const name) {
  for (; scope; scope = scope->around) {
    if (tarei_names_find(&scope->defined, name) >= 0) {
      return true;
    }
  }
  if (!*name || is_noted(node, name)) { /* "": an input that is left out */
    return true;
  }
  if (!TAREI_GROW(node->uses, node->n_uses, node->cap_uses)) {
    return false;
  }
  node->uses[node->n_uses++] = name;
  return true;
}

static bool note_node(tarei_extract_node *to, const body_scope *scope,
                      const Onnx__NodeProto *proto);

static bool note_body(tarei_extract_node *const to, const body_scope *const around,
                      const Onnx__GraphProto *const body) {
  body_scope scope = {.around = around};
  bool good = scope_init(&scope, body);
  for (size_t i = 0; good && i < body->n_node; i++) {
    good = note_node(to, &scope, body->node[i]);
  }
  for (size_t i = 0; good && i < body->n_output; i++) {
    good = note_use(to, &scope, tarei_onnx_text(body->output[i]->name));
  }
  tarei_names_fini(&scope.defined);
  return good;
}

/* The depth of messages is limited when they are read. */
static bool note_node(tarei_extract_node *const to, const body_scope *const scope,
                      const Onnx__NodeProto *const proto) {
  bool good = true;
  for (size_t i = 0; good && i < proto->n_input; i++) {
    good = note_use(to, scope, tarei_onnx_text(proto->input[i]));
  }
  for (size_t a = 0; good && a < proto->n_attribute; a++) {
    const Onnx__AttributeProto *const attribute = proto->attribute[a];
    good = !attribute->g || note_body(to, scope, attribute->g);
    for (size_t g = 0; good && g < attribute->n_graphs; g++) {
      good = note_body(to, scope, attribute->graphs[g]);
    }
  }
  return good;
}

bool tarei_extract_note_reads(tarei_extract_node *const node, const tarei_names *const variable) {
  if (!note_node(node, NULL, node->proto)) {
    return false;
  }
  node->read = tarei_calloc((size_t)node->n_uses, sizeof *node->read);
  for (int i = 0; node->read && i < node->n_uses; i++) {
    if (tarei_names_find(variable, node->uses[i]) >= 0) {
      node->read[node->n_read++] = node->uses[i];
    }
  }
  return node->read != NULL;
}
