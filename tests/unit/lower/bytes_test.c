/* Operators that write bytes beside or instead of floats, residuals of bytes, tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/lower/act_table.h"
#include "unit/engine/support/one_node.h"

#define MOST 4 /* operands */

/* A node with operands that stay the same from run to run. */
typedef struct sample {
  const char *op, *domain, *attr; /* an attribute that gets the text */
  const char *text;
  int n_in, constants; /* bit i: operand i is a constant */
  int rank[MOST];
  int64_t dims[MOST][4];
  float *data[MOST];
  uint8_t *residual; /* operand 3 as bytes, or NULL */
  float residual_scale;
  bool last; /* activation_last */
  tare_dtype x_dtype;
} sample;

#define SCALE 0.031f /* of outputs: small enough to saturate some, large enough for tables */

static size_t count_of(const sample *const s, const int i) {
  size_t n = 1;
  for (int d = 0; d < s->rank[i]; d++) {
    n *= (size_t)s->dims[i][d];
  }
  return n;
}

static void fill(sample *const s) {
  for (int i = 0; i < s->n_in; i++) {
    const size_t n = count_of(s, i);
    s->data[i] = malloc((n + 1) * sizeof *s->data[i]);
    assert_non_null(s->data[i]);
    for (size_t k = 0; k < n; k++) {
      s->data[i][k] = one_node_float();
      if (i == 0 && s->x_dtype == TARE_U8) {
        ((uint8_t *)s->data[0])[k] = (uint8_t)one_node_between(0, 255);
      }
    }
  }
}

static void clear(sample *const s) {
  for (int i = 0; i < s->n_in; i++) {
    free(s->data[i]);
  }
  free(s->residual);
}

static void run(const sample *const s, const char *const outputs, one_node *const t) {
  const bool both = strcmp(outputs, "both") == 0;
  one_node_start(t);
  for (int i = 0; i < s->n_in; i++) {
    const bool bytes = i == 3 && s->residual;
    const tare_dtype dtype = bytes ? TARE_U8 : i == 0 ? s->x_dtype : TARE_F32;
    const void *const data = bytes ? (const void *)s->residual : s->data[i];
    (void)(s->constants >> i & 1 ? one_node_const(t, dtype, s->rank[i], s->dims[i], data)
                                 : one_node_input(t, dtype, s->rank[i], s->dims[i], data));
  }
  one_node_op(t, s->op, s->domain, 17, both ? 2 : 1);
  assert_true(tarei_attr_set_string(t->node, "outputs", outputs));
  if (s->attr) {
    assert_true(tarei_attr_set_string(t->node, s->attr, s->text));
  }
  assert_true(tarei_attr_set_int(t->node, "activation_last", s->last));
  if (s->x_dtype == TARE_U8) {
    one_node_scale(t, t->in[0], 0.013f, false);
  }
  if (s->residual) {
    one_node_scale(t, t->in[3], s->residual_scale, false);
  }
  if (strcmp(outputs, "f32") != 0) {
    one_node_scale(t, t->out[both], SCALE, false);
  }
  one_node_run_ok(t);
}

static uint8_t rounded(const float x) {
  const float y = x * (1.0f / SCALE);
  return (uint8_t)(nearbyintf(y < -128 ? -128 : y > 127 ? 127 : y) + 128);
}

/* Floats alone, both, and bytes alone are the same numbers; bytes alone may be rounded in one step
 * less, which moves some by one. */
static void check_outputs(const sample *const s, const int slack) {
  one_node floats, both, bytes;
  run(s, "f32", &floats);
  run(s, "both", &both);
  run(s, "u8", &bytes);
  const size_t n = (size_t)tare_tensor_count(&floats.outputs[0]);
  const float *const y = floats.outputs[0].data;
  assert_memory_equal(y, both.outputs[0].data, n * sizeof *y);
  for (size_t i = 0; i < n; i++) {
    const int b = ((const uint8_t *)bytes.outputs[0].data)[i];
    assert_int_equal(((const uint8_t *)both.outputs[1].data)[i], rounded(y[i]));
    assert_true(abs(b - rounded(y[i])) <= slack);
  }
  one_node_end(&floats);
  one_node_end(&both);
  one_node_end(&bytes);
}

