/* Requests by layer name. Every one for computation, weights and outputs with each other, on both
 * examples: met, or not met with a reason, and then refused where it must be obeyed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "unit/calib/support/exports.h"

static const char *const COMPUTE[] = {NULL,        "fp32",  "bf16",      "int8",
                                      "int8-rows", "int16", "int16-rows"};
static const char *const WEIGHTS[] = {NULL, "fp32", "fp16", "bf16", "int8"};
static const char *const OUTPUTS[] = {NULL, "fp32", "int8"};
enum {
  N_COMPUTE = sizeof COMPUTE / sizeof *COMPUTE,
  N_WEIGHTS = sizeof WEIGHTS / sizeof *WEIGHTS,
  N_OUTPUTS = sizeof OUTPUTS / sizeof *OUTPUTS,
  DIGITS = 0, /* of export_subjects: the convolutional model, */
  INTENTS = 1 /* and that with attention */
};

/* One combination, as the lists of a build. */
typedef struct requested_lists {
  char compute[32], weights[32], outputs[32];
} requested_lists;

static const char *list_of(char *const to, const size_t size, const char *const type) {
  snprintf(to, size, "*:%s", type ? type : "");
  return type ? to : NULL;
}

static tare_build_options options_of(const export_subject *const s, requested_lists *const l,
                                     const int compute, const int weights, const int outputs) {
  tare_build_options o;
  tare_build_options_init(&o);
  o.int8_when_small = true;
  o.table = s->table;
  o.layer_precisions = list_of(l->compute, sizeof l->compute, COMPUTE[compute]);
  o.layer_weight_types = list_of(l->weights, sizeof l->weights, WEIGHTS[weights]);
  o.layer_output_types = list_of(l->outputs, sizeof l->outputs, OUTPUTS[outputs]);
  return o;
}

static tare_dtype stored_as(const tare_precision type) {
  return type == TARE_PRECISION_INT8   ? TARE_I8
         : type == TARE_PRECISION_FP16 ? TARE_F16
         : type == TARE_PRECISION_BF16 ? TARE_BF16
                                       : TARE_F32;
}

/* Counts what a layer did not get; each has a reason, and what it got has none. */
static int check_requests_of(const tare_layer *const l, const requested_lists *const lists) {
  int unmet = 0;
  if (*lists->compute && l->got != TARE_PRECISION_ANY && l->got != l->asked) {
    assert_int_not_equal(l->why, TARE_REASON_NONE);
    assert_int_equal(l->got, TARE_PRECISION_FP32);
    unmet++;
  }
  if (l->weights_asked != TARE_PRECISION_ANY) {
    const bool met = l->weights == stored_as(l->weights_asked);
    if (met == (*l->weights_reason != 0)) {
      fail_msg("%s: weights %s for %s: '%s'", l->name, tare_dtype_name(l->weights),
               tare_precision_name(l->weights_asked), l->weights_reason);
    }
    unmet += !met;
  }
  if (l->output_asked == TARE_PRECISION_FP32) {
    assert_null(strstr(l->output_type, "int8"));
  }
  return unmet + (*l->output_reason != 0);
}

/* Bytes have scales, wherever they are: in integer layers, and stored for float ones. */
static void expect_same_scales(const tare_plan *const a, const tare_plan *const b, const int i) {
  const tare_layer layer = tare_plan_layer(a, i);
  int64_t all = 0;
  for (int t = 0; t < layer.n_inputs; t++) {
    float x[65536], y[65536];
    const int64_t n = tare_plan_weight_scales(a, i, t, NULL);
    assert_true(n <= 65536);
    assert_int_equal(tare_plan_weight_scales(a, i, t, x), n);
    assert_int_equal(tare_plan_weight_scales(b, i, t, y), n);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    for (int64_t s = 0; s < n; s++) {
      assert_true(x[s] > 0);
    }
    all += n;
  }
  assert_int_equal(all > 0, layer.weights == TARE_I8);
}

