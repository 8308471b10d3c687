/* Calibration and evaluation over the levels of a gain range: the same as over recordings that are
 * louder and quieter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tare/eval.h>
#include <unistd.h>

#define MODEL TARE_SOURCE_DIR "/tests/fixtures/small/digits-conv/digits-conv.onnx"
#define DATA TARE_SOURCE_DIR "/tests/fixtures/small/digits-conv/calib"
#define RANGE "-20:+20dB:20"

enum { SAMPLES = 4, LEVELS = 3, PATH_SIZE = 256 };
static const double GAINS[LEVELS] = {-20, 0, 20};
static char root[] = "tare-levels-XXXXXX";
static tare_model *model;
static tare_profiles *profiles;
static const tare_port *ports;
static int n_ports;

static void check(const tare_status status, const tare_error *const err) {
  if (status != TARE_OK) {
    fail_msg("%s", err->message);
  }
}

/* --- data ------------------------------------------------------------------------------------- */

static void write_array(const char *const path, const tare_tensor *const x, const float factor) {
  char header[118];
  const int64_t n = tare_tensor_count(x);
  const int length =
      snprintf(header, sizeof header,
               "{'descr': '<f4', 'fortran_order': False, 'shape': (1, %lld)}", (long long)n);
  memset(header + length, ' ', sizeof header - (size_t)length);
  header[sizeof header - 1] = '\n';
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  fwrite("\x93NUMPY\1\0\x76\0", 1, 10, file);
  fwrite(header, 1, sizeof header, file);
  for (int64_t i = 0; i < n; i++) {
    const float value = ((const float *)x->data)[i] * factor;
    fwrite(&value, sizeof value, 1, file);
  }
  fclose(file);
}

/* ROOT/SET/NN/audio.npy; ROOT/SET.txt lists the folder in the place that its number says. */
static void write_sample(const char *const set, const int number, const tare_tensor *const x,
                         const float factor) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s", root, set);
  (void)mkdir(path, 0777); /* may be there */
  snprintf(path, sizeof path, "%s/%s/%02d", root, set, number);
  assert_int_equal(mkdir(path, 0777), 0);
  snprintf(path, sizeof path, "%s/%s/%02d/audio.npy", root, set, number);
  write_array(path, x, factor);
}

/* The first recordings; the same the other way round; and each level as a set of its own. */
static void write_sets(void) {
  static const char *const paths[] = {DATA};
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.inputs = ports;
  options.n_inputs = n_ports;
  options.rate = 8000;
  options.limit = SAMPLES;
  tare_dataset *data = NULL;
  const tare_sample *sample = NULL;
  assert_int_equal(tare_dataset_open(paths, 1, &options, &data, NULL), TARE_OK);
  for (int i = 0; i < SAMPLES; i++) {
    assert_int_equal(tare_dataset_next(data, &sample, NULL), TARE_OK);
    write_sample("own", i, &sample->tensors[0], 1);
    write_sample("turned", SAMPLES - i, &sample->tensors[0], 1);
    for (int l = 0; l < LEVELS; l++) {
      char set[16];
      snprintf(set, sizeof set, "level%d", l);
      write_sample(set, i, &sample->tensors[0], (float)pow(10, GAINS[l] / 20));
    }
  }
  tare_dataset_close(&data);
}

static int set_up(void **const state) {
  (void)state;
  tare_error err = {0};
  assert_non_null(mkdtemp(root));
  check(tare_model_load(MODEL, &model, &err), &err);
  n_ports = tare_model_inputs(model, &ports);
  check(tare_profiles_new(ports, n_ports, &profiles, &err), &err);
  check(tare_profiles_add(profiles, "samples=1600:16000:200000", &err), &err);
  write_sets();
  return 0;
}

static int tear_down(void **const state) {
  (void)state;
  char command[PATH_SIZE];
  tare_profiles_free(&profiles);
  tare_model_free(&model);
  snprintf(command, sizeof command, "rm -r %s", root);
  return system(command);
}

static tare_dataset *open_sets(const char *const *const sets, const int n,
                               const char *const range) {
  static const char *const waveforms[] = {"audio"};
  char paths[LEVELS][PATH_SIZE];
  const char *list[LEVELS];
  for (int i = 0; i < n; i++) {
    snprintf(paths[i], PATH_SIZE, "%s/%s", root, sets[i]);
    list[i] = paths[i];
  }
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.inputs = ports;
  options.n_inputs = n_ports;
  options.gain_range = range;
  options.waveforms = waveforms;
  options.n_waveforms = range != NULL;
  tare_dataset *data = NULL;
  tare_error err = {0};
  check(tare_dataset_open(list, n, &options, &data, &err), &err);
  return data;
}

