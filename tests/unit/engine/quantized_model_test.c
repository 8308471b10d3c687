/* Models that state their own scales: int8 plans beside the same model computed in float as it
 * says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <tare/tare.h>

#include "engine/plan.h"
#include "graph/model.h"
#include "graph/pass.h"

static tare_error err;
static uint32_t bits = 1;

#define OK(call)                              \
  do {                                        \
    if ((call) != TARE_OK) {                  \
      fail_msg("%s: %s", #call, err.message); \
    }                                         \
  } while (0)
#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

static int random_below(const int n) {
  bits = bits * 1664525u + 1013904223u;
  return (int)(bits >> 8) % n;
}

/* --- models ----------------------------------------------------------------------------------- */

static int input(tarei_graph *const g, const int rank, const char *const *const dims) {
  const int x = tarei_graph_add_value(g, "x");
  assert_true(tarei_graph_mark_input(g, x));
  g->values[x].dtype = TARE_F32;
  g->values[x].rank = rank;
  g->values[x].observable = true;
  for (int i = 0; i < rank; i++) {
    assert_int_equal(tarei_expr_parse(g->exprs, dims[i], &g->values[x].dims[i], NULL), TARE_OK);
  }
  return x;
}

static int node(tarei_graph *const g, const char *const op, const int *const in, const int n_in) {
  const int out = tarei_graph_add_unique(g, op);
  const int n = tarei_graph_add_node(g, op, "", op, 13, in, n_in, &out, 1);
  assert_true(out >= 0 && n >= 0);
  return out;
}
#define NODE(g, op, ...) \
  node(g, op, (const int[]){__VA_ARGS__}, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)))

static tarei_node *maker(tarei_graph *const g, const int value) {
  return &g->nodes[g->values[value].producer];
}

static int number(tarei_graph *const g, const float x) {
  return tarei_graph_add_const(g, "scale", TARE_F32, 0, NULL, &x);
}

/* Through bytes of a type and back. */
static int through(tarei_graph *const g, const int x, const tare_dtype dtype, const float scale,
                   const int zero) {
  const uint8_t byte = (uint8_t)zero;
  const int s = number(g, scale), z = tarei_graph_add_const(g, "zero", dtype, 0, NULL, &byte);
  return NODE(g, "DequantizeLinear", NODE(g, "QuantizeLinear", x, s, z), s, z);
}

/* s8 weights with a scale for each place of an axis, or one (axis -1). */
static int weights(tarei_graph *const g, const int rank, const int64_t *const dims,
                   const int axis) {
  int8_t q[4096];
  float scale[64];
  int64_t n = 1;
  for (int i = 0; i < rank; i++) {
    n *= dims[i];
  }
  assert_true(n <= 4096);
  for (int64_t i = 0; i < n; i++) {
    q[i] = (int8_t)(random_below(256) - 128);
  }
  const int64_t scales = axis < 0 ? 1 : dims[axis];
  for (int64_t i = 0; i < scales; i++) {
    scale[i] = 0.001f * (float)(1 + random_below(9));
  }
  const int w = tarei_graph_add_const(g, "w", TARE_I8, rank, dims, q);
  const int s = tarei_graph_add_const(g, "ws", TARE_F32, axis >= 0, &scales, scale);
  const int real = NODE(g, "DequantizeLinear", w, s);
  assert_true(tarei_attr_set_int(maker(g, real), "axis", axis < 0 ? 1 : axis));
  return real;
}

static tare_model *finish(tarei_graph *const g, const int out) {
  tare_model *model;
  assert_true(tarei_graph_mark_output(g, out));
  g->values[out].observable = true;
  OK(tarei_graph_infer(g, &err));
  OK(tarei_model_new(g, &model, &err));
  return model;
}

/* Convolutions: asymmetric bytes at the input, padding, bytes whose range is a Relu, depthwise,
 * groups. */
