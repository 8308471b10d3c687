/* Random inputs and attributes for every operator: any status may come back, but no crash, no
 * endless work, and no shape that breaks the rules of the graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "unit/graph/ops_case.h"
#include "unit/seed.h"

#define ROUNDS 150
#define MAX_IN 9

static uint64_t state_;

static uint32_t next(void) {
  state_ = state_ * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state_ >> 33);
}

static int below(const int n) {
  return (int)(next() % (uint32_t)n);
}

static int64_t number(void) {
  static const int64_t values[] = {0,
                                   1,
                                   2,
                                   3,
                                   -1,
                                   -2,
                                   4,
                                   7,
                                   8,
                                   -8,
                                   64,
                                   INT32_MAX,
                                   INT64_MAX,
                                   INT64_MIN,
                                   -INT32_MAX,
                                   INT64_MAX - 1,
                                   INT64_MIN + 1,
                                   1LL << 32,
                                   9,
                                   100};
  const int n = (int)(sizeof values / sizeof *values);
  return values[below(3) ? below(6) : below(n)];
}

static void add_attribute(tarei_node *const node) {
  static const char *const names[] = {"axis",
                                      "axes",
                                      "perm",
                                      "pads",
                                      "strides",
                                      "dilations",
                                      "group",
                                      "kernel_shape",
                                      "starts",
                                      "ends",
                                      "steps",
                                      "split",
                                      "keepdims",
                                      "to",
                                      "auto_pad",
                                      "mode",
                                      "ceil_mode",
                                      "allowzero",
                                      "dims",
                                      "outputs",
                                      "num_outputs",
                                      "start",
                                      "end",
                                      "transA",
                                      "transB",
                                      "trans_b",
                                      "value",
                                      "value_ints",
                                      "noop_with_empty_axes",
                                      "equation",
                                      "interleaved",
                                      "is_causal",
                                      "kv_num_heads",
                                      "left_window_size",
                                      "num_heads",
                                      "q_num_heads",
                                      "qkv_hidden_sizes",
                                      "rotary_embedding_dim",
                                      "signal_ndim",
                                      "dim",
                                      "size",
                                      "step",
                                      "ngram_size",
                                      "padding_mode",
                                      "metric"};
  static const char *const texts[] = {"SAME_UPPER", "VALID",    "reflect", "both",  "n;4",
                                      "n*m",        "",         "u8",      ";;",    "min(n, 4)",
                                      "ij,jk->ik",  "...a,...", "ii",      "a, ab", "->"};
  const char *const name = names[below((int)(sizeof names / sizeof *names))];
  int64_t ints[12];
  const int n = below(12), kind = below(8);
  for (int i = 0; i < n; i++) {
    ints[i] = number();
  }
  const bool set = kind < 4   ? tarei_attr_set_ints(node, name, ints, n)
                   : kind < 6 ? tarei_attr_set_int(node, name, number())
                   : kind < 7 ? tarei_attr_set_string(node, name, texts[below(15)])
                              : tarei_attr_set_float(node, name, 0.5f);
  assert_true(set);
}

static int constant(tarei_graph *const graph) {
  int64_t ints[12];
  const int64_t n = below(10);
  for (int i = 0; i < n; i++) {
    ints[i] = number();
  }
  return tarei_graph_add_const(graph, "c", TARE_I64, below(4) ? 1 : 0, &n, n ? ints : NULL);
}

static int runtime(tarei_graph *const graph) {
  static const char *const types[] = {"f32", "i64", "f32", "u8", "bool", "i8", "f32", "i32"};
  static const char *const dims[] = {
      "n",     "m", "1",   "2",     "3",           "4",         "8",
      "0",     "n", "n*m", "n + 1", "(n + 3) / 2", "max(n, m)", "9223372036854775807",
      "n - 4", "4"};
  char text[512];
  int at = snprintf(text, sizeof text, "%s[", types[below(8)]);
  const int rank = below(5) ? below(5) : below(TARE_MAX_RANK + 1);
  for (int i = 0; i < rank; i++) {
    at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", i ? ", " : "", dims[below(16)]);
  }
  (void)snprintf(text + at, sizeof text - (size_t)at, "]");
  return ops_value(graph, text);
}

static int symbolic(tarei_graph *const graph) {
  static const char *const texts[] = {
      "i64[3]{n, 4, -1}", "i64[2]{n, ?}",       "i64[1]{m - 2}", "i64[]{n}",
      "i64[2]{0, n*m}",   "i64[4]{0, 1, n, 2}", "bool[2]{1, ?}", "i32[2, 2]{1, n, -n, 0}"};
  return ops_value(graph, texts[below(8)]);
}

static int any_input(tarei_graph *const graph, const bool first) {
  const int kind = below(8);
  if (first || kind < 3) {
    return kind == 7 ? symbolic(graph) : runtime(graph);
  }
  return kind < 6 ? constant(graph) : kind < 7 ? symbolic(graph) : -1;
}

static void run_once(const tarei_op *const op) {
  tarei_graph *const graph = tarei_graph_new("hostile");
  assert_non_null(graph);
  int in[MAX_IN];
  const int most = op->max_in < 0 || op->max_in > MAX_IN ? MAX_IN : op->max_in;
  const int n_in = op->min_in + below(most - op->min_in + 1);
  for (int i = 0; i < n_in; i++) {
    in[i] = any_input(graph, i == 0);
  }
  const int n_out = op->max_out == 1 ? 1 : 1 + below(3);
  static const int opsets[] = {7, 9, 11, 13, 18, 21};
  const int opset = *op->domain ? 1 : opsets[below(6)];
  const int node = ops_node_of(graph, op->name, op->domain, opset, n_out, in, n_in);
  for (int i = below(5); i > 0; i--) {
    add_attribute(&graph->nodes[node]);
  }
  tare_error err = {0};
  if (tarei_graph_infer(graph, &err) == TARE_OK) {
    tarei_graph_check(graph);
    assert_int_equal(tarei_graph_infer(graph, &err), TARE_OK);
  } else {
    assert_true(err.message[0] != 0);
  }
  tarei_graph_free(graph);
}

static void no_attribute_crashes(void **state) {
  (void)state;
  state_ = test_seed();
  for (int id = 0; id < TAREI_OP_COUNT; id++) {
    for (int i = 0; i < ROUNDS; i++) {
      run_once(tarei_op_at((tarei_op_id)id));
    }
  }
}

int ops_hostile_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_attribute_crashes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