static tare_stats *collect(const char *const *const sets, const int n, const char *const range,
                           const int threads) {
  tare_dataset *data = open_sets(sets, n, range);
  tare_calibrate_options options;
  tare_calibrate_options_init(&options);
  options.threads = threads;
  options.all_tensors = true;
  tare_stats *stats = NULL;
  tare_error err = {0};
  check(tare_calibrate(model, data, profiles, &options, &stats, &err), &err);
  tare_dataset_close(&data);
  return stats;
}

/* --- statistics ------------------------------------------------------------------------------- */

static size_t bytes_of(const tare_stats *const stats, char **const out) {
  char path[PATH_SIZE];
  tare_error err = {0};
  snprintf(path, sizeof path, "%s/a.stats", root);
  check(tare_stats_save(stats, path, &err), &err);
  FILE *const file = fopen(path, "rb");
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  const size_t n = (size_t)ftell(file);
  rewind(file);
  *out = malloc(n);
  assert_int_equal(fread(*out, 1, n, file), n);
  fclose(file);
  return n;
}

static void order_and_threads_do_not_change_a_byte(void **const state) {
  (void)state;
  static const struct {
    const char *set;
    int threads;
  } RUNS[] = {{"own", 1}, {"own", 2}, {"own", 3}, {"turned", 1}, {"turned", 2}};
  char *first = NULL;
  size_t n_first = 0;
  for (size_t i = 0; i < sizeof RUNS / sizeof *RUNS; i++) {
    tare_stats *stats = collect(&RUNS[i].set, 1, RANGE, RUNS[i].threads);
    assert_string_equal(tare_stats_gain_range(stats), "-20:+20:20dB");
    assert_int_equal(tare_stats_profile_samples(stats, 0), SAMPLES);
    char *bytes = NULL;
    const size_t n = bytes_of(stats, &bytes);
    tare_stats_free(&stats);
    if (i == 0) {
      first = bytes;
      n_first = n;
      continue;
    }
    assert_int_equal(n, n_first);
    assert_memory_equal(bytes, first, n);
    free(bytes);
  }
  free(first);
}

/* The counts, and what is computed from the histograms. */
static void levels_count_like_recordings(void **const state) {
  (void)state;
  static const char *const own[] = {"own"}, *const each[] = {"level0", "level1", "level2"};
  tare_stats *range = collect(own, 1, RANGE, 2), *split = collect(each, LEVELS, NULL, 2);
  assert_string_equal(tare_stats_gain_range(split), "");
  assert_int_equal(tare_stats_n_tensors(range), tare_stats_n_tensors(split));
  for (int t = 0; t < tare_stats_n_tensors(range); t++) {
    const tare_stats_entry a = tare_stats_get(range, t, 0), b = tare_stats_get(split, t, 0);
    assert_string_equal(a.tensor, b.tensor);
    assert_int_equal(a.n_samples, b.n_samples);
    assert_int_equal(a.count, b.count);
    assert_true(a.min == b.min && a.max == b.max);
    assert_true(a.static_loss == b.static_loss && a.row_loss == b.row_loss);
  }
  tare_stats_free(&range);
  tare_stats_free(&split);
}

static void files_keep_the_range(void **const state) {
  (void)state;
  static const char *const own[] = {"own"};
  char path[PATH_SIZE];
  tare_error err = {0};
  tare_stats *stats = collect(own, 1, "+12dB", 2);
  tare_table *table = NULL;
  snprintf(path, sizeof path, "%s/a.stats", root);
  check(tare_stats_save(stats, path, &err), &err);
  tare_stats_free(&stats);
  check(tare_stats_load(path, &stats, &err), &err);
  assert_string_equal(tare_stats_gain_range(stats), "+0:+12:10dB");
  check(tare_table_from_stats(stats, NULL, &table, &err), &err);
  snprintf(path, sizeof path, "%s/a.json", root);
  check(tare_table_write_json(table, path, &err), &err);
  tare_table_free(&table);
  check(tare_table_read(path, &table, &err), &err);
  assert_string_equal(tare_table_gain_range(table), "+0:+12:10dB");
  tare_table_free(&table);
  tare_stats_free(&stats);
}