static void expect_same_layers(const tare_plan *const a, const tare_plan *const b) {
  assert_int_equal(tare_plan_n_layers(a), tare_plan_n_layers(b));
  for (int i = 0; i < tare_plan_n_layers(a); i++) {
    const tare_layer x = tare_plan_layer(a, i), y = tare_plan_layer(b, i);
    assert_string_equal(x.name, y.name);
    assert_int_equal(x.got, y.got);
    assert_int_equal(x.weights, y.weights);
    assert_string_equal(x.weights_reason, y.weights_reason);
    assert_string_equal(x.output_type, y.output_type);
    assert_string_equal(x.output_reason, y.output_reason);
    assert_string_equal(x.kernel, y.kernel);
    assert_int_equal(x.weight_bytes, y.weight_bytes);
    expect_same_scales(a, b, i);
  }
}

static void check_loaded(const tare_plan *const plan) {
  char *const path = export_new_path();
  tare_plan *loaded = NULL;
  tare_error err = {0};
  export_must(tare_plan_save(plan, path, &err), &err);
  export_must(tare_plan_load(path, &loaded, &err), &err);
  expect_same_layers(plan, loaded);
  tare_plan_free(&loaded);
  export_drop_path(path);
}

static void check_combination(const export_subject *const s, const int compute, const int weights,
                              const int outputs) {
  requested_lists lists = {{0}};
  tare_build_options o = options_of(s, &lists, compute, weights, outputs);
  tare_error err = {0};
  tare_plan *plan = NULL, *obeyed = NULL;
  int unmet = 0;
  lists.compute[0] = COMPUTE[compute] ? lists.compute[0] : '\0';
  export_must(tare_plan_build(s->model, s->profiles, &o, &plan, &err), &err);
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    unmet += check_requests_of(&layer, &lists);
  }
  check_loaded(plan);
  tare_plan_free(&plan);
  o.constraints = TARE_CONSTRAINTS_OBEY;
  const tare_status status = tare_plan_build(s->model, s->profiles, &o, &obeyed, &err);
  if (status != (unmet ? TARE_E_UNSUPPORTED : TARE_OK)) {
    fail_msg("%s: %s %s %s: %d not met, but obeying gives %s", s->path, lists.compute,
             lists.weights, lists.outputs, unmet, status == TARE_OK ? "a plan" : err.message);
  }
  tare_plan_free(&obeyed);
}

static void all_requests_are_met_or_say_why_not(void **state) {
  (void)state;
  for (int i = 0; i < N_EXPORT_SUBJECTS * N_COMPUTE * N_WEIGHTS * N_OUTPUTS; i++) {
    const int combination = i / N_EXPORT_SUBJECTS;
    check_combination(&export_subjects[i % N_EXPORT_SUBJECTS], combination % N_COMPUTE,
                      combination / N_COMPUTE % N_WEIGHTS, combination / N_COMPUTE / N_WEIGHTS);
  }
}

/* Products of weights, products of activations and attention: nothing stays in float. */
static void all_products_compute_in_bf16(void **state) {
  (void)state;
  const export_subject *const s = &export_subjects[INTENTS];
  tare_error err = {0};
  tare_build_options options;
  tare_build_options_init(&options);
  options.int8_when_small = true;
  options.layer_precisions = "*:bf16";
  options.constraints = TARE_CONSTRAINTS_OBEY;
  tare_plan *plan = NULL;
  export_must(tare_plan_build(s->model, s->profiles, &options, &plan, &err), &err);
  int attention = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    const bool is_attention = strcmp(layer.op, "Attention") == 0;
    attention += is_attention;
    if (is_attention || strcmp(layer.op, "Linear") == 0) {
      assert_int_equal(layer.got, TARE_PRECISION_BF16);
      assert_non_null(strstr(layer.kernel, "bf16_gemm"));
    }
  }
  assert_true(attention > 0);
  tare_plan_free(&plan);
}

