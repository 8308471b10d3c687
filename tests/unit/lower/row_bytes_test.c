/* Rows that are bytes with scales of their own: made by a step of their own, a normalization or a
 * layer, and read by layers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/one_node.h"
#include "unit/lower/loud_rows.h"

/* Loud, quiet and zero rows, some with values that are not finite. */
static float *make_odd_rows(const size_t rows, const size_t k, const bool from_zero) {
  static const float odd[] = {NAN, INFINITY, -INFINITY, -0.0f, 1e-40f};
  float *const x = calloc(rows * k, sizeof *x);
  assert_non_null(x);
  make_rows(x, rows, k, from_zero);
  for (size_t i = 0; i < rows / 4; i++) {
    const size_t at = (size_t)one_node_between(0, (int64_t)(rows * k) - 1);
    x[at] = odd[one_node_between(0, 4)];
  }
  return x;
}

static void expect_same_bytes(const tare_tensor *const a, const tare_tensor *const b) {
  assert_int_equal(tare_tensor_count(a), tare_tensor_count(b));
  assert_memory_equal(a->data, b->data, (size_t)tare_tensor_count(a) * tare_dtype_size(a->dtype));
}

static void run_quantize_rows(one_node *const t, const int rank, const int64_t *const dims,
                              const float *const x, const bool from_zero) {
  one_node_start(t);
  (void)one_node_input(t, TARE_F32, rank, dims, x);
  one_node_op(t, "QuantizeRows", "tare", 1, 2);
  one_node_rows(t, t->out[0], from_zero);
  one_node_run_ok(t);
}

static void run_linear_on_rows(one_node *const t, const tare_tensor *const x,
                               const tare_tensor *const scales, const tare_tensor *const w,
                               const tare_tensor *const bias, const bool from_zero) {
  one_node_start(t);
  (void)one_node_input(t, x->dtype, x->rank, x->dims, x->data);
  (void)one_node_const(t, TARE_F32, 2, w->dims, w->data);
  (void)one_node_const(t, TARE_F32, 1, bias->dims, bias->data);
  if (scales) {
    (void)one_node_absent(t);
    (void)one_node_input(t, TARE_F32, scales->rank, scales->dims, scales->data);
    one_node_rows(t, t->in[0], from_zero);
  }
  one_node_op(t, "QLinear", "tare", 1, 1);
  assert_true(tarei_attr_set_int(t->node, "row_scales", 1));
  assert_true(scales || !from_zero || tarei_attr_set_int(t->node, "unsigned_rows", 1));
  one_node_run_ok(t);
}

/* A layer gives the same bits whether it quantizes the rows or somebody did it before. */
static void linear_layers_take_quantized_rows(void **state) {
  (void)state;
  for (int round = 0; round < 20; round++) {
    const int64_t m = one_node_between(1, 100), k = one_node_between(1, 90);
    const int64_t n = one_node_between(1, 70);
    const bool from_zero = round % 2;
    float *const x = make_odd_rows((size_t)(2 * m), (size_t)k, from_zero);
    one_node q, w, floats, bytes;
    run_quantize_rows(&q, 3, (int64_t[]){2, m, k}, x, from_zero);
    one_node_start(&w);
    (void)one_node_const(&w, TARE_F32, 2, (int64_t[]){k, n}, NULL);
    (void)one_node_const(&w, TARE_F32, 1, &n, NULL);
    run_linear_on_rows(&floats, &q.inputs[0], NULL, &w.inputs[0], &w.inputs[1], from_zero);
    run_linear_on_rows(&bytes, &q.outputs[0], &q.outputs[1], &w.inputs[0], &w.inputs[1], from_zero);
    expect_same_bytes(&floats.outputs[0], &bytes.outputs[0]);
    one_node_end(&q);
    one_node_end(&w);
    one_node_end(&floats);
    one_node_end(&bytes);
    free(x);
  }
}

