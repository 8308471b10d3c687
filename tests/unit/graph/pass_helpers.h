/* Building small graphs, running one pass over them, and comparing the printed result. */
#ifndef TAREI_TESTS_UNIT_GRAPH_PASS_HELPERS_H
#define TAREI_TESTS_UNIT_GRAPH_PASS_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/passes/passes.h"

/* dims: expressions separated by ';'. */
static inline int add_typed_input(tarei_graph *const g, const char *const name,
                                  const tare_dtype dtype, const char *const dims) {
  const int value = tarei_graph_add_value(g, name);
  assert_true(value >= 0 && tarei_graph_mark_input(g, value));
  char text[256];
  assert_true((size_t)snprintf(text, sizeof text, "%s", dims) < sizeof text);
  g->values[value].dtype = dtype;
  g->values[value].rank = 0;
  g->values[value].observable = true;
  char *rest = NULL;
  for (char *dim = strtok_r(text, ";", &rest); dim; dim = strtok_r(NULL, ";", &rest)) {
    tarei_expr e;
    assert_int_equal(tarei_expr_parse(g->exprs, dim, &e, NULL), TARE_OK);
    g->values[value].dims[g->values[value].rank++] = e;
  }
  return value;
}

static inline int add_input(tarei_graph *const g, const char *const name, const char *const dims) {
  return add_typed_input(g, name, TARE_F32, dims);
}

static inline int add_floats(tarei_graph *const g, const char *const name, const int rank,
                             const int64_t *const dims, const float *const data) {
  const int value = tarei_graph_add_const(g, name, TARE_F32, rank, dims, data);
  assert_true(value >= 0);
  return value;
}

static inline int add_scalar(tarei_graph *const g, const char *const name, const float x) {
  return add_floats(g, name, 0, NULL, &x);
}

static inline int add_vector(tarei_graph *const g, const char *const name, const int64_t n,
                             const float *const data) {
  return add_floats(g, name, 1, &n, data);
}

static inline int add_ints(tarei_graph *const g, const char *const name, const int64_t n,
                           const int64_t *const data) {
  const int value = tarei_graph_add_const(g, name, TARE_I64, 1, &n, data);
  assert_true(value >= 0);
  return value;
}

/* Adds a node; inputs end with -2. Returns its output, which is called `out`. */
static inline int add_op(tarei_graph *const g, const char *const op, const char *const out, ...) {
  int in[8], n = 0;
  va_list list;
  va_start(list, out);
  for (int value = va_arg(list, int); value != -2; value = va_arg(list, int)) {
    assert_true(n < 8);
    in[n++] = value;
  }
  va_end(list);
  const int value = tarei_graph_add_value(g, out);
  char name[64];
  snprintf(name, sizeof name, "n_%s", out);
  assert_true(value >= 0);
  g->values[value].observable = true;
  assert_true(tarei_graph_add_node(g, op, "", name, 17, in, n, &value, 1) >= 0);
  return value;
}
#define OP(g, op, out, ...) add_op(g, op, out, __VA_ARGS__, -2)

static inline tarei_node *last_node(const tarei_graph *const g) {
  return &g->nodes[g->n_nodes - 1];
}

static inline void end_graph(tarei_graph *const g, const int output) {
  assert_true(tarei_graph_mark_output(g, output));
  tare_error err = {0};
  if (tarei_graph_infer(g, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
}

/* Runs a pass; true when it changed something. */
static inline bool run_pass(tarei_graph *const g, const tarei_pass *const pass) {
  bool changed;
  tare_error err = {0};
  const tarei_pass_options options = {0};
  if (tarei_pass_run(g, pass, &options, &changed, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  tarei_graph_check(g);
  return changed;
}

static inline void optimize(tarei_graph *const g, const bool keep_all_tensors) {
  tare_error err = {0};
  const tarei_pass_options options = {.keep_all_tensors = keep_all_tensors};
  if (tarei_graph_optimize(g, &options, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  tarei_graph_check(g);
}

/* Compares the printed nodes, without the lines of inputs and outputs. */
static inline void expect_nodes(const tarei_graph *const g, const char *const expected) {
  tarei_str all = {0};
  tarei_graph_print(g, &all);
  const char *begin = tarei_str_get(&all);
  while (strncmp(begin, "input ", 6) == 0) {
    begin = strchr(begin, '\n') + 1;
  }
  char *const end = strstr((char *)begin, "output ");
  if (end) {
    *end = 0;
  }
  assert_string_equal(begin, expected);
  tarei_str_free(&all);
}

static inline void expect_floats(const tarei_graph *const g, const int value, const int64_t n,
                                 const float *const expected) {
  const tare_tensor tensor = tarei_value_tensor(g, value);
  assert_int_equal(tensor.dtype, TARE_F32);
  assert_int_equal(tare_tensor_count(&tensor), n);
  for (int64_t i = 0; i < n; i++) {
    assert_float_equal(((const float *)tensor.data)[i], expected[i], 1e-6f);
  }
}

static inline int count_ops(const tarei_graph *const g, const tarei_op *const op) {
  int n = 0;
  for (int i = 0; i < g->n_nodes; i++) {
    n += g->nodes[i].op == op;
  }
  return n;
}

#endif