static void rows_and_elements_are_written_as_bytes(void **state) {
  (void)state;
  one_node_seed();
  for (int round = 0; round < 12; round++) {
    const int64_t b = one_node_between(1, 2), t = one_node_between(1, 300);
    const int64_t c = one_node_between(1, 70);
    const sample samples[] = {
        {.op = "LayerNormalization", .domain = "", .n_in = 3, .constants = 6},
        {.op = "InstanceNormLast", .domain = "tare", .n_in = 3, .constants = 6},
        {.op = "InstanceNormLast",
         .domain = "tare",
         .attr = "activation",
         .text = "gelu",
         .n_in = 3,
         .constants = 6},
        {.op = "Add", .domain = "", .n_in = 2},
        {.op = "Mul", .domain = "", .n_in = 2},
        {.op = "Relu", .domain = "", .n_in = 1},
        {.op = "Gelu", .domain = "", .attr = "approximate", .text = "tanh", .n_in = 1},
        {.op = "HardSwish", .domain = "", .n_in = 1},
        {.op = "Clip", .domain = "", .n_in = 1},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
      sample s = samples[i];
      s.x_dtype = TARE_F32;
      s.rank[0] = 3;
      memcpy(s.dims[0], (int64_t[]){b, t, c}, 3 * sizeof(int64_t));
      for (int k = 1; k < s.n_in; k++) {
        s.rank[k] = 1;
        s.dims[k][0] = c;
      }
      fill(&s);
      check_outputs(&s, s.text && !strcmp(s.text, "gelu") ? 2 : 0); /* by table */
      clear(&s);
    }
  }
}

/* X, W, bias, residual of a linear layer or a convolution with two taps. */
static sample layer(const char *const op, const bool conv, const tare_dtype x_dtype) {
  const int64_t t = one_node_between(2, 90), k = one_node_between(1, 40);
  const int64_t n = one_node_between(1, 70), rows = conv ? t - 1 : t;
  sample s = {.op = op, .domain = "tare", .n_in = 4, .constants = 6, .x_dtype = x_dtype};
  const int64_t dims[MOST][4] = {{1, t, k}, {n, 2, k}, {n}, {1, rows, n}};
  memcpy(s.dims, dims, sizeof dims);
  memcpy(s.rank, (int[]){3, 3, 1, 3}, sizeof s.rank);
  if (!conv) {
    s.rank[1] = 2;
    memcpy(s.dims[1], (int64_t[]){k, n}, 2 * sizeof(int64_t));
  }
  fill(&s);
  return s;
}

/* The floats of a residual become those of bytes, so that both forms mean the same. */
static void make_residual(sample *const s) {
  const size_t n = count_of(s, 3);
  s->residual_scale = 0.01f;
  s->residual = malloc(n);
  assert_non_null(s->residual);
  for (size_t i = 0; i < n; i++) {
    s->residual[i] = (uint8_t)one_node_between(0, 255);
    s->data[3][i] = (float)((int)s->residual[i] - 128) * s->residual_scale;
  }
}

static void residuals_of_bytes_are_added(void **state) {
  (void)state;
  one_node_seed();
  static const struct {
    const char *op;
    bool conv;
    tare_dtype x;
  } rows[] = {
      {"Linear", false, TARE_F32},
      {"ConvLast", true, TARE_F32},
      {"QLinear", false, TARE_U8},
      {"QConvLast", true, TARE_U8},
  };
  for (int round = 0; round < 8; round++) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      sample s = layer(rows[i].op, rows[i].conv, rows[i].x);
      s.attr = "activation";
      s.text = round % 2 ? "relu" : "none";
      s.last = round / 2 % 2;
      make_residual(&s);
      check_outputs(&s, rows[i].x == TARE_U8);
      one_node bytes, floats;
      run(&s, "f32", &bytes);
      uint8_t *const residual = s.residual;
      s.residual = NULL;
      run(&s, "f32", &floats);
      assert_memory_equal(bytes.outputs[0].data, floats.outputs[0].data,
                          (size_t)tare_tensor_count(&floats.outputs[0]) * sizeof(float));
      one_node_end(&bytes);
      one_node_end(&floats);
      s.residual = residual;
      clear(&s);
    }
  }
}

static void activations_follow_the_sum(void **state) {
  (void)state;
  one_node_seed();
  for (int round = 0; round < 4; round++) {
    sample s = layer(round % 2 ? "QLinear" : "QConvLast", round % 2 == 0, TARE_U8);
    make_residual(&s);
    one_node plain, relu;
    run(&s, "f32", &plain);
    s.attr = "activation";
    s.text = "relu";
    s.last = true;
    run(&s, "f32", &relu);
    const float *const x = plain.outputs[0].data, *const y = relu.outputs[0].data;
    for (int64_t i = 0; i < tare_tensor_count(&plain.outputs[0]); i++) {
      assert_true(y[i] == (x[i] > 0 ? x[i] : 0));
    }
    one_node_end(&plain);
    one_node_end(&relu);
    clear(&s);
  }
}

/* Where weights are zeros, a unit of the sum is as large as the scale of the input: the bias is not
 * rounded to it. */
static void a_bias_keeps_its_digits(void **state) {
  (void)state;
  one_node_seed();
  sample s = layer("QLinear", false, TARE_U8);
  s.n_in = 3;
  memset(s.data[1], 0, count_of(&s, 1) * sizeof(float));
  one_node t;
  run(&s, "u8", &t);
  const size_t n = (size_t)s.dims[2][0];
  for (size_t i = 0; i < n; i++) {
    assert_int_equal(((const uint8_t *)t.outputs[0].data)[i], rounded(s.data[2][i]));
  }
  one_node_end(&t);
  s.n_in = 4;
  clear(&s);
}