/* --- evaluation ------------------------------------------------------------------------------- */

static tare_plan *build(const tare_table *const table, const char *const precisions) {
  tare_build_options options;
  tare_build_options_init(&options);
  options.int8_when_small = true;
  options.table = table;
  options.layer_precisions = precisions;
  tare_plan *plan = NULL;
  tare_error err = {0};
  check(tare_plan_build(model, profiles, &options, &plan, &err), &err);
  return plan;
}

static tare_eval_result evaluate(const tare_plan *const plan, const tare_plan *const against,
                                 const char *const set, const char *const range,
                                 tare_comparison *const tensors) {
  tare_dataset *data = open_sets(&set, 1, range);
  tare_eval_options options;
  tare_eval_options_init(&options);
  options.against = against;
  options.tensors = tensors;
  tare_eval_result result;
  tare_error err = {0};
  check(tare_eval(plan, data, &options, &result, &err), &err);
  tare_dataset_close(&data);
  return result;
}

/* Sums are added in the order of the samples, and each level has its own. */
static void scores_by_level_are_those_of_recordings(void **const state) {
  (void)state;
  static const char *const own[] = {"own"};
  tare_stats *stats = collect(own, 1, NULL, 2);
  tare_table *table = NULL;
  tare_error err = {0};
  check(tare_table_from_stats(stats, NULL, &table, &err), &err);
  tare_plan *int8 = build(table, "*:int8"), *fp32 = build(NULL, NULL);
  tare_comparison *tensors = NULL;
  check(tare_comparison_new(int8, fp32, false, &tensors, &err), &err);
  tare_eval_result all = evaluate(int8, fp32, "own", RANGE, tensors);
  assert_int_equal(all.total.samples, SAMPLES);
  assert_int_equal(all.n_errors, SAMPLES);
  assert_int_equal(all.fitted.samples, SAMPLES);
  assert_int_equal(all.n_levels, LEVELS);
  const int last = tare_comparison_count(tensors) - 1;
  const tare_tensor_error output = tare_comparison_tensor(tensors, last);
  double lowest = INFINITY;
  for (int l = 0; l < LEVELS; l++) {
    char set[16];
    snprintf(set, sizeof set, "level%d", l);
    tare_eval_result one = evaluate(int8, fp32, set, NULL, NULL);
    const tare_eval_score *const score = &all.levels[l].score;
    assert_true(all.levels[l].gain_db == GAINS[l]);
    assert_int_equal(score->samples, SAMPLES);
    assert_true(score->sqnr_db == one.total.sqnr_db);
    assert_true(score->top1_agreement == one.total.top1_agreement);
    assert_true(fabs(output.level_sqnr_db[l] - score->sqnr_db) < 1e-6);
    assert_int_equal(one.n_levels, 0);
    lowest = fmin(lowest, score->sqnr_db);
    tare_eval_result_fini(&one);
  }
  assert_true(all.total.sqnr_db == lowest);
  assert_true(fabs(output.lowest_sqnr_db - lowest) < 1e-6);
  assert_true(all.levels[2].score.sqnr_db < all.levels[1].score.sqnr_db - 10); /* it clips */
  tare_eval_result_fini(&all);
  tare_comparison_free(&tensors);
  tare_plan_free(&int8);
  tare_plan_free(&fp32);
  tare_table_free(&table);
  tare_stats_free(&stats);
}

/* What the range brings: row scales keep every level. */
static void a_plan_of_the_range_holds_at_its_ends(void **const state) {
  (void)state;
  static const char *const own[] = {"own"};
  tare_stats *stats = collect(own, 1, RANGE, 2);
  tare_table *table = NULL;
  tare_error err = {0};
  check(tare_table_from_stats(stats, NULL, &table, &err), &err);
  tare_plan *int8 = build(table, NULL), *fp32 = build(NULL, NULL);
  tare_eval_result result = evaluate(int8, fp32, "own", RANGE, NULL);
  assert_true(result.total.sqnr_db > 30);
  tare_eval_result_fini(&result);
  tare_plan_free(&int8);
  tare_plan_free(&fp32);
  tare_table_free(&table);
  tare_stats_free(&stats);
}

int levels_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_and_threads_do_not_change_a_byte),
      cmocka_unit_test(levels_count_like_recordings),
      cmocka_unit_test(files_keep_the_range),
      cmocka_unit_test(scores_by_level_are_those_of_recordings),
      cmocka_unit_test(a_plan_of_the_range_holds_at_its_ends),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
