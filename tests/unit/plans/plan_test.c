/* Plans end to end on the shipped example: float and int8, saved and loaded, on every ISA. */
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

#include "engine/plan.h"
#include "unit/plans/support/digits.h"
#include "unit/engine/support/isas.h"

/* A copy of the output for a made-up wave of n samples; *count receives its elements. */
static float *run_wave(const tare_plan *const plan, const int n, const int threads,
                       int64_t *const count) {
  float *const wave = malloc((size_t)n * sizeof *wave);
  assert_non_null(wave);
  uint32_t x = 12345;
  for (int i = 0; i < n; i++) {
    x = x * 1664525u + 1013904223u;
    wave[i] = (float)((int32_t)x >> 8) * 0x1p-24f * (float)(i % 1000) * 1e-3f;
  }
  const tare_tensor in = {.dtype = TARE_F32, .rank = 1, .dims = {n}, .data = wave};
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = threads;
  tare_context *context = NULL;
  DIGITS_OK(tare_context_new(plan, &options, &context, &digits_error));
  tare_tensor out;
  DIGITS_OK(tare_context_run(context, &in, &out, &digits_error));
  *count = tare_tensor_count(&out);
  float *const copy = malloc((size_t)*count * sizeof *copy);
  assert_non_null(copy);
  memcpy(copy, out.data, (size_t)*count * sizeof *copy);
  tare_context_free(&context);
  free(wave);
  return copy;
}

/* One scale for each input, but for the raw signal; weights to nearest. */
static tare_plan *build_static(const digits *const f) {
  tare_build_options options;
  tare_build_options_init(&options);
  options.int8_when_small = true;
  options.table = f->table;
  options.layer_precisions = "*:int8,/front/front.0*:int8-rows";
  options.symmetric = true; /* residuals too, although they may get louder */
  options.weight_rounding = TARE_ROUNDING_NEAREST;
  tare_plan *plan = NULL;
  DIGITS_OK(tare_plan_build(f->model, f->one, &options, &plan, &digits_error));
  return plan;
}

/* Layers of a residual net hand bytes on: floats go in where rows are quantized at run time, and
 * come out at the end. */
static void int8_layers_exchange_bytes(void **state) {
  const digits *const f = *state;
  tare_plan *plan = build_static(f);
  int floats = 0;
  for (int s = 0; s < plan->root.n_steps; s++) {
    const tarei_node *const node = plan->root.steps[s].node;
    assert_ptr_equal(node->op, &tarei_op_qconv_last);
    for (int o = 0; o < node->n_out; o++) {
      floats += plan->root.graph->values[node->out[o]].dtype == TARE_F32;
    }
    floats -= tarei_attr_int(node, "row_scales", 0) != 0;
  }
  assert_int_equal(plan->root.n_steps, 23);
  assert_int_equal(floats, 0); /* the first input is the caller's, the last output is float */
  tare_plan_free(&plan);
}

static void assert_same_outputs(const tare_plan *const a, const int threads_a,
                                const tare_plan *const b, const int threads_b) {
  static const int lengths[] = {1600, 1601, 4096, 15999, 40000};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    int64_t n, m;
    float *const x = run_wave(a, lengths[i], threads_a, &n);
    float *const y = run_wave(b, lengths[i], threads_b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    free(x);
    free(y);
  }
}

static void threads_do_not_change_a_bit(void **state) {
  const digits *const f = *state;
  for (int int8 = 0; int8 < 2; int8++) {
    tare_plan *plan = digits_build(f, int8 ? f->table : NULL, NULL);
    assert_same_outputs(plan, 1, plan, 2);
    assert_same_outputs(plan, 1, plan, 3);
    tare_plan_free(&plan);
  }
}

