/* Operators that expand into others, on constants: the passes compute them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "engine/evaluate.h"
#include "graph/pass.h"
#include "kernels/kernels.h"

typedef struct constant {
  tare_dtype dtype;
  int rank;
  int64_t dims[2];
  const void *data;
} constant;

/* Runs one node on constants; the n elements of its float32 output go to `out`. */
static void compute(const char *const op, const int opset, const constant *const in, const int n_in,
                    const char *const attr, const double value, float *const out, const size_t n) {
  tarei_graph *const g = tarei_graph_new("test");
  int values[4];
  for (int i = 0; i < n_in; i++) {
    values[i] = tarei_graph_add_const(g, "c", in[i].dtype, in[i].rank, in[i].dims, in[i].data);
  }
  const int y = tarei_graph_add_value(g, "y"), z = tarei_graph_add_value(g, "z");
  const int node = tarei_graph_add_node(g, op, "", "node", opset, values, n_in, &y, 1);
  assert_true(node >= 0 && tarei_graph_mark_output(g, z));
  assert_true(!attr || (value == floor(value) && strcmp(attr, "alpha") != 0
                            ? tarei_attr_set_int(&g->nodes[node], attr, (int64_t)value)
                            : tarei_attr_set_float(&g->nodes[node], attr, (float)value)));
  const int x = tarei_graph_add_value(g, "x"); /* what is an output is not folded */
  g->values[x].dtype = TARE_F32;
  g->values[x].rank = 1;
  g->values[x].dims[0] = tarei_expr_const(g->exprs, 1);
  assert_true(tarei_graph_mark_input(g, x));
  assert_true(tarei_graph_add_node(g, "Add", "", "end", 13, (int[]){x, y}, 2, &z, 1) >= 0);
  tarei_kernels kernels;
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  tarei_evaluation evaluation;
  tarei_evaluation_start(&evaluation, &kernels);
  const tarei_pass_options options = {.evaluate = tarei_evaluate, .evaluate_user = &evaluation};
  tare_error err;
  if (tarei_graph_infer(g, &err) != TARE_OK || tarei_graph_optimize(g, &options, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(g->n_nodes, 1);
  const tare_tensor folded = tarei_value_tensor(g, g->nodes[0].in[1]);
  assert_int_equal(folded.dtype, TARE_F32);
  assert_int_equal(tare_tensor_count(&folded), n);
  memcpy(out, folded.data, n * sizeof *out);
  tarei_graph_free(g);
}

static void sums_and_means(void **state) {
  (void)state;
  const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20, 40}, c[] = {0.5f, -0.5f};
  const constant in[] = {{TARE_F32, 2, {2, 3}, a}, {TARE_F32, 1, {3}, b}, {TARE_F32, 2, {2, 1}, c}};
  float sum[6], mean[6], alone[6];
  compute("Sum", 8, in, 3, NULL, 0, sum, 6);
  compute("Mean", 13, in, 3, NULL, 0, mean, 6);
  compute("Mean", 13, in, 1, NULL, 0, alone, 6);
  for (int i = 0; i < 6; i++) {
    const float expected = a[i] + b[i % 3] + c[i / 3];
    assert_true(sum[i] == expected);
    assert_true(mean[i] == expected / 3);
    assert_true(alone[i] == a[i]);
  }
}

static void gates(void **state) {
  (void)state;
  const float a[] = {-2, 0, 1, 3}, b[] = {1, 5, -2, 0.5f};
  const constant in[] = {{TARE_F32, 1, {4}, a}, {TARE_F32, 1, {4}, b}};
  float y[4];
  compute("SwiGLU", 28, in, 2, "alpha", 0.5, y, 4);
  for (int i = 0; i < 4; i++) {
    const double x = (double)a[i];
    assert_true(fabs((double)y[i] - x / (1 + exp(-0.5 * x)) * (double)b[i]) < 1e-6);
  }
}

/* A symmetric window ends as it begins; a periodic one goes on with its begin. */
static void windows(void **state) {
  (void)state;
  static const struct {
    const char *op;
    double a[3];
  } rows[] = {
      {"HannWindow", {0.5, 0.5, 0}},
      {"HammingWindow", {25.0 / 46, 21.0 / 46, 0}},
      {"BlackmanWindow", {0.42, 0.5, 0.08}},
  };
  for (int i = 0; i < 6; i++) {
    const int32_t size = 9;
    const constant in = {TARE_I32, 0, {0}, &size};
    const bool periodic = i % 2;
    float y[9];
    compute(rows[i / 2].op, 17, &in, 1, "periodic", periodic, y, 9);
    for (int k = 0; k < 9; k++) {
      const double part = 2 * M_PI * k / (periodic ? 9 : 8), *const a = rows[i / 2].a;
      const double expected = a[0] - a[1] * cos(part) + a[2] * cos(2 * part);
      assert_true(fabs((double)y[k] - expected) < 1e-7);
    }
  }
}

int expansions_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_and_means),
      cmocka_unit_test(gates),
      cmocka_unit_test(windows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
