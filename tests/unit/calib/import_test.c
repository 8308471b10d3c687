/* Quantized models turned back: exporting again gives the same bytes, for every target and form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/calib/support/exports.h"

#define CHAIN TARE_SOURCE_DIR "/tests/fixtures/qdq/chain.onnx"
#define INTEGERS TARE_SOURCE_DIR "/tests/fixtures/qdq/integers_"
#define FOREIGN TARE_SOURCE_DIR "/tests/fixtures/qdq/foreign.onnx"

static tare_import *import_of(const char *const path, char **const clean) {
  tare_error err = {0};
  tare_import *in = NULL;
  bool external = false;
  export_must(tare_import_new(path, NULL, &in, &err), &err);
  *clean = export_new_path();
  export_must(tare_import_save(in, *clean, 0, &external, &err), &err);
  assert_false(external);
  return in;
}

/* Exports, imports, exports again. */
static void round_trip(const export_subject *const s, const tare_export_options *const o) {
  tare_error err = {0};
  char *clean = NULL;
  char *const first = export_write(s, o, 0, NULL, NULL);
  tare_import *in = import_of(first, &clean);
  const tare_import_counts counts = tare_import_count(in);
  if (counts.kept || counts.relus || counts.scales || !counts.activations || !counts.constants) {
    fail_msg("%s: %d kept, %d relus, %d scales, %d activations, %d constants", s->path, counts.kept,
             counts.relus, counts.scales, counts.activations, counts.constants);
  }
  export_subject again = *s;
  again.path = clean;
  tare_export_options to = *o;
  to.table = tare_import_table(in);
  to.layer_precisions = tare_import_precisions(in);
  char *const second = export_write(&again, &to, 0, NULL, NULL);
  export_assert_same_files(first, second);
  export_must(tare_table_write_json(to.table, second, &err), &err);
  tare_table *read = NULL;
  export_must(tare_table_read(second, &read, &err), &err);
  to.table = read;
  char *const third = export_write(&again, &to, 0, NULL, NULL);
  export_assert_same_files(first, third);
  tare_table_free(&read);
  tare_import_free(&in);
  export_drop_path(first);
  export_drop_path(second);
  export_drop_path(third);
  export_drop_path(clean);
}

static void an_export_comes_back_to_the_byte(void **const state) {
  (void)state;
  for (int i = 0; i < N_EXPORT_SUBJECTS * tare_n_export_targets() * TARE_ROWS_COUNT *
                          TARE_EXPORT_WEIGHTS_COUNT;
       i++) {
    const export_subject *const s = &export_subjects[i % N_EXPORT_SUBJECTS];
    tare_export_options o = export_options_of(s);
    o.target = i / N_EXPORT_SUBJECTS % tare_n_export_targets();
    o.rows = (tare_row_form)(i / N_EXPORT_SUBJECTS / tare_n_export_targets() % TARE_ROWS_COUNT);
    o.weights =
        (tare_export_weights)(i / N_EXPORT_SUBJECTS / tare_n_export_targets() / TARE_ROWS_COUNT);
    tare_error err = {0};
    tare_export *out = NULL;
    if (o.weights == TARE_EXPORT_WEIGHTS_INT7) { /* no channel has 127 */
      continue;
    }
    if (tare_export_new(s->path, &o, &out, &err) == TARE_E_USAGE) { /* not a form of the target */
      assert_true(o.rows != TARE_ROWS_FLOAT || o.weights == TARE_EXPORT_WEIGHTS_UINT8);
      continue;
    }
    tare_export_free(&out);
    round_trip(s, &o);
  }
}

/* The first product shares its input with two others, so that the table has its threshold. */
static void float_layers_stay_float(void **const state) {
  (void)state;
  const export_subject *const s = &export_subjects[1];
  tare_export_options o = export_options_of(s);
  tare_export *out = NULL;
  tare_error err = {0};
  char spec[256];
  export_must(tare_export_new(s->path, &o, &out, &err), &err);
  snprintf(spec, sizeof spec, "%s:fp32", tare_export_layer(out, 0).name);
  tare_export_free(&out);
  o.layer_precisions = spec;
  char *clean = NULL, *const path = export_write(s, &o, 0, NULL, NULL);
  tare_import *in = import_of(path, &clean);
  assert_string_equal(tare_import_precisions(in), spec);
  tare_import_free(&in);
  export_drop_path(path);
  export_drop_path(clean);
  round_trip(s, &o);
}