static tare_model *convolutions(void) {
  tarei_graph *const g = tarei_graph_new("convolutions");
  int v = input(g, 3, (const char *const[]){"n", "6", "t"});
  v = through(g, v, TARE_U8, 0.03f, 113);
  v = NODE(g, "Conv", v, weights(g, 3, DIMS(16, 6, 5), 0));
  assert_true(tarei_attr_set_ints(maker(g, v), "pads", DIMS(2, 2), 2));
  v = through(g, v, TARE_I8, 0.05f, -128);
  v = NODE(g, "Conv", v, weights(g, 3, DIMS(16, 1, 3), 0));
  assert_true(tarei_attr_set_int(maker(g, v), "group", 16) &&
              tarei_attr_set_ints(maker(g, v), "pads", DIMS(1, 1), 2));
  v = through(g, v, TARE_U8, 0.02f, 140);
  v = NODE(g, "Conv", v, weights(g, 3, DIMS(8, 8, 3), -1));
  assert_true(tarei_attr_set_int(maker(g, v), "group", 2));
  return finish(g, through(g, v, TARE_U8, 0.05f, 130));
}

static int reshaped(tarei_graph *const g, const int x, const int64_t *const to, const int n) {
  const int64_t dim = n;
  return NODE(g, "Reshape", x, tarei_graph_add_const(g, "to", TARE_I64, 1, &dim, to));
}

static int head(tarei_graph *const g, const int x, const int zero, const bool keys) {
  int v = through(g, NODE(g, "MatMul", x, weights(g, 2, DIMS(16, 16), 1)), TARE_U8, 0.04f, zero);
  v = NODE(g, "Transpose", reshaped(g, v, DIMS(0, 0, 2, 8), 4));
  assert_true(
      tarei_attr_set_ints(maker(g, v), "perm", keys ? DIMS(0, 2, 3, 1) : DIMS(0, 2, 1, 3), 4));
  return v;
}

/* Products of two activations, neither of which is symmetric. */
static tare_model *products(void) {
  tarei_graph *const g = tarei_graph_new("products");
  const int x = through(g, input(g, 3, (const char *const[]){"n", "t", "16"}), TARE_U8, 0.03f, 119);
  const int scores = NODE(g, "MatMul", head(g, x, 117, false), head(g, x, 141, true));
  const int rows = NODE(g, "Softmax", through(g, scores, TARE_U8, 0.2f, 122));
  assert_true(tarei_attr_set_int(maker(g, rows), "axis", -1));
  const int mixed =
      NODE(g, "MatMul", through(g, rows, TARE_U8, 1.0f / 256, 0), head(g, x, 99, false));
  const int joined = NODE(g, "Transpose", through(g, mixed, TARE_U8, 0.03f, 120));
  assert_true(tarei_attr_set_ints(maker(g, joined), "perm", DIMS(0, 2, 1, 3), 4));
  const int out =
      NODE(g, "MatMul", reshaped(g, joined, DIMS(0, 0, 16), 3), weights(g, 2, DIMS(16, 16), 1));
  return finish(g, through(g, out, TARE_U8, 0.05f, 128));
}

/* A layer whose weights the model leaves float, one whose weights do not fit, one without bytes. */
static tare_model *mixed(void) {
  tarei_graph *const g = tarei_graph_new("mixed");
  float w[64];
  uint8_t q[64];
  for (int i = 0; i < 64; i++) {
    w[i] = 0.01f * (float)(random_below(100) - 50);
    q[i] = (uint8_t)(i % 2 ? 255 : 0);
  }
  const uint8_t zero = 77;
  int v = through(g, input(g, 2, (const char *const[]){"n", "8"}), TARE_U8, 0.03f, 119);
  v = NODE(g, "MatMul", v, tarei_graph_add_const(g, "w", TARE_F32, 2, DIMS(8, 8), w));
  v = through(g, v, TARE_U8, 0.05f, 128);
  v = NODE(g, "MatMul", v,
           NODE(g, "DequantizeLinear", tarei_graph_add_const(g, "q", TARE_U8, 2, DIMS(8, 8), q),
                number(g, 0.01f), tarei_graph_add_const(g, "z", TARE_U8, 0, NULL, &zero)));
  v = NODE(g, "Tanh", v);
  return finish(g, NODE(g, "MatMul", v, weights(g, 2, DIMS(8, 8), 1)));
}

