/* The whole pass, on an example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tare/calib.h>
#include <unistd.h>

#include "unit/calib/support/stats_bytes.h"

#define MODEL TARE_SOURCE_DIR "/tests/fixtures/small/digits-conv/digits-conv.onnx"
#define DATA TARE_SOURCE_DIR "/tests/fixtures/small/digits-conv/calib"
#define LOOKUP TARE_SOURCE_DIR "/tests/fixtures/onnx/good_late_lookup.onnx"
#define PROFILE_SHORT "samples=400:4000:6000"
#define PROFILE_LONG "samples=6001:7500:12000"

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

/* one worker; two threads in it; workers; workers with different numbers of threads */
static void threads_do_not_change_a_byte(void **const state) {
  (void)state;
  static const struct {
    int64_t limit;
    int threads;
  } runs[] = {{2, 1}, {2, 2}, {8, 1}, {8, 2}, {8, 3}};
  enum { RUNS = sizeof runs / sizeof *runs };
  char *bytes[RUNS];
  size_t n[RUNS];
  for (int i = 0; i < RUNS; i++) {
    tare_calibrate_options options;
    tare_calibrate_options_init(&options);
    options.threads = runs[i].threads;
    options.all_tensors = true;
    options.outside = TARE_OUTSIDE_NEAREST;
    tare_stats *stats = calibrate(runs[i].limit, &options);
    bytes[i] = stats_bytes(stats, &n[i]);
    tare_stats_free(&stats);
    if (i > 0 && runs[i].limit == runs[i - 1].limit) {
      assert_int_equal(n[i], n[i - 1]);
      assert_memory_equal(bytes[i], bytes[i - 1], n[i]);
    }
  }
  for (int i = 0; i < RUNS; i++) {
    free(bytes[i]);
  }
}

/* With any number of workers the first sample that fails is told, as if there were one. */
static void the_first_failure_is_told(void **const state) {
  (void)state;
  tare_error err[2] = {{0}};
  for (int i = 0; i < 2; i++) {
    setup s = open_all(0);
    tare_calibrate_options options;
    tare_calibrate_options_init(&options);
    options.threads = 1 + 2 * i;
    tare_stats *stats = NULL;
    assert_int_equal(tare_calibrate(s.model, s.dataset, s.profiles, &options, &stats, &err[i]),
                     TARE_E_SHAPE); /* outside both profiles */
    assert_null(stats);
    close_all(&s);
  }
  assert_string_equal(err[0].message, err[1].message);
}

/* Those outside all profiles are left out, and the bytes are those of the others alone. */
static void samples_outside_are_left_out(void **const state) {
  (void)state;
  char *bytes[2];
  size_t n[2];
  for (int i = 0; i < 2; i++) {
    setup s = open_all(8);
    tare_calibrate_options options;
    tare_calibrate_options_init(&options);
    options.outside = TARE_OUTSIDE_SKIP;
    options.threads = 1 + i;
    tare_stats *stats = NULL;
    tare_error err = {0};
    if (tare_calibrate(s.model, s.dataset, s.profiles, &options, &stats, &err) != TARE_OK) {
      fail_msg("%s", err.message);
    }
    int64_t counted = 0;
    for (int p = 0; p < tare_stats_n_profiles(stats); p++) {
      counted += tare_stats_profile_samples(stats, p);
    }
    const tare_left_out out = tare_dataset_left_out(s.dataset);
    assert_true(out.outside > 0 && counted > 0);
    assert_int_equal(counted + out.outside, tare_dataset_count(s.dataset));
    assert_int_equal(tare_dataset_n_bad(s.dataset), 0);
    bytes[i] = stats_bytes(stats, &n[i]);
    tare_stats_free(&stats);
    close_all(&s);
  }
  assert_int_equal(n[0], n[1]);
  assert_memory_equal(bytes[0], bytes[1], n[0]);
  free(bytes[0]);
  free(bytes[1]);
}

enum { SAMPLES = 12 };

static void write_array(const char *const folder, const char *const name, const char *const type,
                        const char *const shape, const void *const data, const size_t bytes) {
  char path[256], header[119] = {0};
  snprintf(path, sizeof path, "%s/%s.npy", folder, name);
  const int n = snprintf(header, sizeof header,
                         "{'descr': '%s', 'fortran_order': False, 'shape': %s}", type, shape);
  memset(header + n, ' ', sizeof header - (size_t)n);
  header[sizeof header - 1] = '\n';
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  fwrite("\x93NUMPY\1\0\x77\0", 1, 10, file);
  fwrite(header, 1, sizeof header, file);
  fwrite(data, 1, bytes, file);
  fclose(file);
}

/* Sample i; a bad one has an id outside the table of five, or an input of another length. */
static void write_sample(const char *const folder, const int i, const bool bad) {
  const float scale = bad ? 1000.0f : (float)(i + 1);
  const float x[] = {scale, -1, 0.5f, scale};
  const int64_t ids[] = {bad ? 7 : i % 5, 0};
  assert_int_equal(mkdir(folder, 0777), 0);
  write_array(folder, "x", "<f4", "(1, 4)", x, sizeof x);
  write_array(folder, "ids", "<i8", bad && i % 2 ? "(2,)" : "(1,)", ids,
              bad && i % 2 ? sizeof ids : sizeof *ids);
}

