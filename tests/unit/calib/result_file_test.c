/* Files of results: what they give back, and what they refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>
#include <unistd.h>
#include <xxhash.h>

#define DIGITS TARE_SOURCE_DIR "/examples/digits-conv/"
#define INTENTS TARE_SOURCE_DIR "/examples/intents-mini/"

enum { PLANS = 2 };

static char path[64], other[64];

/* What an evaluation of a plan of low precision beside float gave. */
typedef struct made {
  tare_eval_result results[PLANS]; /* float, and the other one */
} made;

typedef struct task {
  const char *model, *spec, *data, *labels, *metric, *gain_range;
  tare_metric_setting setting;
  int n_settings, samples;
} task;

static const task DIGIT_TASK = {.model = DIGITS "digits-conv.onnx",
                                .spec = "samples=1000:20000:160000",
                                .data = DIGITS "eval",
                                .labels = "digits",
                                .metric = "ctc-error",
                                .setting = {"alphabet", "0123456789"},
                                .n_settings = 1,
                                .samples = 4};

/* Ranks are of all values of all samples, in each draw of the bootstrap: here there are few. */
static task digit_ranks(void) {
  task t = DIGIT_TASK;
  t.labels = NULL;
  t.metric = "spearman";
  t.n_settings = 0;
  return t;
}

static task intents(const char *const metric) {
  return (task){.model = INTENTS "intents-mini.onnx",
                .spec = "sequence=4:64:600",
                .data = INTENTS "eval.h5",
                .labels = "labels",
                .metric = metric,
                .samples = 4};
}

static void expect(const tare_status status, const tare_error *const err) {
  if (status != TARE_OK) {
    fail_msg("%s", err->message);
  }
}

static made evaluate(const task *const t) {
  made m = {0};
  tare_error err = {0};
  tare_model *model = NULL;
  tare_profiles *profiles = NULL;
  tare_dataset *data = NULL;
  tare_plan *plans[PLANS] = {NULL, NULL};
  const tare_port *inputs = NULL;
  tare_build_options low = {0};
  low.layer_precisions = "*:bf16";
  expect(tare_model_load(t->model, &model, &err), &err);
  const int n = tare_model_inputs(model, &inputs);
  expect(tare_profiles_new(inputs, n, &profiles, &err), &err);
  expect(tare_profiles_add(profiles, t->spec, &err), &err);
  expect(tare_plan_build(model, profiles, NULL, &plans[0], &err), &err);
  expect(tare_plan_build(model, profiles, &low, &plans[1], &err), &err);
  tare_dataset_options d;
  tare_dataset_options_init(&d);
  d.n_inputs = tare_model_inputs(model, &d.inputs);
  d.rate = 8000;
  d.labels = t->labels;
  d.gain_range = t->gain_range;
  d.limit = t->samples;
  expect(tare_dataset_open(&t->data, 1, &d, &data, &err), &err);
  tare_eval_options o;
  tare_eval_options_init(&o);
  o.against = plans[0];
  o.metric = t->metric;
  o.settings = &t->setting;
  o.n_settings = t->n_settings;
  o.answers = true;
  expect(tare_eval_many((const tare_plan *const *)plans, PLANS, data, &o, m.results, &err), &err);
  tare_dataset_close(&data);
  tare_plan_free(&plans[0]);
  tare_plan_free(&plans[1]);
  tare_profiles_free(&profiles);
  tare_model_free(&model);
  return m;
}

static void end(made *const m) {
  for (int p = 0; p < PLANS; p++) {
    tare_eval_result_fini(&m->results[p]);
  }
}

static void save(const tare_eval_result *const r, const char *const note, const char *const to) {
  tare_error err = {0};
  expect(tare_eval_result_save(r, note, to, &err), &err);
}

static tare_eval_result load(const char *const from, char **const note) {
  tare_eval_result r = {0};
  tare_error err = {0};
  expect(tare_eval_result_load(from, &r, note, &err), &err);
  return r;
}

