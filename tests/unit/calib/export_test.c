/* Quantized models, written and read back: every target with every form, on both examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>
#include <unistd.h>

#define EXAMPLES TARE_SOURCE_DIR "/examples"

/* A model with its table, and its float plan. */
typedef struct subject {
  const char *path, *data, *profile;
  int rate;
  double least_db; /* of any export beside the float model */
  tare_model *model;
  tare_profiles *profiles;
  tare_dataset *dataset;
  tare_table *table;
  tare_plan *plan;
} subject;

static subject subjects[] = {
    {.path = EXAMPLES "/digits-conv/digits-conv.onnx",
     .data = EXAMPLES "/digits-conv/calib",
     .profile = "samples=1600:16000:40000",
     .rate = 8000,
     .least_db = 15},
    {.path = EXAMPLES "/intents-mini/intents-mini.onnx",
     .data = EXAMPLES "/intents-mini/calib.h5",
     .profile = "sequence=2:64:512",
     .least_db = 15},
};

enum { N_SUBJECTS = sizeof subjects / sizeof *subjects, SAMPLES = 2 };

static void must(const tare_status status, const tare_error *const err) {
  if (status != TARE_OK) {
    fail_msg("%s", err->message);
  }
}

static void open_subject(subject *const s) {
  tare_error err = {0};
  const tare_port *ports = NULL;
  must(tare_model_load(s->path, &s->model, &err), &err);
  const int n = tare_model_inputs(s->model, &ports);
  must(tare_profiles_new(ports, n, &s->profiles, &err), &err);
  must(tare_profiles_add(s->profiles, s->profile, &err), &err);
  tare_dataset_options data;
  tare_dataset_options_init(&data);
  data.inputs = ports;
  data.n_inputs = n;
  data.rate = s->rate;
  data.limit = SAMPLES;
  must(tare_dataset_open(&s->data, 1, &data, &s->dataset, &err), &err);
  tare_calibrate_options calibrate;
  tare_calibrate_options_init(&calibrate);
  calibrate.all_tensors = true;
  calibrate.outside = TARE_OUTSIDE_NEAREST;
  tare_stats *stats = NULL;
  must(tare_calibrate(s->model, s->dataset, s->profiles, &calibrate, &stats, &err), &err);
  must(tare_table_from_stats(stats, NULL, &s->table, &err), &err);
  tare_stats_free(&stats);
  must(tare_plan_build(s->model, s->profiles, NULL, &s->plan, &err), &err);
}

static int open_subjects(void **const state) {
  (void)state;
  for (int i = 0; i < N_SUBJECTS; i++) {
    open_subject(&subjects[i]);
  }
  return 0;
}

static int close_subjects(void **const state) {
  (void)state;
  for (int i = 0; i < N_SUBJECTS; i++) {
    subject *const s = &subjects[i];
    tare_plan_free(&s->plan);
    tare_table_free(&s->table);
    tare_dataset_close(&s->dataset);
    tare_profiles_free(&s->profiles);
    tare_model_free(&s->model);
  }
  return 0;
}

/* --- writing and reading ------------------------------------------------------------------------- */

static tare_export_options options_of(const subject *const s) {
  tare_export_options o;
  tare_export_options_init(&o);
  o.table = s->table;
  return o;
}

static char *new_path(void) {
  char *const path = strdup("tare-export-XXXXXX");
  const int fd = mkstemp(path);
  assert_true(fd >= 0 && close(fd) == 0);
  return path;
}

static void drop_path(char *const path) {
  char data[64];
  snprintf(data, sizeof data, "%s.data", path);
  unlink(path);
  unlink(data);
  free(path);
}

/* Writes the subject's model; counts its layers by form where `form` is not NULL. */
static char *write_export(const subject *const s, const tare_export_options *const o,
                          const int64_t most, const char *const form, int *const count) {
  tare_error err = {0};
  tare_export *out = NULL;
  bool external = false;
  char *const path = new_path();
  must(tare_export_new(s->path, o, &out, &err), &err);
  for (int i = 0; form && i < tare_export_n_layers(out); i++) {
    *count += strcmp(tare_export_layer(out, i).form, form) == 0;
  }
  must(tare_export_save(out, path, most, &external, &err), &err);
  assert_int_equal(external, most > 0);
  tare_export_free(&out);
  return path;
}

static double sqnr_of(subject *const s, const char *const path, const bool fp32) {
  tare_error err = {0};
  tare_model *model = NULL;
  tare_plan *plan = NULL;
  tare_build_options build;
  tare_build_options_init(&build);
  build.fp32 = fp32;
  must(tare_model_load(path, &model, &err), &err);
  must(tare_plan_build(model, s->profiles, &build, &plan, &err), &err);
  tare_eval_options eval;
  tare_eval_options_init(&eval);
  eval.against = s->plan;
  eval.outside = TARE_OUTSIDE_NEAREST;
  tare_eval_result result;
  must(tare_dataset_rewind(s->dataset, &err), &err);
  must(tare_eval(plan, s->dataset, &eval, &result, &err), &err);
  const double db = result.total.sqnr_db;
  assert_int_equal(result.total.samples, SAMPLES);
  tare_eval_result_fini(&result);
  tare_plan_free(&plan);
  tare_model_free(&model);
  return db;
}

static char *read_bytes(const char *const path, size_t *const n) {
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *n = (size_t)ftell(file);
  rewind(file);
  char *const bytes = malloc(*n + 1);
  assert_int_equal(fread(bytes, 1, *n, file), *n);
  fclose(file);
  return bytes;
}