/* The product of DynamicQuantizeLinear, per column. */
static tare_model *dynamic(void) {
  tarei_graph *const g = tarei_graph_new("dynamic");
  int8_t w[16 * 8];
  float scale[8];
  for (int i = 0; i < 16 * 8; i++) {
    w[i] = (int8_t)(random_below(255) - 127);
    scale[i % 8] = 0.01f * (float)(1 + i % 8);
  }
  const int x = input(g, 2, (const char *const[]){"n", "16"});
  const int q[] = {tarei_graph_add_value(g, "q"), tarei_graph_add_value(g, "s"),
                   tarei_graph_add_value(g, "z")};
  assert_true(tarei_graph_add_node(g, "DynamicQuantizeLinear", "", "d", 11, &x, 1, q, 3) >= 0);
  const int sums = NODE(g, "MatMulInteger", q[0],
                        tarei_graph_add_const(g, "w", TARE_I8, 2, DIMS(16, 8), w), q[2]);
  const int cast = NODE(g, "Cast", sums);
  assert_true(tarei_attr_set_int(maker(g, cast), "to", TARE_F32));
  const int scales =
      NODE(g, "Mul", q[1], tarei_graph_add_const(g, "ws", TARE_F32, 1, DIMS(8), scale));
  return finish(g, NODE(g, "Mul", cast, scales));
}

/* Products of channels with channels: sums over t. */
static tare_model *correlations(void) {
  tarei_graph *const g = tarei_graph_new("correlations");
  const int x = through(g, input(g, 3, (const char *const[]){"n", "4", "t"}), TARE_U8, 0.03f, 128);
  const int turned = NODE(g, "Transpose", x);
  assert_true(tarei_attr_set_ints(maker(g, turned), "perm", DIMS(0, 2, 1), 3));
  return finish(g, NODE(g, "MatMul", x, turned));
}

/* --- plans ------------------------------------------------------------------------------------ */

static tare_plan *plan_at(const tare_model *const model, const char *const lengths,
                          const bool fp32) {
  const tare_port *ports;
  tare_profiles *profiles = NULL;
  tare_build_options o;
  tare_plan *plan = NULL;
  const int n = tare_model_inputs(model, &ports);
  OK(tare_profiles_new(ports, n, &profiles, &err));
  OK(tare_profiles_add(profiles, lengths, &err));
  tare_build_options_init(&o);
  o.fp32 = fp32;
  OK(tare_plan_build(model, profiles, &o, &plan, &err));
  tare_profiles_free(&profiles);
  return plan;
}

static tare_plan *plan_of(const tare_model *const model, const bool fp32) {
  const tare_port *ports;
  tare_model_inputs(model, &ports);
  return plan_at(model, ports[0].rank == 3 ? "n=1:2:3,t=4:11:64" : "n=1:4:8", fp32);
}

static int count(const tare_plan *const plan, const char *const precision) {
  int n = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    n += strcmp(tare_precision_name(tare_plan_layer(plan, i).got), precision) == 0;
  }
  return n;
}

/* The one layer with this reason, which is float. */
static tare_layer layer_with(const tare_plan *const plan, const tare_reason why) {
  tare_layer found = {0};
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    if (layer.why == why) {
      assert_int_equal(found.why, TARE_REASON_NONE);
      assert_int_equal(layer.asked, TARE_PRECISION_INT8);
      assert_int_equal(layer.got, TARE_PRECISION_FP32);
      found = layer;
    }
  }
  assert_int_equal(found.why, why);
  return found;
}

/* The first output for random data; free it. */
static float *run(const tare_plan *const plan, const tare_tensor *const x, size_t *const n) {
  tare_context *context = NULL;
  tare_tensor out;
  OK(tare_context_new(plan, NULL, &context, &err));
  OK(tare_context_run(context, x, &out, &err));
  *n = (size_t)tare_tensor_count(&out);
  float *const copy = malloc(*n * sizeof *copy);
  assert_non_null(copy);
  memcpy(copy, out.data, *n * sizeof *copy);
  tare_context_free(&context);
  return copy;
}