/* --- what layers write ----------------------------------------------------------------------- */

static int count_outputs(const tare_plan *const plan, const char *const type) {
  int n = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    n += strcmp(layer.op, "Quantize") != 0 && strcmp(layer.output_type, type) == 0;
  }
  return n;
}

static void layers_write_what_was_asked_for(void **state) {
  const export_subject *const s = &export_subjects[DIGITS];
  tare_error err = {0};
  (void)state;
  tare_plan *plan = NULL;
  tare_build_options options;
  tare_build_options_init(&options);
  options.int8_when_small = true;
  options.table = s->table;
  options.symmetric = true; /* otherwise many read rows of floats */
  export_must(tare_plan_build(s->model, s->profiles, &options, &plan, &err), &err);
  const int bytes = count_outputs(plan, "int8");
  assert_in_range(bytes, 10, 23);
  tare_plan_free(&plan);
  options.layer_output_types = "*:fp32";
  export_must(tare_plan_build(s->model, s->profiles, &options, &plan, &err), &err);
  assert_int_equal(count_outputs(plan, "int8") + count_outputs(plan, "fp32 + int8"), 0);
  int convolutions = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    assert_string_equal(layer.output_reason, "");
    if (strcmp(layer.op, "QConvLast") == 0) {
      assert_int_equal(layer.output_asked, TARE_PRECISION_FP32);
      convolutions +=
          strcmp(layer.precision, "int8") == 0 || strcmp(layer.precision, "int8-rows") == 0;
    }
  }
  assert_int_equal(convolutions, 23);
  tare_plan_free(&plan);
  options.constraints = TARE_CONSTRAINTS_NONE;
  export_must(tare_plan_build(s->model, s->profiles, &options, &plan, &err), &err);
  assert_int_equal(count_outputs(plan, "int8"), bytes);
  tare_plan_free(&plan);
}

static void unmet_output_types_are_named(void **state) {
  const export_subject *const s = &export_subjects[DIGITS];
  tare_error err = {0};
  (void)state;
  tare_plan *plan = NULL;
  tare_build_options options;
  tare_build_options_init(&options);
  options.int8_when_small = true;
  options.table = s->table;
  options.layer_output_types = "*:fp32,/head/*:int8"; /* an output of the model */
  export_must(tare_plan_build(s->model, s->profiles, &options, &plan, &err), &err);
  int unmet = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    unmet += *layer.output_reason != 0;
    if (strcmp(layer.name, "/head/Conv") == 0) {
      assert_int_equal(layer.output_asked, TARE_PRECISION_INT8);
      assert_string_equal(layer.output_type, "fp32");
      assert_non_null(strstr(layer.output_reason, "as int8"));
    }
  }
  assert_int_equal(unmet, 1);
  tare_plan_free(&plan);
  options.constraints = TARE_CONSTRAINTS_OBEY;
  assert_int_equal(tare_plan_build(s->model, s->profiles, &options, &plan, &err),
                   TARE_E_UNSUPPORTED);
  assert_non_null(strstr(err.message, "'/head/Conv' output in int8 (nothing reads "));
  options.layer_output_types = "nobody*:fp32";
  assert_int_equal(tare_plan_build(s->model, s->profiles, &options, &plan, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "layer output types: no layer that can write int8 matches"));
  options.layer_output_types = "*:int8-rows";
  assert_int_equal(tare_plan_build(s->model, s->profiles, &options, &plan, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "layer output type"));
}

int precisions_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_requests_are_met_or_say_why_not),
      cmocka_unit_test(all_products_compute_in_bf16),
      cmocka_unit_test(layers_write_what_was_asked_for),
      cmocka_unit_test(unmet_output_types_are_named),
  };
  return cmocka_run_group_tests(tests, export_open_subjects, export_close_subjects);
}