static void assert_same_files(const char *const a, const char *const b) {
  size_t n = 0, m = 0;
  char *const x = read_bytes(a, &n), *const y = read_bytes(b, &m);
  assert_int_equal(n, m);
  assert_memory_equal(x, y, n);
  free(x);
  free(y);
}

/* --- tests --------------------------------------------------------------------------------------- */

/* Dynamic scales lose what row scales keep, so that only their form is looked at. */
static void every_target_and_form_keeps_the_model(void **const state) {
  (void)state;
  for (int i = 0; i < N_SUBJECTS * tare_n_export_targets() * TARE_ROWS_COUNT * 2; i++) {
    subject *const s = &subjects[i % N_SUBJECTS];
    tare_export_options o = options_of(s);
    o.target = i / N_SUBJECTS % tare_n_export_targets();
    o.rows = (tare_row_form)(i / N_SUBJECTS / tare_n_export_targets() % TARE_ROWS_COUNT);
    o.float_weights = i / N_SUBJECTS / tare_n_export_targets() / TARE_ROWS_COUNT;
    tare_export *out = NULL;
    tare_error err = {0};
    if (tare_export_new(s->path, &o, &out, &err) != TARE_OK) {
      assert_int_not_equal(o.rows, TARE_ROWS_FLOAT);
      assert_int_equal(err.status, TARE_E_USAGE);
      continue;
    }
    tare_export_free(&out);
    int n = 0;
    char *const path = write_export(s, &o, 0, "int8", &n);
    const double whole = sqnr_of(s, path, false), plain = sqnr_of(s, path, true);
    if (n < 10 || whole < s->least_db || plain < s->least_db) {
      fail_msg("%s, %s, rows %s: %d int8 layers, %.1f dB, as floats %.1f dB", s->path,
               tare_export_target_at(o.target)->name, tare_row_form_name((int)o.rows), n, whole,
               plain);
    }
    drop_path(path);
  }
}

static void an_export_is_the_same_bytes_again(void **const state) {
  (void)state;
  for (int i = 0; i < N_SUBJECTS; i++) {
    const tare_export_options o = options_of(&subjects[i]);
    char *const a = write_export(&subjects[i], &o, 0, NULL, NULL);
    char *const b = write_export(&subjects[i], &o, 0, NULL, NULL);
    assert_same_files(a, b);
    drop_path(a);
    drop_path(b);
  }
}

static void constants_may_lie_beside_the_model(void **const state) {
  (void)state;
  subject *const s = &subjects[0];
  const tare_export_options o = options_of(s);
  char *const whole = write_export(s, &o, 0, NULL, NULL);
  char *const beside = write_export(s, &o, 1, NULL, NULL);
  assert_true(sqnr_of(s, whole, false) == sqnr_of(s, beside, false));
  drop_path(whole);
  drop_path(beside);
}

static void rows_get_the_form_that_was_asked_for(void **const state) {
  (void)state;
  static const char *const FORMS[TARE_ROWS_COUNT] = {"fp32", "int16", "dynamic"};
  for (int rows = 0; rows < TARE_ROWS_COUNT; rows++) {
    tare_export_options o = options_of(&subjects[0]);
    o.rows = (tare_row_form)rows;
    int n = 0;
    drop_path(write_export(&subjects[0], &o, 0, FORMS[rows], &n));
    assert_true(n > 0); /* its first convolution reads one channel */
  }
}

static void layers_stay_float_by_name(void **const state) {
  (void)state;
  tare_export_options o = options_of(&subjects[0]);
  o.layer_precisions = "*:fp32";
  int n = 0;
  drop_path(write_export(&subjects[0], &o, 0, "int8", &n));
  assert_int_equal(n, 0);
  o.layer_precisions = "no-such-layer:fp32";
  tare_export *out = NULL;
  tare_error err = {0};
  assert_int_equal(tare_export_new(subjects[0].path, &o, &out, &err), TARE_E_USAGE);
  assert_null(out);
}

static void what_cannot_be_exported_is_refused(void **const state) {
  (void)state;
  tare_export *out = NULL;
  tare_error err = {0};
  tare_export_options o = options_of(&subjects[0]);
  char *const path = write_export(&subjects[0], &o, 0, NULL, NULL);
  o.any_table = true;
  assert_int_equal(tare_export_new(path, &o, &out, &err), TARE_E_UNSUPPORTED); /* quantized */
  o.any_table = false;
  assert_int_equal(tare_export_new(subjects[1].path, &o, &out, &err), TARE_E_USAGE);
  o.any_table = true;
  o.profile = 7;
  assert_int_equal(tare_export_new(subjects[0].path, &o, &out, &err), TARE_E_USAGE);
  o.profile = -1;
  o.target = 99;
  assert_int_equal(tare_export_new(subjects[0].path, &o, &out, &err), TARE_E_USAGE);
  o.target = 0;
  assert_int_equal(tare_export_new("/no/such.onnx", &o, &out, &err), TARE_E_INPUT);
  drop_path(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_target_and_form_keeps_the_model),
      cmocka_unit_test(an_export_is_the_same_bytes_again),
      cmocka_unit_test(constants_may_lie_beside_the_model),
      cmocka_unit_test(rows_get_the_form_that_was_asked_for),
      cmocka_unit_test(layers_stay_float_by_name),
      cmocka_unit_test(what_cannot_be_exported_is_refused),
  };
  return cmocka_run_group_tests(tests, open_subjects, close_subjects);
}