/* One plan for each set of features that a row of kernels.inc asks for and this CPU has. */
static void every_isa_gives_the_same_bits(void **state) {
  const digits *const f = *state;
  const isas all = isas_of_this_cpu();
  for (int int8 = 0; int8 < 2; int8++) {
    tare_plan *first = digits_build(f, int8 ? f->table : NULL, all.name[0]);
    for (int i = 1; i < all.n; i++) { /* the last one is scalar, and slow: it runs once */
      tare_plan *plan = digits_build(f, int8 ? f->table : NULL, all.name[i]);
      assert_same_outputs(first, 1, plan, 2);
      tare_plan_free(&plan);
    }
    tare_plan_free(&first);
  }
}

static void a_loaded_plan_runs_like_the_built_one(void **state) {
  const digits *const f = *state;
  char path[100];
  snprintf(path, sizeof path, "%s/x.plan", f->folder);
  for (int int8 = 0; int8 < 2; int8++) {
    tare_plan *built = digits_build(f, int8 ? f->table : NULL, NULL), *loaded = NULL;
    DIGITS_OK(tare_plan_save(built, path, &digits_error));
    assert_true(tare_plan_is_plan_file(path));
    DIGITS_OK(tare_plan_load(path, &loaded, &digits_error));
    assert_same_outputs(built, 2, loaded, 2);
    assert_int_equal(tare_plan_n_layers(built), tare_plan_n_layers(loaded));
    for (int i = 0; i < tare_plan_n_layers(built); i++) {
      const tare_layer a = tare_plan_layer(built, i), b = tare_plan_layer(loaded, i);
      assert_string_equal(a.name, b.name);
      assert_string_equal(a.precision, b.precision);
      assert_string_equal(a.output_type, b.output_type);
      assert_string_equal(a.output_reason, b.output_reason);
      assert_int_equal(a.asked, b.asked);
      assert_int_equal(a.got, b.got);
      assert_int_equal(a.why, b.why);
      assert_string_equal(a.subject, b.subject);
      assert_true(a.number == b.number);
      assert_string_equal(a.shape, b.shape);
    }
    tare_plan_free(&built);
    tare_plan_free(&loaded);
    unlink(path);
  }
}

static float amax_of(const float *const w, const size_t n) {
  float amax = 0;
  for (size_t i = 0; i < n; i++) {
    amax = fmaxf(amax, fabsf(w[i]));
  }
  return amax;
}

/* Of each output channel, in a plan that still has the floats and in its file. */
static void weight_scales_are_those_of_the_channels(void **state) {
  const digits *const f = *state;
  char path[100];
  snprintf(path, sizeof path, "%s/x.plan", f->folder);
  tare_plan *built = build_static(f), *loaded = NULL;
  DIGITS_OK(tare_plan_save(built, path, &digits_error));
  DIGITS_OK(tare_plan_load(path, &loaded, &digits_error));
  for (int i = 0; i < tare_plan_n_layers(built); i++) {
    const tarei_step *const step = &built->root.steps[i];
    const tare_tensor w = tarei_value_tensor(step->graph, step->node->in[1]);
    const size_t k = (size_t)(tare_tensor_count(&w) / w.dims[0]);
    float a[512], b[512];
    assert_true(w.dims[0] <= 512);
    assert_int_equal(tare_plan_weight_scales(built, i, 1, a), w.dims[0]);
    assert_int_equal(tare_plan_weight_scales(loaded, i, 1, b), w.dims[0]);
    assert_memory_equal(a, b, (size_t)w.dims[0] * sizeof *a);
    for (size_t c = 0; c < (size_t)w.dims[0]; c++) {
      const float scale = amax_of((const float *)w.data + c * k, k) / 127.0f;
      assert_memory_equal(&a[c], &scale, sizeof scale);
    }
  }
  tare_plan_free(&built);
  tare_plan_free(&loaded);
  unlink(path);
}

static int count_layers(const tare_plan *const plan, const char *const op,
                        const char *const precision) {
  int n = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    n += strcmp(layer.op, op) == 0 && strcmp(layer.precision, precision) == 0;
  }
  return n;
}