/* Rounding before and after a Gelu: by one byte where it is steepest, with a residual not at all.
 */
static void activations_by_table_are_near(void **state) {
  (void)state;
  one_node_seed();
  for (int round = 0; round < 6; round++) {
    sample s = layer(round % 2 ? "QLinear" : "QConvLast", round % 2 == 0, TARE_U8);
    s.n_in = 3;
    s.attr = "activation";
    s.text = round / 2 == 0 ? "gelu" : round / 2 == 1 ? "gelu_tanh" : "silu";
    check_outputs(&s, 2);
    s.n_in = 4;
    clear(&s);
  }
}

static double gelu(const double x) {
  return 0.5 * x * (1 + erf(x / sqrt(2)));
}

static void places_of_a_table_cover_what_changes(void **state) {
  (void)state;
  tarei_kernels kernels;
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  static const float scales[] = {0.03f, 0.05f, 0.11f, 0.4f, 7.0f};
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    tarei_act_table t;
    assert_true(tarei_act_table_make(TAREI_ACT_gelu, scales[i], 128, scales[i], &kernels, &t));
    assert_true(t.zero_point >= 0 && t.zero_point <= 255);
    assert_true(t.scale * 1.13f <= scales[i]);
    assert_int_equal(t.bytes[t.zero_point], 128);
    for (double x = -300 * (double)scales[i]; x < 300 * (double)scales[i];
         x += 0.1 * (double)scales[i]) {
      const double place = nearbyint(x / (double)t.scale) + t.zero_point;
      const double exact = gelu(x) / (double)scales[i] + 128;
      const double got = t.bytes[(int)fmin(fmax(place, 0), 255)];
      assert_true(fabs(got - fmin(fmax(exact, 0), 255)) <= 1.07);
    }
  }
  tarei_act_table t;
  assert_true(tarei_act_table_make(TAREI_ACT_gelu, 0.06f, 14, 0.11f, &kernels, &t));
  assert_true(t.scale * 1.13f <= 0.11f && t.bytes[t.zero_point] == 14 && t.bytes[255] >= 254);
  assert_false(tarei_act_table_make(TAREI_ACT_gelu, 0.06f, 14, 0.06f, &kernels, &t));
  assert_false(
      tarei_act_table_make(TAREI_ACT_gelu, 0.01f, 128, 0.01f, &kernels, &t)); /* too coarse */
  assert_false(tarei_act_table_make(TAREI_ACT_sigmoid, 0.1f, 0, 0.1f, &kernels, &t));
}

static double softsign(const double x) {
  return x / (1 + fabs(x));
}

static double shrink(const double x) {
  return fabs(x) > 1.01 ? x : 0;
}

static void tables_are_made_of_functions(void **state) {
  (void)state;
  uint8_t x[256];
  for (int i = 0; i < 256; i++) {
    x[i] = (uint8_t)i;
  }
  static const struct {
    const char *name;
    double (*f)(double x);
  } functions[] = {{"Tanh", tanh}, {"Atan", atan}, {"Softsign", softsign}, {"Shrink", shrink}};
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_U8, 2, (int64_t[]){2, 128}, x);
    one_node_op(&t, "Lookup", "tare", 1, 1);
    assert_true(tarei_attr_set_string(t.node, "function", functions[k].name));
    assert_true(tarei_attr_set_float(t.node, "lambd", 1.01f));
    one_node_scale(&t, t.in[0], 0.05f, false);
    one_node_scale(&t, t.out[0], 0.0625f, false);
    one_node_run_ok(&t);
    for (int i = 0; i < 256; i++) {
      const double y = functions[k].f((i - 128) * 0.05) * 16 + 128;
      assert_true(fabs(((const uint8_t *)t.outputs[0].data)[i] - y) < 0.501);
    }
    one_node_end(&t);
  }
}

static void bad_tables_are_refused(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_U8, 1, (int64_t[]){4}, NULL);
    one_node_op(&t, "Lookup", "tare", 1, 1);
    assert_true(tarei_attr_set_string(t.node, "function", form ? "Tanh" : "Concat"));
    one_node_scale(&t, t.in[0], 0.05f, false);
    one_node_refused(&t, form ? TARE_E_MODEL : TARE_E_UNSUPPORTED,
                     form ? "has 0 scales" : "'Concat' is no function of one number");
  }
}

int bytes_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_and_elements_are_written_as_bytes),
      cmocka_unit_test(residuals_of_bytes_are_added),
      cmocka_unit_test(activations_follow_the_sum),
      cmocka_unit_test(a_bias_keeps_its_digits),
      cmocka_unit_test(activations_by_table_are_near),
      cmocka_unit_test(places_of_a_table_cover_what_changes),
      cmocka_unit_test(tables_are_made_of_functions),
      cmocka_unit_test(bad_tables_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