/* rows, or f32+rows */
static void check_norm_rows(const char *const op, const bool floats, const int64_t axis,
                            const bool odd_gain) {
  const int64_t dims[] = {one_node_between(1, 3), one_node_between(1, 40),
                          one_node_between(1, 600)};
  const int64_t from = axis < 0 ? axis + 3 : axis;
  float *const x = make_odd_rows((size_t)(dims[0] * dims[1]), (size_t)dims[2], false);
  one_node t[2], q;
  for (int i = 0; i < 2; i++) {
    one_node_start(&t[i]);
    (void)one_node_input(&t[i], TARE_F32, 3, dims, x);
    if (odd_gain) {
      (void)one_node_const(&t[i], TARE_F32, 3, dims, i ? t[0].inputs[1].data : NULL);
    } else {
      (void)one_node_const(&t[i], TARE_F32, (int)(3 - from), dims + from,
                           i ? t[0].inputs[1].data : NULL);
    }
    one_node_op(&t[i], op, "", 23, i ? 2 + floats : 1);
    assert_true(tarei_attr_set_int(t[i].node, "axis", axis));
    assert_true(!i || tarei_attr_set_string(t[i].node, "outputs", floats ? "f32+rows" : "rows"));
    one_node_rows(&t[i], t[i].out[i && floats], false);
    one_node_run_ok(&t[i]);
  }
  run_quantize_rows(&q, 3, dims, t[0].outputs[0].data, false);
  if (floats) {
    expect_same_bytes(&t[0].outputs[0], &t[1].outputs[0]);
  }
  expect_same_bytes(&q.outputs[0], &t[1].outputs[floats]);
  expect_same_bytes(&q.outputs[1], &t[1].outputs[floats + 1]);
  one_node_end(&q);
  one_node_end(&t[0]);
  one_node_end(&t[1]);
  free(x);
}

/* A normalization that writes rows as bytes gives those of QuantizeRows, over any axes. */
static void normalizations_write_quantized_rows(void **state) {
  (void)state;
  for (int round = 0; round < 32; round++) {
    check_norm_rows(round & 1 ? "RMSNormalization" : "LayerNormalization", round & 2,
                    round & 4 ? -1 : 1, round & 8);
  }
}

/* --- rows behind an activation ---------------------------------------------------------------- */

typedef struct bounded {
  const char *activation;
  float bound;
} bounded;
static const bounded BOUNDED[] = {{"gelu", -0.17f}, {"gelu_tanh", -0.1701f}, {"silu", -0.2785f}};

static void run_activated(one_node *const t, const one_node *const like, const float *const x,
                          const int64_t *const dims, const char *const activation) {
  one_node_start(t);
  (void)one_node_input(t, TARE_F32, 2, dims, x);
  (void)one_node_const(t, TARE_F32, 2, like->inputs[0].dims, like->inputs[0].data);
  one_node_op(t, "QLinear", "tare", 1, activation ? 2 : 1);
  assert_true(tarei_attr_set_int(t->node, "row_scales", 1));
  assert_true(!activation || (tarei_attr_set_string(t->node, "activation", activation) &&
                              tarei_attr_set_string(t->node, "outputs", "rows")));
  one_node_rows(t, t->out[0], true);
  one_node_run_ok(t);
}

static double activated(const tarei_kernels *const kernels, const char *const activation,
                        const float x) {
  tarei_act act;
  float y;
  assert_true(tarei_act_parse(activation, &act));
  kernels->act(act, 0, 0, &x, 1, &y);
  return (double)y;
}

/* A place is at most 1/255 of what a row can hold and of the 6 below zero where Silu is not yet
 * zero for its finest table. */