static tare_table_entry entry_of(const tare_table *const table, const char *const tensor) {
  const int i = tare_table_find(table, tensor);
  if (i < 0) {
    fail_msg("no threshold of %s", tensor);
  }
  return tare_table_get(table, i, 0);
}

/* Scales of other tools: uneven zero points, a Relu that a zero point stands for, an output behind
 * a pair, weights whose largest integer is not 127, and integers that something else reads. */
static void foreign_models_come_back(void **const state) {
  (void)state;
  tare_error err = {0};
  char *clean = NULL;
  tare_import *in = import_of(FOREIGN, &clean);
  const tare_import_counts counts = tare_import_count(in);
  const tare_table *const table = tare_import_table(in);
  assert_int_equal(counts.activations, 3);
  assert_int_equal(counts.constants, 2);
  assert_int_equal(counts.relus, 1);
  assert_int_equal(counts.scales, 1);
  assert_int_equal(counts.kept, 2);
  assert_string_equal(tare_import_kept(in, 0).op, "MatMulInteger");
  assert_string_equal(tare_import_kept(in, 1).op, "QuantizeLinear");
  const tare_table_entry x = entry_of(table, "x");
  assert_true(x.min == -0.5 * 100 && x.max == 0.5 * 155 && x.amax == x.max);
  assert_int_equal(tare_table_n_warnings(table), 1);
  assert_true(entry_of(table, "h_restored").min == 0);
  assert_true(fabs(entry_of(table, "h_restored").amax - 255 * 0.25) < 1e-4);
  assert_true(entry_of(table, "y").amax == 127 * 0.125);
  tare_model *model = NULL;
  const tare_port *outputs = NULL;
  export_must(tare_model_load(clean, &model, &err), &err);
  assert_int_equal(tare_model_outputs(model, &outputs), 2);
  assert_string_equal(outputs[0].name, "y");
  tare_model_free(&model);
  tare_import_free(&in);
  export_drop_path(clean);
}

/* No node is left that quantizes: another import finds nothing. */
static void assert_float(const char *const path) {
  tare_error err = {0};
  tare_import *in = NULL;
  assert_int_equal(tare_import_new(path, NULL, &in, &err), TARE_E_UNSUPPORTED);
  assert_non_null(strstr(err.message, "is not quantized"));
}

static void operators_on_integers_come_back(void **const state) {
  (void)state;
  char *clean = NULL;
  tare_import *in = import_of(INTEGERS "static.onnx", &clean);
  tare_import_counts counts = tare_import_count(in);
  const tare_table *const table = tare_import_table(in);
  assert_int_equal(counts.kept, 0);
  assert_int_equal(counts.relus, 1);
  assert_int_equal(counts.dynamic, 0);
  assert_true(entry_of(table, "a").min == 0);
  assert_true(entry_of(table, "p").amax == entry_of(table, "a").amax);
  assert_true(entry_of(table, "x").amax == (double)0.02f * 127);
  assert_string_equal(tare_import_precisions(in), "");
  assert_float(clean);
  tare_import_free(&in);
  export_drop_path(clean);
  in = import_of(INTEGERS "dynamic.onnx", &clean);
  counts = tare_import_count(in);
  assert_int_equal(counts.kept, 0);
  assert_int_equal(counts.dynamic, 5);
  assert_int_equal(counts.activations, 0);
  assert_int_equal(tare_table_n_tensors(tare_import_table(in)), 0);
  assert_non_null(strstr(tare_import_precisions(in), "conv_scaled_quant:int8-rows"));
  assert_float(clean);
  tare_import_free(&in);
  export_drop_path(clean);
}

static tare_plan *plan_of(const export_subject *const s, const char *const path,
                          const tare_build_options *const build) {
  tare_error err = {0};
  tare_model *model = NULL;
  tare_plan *plan = NULL;
  export_must(tare_model_load(path, &model, &err), &err);
  export_must(tare_plan_build(model, s->profiles, build, &plan, &err), &err);
  tare_model_free(&model);
  return plan;
}

/* Biases become parts of sums, rounded to their units, where the model does not state the scales.
 */
