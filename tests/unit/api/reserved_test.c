/* Options in whose room for later versions something stands are refused, by all calls that take
 * them: a program that sets a member which this library does not have is told so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <tare/tare.h>

#define INTENTS TARE_SOURCE_DIR "/examples/intents-mini/"
#define MODEL INTENTS "intents-mini.onnx"

static tare_error err;

static void refuses(const tare_status status, const char *const type) {
  assert_int_equal(status, TARE_E_USAGE);
  assert_true(strncmp(err.message, type, strlen(type)) == 0);
  assert_non_null(strstr(err.message, "newer library"));
}

static void loading(void **const state) {
  (void)state;
  tare_load_options load;
  tare_load_options_init(&load);
  load.reserved[7] = &load;
  tare_model *model = NULL;
  refuses(tare_model_load_with(MODEL, &load, &model, &err), "tare_load_options");
  tare_plan *plan = NULL;
  refuses(tare_plan_load_with("none", &load, &plan, &err), "tare_load_options");
  tare_extract *extract = NULL;
  refuses(tare_extract_new(MODEL, &load, &extract, &err), "tare_load_options");
  tare_import *import = NULL;
  refuses(tare_import_new(MODEL, &load, &import, &err), "tare_load_options");
  tare_check *check = NULL;
  refuses(tare_check_new(MODEL, 0, &load, &check, &err), "tare_load_options");
  assert_true(!model && !plan && !extract && !import && !check);
}

static void limits(void **const state) {
  (void)state;
  tare_limits own;
  tare_limits_init(&own);
  own.reserved[0] = 1;
  const tare_load_options load = {.limits = &own};
  tare_model *model = NULL;
  refuses(tare_model_load_with(MODEL, &load, &model, &err), "tare_limits");
}

static void calibration(void **const state) {
  tare_model *const model = *state;
  const tare_port *inputs;
  const int n = tare_model_inputs(model, &inputs);
  tare_profiles *profiles = NULL;
  assert_int_equal(tare_profiles_new(inputs, n, &profiles, &err), TARE_OK);
  assert_int_equal(tare_profiles_add(profiles, "sequence=4:64:512", &err), TARE_OK);
  const char *const path = INTENTS "calib.h5";
  tare_dataset_options data;
  tare_dataset_options_init(&data);
  data.inputs = inputs;
  data.n_inputs = n;
  data.reserved[0] = &data;
  tare_dataset *dataset = NULL;
  refuses(tare_dataset_open(&path, 1, &data, &dataset, &err), "tare_dataset_options");
  data.reserved[0] = NULL;
  const tare_length_bounds bounds = {.min = 2, .reserved = {&data}};
  data.lengths = &bounds;
  data.n_lengths = 1;
  refuses(tare_dataset_open(&path, 1, &data, &dataset, &err), "tare_length_bounds");
  data.n_lengths = 0;
  assert_int_equal(tare_dataset_open(&path, 1, &data, &dataset, &err), TARE_OK);

  const tare_choice choice = {.reserved = {&data}};
  refuses(tare_dataset_choose(dataset, profiles, TARE_OUTSIDE_ERROR, &choice, &err), "tare_choice");
  tare_calibrate_options calibrate;
  tare_calibrate_options_init(&calibrate);
  calibrate.reserved[3] = &data;
  tare_stats *stats = NULL;
  refuses(tare_calibrate(model, dataset, profiles, &calibrate, &stats, &err),
          "tare_calibrate_options");
  tare_build_options build;
  tare_build_options_init(&build);
  build.reserved[1] = &data;
  tare_plan *plan = NULL;
  refuses(tare_plan_build(model, profiles, &build, &plan, &err), "tare_build_options");
  assert_int_equal(tare_plan_build(model, profiles, NULL, &plan, &err), TARE_OK);

  tare_context_options run;
  tare_context_options_init(&run);
  run.reserved[6] = &data;
  tare_context *context = NULL;
  refuses(tare_context_new(plan, &run, &context, &err), "tare_context_options");
  tare_eval_options eval;
  tare_eval_options_init(&eval);
  eval.reserved[0] = &data;
  tare_eval_result result;
  refuses(tare_eval(plan, dataset, &eval, &result, &err), "tare_eval_options");
  tare_tune_options tune;
  tare_tune_options_init(&tune);
  tune.reserved[0] = &data;
  tare_tuned *tuned = NULL;
  refuses(tare_tune(model, profiles, dataset, dataset, &tune, &tuned, &err), "tare_tune_options");
  tare_plan_free(&plan);
  tare_dataset_close(&dataset);
  tare_profiles_free(&profiles);
}

/* Samples of 4 ids and their mask; the second one has a member that later versions may have. */
static tare_status next_sample(void *const user, tare_fed_sample *const out,
                               tare_error *const reason) {
  (void)reason;
  static int64_t ids[] = {2, 17, 23, 3};
  static const tare_tensor tensors[] = {{TARE_I64, 1, {4}, ids}, {TARE_I64, 1, {4}, ids}};
  int *const at = user;
  out->tensors = tensors;
  out->reserved[3] = (*at)++ ? user : NULL;
  return TARE_OK;
}

static void feeds(void **const state) {
  const tare_model *const model = *state;
  int at = 0;
  tare_feed feed = {.name = "own", .count = -1, .next = next_sample, .user = &at};
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.n_inputs = tare_model_inputs(model, &options.inputs);
  options.skip_bad = true; /* no sample is bad: the program is */
  feed.reserved[7] = &at;
  tare_dataset *dataset = NULL;
  refuses(tare_dataset_open_feed(&feed, &options, &dataset, &err), "tare_feed");
  assert_null(dataset);
  feed.reserved[7] = NULL;
  assert_int_equal(tare_dataset_open_feed(&feed, &options, &dataset, &err), TARE_OK);
  const tare_sample *sample = NULL;
  assert_int_equal(tare_dataset_next(dataset, &sample, &err), TARE_OK);
  assert_non_null(sample);
  assert_int_equal(tare_dataset_next(dataset, &sample, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "tare_fed_sample: it has a member"));
  tare_dataset_close(&dataset);
}

static void tables(void **const state) {
  (void)state;
  const tare_table_entry entry = tare_table_unknown("x", 1);
  tare_table_draft draft = {.entries = &entry, .n_tensors = 1, .reserved = {&err}};
  tare_table *table = NULL;
  refuses(tare_table_make(&draft, &table, &err), "tare_table_draft");
  draft.reserved[0] = NULL;
  assert_int_equal(tare_table_make(&draft, &table, &err), TARE_OK);
  tare_table_write_options write;
  tare_table_write_options_init(&write);
  write.reserved[0] = &err;
  refuses(tare_table_write(table, 0, &write, "never", &err), "tare_table_write_options");
  const tare_trt_options trt = {.reserved = {&err}};
  refuses(tare_table_write_trt(table, &trt, "never", &err), "tare_trt_options");
  tare_export_options export;
  tare_export_options_init(&export);
  export.table = table;
  export.reserved[2] = &err;
  tare_export *exported = NULL;
  refuses(tare_export_new(MODEL, &export, &exported, &err), "tare_export_options");
  tare_table_free(&table);
}

static int load_model(void **const state) {
  return tare_model_load(MODEL, (tare_model **)state, &err) != TARE_OK;
}

static int free_model(void **const state) {
  tare_model_free((tare_model **)state);
  return 0;
}

int reserved_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loading),
      cmocka_unit_test(limits),
      cmocka_unit_test(calibration),
      cmocka_unit_test(feeds),
      cmocka_unit_test(tables),
  };
  return cmocka_run_group_tests(tests, load_model, free_model);
}