static float largest_difference(const tare_plan *const a, const tare_plan *const b) {
  const tare_port *port;
  tare_plan_inputs(a, &port);
  tare_tensor x = {.dtype = TARE_F32, .rank = port->rank};
  float data[2 * 16 * 16];
  for (int i = 0; i < 512; i++) {
    data[i] = 0.01f * (float)(random_below(600) - 300);
  }
  x.data = data;
  for (int i = 0; i < x.rank; i++) {
    x.dims[i] = port->dims[i].value >= 0 ? port->dims[i].value : i == 0 ? 2 : 13;
  }
  size_t n, m;
  float *const left = run(a, &x, &n), *const right = run(b, &x, &m);
  assert_int_equal(n, m);
  float largest = 0;
  for (size_t i = 0; i < n; i++) {
    largest = fmaxf(largest, fabsf(left[i] - right[i]));
  }
  free(left);
  free(right);
  return largest;
}

static tare_plan *reloaded(const tare_plan *const plan) {
  char path[] = "/tmp/tare-quantized-XXXXXX";
  const int file = mkstemp(path);
  tare_plan *loaded = NULL;
  assert_true(file >= 0);
  (void)close(file);
  OK(tare_plan_save(plan, path, &err));
  OK(tare_plan_load(path, &loaded, &err));
  (void)unlink(path);
  return loaded;
}

/* Within `limit` of the model in float, with so many layers in int8, saved and loaded too. */
static void expect(tare_model *model, const int layers, const float limit) {
  tare_plan *int8 = plan_of(model, false), *fp32 = plan_of(model, true), *again = reloaded(int8);
  assert_int_equal(count(int8, "int8") + count(int8, "int8-rows"), layers);
  assert_int_equal(count(fp32, "int8"), 0);
  assert_true(largest_difference(int8, fp32) <= limit);
  assert_true(largest_difference(int8, again) == 0);
  tare_plan_free(&int8);
  tare_plan_free(&fp32);
  tare_plan_free(&again);
  tare_model_free(&model);
}

static void convolutions_agree(void **state) {
  (void)state;
  expect(convolutions(), 3, 0.0501f);
}

static void products_agree(void **state) {
  (void)state;
  expect(products(), 6, 0.0501f);
}

/* One scale per row beside one per tensor: neither is exact. */
static void dynamic_layers_agree(void **state) {
  (void)state;
  expect(dynamic(), 1, 0.6f);
}

static void float_layers_say_why(void **state) {
  (void)state;
  tare_model *model = mixed();
  tare_plan *plan = plan_of(model, false);
  assert_int_equal(count(plan, "int8"), 0);
  assert_string_equal(layer_with(plan, TARE_REASON_FLOAT_WEIGHTS).reason,
                      "weights 'w' are float in the model");
  const tare_layer wide = layer_with(plan, TARE_REASON_WEIGHT_RANGE);
  char text[200];
  snprintf(text, sizeof text,
           "weights '%s' are outside -128..127 after their zero point is subtracted", wide.subject);
  assert_string_equal(wide.reason, text);
  assert_non_null(strstr(layer_with(plan, TARE_REASON_NO_SCALE).reason, "no scale for '"));
  tare_plan_free(&plan);
  tare_model_free(&model);
}

/* Sums that may get too long at the profiles' largest lengths are float from the start. */
static void lengths_of_the_profiles_decide(void **state) {
  (void)state;
  tare_model *model = correlations();
  tare_plan *plan = plan_at(model, "n=1:1:1,t=4:11:65793", false);
  assert_int_equal(count(plan, "int8"), 1);
  tare_plan_free(&plan);
  plan = plan_at(model, "n=1:1:1,t=4:11:65794", false);
  assert_int_equal(count(plan, "int8"), 0);
  assert_string_equal(layer_with(plan, TARE_REASON_LONG_SUM).reason,
                      "sums of 65794 products, the limit of int8 is 65793");
  tare_plan_free(&plan);
  tare_model_free(&model);
}

static void models_tell(void **state) {
  (void)state;
  tare_model *model = convolutions();
  assert_int_equal(tare_model_get_info(model).n_stated, 4);
  tare_model_free(&model);
  model = dynamic();
  assert_int_equal(tare_model_get_info(model).n_stated, 1);
  tare_model_free(&model);
}

int quantized_model_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(convolutions_agree),
      cmocka_unit_test(products_agree),
      cmocka_unit_test(dynamic_layers_agree),
      cmocka_unit_test(float_layers_say_why),
      cmocka_unit_test(lengths_of_the_profiles_decide),
      cmocka_unit_test(models_tell),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