static void assert_near_outputs(const export_subject *const s, tare_plan *const a,
                                const tare_plan *const b) {
  tare_error err = {0};
  tare_eval_options eval;
  tare_eval_options_init(&eval);
  eval.against = b;
  eval.outside = TARE_OUTSIDE_NEAREST;
  tare_eval_result result;
  export_must(tare_dataset_rewind(s->dataset, &err), &err);
  export_must(tare_eval(a, s->dataset, &eval, &result, &err), &err);
  if (result.total.sqnr_db < 55 || result.total.samples != EXPORT_SAMPLES) {
    fail_msg("%d samples, %.2f dB", (int)result.total.samples, result.total.sqnr_db);
  }
  tare_eval_result_fini(&result);
}

/* The first layer reads one channel: exports leave it float, and builds give it row scales, as they
 * do the others, which follow its level. */
static void a_quantized_model_runs_as_a_build_with_its_table(void **const state) {
  (void)state;
  static const struct {
    const char *target;
    bool symmetric;
  } CASES[] = {{"tensorrt", true}, {"generic", true}, {"openvino", false}};
  export_subject s = export_subjects[0];
  s.path = CHAIN;
  export_open_subject(&s);
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    tare_export_options o = export_options_of(&s);
    while (strcmp(tare_export_target_at(o.target)->name, CASES[i].target) != 0) {
      o.target++;
    }
    int n = 0;
    char *clean = NULL, *const path = export_write(&s, &o, 0, "int8", &n);
    assert_int_equal(n, 3);
    tare_import *in = import_of(path, &clean);
    tare_build_options build;
    tare_build_options_init(&build);
    build.int8_when_small = true;
    tare_plan *quantized = plan_of(&s, path, &build);
    build.table = tare_import_table(in);
    build.symmetric = CASES[i].symmetric;
    build.layer_precisions = "*:int8,first:fp32";
    tare_plan *direct = plan_of(&s, clean, &build);
    assert_near_outputs(&s, quantized, direct);
    tare_plan_free(&quantized);
    tare_plan_free(&direct);
    tare_import_free(&in);
    export_drop_path(path);
    export_drop_path(clean);
  }
  export_close_subject(&s);
}

static void precisions_must_not_contradict_the_model(void **const state) {
  (void)state;
  export_subject s = export_subjects[0];
  const tare_export_options o = export_options_of(&s);
  char *const path = export_write(&s, &o, 0, NULL, NULL);
  static const char *const ASKED[] = {"*/tail.2/Conv:fp32", "*/tail.2/Conv:int8-rows",
                                      "*/tail.2/Conv:int8"};
  for (int i = 0; i < 3; i++) {
    tare_error err = {0};
    tare_model *model = NULL;
    tare_plan *plan = NULL;
    tare_build_options build;
    tare_build_options_init(&build);
    build.int8_when_small = true;
    build.layer_precisions = ASKED[i];
    export_must(tare_model_load(path, &model, &err), &err);
    const tare_status status = tare_plan_build(model, s.profiles, &build, &plan, &err);
    assert_int_equal(status, i < 2 ? TARE_E_USAGE : TARE_OK);
    assert_true(i == 2 || strstr(err.message, "/tail/tail.2/Conv"));
    tare_plan_free(&plan);
    tare_model_free(&model);
  }
  export_drop_path(path);
}

static void what_is_not_quantized_is_refused(void **const state) {
  (void)state;
  tare_import *in = NULL;
  tare_error err = {0};
  assert_int_equal(tare_import_new(export_subjects[0].path, NULL, &in, &err), TARE_E_UNSUPPORTED);
  assert_null(in);
  assert_int_equal(tare_import_new("/no/such.onnx", NULL, &in, &err), TARE_E_INPUT);
}

int import_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_export_comes_back_to_the_byte),
      cmocka_unit_test(float_layers_stay_float),
      cmocka_unit_test(foreign_models_come_back),
      cmocka_unit_test(operators_on_integers_come_back),
      cmocka_unit_test(a_quantized_model_runs_as_a_build_with_its_table),
      cmocka_unit_test(precisions_must_not_contradict_the_model),
      cmocka_unit_test(what_is_not_quantized_is_refused),
  };
  return cmocka_run_group_tests(tests, export_open_subjects, export_close_subjects);
}