static void check_bounded(const bounded *const b, const float loudness) {
  const int64_t m = one_node_between(1, 120), k = one_node_between(1, 90);
  const int64_t n = one_node_between(1, 300);
  float *const x = make_odd_rows((size_t)m, (size_t)k, false);
  for (int64_t i = 0; i < m * k; i++) {
    x[i] = isfinite(x[i]) ? x[i] * loudness : 0.0f;
  }
  one_node w, floats, bytes;
  one_node_start(&w);
  (void)one_node_const(&w, TARE_F32, 2, (int64_t[]){k, n}, NULL);
  run_activated(&floats, &w, x, (int64_t[]){m, k}, NULL);
  run_activated(&bytes, &w, x, (int64_t[]){m, k}, b->activation);
  tarei_kernels kernels;
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  const float *const f = floats.outputs[0].data, *const scales = bytes.outputs[1].data;
  const uint8_t *const out = bytes.outputs[0].data;
  for (int64_t r = 0; r < m; r++) {
    const double scale = (double)scales[r], place = (254 * scale + 10) / 255;
    double top = 0;
    for (int64_t i = r * n; i < r * n + n; i++) {
      const double want = activated(&kernels, b->activation, f[i]);
      const double got = out[i] * scale + (double)b->bound;
      assert_true(fabs(got - want) <= 0.5 * scale + 0.57 * place + 1e-4 + 1e-6 * fabs(want));
      top = want > top ? want : top;
    }
    assert_true(scale <= 2.1 * (top - (double)b->bound) / 255 - (double)b->bound / 100);
  }
  one_node_end(&w);
  one_node_end(&floats);
  one_node_end(&bytes);
  free(x);
}

static void activations_write_rows_from_their_bound(void **state) {
  (void)state;
  for (int round = 0; round < 18; round++) {
    check_bounded(&BOUNDED[round % 3], round < 6 ? 0.02f : round < 12 ? 0.3f : 30.0f);
  }
}

/* A layer with a residual; outputs: f32, or rows in `groups` parts. */
static void run_grouped(one_node *const t, const one_node *const like, const float *const x,
                        const int64_t *const dims, const char *const activation,
                        const int64_t groups) {
  const bool from_zero = strcmp(activation, "relu") == 0;
  one_node_start(t);
  (void)one_node_input(t, TARE_F32, 2, dims, x);
  (void)one_node_const(t, TARE_F32, 2, like->inputs[0].dims, like->inputs[0].data);
  (void)one_node_const(t, TARE_F32, 1, like->inputs[1].dims, like->inputs[1].data);
  (void)one_node_input(t, TARE_F32, 2, like->inputs[2].dims, like->inputs[2].data);
  one_node_op(t, "QLinear", "tare", 1, groups ? 2 : 1);
  assert_true(tarei_attr_set_int(t->node, "row_scales", 1) &&
              tarei_attr_set_string(t->node, "activation", activation));
  assert_true(!from_zero || tarei_attr_set_int(t->node, "activation_last", 1));
  assert_true(!groups || (tarei_attr_set_string(t->node, "outputs", "rows") &&
                          tarei_attr_set_int(t->node, "row_groups", groups)));
  one_node_rows(t, t->out[0], from_zero);
  one_node_run_ok(t);
}

static void check_grouped(const char *const activation) {
  const int64_t m = one_node_between(1, 200), k = one_node_between(1, 90);
  const int64_t groups = one_node_between(1, 6), n = groups * one_node_between(1, 80);
  float *const x = make_odd_rows((size_t)m, (size_t)k, false);
  one_node like, floats, bytes, q;
  one_node_start(&like);
  (void)one_node_const(&like, TARE_F32, 2, (int64_t[]){k, n}, NULL);
  (void)one_node_const(&like, TARE_F32, 1, &n, NULL);
  (void)one_node_input(&like, TARE_F32, 2, (int64_t[]){m, n}, NULL);
  run_grouped(&floats, &like, x, (int64_t[]){m, k}, activation, 0);
  run_grouped(&bytes, &like, x, (int64_t[]){m, k}, activation, groups);
  one_node_start(&q);
  (void)one_node_input(&q, TARE_F32, 2, (int64_t[]){m, n}, floats.outputs[0].data);
  one_node_op(&q, "QuantizeRows", "tare", 1, 2);
  one_node_rows(&q, q.out[0], strcmp(activation, "relu") == 0);
  assert_true(tarei_attr_set_int(q.node, "row_groups", groups));
  one_node_run_ok(&q);
  expect_same_bytes(&q.outputs[0], &bytes.outputs[0]);
  expect_same_bytes(&q.outputs[1], &bytes.outputs[1]);
  one_node_end(&like);
  one_node_end(&floats);
  one_node_end(&bytes);
  one_node_end(&q);
  free(x);
}