static void layers_get_what_was_asked_for(void **state) {
  const digits *const f = *state;
  tare_plan *plan = digits_build(f, f->table, NULL);
  assert_int_equal(count_layers(plan, "QConvLast", "int8-rows"), 14); /* may get louder, */
  assert_int_equal(count_layers(plan, "ConvLast", "fp32"), 9); /* also where rows have no scales */
  tare_plan_free(&plan);
  tare_build_options options;
  tare_build_options_init(&options);
  options.int8_when_small = true;
  options.table = f->table;
  options.layer_precisions = "*:fp32,/front/*:int8,*front.3*:fp32";
  DIGITS_OK(tare_plan_build(f->model, f->one, &options, &plan, &digits_error));
  assert_int_equal(count_layers(plan, "QConvLast", "int8"), 2);
  assert_int_equal(count_layers(plan, "ConvLast", "fp32"), 21);
  tare_plan_free(&plan);
  options.layer_precisions = "*:int8,/front/*:int8-rows";
  DIGITS_OK(tare_plan_build(f->model, f->one, &options, &plan, &digits_error));
  assert_int_equal(count_layers(plan, "QConvLast", "int8-rows"), 3);
  tare_plan_free(&plan);
  options.symmetric = true; /* as TensorRT has it: static scales */
  options.layer_precisions = NULL;
  DIGITS_OK(tare_plan_build(f->model, f->one, &options, &plan, &digits_error));
  assert_int_equal(count_layers(plan, "QConvLast", "int8"), 23);
  tare_plan_free(&plan);
  options.symmetric = false;
  options.layer_precisions = "nobody*:fp32";
  assert_int_equal(tare_plan_build(f->model, f->one, &options, &plan, &digits_error), TARE_E_USAGE);
  assert_non_null(strstr(digits_error.message, "'nobody*'"));
  options.layer_precisions = "*:int4";
  assert_int_equal(tare_plan_build(f->model, f->one, &options, &plan, &digits_error), TARE_E_USAGE);
  options.table = NULL;
  options.layer_precisions = "/head/*:int8-rows"; /* needs no table */
  DIGITS_OK(tare_plan_build(f->model, f->one, &options, &plan, &digits_error));
  assert_int_equal(count_layers(plan, "QConvLast", "int8-rows"), 1);
  tare_plan_free(&plan);
  options.layer_precisions = "/head/*:int8";
  options.constraints = TARE_CONSTRAINTS_OBEY;
  assert_int_equal(tare_plan_build(f->model, f->one, &options, &plan, &digits_error),
                   TARE_E_UNSUPPORTED);
  assert_non_null(strstr(digits_error.message, "/head/Conv"));
  assert_non_null(strstr(digits_error.message, "no calibration table"));
  options.constraints = TARE_CONSTRAINTS_PREFER;
  DIGITS_OK(tare_plan_build(f->model, f->one, &options, &plan, &digits_error));
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    if (strcmp(layer.name, "/head/Conv") == 0) {
      assert_int_equal(layer.asked, TARE_PRECISION_INT8);
      assert_int_equal(layer.got, TARE_PRECISION_FP32);
      assert_string_equal(layer.precision, "fp32");
      assert_string_equal(layer.reason, "no calibration table");
    }
  }
  tare_plan_free(&plan);
}