/* Calibrates on samples in folders of the working folder; range NULL: at their own level. */
static tare_status calibrate_folders(const char *const root, const char *const range,
                                     const bool skip_bad, const int threads,
                                     tare_stats **const stats, int64_t *const bad,
                                     tare_error *const err) {
  static const char *const waveforms[] = {"x"};
  setup s = {0};
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  assert_int_equal(tare_model_load(LOOKUP, &s.model, err), TARE_OK);
  options.n_inputs = tare_model_inputs(s.model, &options.inputs);
  options.skip_bad = skip_bad;
  options.gain_range = range;
  options.waveforms = waveforms;
  options.n_waveforms = range != NULL;
  assert_int_equal(tare_profiles_new(options.inputs, options.n_inputs, &s.profiles, err), TARE_OK);
  assert_int_equal(tare_profiles_add(s.profiles, "batch=1:1:2", err), TARE_OK);
  assert_int_equal(tare_dataset_open(&root, 1, &options, &s.dataset, err), TARE_OK);
  tare_calibrate_options how;
  tare_calibrate_options_init(&how);
  how.threads = threads;
  how.all_tensors = true;
  const tare_status status = tare_calibrate(s.model, s.dataset, s.profiles, &how, stats, err);
  *bad = tare_dataset_n_bad(s.dataset);
  if (*bad > 1) {
    assert_non_null(strstr(tare_dataset_bad(s.dataset, 0), "03: "));
    assert_non_null(strstr(tare_dataset_bad(s.dataset, 1), "08: "));
    assert_non_null(
        strstr(tare_dataset_bad(s.dataset, 1), "index 7 in 'ids' is out of range: expected -5..4"));
  }
  close_all(&s);
  return status;
}

/* The model looks an id up only after it has given other tensors: nothing of such a sample, which
 * is as loud as can be, may count. */
static void refuse_samples(const char *const range) {
  char root[] = "tare-refused-XXXXXX", path[64];
  assert_non_null(mkdtemp(root));
  static const char *const SETS[] = {"good", "mixed"};
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", root, SETS[i]);
    assert_int_equal(mkdir(path, 0777), 0);
    for (int k = 0; k < SAMPLES; k++) {
      const bool bad = k == 3 || k == 8;
      snprintf(path, sizeof path, "%s/%s/%02d", root, SETS[i], k);
      if (!bad || i == 1) {
        write_sample(path, k, bad);
      }
    }
  }
  char *bytes[3];
  size_t n[3];
  for (int i = 0; i < 3; i++) {
    tare_stats *stats = NULL;
    int64_t bad = 0;
    tare_error err = {0};
    snprintf(path, sizeof path, "%s/%s", root, SETS[i > 0]);
    if (calibrate_folders(path, range, true, 1 + 2 * (i / 2), &stats, &bad, &err) != TARE_OK) {
      fail_msg("%s", err.message);
    }
    assert_int_equal(bad, i > 0 ? 2 : 0);
    bytes[i] = stats_bytes(stats, &n[i]);
    tare_stats_free(&stats);
    assert_int_equal(n[i], n[0]);
    assert_memory_equal(bytes[i], bytes[0], n[0]);
  }
  tare_stats *stats = NULL;
  int64_t bad = 0;
  tare_error err = {0};
  assert_int_equal(calibrate_folders(path, range, false, 3, &stats, &bad, &err), TARE_E_SHAPE);
  assert_non_null(strstr(err.message, "03: "));
  for (int i = 0; i < 3; i++) {
    free(bytes[i]);
  }
  snprintf(path, sizeof path, "rm -r %s", root);
  assert_int_equal(system(path), 0);
}

static void what_the_model_refuses_does_not_count(void **const state) {
  (void)state;
  refuse_samples(NULL);
}

/* Nor does any level of it, whichever worker took which. */
static void what_the_model_refuses_does_not_count_at_any_level(void **const state) {
  (void)state;
  refuse_samples("-20:+20dB");
}

typedef struct watch {
  pthread_t thread;
  int64_t done;
  bool ok;
} watch;

static bool watch_progress(void *const user, const int64_t done, const int64_t total) {
  watch *const w = user;
  w->ok = w->ok && done >= w->done && done <= total && pthread_equal(w->thread, pthread_self());
  w->done = done;
  return true;
}

static void progress_grows_on_the_calling_thread(void **const state) {
  (void)state;
  watch w = {.thread = pthread_self(), .ok = true};
  tare_calibrate_times times = {0};
  tare_calibrate_options options;
  tare_calibrate_options_init(&options);
  options.threads = 2;
  options.outside = TARE_OUTSIDE_NEAREST;
  options.progress = watch_progress;
  options.progress_user = &w;
  options.times = &times;
  tare_stats *stats = calibrate(9, &options);
  assert_true(w.ok);
  assert_int_equal(w.done, 9);
  assert_true(times.reading > 0 && times.running > 0 && times.observing > 0);
  tare_stats_free(&stats);
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

int calibrate_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_do_not_change_a_byte),
      cmocka_unit_test(the_first_failure_is_told),
      cmocka_unit_test(samples_outside_are_left_out),
      cmocka_unit_test(what_the_model_refuses_does_not_count),
      cmocka_unit_test(what_the_model_refuses_does_not_count_at_any_level),
      cmocka_unit_test(progress_grows_on_the_calling_thread),
      cmocka_unit_test(padding_is_not_counted),
      cmocka_unit_test(every_method_gives_a_table),
      cmocka_unit_test(progress_can_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
