/* One rule for numbers of things: out of range gives nothing, and ends no program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <tare/tare.h>

#define INTENTS TARE_SOURCE_DIR "/examples/intents-mini/"

typedef struct made {
  tare_model *model;
  tare_profiles *profiles;
  tare_dataset *data;
  tare_stats *stats;
  tare_table *table;
  tare_plan *plan;
  tare_context *context;
} made;

static void need(const tare_status status, const tare_error *const err) {
  if (status != TARE_OK) {
    fail_msg("%s", err->message);
  }
}

static int make(void **const state) {
  static made m;
  tare_error err = {0};
  const tare_port *inputs;
  const char *const path = INTENTS "calib.h5";
  tare_dataset_options data;
  need(tare_model_load(INTENTS "intents-mini.onnx", &m.model, &err), &err);
  const int n = tare_model_inputs(m.model, &inputs);
  need(tare_profiles_new(inputs, n, &m.profiles, &err), &err);
  need(tare_profiles_add(m.profiles, "sequence=4:64:512", &err), &err);
  tare_dataset_options_init(&data);
  data.inputs = inputs;
  data.n_inputs = n;
  data.limit = 3;
  need(tare_dataset_open(&path, 1, &data, &m.data, &err), &err);
  need(tare_calibrate(m.model, m.data, m.profiles, NULL, &m.stats, &err), &err);
  need(tare_table_from_stats(m.stats, NULL, &m.table, &err), &err);
  tare_build_options build;
  tare_build_options_init(&build);
  build.table = m.table;
  need(tare_plan_build(m.model, m.profiles, &build, &m.plan, &err), &err);
  need(tare_context_new(m.plan, NULL, &m.context, &err), &err);
  *state = &m;
  return 0;
}

static int unmake(void **const state) {
  made *const m = *state;
  tare_context_free(&m->context);
  tare_plan_free(&m->plan);
  tare_table_free(&m->table);
  tare_stats_free(&m->stats);
  tare_dataset_close(&m->data);
  tare_profiles_free(&m->profiles);
  tare_model_free(&m->model);
  return 0;
}

/* The status of a call, whose message names what there is. */
static void refuses(const tare_status status, const tare_error *const err) {
  assert_int_equal(status, TARE_E_USAGE);
  assert_true(strstr(err->message, "expected 0 to ") || strstr(err->message, "there are none"));
}

static void names_are_null(void **const state) {
  (void)state;
  const int wrong[] = {-1, 1000};
  for (int i = 0; i < 2; i++) {
    const int w = wrong[i];
    assert_null(tare_fit_name((tare_fit)w));
    assert_null(tare_fit_summary((tare_fit)w));
    assert_false(tare_fit_pads((tare_fit)w));
    assert_null(tare_weight_name((tare_weight)w));
    assert_null(tare_precision_name((tare_precision)w));
    assert_null(tare_rounding_name((tare_rounding)w));
    assert_null(tare_severity_name(w));
    assert_null(tare_cover_name(w));
    assert_null(tare_row_form_name(w));
    assert_null(tare_export_weights_name(w));
    assert_null(tare_method_name(w));
    assert_null(tare_method_summary(w));
    assert_false(tare_method_takes_percentile(w));
    assert_null(tare_feature_preset_name(w));
    assert_null(tare_export_target_at(w));
    assert_null(tare_table_format_at(w));
    assert_null(tare_limit_at(w));
    assert_null(tare_metric_name(w));
    assert_null(tare_metric_summary(w));
    assert_null(tare_metric_option_at(w));
    assert_null(tare_metric_get_unit(w).symbol);
    assert_false(tare_metric_lower_is_better(w));
    assert_int_equal(tare_metric_get_truth(w), 0);
    assert_false(tare_metric_takes(w, 0) || tare_metric_takes(0, w));
  }
}

static void statics_refuse(void **const state) {
  (void)state;
  tare_error err = {0};
  tare_limits limits;
  tare_limits_init(&limits);
  assert_int_equal(tare_limit_get(&limits, -1), 0);
  refuses(tare_limit_set(&limits, tare_n_limits(), 5, &err), &err);
  refuses(tare_metric_check(tare_n_metrics(), NULL, 0, &err), &err);
  const tare_table_setting setting = {"version", "1"};
  refuses(tare_table_check_setting(-1, &setting, &err), &err);
}

static void statistics_and_tables(void **const state) {
  const made *const m = *state;
  const int tensors = tare_stats_n_tensors(m->stats);
  tare_error err = {0};
  tare_histogram histogram;
  tare_sample_id low, high;
  const char *lost[TARE_MAX_TABLE_PARTS];
  const int wrong[] = {-1, tensors, 1000};
  for (int i = 0; i < 3; i++) {
    assert_null(tare_stats_get(m->stats, wrong[i], 0).tensor);
    assert_null(tare_stats_get(m->stats, 0, wrong[i]).tensor);
    assert_null(tare_stats_profile(m->stats, wrong[i]));
    assert_int_equal(tare_stats_profile_samples(m->stats, wrong[i]), 0);
    assert_false(tare_stats_origin(m->stats, wrong[i], 0, &low, &high));
    assert_false(tare_stats_has_shard(m->stats, wrong[i]));
    refuses(tare_stats_histogram(m->stats, wrong[i], &histogram, &err), &err);
    assert_null(tare_table_get(m->table, wrong[i] == tensors ? 1000 : wrong[i], 0).tensor);
    assert_null(tare_table_get(m->table, 0, wrong[i]).tensor);
    assert_null(tare_table_profile(m->table, wrong[i]));
    assert_null(tare_table_spec(m->table, wrong[i]));
    assert_null(tare_table_warning(m->table, wrong[i]));
    const int no_format = wrong[i] < 0 ? -1 : 1000;
    assert_int_equal(tare_table_lost(m->table, no_format, NULL, lost), 0);
    assert_false(tare_table_keeps(m->table, no_format, 0) || tare_table_keeps(m->table, 0, 1000));
    refuses(tare_table_write(m->table, no_format, NULL, "never", &err), &err);
  }
  assert_int_equal(tare_table_find(m->table, "no such tensor"), -1);
}