/* A layer that writes rows in parts gives the bits of QuantizeRows behind it. */
static void linear_layers_write_rows_in_parts(void **state) {
  (void)state;
  static const char *const activations[] = {"none", "relu", "gelu"};
  for (int round = 0; round < 30; round++) {
    check_grouped(activations[round % 3]);
  }
}

static void other_forms_of_rows_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *outputs, *text;
    int groups, n_out;
  } CASES[] = {{"f32+rows", "floats beside rows", 1, 3},
               {"rows", "have no 2 equal parts", 2, 2},
               {"rows", "have no 0 equal parts", 0, 2},
               {"rows", "have no -5 equal parts", -5, 2}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){6, 8}, NULL);
    (void)one_node_const(&t, TARE_F32, 2, (int64_t[]){8, 5}, NULL);
    one_node_op(&t, "QLinear", "tare", 1, CASES[i].n_out);
    assert_true(tarei_attr_set_int(t.node, "row_scales", 1));
    assert_true(tarei_attr_set_int(t.node, "row_groups", CASES[i].groups));
    assert_true(tarei_attr_set_string(t.node, "outputs", CASES[i].outputs));
    one_node_refused(&t, TARE_E_MODEL, CASES[i].text);
  }
}

static void rows_have_one_of_two_zero_points(void **state) {
  (void)state;
  for (int reads = 0; reads < 2; reads++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, reads ? TARE_U8 : TARE_F32, 2, (int64_t[]){6, 8}, NULL);
    if (reads) {
      (void)one_node_const(&t, TARE_F32, 2, (int64_t[]){8, 5}, NULL);
      (void)one_node_absent(&t);
      (void)one_node_absent(&t);
      (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){6, 1}, NULL);
    }
    one_node_op(&t, reads ? "QLinear" : "QuantizeRows", "tare", 1, reads ? 1 : 2);
    assert_true(!reads || tarei_attr_set_int(t.node, "row_scales", 1));
    t.graph->values[reads ? t.in[0] : t.out[0]].quant.zero_point = 37;
    one_node_refused(&t, TARE_E_MODEL, "have zero point 37, expected 0 or 128");
  }
}

static void rows_need_all_their_scales(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_U8, 2, (int64_t[]){6, 8}, NULL);
  (void)one_node_const(&t, TARE_F32, 2, (int64_t[]){8, 5}, NULL);
  (void)one_node_absent(&t);
  (void)one_node_absent(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){5, 1}, NULL);
  one_node_op(&t, "QLinear", "tare", 1, 1);
  assert_true(tarei_attr_set_int(t.node, "row_scales", 1));
  one_node_refused(&t, TARE_E_SHAPE, "expected 6");
}

int row_bytes_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_layers_take_quantized_rows),
      cmocka_unit_test(normalizations_write_quantized_rows),
      cmocka_unit_test(rows_have_one_of_two_zero_points),
      cmocka_unit_test(rows_need_all_their_scales),
      cmocka_unit_test(activations_write_rows_from_their_bound),
      cmocka_unit_test(linear_layers_write_rows_in_parts),
      cmocka_unit_test(other_forms_of_rows_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