typedef struct bytes {
  char *data;
  size_t n;
} bytes;

static bytes slurp(const char *const name) {
  FILE *const file = fopen(name, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  bytes b = {.n = (size_t)ftell(file)};
  rewind(file);
  b.data = malloc(b.n);
  assert_int_equal(fread(b.data, 1, b.n, file), b.n);
  (void)fclose(file);
  return b;
}

/* Saved, read and saved again it has the same bytes, and the bootstrap gives the same intervals. */
static void check_task(const task *const t) {
  made m = evaluate(t);
  tare_eval_result got[PLANS];
  for (int p = 0; p < PLANS; p++) {
    char *note = NULL;
    save(&m.results[p], "a note, with \"quotes\"", path);
    got[p] = load(path, &note);
    assert_string_equal(note, "a note, with \"quotes\"");
    save(&got[p], note, other);
    tare_free(note);
    const bytes a = slurp(path), b = slurp(other);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.data, b.data, a.n);
    free(a.data);
    free(b.data);
    assert_true(tare_eval_results_match(&m.results[p], &got[p]));
  }
  const tare_metric_states *const before[] = {m.results[0].states, m.results[1].states};
  const tare_metric_states *const after[] = {got[0].states, got[1].states};
  tare_difference x[PLANS], y[PLANS];
  tare_error err = {0};
  expect(tare_metric_differences(before, PLANS, 0, NULL, 0, x, &err), &err);
  expect(tare_metric_differences(after, PLANS, 0, NULL, 0, y, &err), &err);
  assert_memory_equal(&x[1].value, &y[1].value, sizeof x[1].value);
  assert_memory_equal(&x[1].low, &y[1].low, sizeof x[1].low);
  assert_memory_equal(&x[1].high, &y[1].high, sizeof x[1].high);
  assert_int_equal(x[1].differing, y[1].differing);
  for (int64_t i = 0; i < got[0].n_samples; i++) {
    const char *const a = tare_metric_states_answer(before[1], i);
    const char *const b = tare_metric_states_answer(after[1], i);
    assert_true((!a && !b) || (a && b && strcmp(a, b) == 0));
    assert_string_equal(m.results[0].samples[i].name, got[0].samples[i].name);
    assert_int_equal(m.results[0].samples[i].length, got[0].samples[i].length);
  }
  tare_eval_result_fini(&got[0]);
  tare_eval_result_fini(&got[1]);
  end(&m);
}

static void results_come_back_to_the_bit(void **const state) {
  (void)state;
  check_task(&DIGIT_TASK);
  const task ranks = digit_ranks();
  check_task(&ranks);
  const char *const METRICS[] = {"f1", "recall"};
  for (size_t i = 0; i < sizeof METRICS / sizeof *METRICS; i++) {
    const task t = intents(METRICS[i]);
    check_task(&t);
  }
  task loud = DIGIT_TASK;
  loud.gain_range = "-10:+10dB";
  check_task(&loud);
}

static void a_result_without_a_note_or_a_metric(void **const state) {
  (void)state;
  task t = DIGIT_TASK;
  t.metric = NULL;
  made m = evaluate(&t);
  char *note = NULL;
  save(&m.results[1], NULL, path);
  tare_eval_result got = load(path, &note);
  assert_string_equal(note, "");
  assert_null(got.states);
  assert_null(got.samples);
  assert_int_equal(got.n_errors, 4);
  assert_false(tare_eval_results_match(&got, &(tare_eval_result){.n_samples = 7}));
  tare_free(note);
  tare_eval_result_fini(&got);
  end(&m);
}

/* --- malformed files -------------------------------------------------------------------------- */

static void dump(const bytes *const b) {
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(b->data, 1, b->n, file), b->n);
  assert_int_equal(fclose(file), 0);
}

