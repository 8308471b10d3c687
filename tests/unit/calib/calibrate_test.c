/* The whole pass, on the trained models where they are at hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/calib.h>
#include <unistd.h>

#define MODEL TARE_SHARED_DIR "/models/digits-conv.onnx"
#define DATA TARE_SHARED_DIR "/data/digits-espeak/calib"
#define PROFILE_SHORT "samples=1600:16000:24000"
#define PROFILE_LONG "samples=24001:30000:60000"

static void require_shared(void) {
  if (access(MODEL, R_OK) != 0 || access(DATA, R_OK) != 0) {
    print_message("skipped: %s is missing\n", MODEL);
    skip();
  }
}

typedef struct setup {
  tare_model *model;
  tare_profiles *profiles;
  tare_dataset *dataset;
} setup;

static setup open_all(const int64_t limit) {
  setup s = {0};
  tare_error err = {0};
  const tare_port *ports = NULL;
  const char *const paths[] = {DATA};
  if (tare_model_load(MODEL, &s.model, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  const int n = tare_model_inputs(s.model, &ports);
  assert_int_equal(tare_profiles_new(ports, n, &s.profiles, &err), TARE_OK);
  assert_int_equal(tare_profiles_add(s.profiles, PROFILE_SHORT, &err), TARE_OK);
  assert_int_equal(tare_profiles_add(s.profiles, PROFILE_LONG, &err), TARE_OK);
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.inputs = ports;
  options.n_inputs = n;
  options.rate = 8000;
  options.limit = limit;
  if (tare_dataset_open(paths, 1, &options, &s.dataset, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return s;
}

static void close_all(setup *const s) {
  tare_dataset_close(&s->dataset);
  tare_profiles_free(&s->profiles);
  tare_model_free(&s->model);
}

static tare_stats *calibrate(const int64_t limit, const tare_calibrate_options *const options) {
  setup s = open_all(limit);
  tare_stats *stats = NULL;
  tare_error err = {0};
  if (tare_calibrate(s.model, s.dataset, s.profiles, options, &stats, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  close_all(&s);
  return stats;
}

static char *save(const tare_stats *const stats, size_t *const n) {
  char path[] = "tare-calibrate-XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0 && close(fd) == 0);
  assert_int_equal(tare_stats_save(stats, path, NULL), TARE_OK);
  FILE *const file = fopen(path, "rb");
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *n = (size_t)ftell(file);
  rewind(file);
  char *const bytes = malloc(*n);
  assert_int_equal(fread(bytes, 1, *n, file), *n);
  fclose(file);
  unlink(path);
  return bytes;
}

static void threads_do_not_change_a_byte(void **const state) {
  (void)state;
  require_shared();
  char *bytes[2];
  size_t n[2];
  for (int i = 0; i < 2; i++) {
    tare_calibrate_options options;
    tare_calibrate_options_init(&options);
    options.threads = i + 1;
    options.all_tensors = true;
    options.outside = TARE_OUTSIDE_NEAREST;
    tare_stats *stats = calibrate(4, &options);
    bytes[i] = save(stats, &n[i]);
    tare_stats_free(&stats);
  }
  assert_int_equal(n[0], n[1]);
  assert_memory_equal(bytes[0], bytes[1], n[0]);
  free(bytes[0]);
  free(bytes[1]);
}

static int64_t total_count(const tare_stats *const stats, const int tensor) {
  int64_t count = 0;
  for (int p = 0; p < tare_stats_n_profiles(stats); p++) {
    count += tare_stats_get(stats, tensor, p).count;
  }
  return count;
}

/* Padded to the profile's max the valid region is that of the native length, up to what the
 * receptive field sees of the padding: the counts are equal, whatever was padded. */
static void padding_is_not_counted(void **const state) {
  (void)state;
  require_shared();
  tare_calibrate_options options;
  tare_calibrate_options_init(&options);
  options.outside = TARE_OUTSIDE_NEAREST;
  tare_stats *native = calibrate(2, &options);
  options.fit = TARE_FIT_PAD;
  tare_stats *padded = calibrate(2, &options);
  options.count_padding = true;
  tare_stats *counted = calibrate(2, &options);
  int n_more = 0;
  for (int t = 0; t < tare_stats_n_tensors(native); t++) {
    assert_int_equal(total_count(native, t), total_count(padded, t));
    n_more += total_count(counted, t) > total_count(padded, t);
  }
  assert_true(n_more > tare_stats_n_tensors(native) / 2);
  tare_stats_free(&native);
  tare_stats_free(&padded);
  tare_stats_free(&counted);
}

static void every_method_gives_a_table(void **const state) {
  (void)state;
  require_shared();
  tare_calibrate_options options;
  tare_calibrate_options_init(&options);
  options.outside = TARE_OUTSIDE_NEAREST;
  tare_stats *stats = calibrate(4, &options);
  assert_true(tare_stats_n_tensors(stats) > 5);
  assert_int_equal(tare_stats_profile_samples(stats, 0) + tare_stats_profile_samples(stats, 1), 4);
  for (int m = 0; m < tare_n_methods(); m++) {
    tare_table_options o;
    tare_table_options_init(&o);
    o.method = tare_method_name(m);
    tare_table *table = NULL;
    assert_int_equal(tare_table_from_stats(stats, &o, &table, NULL), TARE_OK);
    assert_true(tare_table_n_tensors(table) >= tare_stats_n_tensors(stats));
    for (int i = 0; i < tare_table_n_warnings(table); i++) {
      print_message("%s: %s\n", o.method, tare_table_warning(table, i));
    }
    tare_table_free(&table);
  }
  tare_stats_free(&stats);
}

static bool stop(void *const user, const int64_t done, const int64_t total) {
  *(int64_t *)user = total;
  return done < 2;
}

static void progress_can_stop(void **const state) {
  (void)state;
  require_shared();
  setup s = open_all(5);
  tare_calibrate_options options;
  tare_calibrate_options_init(&options);
  int64_t total = 0;
  options.outside = TARE_OUTSIDE_NEAREST;
  options.progress = stop;
  options.progress_user = &total;
  tare_stats *stats = NULL;
  tare_error err = {0};
  assert_int_equal(tare_calibrate(s.model, s.dataset, s.profiles, &options, &stats, &err),
                   TARE_E_CHECK);
  assert_null(stats);
  assert_int_equal(total, tare_dataset_count(s.dataset));
  close_all(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_do_not_change_a_byte),
      cmocka_unit_test(padding_is_not_counted),
      cmocka_unit_test(every_method_gives_a_table),
      cmocka_unit_test(progress_can_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