static void models_and_data(void **const state) {
  const made *const m = *state;
  const int wrong[] = {-1, 1000};
  for (int i = 0; i < 2; i++) {
    const char *name = "";
    int count = 1;
    tare_model_operator(m->model, wrong[i], &name, &count);
    assert_true(!name && count == 0);
    assert_null(tare_profiles_symbol(m->profiles, wrong[i]));
    assert_false(tare_profiles_is_sum(m->profiles, wrong[i]));
    assert_int_equal(tare_profiles_range(m->profiles, wrong[i], 0).max, 0);
    assert_int_equal(tare_profiles_range(m->profiles, 0, wrong[i]).max, 0);
    assert_true(tare_dataset_level_db(m->data, wrong[i]) == 0);
    assert_null(tare_dataset_bad(m->data, wrong[i]));
  }
  const tare_port *inputs, *outputs;
  const int n = tare_model_inputs(m->model, &inputs);
  const int n_outputs = tare_model_outputs(m->model, &outputs);
  tare_streaming *streaming = NULL;
  assert_int_equal(tare_streaming_new(inputs, n, outputs, n_outputs, &streaming, NULL), TARE_OK);
  assert_null(tare_streaming_state_input(streaming, 0));
  assert_null(tare_streaming_state_reason(streaming, 0));
  assert_null(tare_streaming_state_reason(streaming, -1));
  assert_null(tare_streaming_state_output(streaming, -1));
  tare_streaming_free(&streaming);
}

static void plans(void **const state) {
  const made *const m = *state;
  tare_error err = {0};
  const int wrong[] = {-1, 100000};
  const int64_t values[TARE_MAX_SYMBOLS] = {64};
  int64_t dims[TARE_MAX_RANK];
  double operations = 1;
  for (int i = 0; i < 2; i++) {
    const int w = wrong[i];
    assert_null(tare_plan_layer(m->plan, w).name);
    assert_null(tare_plan_pass(m->plan, w).name);
    assert_null(tare_plan_unused_rounding(m->plan, w));
    assert_null(tare_plan_unused_clipping(m->plan, w));
    assert_null(tare_plan_unused_correction(m->plan, w));
    assert_null(tare_plan_unused_smoothing(m->plan, w));
    assert_int_equal(tare_plan_weight_scales(m->plan, w, 0, NULL), 0);
    assert_int_equal(tare_plan_weight_scales(m->plan, 0, w, NULL), 0);
    refuses(tare_plan_layer_operations(m->plan, w, values, &operations, &err), &err);
    assert_true(operations == 0);
    refuses(tare_plan_layer_dims(m->plan, w, 0, values, dims, &err), &err);
    refuses(tare_plan_layer_dims(m->plan, 0, w, values, dims, &err), &err);
    assert_true(tare_context_layer_seconds(m->context, w) == 0);
  }
}

static void evaluations(void **const state) {
  made *const m = *state;
  tare_error err = {0};
  tare_eval_options options;
  tare_eval_options_init(&options);
  options.against = m->plan;
  tare_eval_result result;
  need(tare_dataset_rewind(m->data, &err), &err);
  need(tare_eval(m->plan, m->data, &options, &result, &err), &err);
  tare_eval_score score;
  const int64_t wrong[] = {-1, result.n_samples};
  tare_difference difference;
  const tare_error_tally *const tallies[] = {result.errors};
  for (int i = 0; i < 2; i++) {
    refuses(tare_eval_score_of(&result, &wrong[i], 1, &score, &err), &err);
    refuses(tare_sqnr_differences(tallies, 1, result.n_samples, 1, (int)wrong[i], &difference, NULL,
                                  &err),
            &err);
  }
  tare_eval_result_fini(&result);
  tare_comparison *comparison = NULL;
  need(tare_comparison_new(m->plan, m->plan, true, &comparison, &err), &err);
  assert_null(tare_comparison_tensor(comparison, -1).name);
  tare_comparison_set_bounds(comparison, 1000, 0, 0);
  tare_comparison_set_histogram(comparison, -1);
  tare_comparison_free(&comparison);
}

static void files(void **const state) {
  (void)state;
  tare_error err = {0};
  tare_extract *extract = NULL;
  tare_check *check = NULL;
  need(tare_extract_new(INTENTS "intents-mini.onnx", NULL, &extract, &err), &err);
  assert_null(tare_extract_node_at(extract, -1).name);
  assert_null(tare_extract_output(extract, 1000));
  tare_extract_free(&extract);
  need(tare_check_new(INTENTS "intents-mini.onnx", 0, NULL, &check, &err), &err);
  assert_null(tare_check_finding(check, 1000).rule);
  assert_null(tare_check_layer(check, -1).name);
  tare_check_free(&check);
}

int numbers_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_null),
      cmocka_unit_test(statics_refuse),
      cmocka_unit_test(statistics_and_tables),
      cmocka_unit_test(models_and_data),
      cmocka_unit_test(plans),
      cmocka_unit_test(evaluations),
      cmocka_unit_test(files),
  };
  return cmocka_run_group_tests(tests, make, unmake);
}