/* A file that was edited loses its checksum. */
static void reseal(void) {
  bytes b = slurp(path);
  const uint64_t hash = XXH64(b.data, b.n, 0);
  b.data = realloc(b.data, b.n + 16);
  memcpy(b.data + b.n, "tareXXH1", 8);
  memcpy(b.data + b.n + 8, &hash, sizeof hash); /* of a little-endian machine */
  b.n += 16;
  dump(&b);
  free(b.data);
}

static void refuse(const char *const why) {
  tare_eval_result r;
  tare_error err = {0};
  char *note = NULL;
  assert_int_equal(tare_eval_result_load(path, &r, &note, &err), TARE_E_INPUT);
  if (!strstr(err.message, why)) {
    fail_msg("'%s' does not say '%s'", err.message, why);
  }
  assert_null(note);
  assert_null(r.profiles);
}

/* An edit of one place, and what the reader says of it. */
typedef struct edit {
  const char *set; /* of integers or floats, or NULL: an attribute */
  const char *attribute;
  int64_t at;
  double value;
  const char *why;
} edit;

static const edit EDITS[] = {
    {NULL, "version_major", 0, 3, "version 3, expected 2"},
    {NULL, "profiles", 0, 0, "profiles is out of range"},
    {NULL, "profiles", 0, 2, "has the wrong type or shape"},
    {NULL, "samples", 0, 1e15, "samples is out of range"},
    {NULL, "samples", 0, 5, "has the wrong type or shape"},
    {NULL, "levels", 0, 3, "has the wrong type or shape"},
    {NULL, "outputs", 0, 1e5, "/outputs"},
    {NULL, "compared", 0, 2, "compared is out of range"},
    {"/scores/counts", NULL, 2, 1, "/scores/counts must have numbers of outputs"},
    {"/scores/counts", NULL, 2, -2, "/scores/counts must have numbers of outputs"},
    {"/samples/facts", NULL, 0, -1, "/samples/facts must be lengths"},
    {"/samples/facts", NULL, 1, 1, "/samples/facts must be lengths"},
    {"/metric/rows", NULL, 0, 1, "/metric/rows must be"},         /* profile */
    {"/metric/rows", NULL, 1, 1, "/metric/rows must be"},         /* level */
    {"/metric/rows", NULL, 2, 1e15, "/metric/rows must be"},      /* place */
    {"/metric/rows", NULL, 2, -1, "/metric/rows must be"},        /* place */
    {"/metric/rows", NULL, 3, 1e15, "/metric/rows must be"},      /* numbers */
    {"/metric/rows", NULL, 3, -1, "/metric/rows must be"},        /* numbers */
    {"/metric/rows", NULL, 3, 1, "are not those of this metric"}, /* no group of three */
    {"/metric/rows", NULL, 2, 1, "are not those of this metric"},
    {"/metric/numbers", NULL, 0, -1, "are not those of this metric"},
    {"/metric/numbers", NULL, 1, 1e300, "are not those of this metric"},
    {"/metric/numbers", NULL, 0, NAN, "are not those of this metric"},
    {"/metric/settings", NULL, 1, 1e15, "/metric/settings is out of range"},
};

static void write_attribute(const hid_t file, const edit *const e) {
  const int64_t value = (int64_t)e->value;
  const hid_t attribute = H5Aopen(file, e->attribute, H5P_DEFAULT);
  assert_true(attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, &value) >= 0);
  assert_true(H5Aclose(attribute) >= 0);
}

static void write_element(const hid_t file, const edit *const e) {
  const hid_t set = H5Dopen2(file, e->set, H5P_DEFAULT);
  assert_true(set >= 0);
  const hid_t space = H5Dget_space(set);
  const hsize_t n = (hsize_t)H5Sget_simple_extent_npoints(space);
  double *const values = calloc(n, sizeof *values);
  assert_true((hsize_t)e->at < n);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  values[e->at] = e->value;
  assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  free(values);
  assert_true(H5Sclose(space) >= 0 && H5Dclose(set) >= 0);
}

