#include "graph/ir/build.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "graph/passes/dims_attr.h"
#include "shapes/number.h"

tarei_build tarei_build_at(tarei_graph *const graph, const int node) {
  return (tarei_build){.graph = graph, .node = node, .last = -1};
}

/* "node/Op", or NULL when out of memory. */
static char *build_name_of(const tarei_build *const b, const char *const what) {
  tarei_str name = {0};
  tarei_str_add(&name, "%s/%s", b->graph->nodes[b->node].name, what);
  if (name.failed) {
    tarei_str_free(&name);
    return NULL;
  }
  return name.text;
}

static int new_value(tarei_build *const b, const char *const what) {
  char *const name = build_name_of(b, what);
  const int value = name ? tarei_graph_add_unique(b->graph, name) : -1;
  free(name);
  if (value >= 0) {
    b->graph->values[value].observable = true;
  }
  b->failed |= value < 0;
  return value;
}

void tarei_build_outputs(tarei_build *const b, const char *const op, const int *const in,
                         const int n_in, int *const out, const int n_out) {
  for (int i = 0; !b->failed && i < n_out; i++) {
    out[i] = out[i] == -2 ? new_value(b, op) : out[i];
  }
  char *const name = b->failed ? NULL : build_name_of(b, op);
  if (!name) {
    b->failed = true;
    return;
  }
  const char *const domain = tarei_op_find(op, "") ? "" : "tare";
  b->last = tarei_graph_add_node(b->graph, op, domain, name, *domain ? 0 : TAREI_BUILD_OPSET, in,
                                 n_in, out, n_out);
  b->failed |= b->last < 0;
  free(name);
}

void tarei_build_into(tarei_build *const b, const char *const op, const int *const in,
                      const int n_in, int out) {
  tarei_build_outputs(b, op, in, n_in, &out, 1);
}

int tarei_build_node(tarei_build *const b, const char *const op, const int *const in,
                     const int n_in) {
  int out = -2;
  tarei_build_outputs(b, op, in, n_in, &out, 1);
  return b->failed ? -1 : out;
}

int tarei_build_unary(tarei_build *const b, const char *const op, const int x) {
  return tarei_build_node(b, op, &x, 1);
}

int tarei_build_binary(tarei_build *const b, const char *const op, const int x, const int y) {
  return tarei_build_node(b, op, (const int[]){x, y}, 2);
}

static tarei_node *last_node(const tarei_build *const b) {
  return &b->graph->nodes[b->last];
}

int tarei_build_reshape(tarei_build *const b, const int x, const tarei_expr *const dims,
                        const int rank, int out) {
  tarei_build_outputs(b, "Reshape", &x, 1, &out, 1);
  b->failed = b->failed || !tarei_dims_set_attr(last_node(b), dims, rank);
  return b->failed ? -1 : out;
}

void tarei_build_int(tarei_build *const b, const char *const name, const int64_t value) {
  b->failed = b->failed || !tarei_attr_set_int(last_node(b), name, value);
}

int tarei_build_cast(tarei_build *const b, const int x, const tare_dtype to) {
  const int y = tarei_build_unary(b, "Cast", x);
  tarei_build_int(b, "to", to);
  return y;
}

void tarei_build_ints(tarei_build *const b, const char *const name, const int64_t *const values,
                      const int n) {
  b->failed = b->failed || !tarei_attr_set_ints(last_node(b), name, values, n);
}

void tarei_build_float(tarei_build *const b, const char *const name, const float value) {
  b->failed = b->failed || !tarei_attr_set_float(last_node(b), name, value);
}

void tarei_build_string(tarei_build *const b, const char *const name, const char *const value) {
  b->failed = b->failed || !tarei_attr_set_string(last_node(b), name, value);
}

int tarei_build_const(tarei_build *const b, const tare_dtype dtype, const int rank,
                      const int64_t *const dims, const void *const data) {
  char *const name = b->failed ? NULL : build_name_of(b, "const");
  const int value = name ? tarei_graph_add_const(b->graph, name, dtype, rank, dims, data) : -1;
  free(name);
  b->failed |= value < 0;
  return value;
}

int tarei_build_number(tarei_build *const b, const tare_dtype dtype, const double value) {
  char bytes[8];
  tarei_write_number(dtype, value, bytes);
  return tarei_build_const(b, dtype, 0, NULL, bytes);
}

int tarei_build_i64s(tarei_build *const b, const int64_t *const values, const int n) {
  const int64_t dim = n;
  return tarei_build_const(b, TARE_I64, 1, &dim, values);
}

int tarei_build_in(const tarei_build *const b, const int i) {
  const tarei_node *const node = &b->graph->nodes[b->node];
  return i < node->n_in ? node->in[i] : -1;
}

tare_status tarei_build_done(const tarei_build *const b, tare_error *const err) {
  return b->failed ? tarei_fail_memory(err, b->graph->nodes[b->node].name, sizeof(tarei_node))
                   : TARE_OK;
}
