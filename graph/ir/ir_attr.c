#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/ir/ir.h"
#include "graph/ir/ir_internal.h"

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

const tarei_expr *tarei_attr_exprs(const tarei_node *const node, const char *const name,
                                   int *const n) {
  const tarei_attr *const attr = tarei_attr_find(node, name);
  const bool is_list = attr && attr->kind == TAREI_ATTR_EXPRS;
  *n = is_list ? attr->n : 0;
  return is_list ? attr->exprs : NULL;
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

bool tarei_attr_copy_plain(const tarei_attr *const from, tarei_attr *const to) {
  const size_t n = (size_t)from->n;
  *to = *from;
  to->name = tarei_strdup(from->name);
  to->s = tarei_strdup(from->s);
  to->ints = from->ints ? tarei_memdup(from->ints, n * sizeof *to->ints) : NULL;
  to->floats = from->floats ? tarei_memdup(from->floats, n * sizeof *to->floats) : NULL;
  to->exprs = from->exprs ? tarei_memdup(from->exprs, n * sizeof *to->exprs) : NULL;
  to->strings = from->strings ? copy_strings(from->strings, from->n) : NULL;
  to->buffer = tarei_buffer_retain(from->buffer);
  to->graph = NULL;
  if (!to->name || (from->s && !to->s) || (from->ints && !to->ints) ||
      (from->floats && !to->floats) || (from->strings && !to->strings) ||
      (from->exprs && !to->exprs)) {
    tarei_attr_fini(to);
    return false;
  }
  return true;
}

static bool put_copy(tarei_node *const node, const tarei_attr *const from) {
  tarei_attr copy;
  return tarei_attr_copy_plain(from, &copy) && tarei_attr_put(node, &copy);
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
  return put_copy(node, &attr);
}

bool tarei_attr_set_floats(tarei_node *const node, const char *const name,
                           const float *const values, const int n) {
  const tarei_attr attr = {
      .name = (char *)name, .kind = TAREI_ATTR_FLOATS, .floats = (float *)values, .n = n};
  return put_copy(node, &attr);
}

bool tarei_attr_set_ints(tarei_node *const node, const char *const name,
                         const int64_t *const values, const int n) {
  const tarei_attr attr = {
      .name = (char *)name, .kind = TAREI_ATTR_INTS, .ints = (int64_t *)values, .n = n};
  return put_copy(node, &attr);
}

bool tarei_attr_set_exprs(tarei_node *const node, const char *const name,
                          const tarei_expr *const values, const int n) {
  const tarei_attr attr = {
      .name = (char *)name, .kind = TAREI_ATTR_EXPRS, .exprs = (tarei_expr *)values, .n = n};
  return put_copy(node, &attr);
}

bool tarei_attr_set_graph(tarei_node *const node, const char *const name, tarei_graph *const body) {
  return tarei_attr_put(
      node, &(tarei_attr){.name = tarei_strdup(name), .kind = TAREI_ATTR_GRAPH, .graph = body});
}

tarei_graph *tarei_attr_take_graph(tarei_node *const node, const char *const name) {
  tarei_graph *body = NULL;
  for (int i = 0; i < node->n_attrs && !body; i++) {
    if (node->attrs[i].kind == TAREI_ATTR_GRAPH && strcmp(node->attrs[i].name, name) == 0) {
      body = node->attrs[i].graph;
      node->attrs[i].graph = NULL;
      tarei_attr_remove(node, name);
    }
  }
  return body;
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