static void edited_files_are_refused(void **const state) {
  (void)state;
  const task t = intents("f1");
  made m = evaluate(&t);
  save(&m.results[0], "note", path);
  const bytes whole = slurp(path);
  for (size_t i = 0; i < sizeof EDITS / sizeof *EDITS; i++) {
    dump(&whole);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    EDITS[i].set ? write_element(file, &EDITS[i]) : write_attribute(file, &EDITS[i]);
    assert_true(H5Fclose(file) >= 0);
    reseal();
    refuse(EDITS[i].why);
  }
  free(whole.data);
  end(&m);
}

static void places_of_other_ranks_are_refused(void **const state) {
  (void)state;
  const task t = digit_ranks();
  made m = evaluate(&t);
  const edit WRONG = {"/metric/numbers", NULL, 0, 1e6, ""};
  save(&m.results[0], NULL, path);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  write_element(file, &WRONG);
  assert_true(H5Fclose(file) >= 0);
  reseal();
  refuse("are not those of this metric");
  end(&m);
}

/* Every member that is missing is missed. */
static void what_is_missing_is_named(void **const state) {
  (void)state;
  static const char *const SETS[] = {"/fitted",          "/seconds",       "/outputs",
                                     "/scores/counts",   "/scores/values", "/gains",
                                     "/samples/seconds", "/samples/facts", "/metric/settings",
                                     "/metric/numbers",  "/metric/rows",   "/metric/total"};
  made m = evaluate(&DIGIT_TASK);
  save(&m.results[0], NULL, path);
  const bytes whole = slurp(path);
  for (size_t i = 0; i < sizeof SETS / sizeof *SETS; i++) {
    dump(&whole);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, SETS[i], H5P_DEFAULT) >= 0);
    assert_true(H5Fclose(file) >= 0);
    reseal();
    refuse(SETS[i]);
  }
  free(whole.data);
  end(&m);
}

static void damaged_files_are_refused(void **const state) {
  (void)state;
  made m = evaluate(&DIGIT_TASK);
  save(&m.results[1], "note", path);
  end(&m);
  const bytes b = slurp(path);
  for (size_t i = 0; i < 40; i++) {
    const size_t at = b.n * i / 40;
    b.data[at] = (char)(b.data[at] ^ 4);
    dump(&b);
    refuse("checksum");
    b.data[at] = (char)(b.data[at] ^ 4);
    assert_int_equal(truncate(path, (off_t)at), 0);
    refuse(path);
  }
  free(b.data);
  (void)unlink(path);
  refuse(path);
  assert_false(tare_eval_is_result_file(path));
}

static void other_files_are_no_results(void **const state) {
  (void)state;
  assert_false(tare_eval_is_result_file(INTENTS "eval.h5"));
  tare_eval_result r;
  tare_error err = {0};
  assert_int_equal(tare_eval_result_load(INTENTS "eval.h5", &r, NULL, &err), TARE_E_INPUT);
  assert_non_null(strstr(err.message, "not the result of an evaluation"));
}

int result_file_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_come_back_to_the_bit),
      cmocka_unit_test(a_result_without_a_note_or_a_metric),
      cmocka_unit_test(edited_files_are_refused),
      cmocka_unit_test(places_of_other_ranks_are_refused),
      cmocka_unit_test(what_is_missing_is_named),
      cmocka_unit_test(damaged_files_are_refused),
      cmocka_unit_test(other_files_are_no_results),
  };
  (void)snprintf(path, sizeof path, "result-%d.result", (int)getpid());
  (void)snprintf(other, sizeof other, "result-%d.other", (int)getpid());
  const int failed = cmocka_run_group_tests_name("result_file", tests, NULL, NULL);
  (void)unlink(path);
  (void)unlink(other);
  return failed;
}