static void the_profile_of_the_shape_gives_the_scales(void **state) {
  const digits *const f = *state;
  tare_table *table = digits_calibrate(f->model, f->two, true);
  assert_int_equal(tare_table_n_profiles(table), 2);
  tare_build_options options;
  tare_build_options_init(&options);
  options.int8_when_small = true;
  options.table = table;
  tare_plan *plan = NULL;
  assert_int_equal(tare_plan_build(f->model, f->one, &options, &plan, &digits_error), TARE_E_USAGE);
  DIGITS_OK(tare_plan_build(f->model, f->two, &options, &plan, &digits_error));
  tare_context *context = NULL;
  const tare_context_options beyond = {.profile = 2}, negative = {.threads = -1, .profile = -1};
  assert_int_equal(tare_context_new(plan, &beyond, &context, &digits_error), TARE_E_USAGE);
  assert_string_equal(digits_error.message, "profile 2: the plan has profiles 0..1");
  assert_int_equal(tare_context_new(plan, &negative, &context, &digits_error), TARE_E_USAGE);
  assert_string_equal(digits_error.message, "-1 threads: expected 0 or more");
  DIGITS_OK(tare_context_new(plan, NULL, &context, &digits_error));
  float *const wave = calloc(50000, sizeof *wave);
  tare_tensor in = {.dtype = TARE_F32, .rank = 2, .dims = {1, 12000}, .data = wave}, out;
  DIGITS_OK(tare_context_run(context, &in, &out, &digits_error));
  assert_int_equal(tare_context_profile(context), 0);
  in.dims[1] = 12001;
  DIGITS_OK(tare_context_run(context, &in, &out, &digits_error));
  assert_int_equal(tare_context_profile(context), 1);
  in.dims[1] = 50000;
  assert_int_equal(tare_context_run(context, &in, &out, &digits_error), TARE_E_SHAPE);
  assert_non_null(strstr(digits_error.message, "samples=50000"));
  assert_non_null(strstr(digits_error.message, "40000"));
  in.dims[1] = 12000;
  DIGITS_OK(
      tare_context_run(context, &in, &out, &digits_error)); /* an error leaves the context usable */
  in.dtype = TARE_I64;
  assert_int_equal(tare_context_run(context, &in, &out, &digits_error), TARE_E_USAGE);
  tare_context_free(&context);
  free(wave);
  tare_plan_free(&plan);
  tare_table_free(&table);
}

static void impossible_profiles_name_the_node(void **state) {
  const digits *const f = *state;
  const char *const path = TARE_SHARED_DIR "/models/digits-former.onnx";
  if (access(path, R_OK) != 0) {
    print_message("skipped: %s is not there\n", path);
    skip();
  }
  (void)f;
  tare_model *model = NULL;
  DIGITS_OK(tare_model_load(path, &model, &digits_error));
  tare_profiles *profiles = digits_profiles(model, "samples=5:1600:8000", NULL);
  tare_plan *plan = NULL;
  assert_int_equal(tare_plan_build(model, profiles, NULL, &plan, &digits_error), TARE_E_SHAPE);
  assert_non_null(strstr(digits_error.message, "profile 0"));
  assert_non_null(strstr(digits_error.message, "convs.0"));
  tare_profiles_free(&profiles);
  tare_model_free(&model);
}

static void a_profile_of_no_elements_is_refused(void **state) {
  (void)state;
  tare_model *model = NULL;
  DIGITS_OK(tare_model_load(TARE_SOURCE_DIR "/tests/fixtures/onnx/good_small.onnx", &model,
                            &digits_error));
  tare_profiles *profiles = digits_profiles(model, "batch=1,seq=0", NULL);
  tare_plan *plan = NULL;
  assert_int_equal(tare_plan_build(model, profiles, NULL, &plan, &digits_error), TARE_E_SHAPE);
  assert_non_null(strstr(digits_error.message, "every output is empty at seq=0: expected"));
  tare_profiles_free(&profiles);
  tare_model_free(&model);
}

int plan_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(int8_layers_exchange_bytes),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(every_isa_gives_the_same_bits),
      cmocka_unit_test(a_loaded_plan_runs_like_the_built_one),
      cmocka_unit_test(weight_scales_are_those_of_the_channels),
      cmocka_unit_test(layers_get_what_was_asked_for),
      cmocka_unit_test(the_profile_of_the_shape_gives_the_scales),
      cmocka_unit_test(impossible_profiles_name_the_node),
      cmocka_unit_test(a_profile_of_no_elements_is_refused),
  };
  return cmocka_run_group_tests_name("plans.plan", tests, digits_setup, digits_teardown);
}
