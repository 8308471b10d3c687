#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/ir/ir.h"
#include "graph/ir/ir_internal.h"

void tarei_attr_fini(tarei_attr *const attr) {
  free(attr->name);
  free(attr->s);
  free(attr->ints);
  free(attr->floats);
  for (int i = 0; attr->strings && i < attr->n; i++) {
    free(attr->strings[i]);
  }
  free(attr->strings);
  tarei_buffer_release(attr->buffer);
  tarei_graph_free(attr->graph);
  *attr = (tarei_attr){0};
}

const tarei_attr *tarei_attr_find(const tarei_node *const node, const char *const name) {
  for (int i = 0; i < node->n_attrs; i++) {
    if (strcmp(node->attrs[i].name, name) == 0) {
      return &node->attrs[i];
    }
  }
  return NULL;
}

int64_t tarei_attr_int(const tarei_node *const node, const char *const name,
                       const int64_t fallback) {
  const tarei_attr *const attr = tarei_attr_find(node, name);
  return attr && attr->kind == TAREI_ATTR_INT ? attr->i : fallback;
}

float tarei_attr_float(const tarei_node *const node, const char *const name, const float fallback) {
  const tarei_attr *const attr = tarei_attr_find(node, name);
  return attr && attr->kind == TAREI_ATTR_FLOAT ? attr->f : fallback;
}

const char *tarei_attr_string(const tarei_node *const node, const char *const name,
                              const char *const fallback) {
  const tarei_attr *const attr = tarei_attr_find(node, name);
  return attr && attr->kind == TAREI_ATTR_STRING ? attr->s : fallback;
}

const int64_t *tarei_attr_ints(const tarei_node *const node, const char *const name, int *const n) {
  const tarei_attr *const attr = tarei_attr_find(node, name);
  const bool is_list = attr && attr->kind == TAREI_ATTR_INTS;
  *n = is_list ? attr->n : 0;
  return is_list ? attr->ints : NULL;
}

const float *tarei_attr_floats(const tarei_node *const node, const char *const name, int *const n) {
  const tarei_attr *const attr = tarei_attr_find(node, name);
  const bool is_list = attr && attr->kind == TAREI_ATTR_FLOATS;
  *n = is_list ? attr->n : 0;
  return is_list ? attr->floats : NULL;
}

bool tarei_attr_put(tarei_node *const node, tarei_attr *const attr) {
  for (int i = 0; i < node->n_attrs && attr->name; i++) {
    if (strcmp(node->attrs[i].name, attr->name) == 0) {
      tarei_attr_fini(&node->attrs[i]);
      node->attrs[i] = *attr;
      return true;
    }
  }
  tarei_attr *const grown =
      attr->name ? tarei_realloc(node->attrs, (size_t)(node->n_attrs + 1) * sizeof *grown) : NULL;
  if (!grown) {
    tarei_attr_fini(attr);
    return false;
  }
  node->attrs = grown;
  node->attrs[node->n_attrs++] = *attr;
  return true;
}

bool tarei_attr_set_int(tarei_node *const node, const char *const name, const int64_t value) {
  return tarei_attr_put(
      node, &(tarei_attr){.name = tarei_strdup(name), .kind = TAREI_ATTR_INT, .i = value});
}

bool tarei_attr_set_float(tarei_node *const node, const char *const name, const float value) {
  return tarei_attr_put(
      node, &(tarei_attr){.name = tarei_strdup(name), .kind = TAREI_ATTR_FLOAT, .f = value});
}

bool tarei_attr_set_string(tarei_node *const node, const char *const name,
                           const char *const value) {
  const tarei_attr attr = {.name = (char *)name, .kind = TAREI_ATTR_STRING, .s = (char *)value};
  return tarei_attr_copy(node, &attr);
}

bool tarei_attr_set_floats(tarei_node *const node, const char *const name,
                           const float *const values, const int n) {
  const tarei_attr attr = {
      .name = (char *)name, .kind = TAREI_ATTR_FLOATS, .floats = (float *)values, .n = n};
  return tarei_attr_copy(node, &attr);
}

bool tarei_attr_set_ints(tarei_node *const node, const char *const name,
                         const int64_t *const values, const int n) {
  const tarei_attr attr = {
      .name = (char *)name, .kind = TAREI_ATTR_INTS, .ints = (int64_t *)values, .n = n};
  return tarei_attr_copy(node, &attr);
}

static char **copy_strings(char *const *const strings, const int n) {
  char **const copy = tarei_calloc((size_t)n, sizeof *copy);
  for (int i = 0; copy && i < n; i++) {
    copy[i] = tarei_strdup(strings[i]);
    if (!copy[i]) {
      while (i-- > 0) {
        free(copy[i]);
      }
      free(copy);
      return NULL;
    }
  }
  return copy;
}

bool tarei_attr_copy(tarei_node *const to, const tarei_attr *const from) {
  tarei_attr copy = *from;
  copy.name = tarei_strdup(from->name);
  copy.s = tarei_strdup(from->s);
  copy.ints = from->ints ? tarei_memdup(from->ints, (size_t)from->n * sizeof *copy.ints) : NULL;
  copy.floats =
      from->floats ? tarei_memdup(from->floats, (size_t)from->n * sizeof *copy.floats) : NULL;
  copy.strings = from->strings ? copy_strings(from->strings, from->n) : NULL;
  copy.buffer = tarei_buffer_retain(from->buffer);
  copy.graph = from->graph ? tarei_graph_clone_body(from->graph) : NULL;
  if (!copy.name || (from->graph && !copy.graph) || (from->s && !copy.s) ||
      (from->ints && !copy.ints) || (from->floats && !copy.floats) ||
      (from->strings && !copy.strings)) {
    tarei_attr_fini(&copy);
    return false;
  }
  return tarei_attr_put(to, &copy);
}

void tarei_attr_remove(tarei_node *const node, const char *const name) {
  for (int i = 0; i < node->n_attrs; i++) {
    if (strcmp(node->attrs[i].name, name) == 0) {
      tarei_attr_fini(&node->attrs[i]);
      memmove(&node->attrs[i], &node->attrs[i + 1],
              (size_t)(node->n_attrs - i - 1) * sizeof *node->attrs);
      node->n_attrs--;
      return;
    }
  }
}
