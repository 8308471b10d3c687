/* What a program can bring itself: a calibrator, a metric and tables. */
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
#include <tare/tare.h>

#define INTENTS TARE_SOURCE_DIR "/examples/intents-mini/"

typedef struct made {
  tare_model *model;
  tare_profiles *profiles;
  tare_stats *stats;
  tare_plan *plan;
} made;

static void need(const tare_status status, const tare_error *const err) {
  if (status != TARE_OK) {
    fail_msg("%s", err->message);
  }
}

static tare_dataset *open_data(const tare_model *const model, const char *const path,
                               const char *const labels) {
  tare_error err = {0};
  tare_dataset_options o;
  tare_dataset *data = NULL;
  tare_dataset_options_init(&o);
  o.n_inputs = tare_model_inputs(model, &o.inputs);
  o.labels = labels;
  o.limit = 20;
  need(tare_dataset_open(&path, 1, &o, &data, &err), &err);
  return data;
}

static int make(void **const state) {
  static made m;
  tare_error err = {0};
  const tare_port *inputs;
  need(tare_model_load(INTENTS "intents-mini.onnx", &m.model, &err), &err);
  const int n = tare_model_inputs(m.model, &inputs);
  need(tare_profiles_new(inputs, n, &m.profiles, &err), &err);
  need(tare_profiles_add(m.profiles, "sequence=4:32:64", &err), &err);
  need(tare_profiles_add(m.profiles, "sequence=4:64:512", &err), &err);
  tare_dataset *data = open_data(m.model, INTENTS "calib.h5", NULL);
  need(tare_calibrate(m.model, data, m.profiles, NULL, &m.stats, &err), &err);
  tare_dataset_close(&data);
  need(tare_plan_build(m.model, m.profiles, NULL, &m.plan, &err), &err);
  *state = &m;
  return 0;
}

static int unmake(void **const state) {
  made *const m = *state;
  tare_plan_free(&m->plan);
  tare_stats_free(&m->stats);
  tare_profiles_free(&m->profiles);
  tare_model_free(&m->model);
  return 0;
}

/* --- calibrator ------------------------------------------------------------------------------- */

typedef struct asked {
  int merged, of_profile; /* how often */
  double answer;          /* 0: the largest magnitude */
} asked;

static double threshold(void *const user, const tare_distribution *const d) {
  asked *const a = user;
  int64_t sum = 0;
  assert_true(d->amax > 0 && d->n_bins > 0 && d->tensor && *d->tensor);
  assert_true((d->n_bins - 1) * d->width <= d->amax && d->amax < d->n_bins * d->width);
  for (int i = 0; i < d->n_bins; i++) {
    assert_true(d->counts[i] >= 0);
    sum += d->counts[i];
  }
  assert_true(sum == d->count && d->counts[d->n_bins - 1] > 0);
  *(d->profile < 0 ? &a->merged : &a->of_profile) += 1;
  return a->answer == 0 ? d->amax : a->answer;
}

static tare_status tabulate(const made *const m, asked *const a, const bool per_profile,
                            tare_table **const out, tare_error *const err) {
  tare_table_options o;
  tare_table_options_init(&o);
  o.method = "mine";
  o.per_profile = per_profile;
  o.threshold = threshold;
  o.threshold_user = a;
  return tare_table_from_stats(m->stats, &o, out, err);
}

static void a_calibrator_sees_what_those_of_the_library_see(void **const state) {
  const made *const m = *state;
  tare_error err = {0};
  asked a = {0};
  tare_table *mine = NULL, *minmax = NULL;
  need(tabulate(m, &a, false, &mine, &err), &err);
  need(tare_table_from_stats(m->stats, NULL, &minmax, &err), &err);
  assert_string_equal(tare_table_method(mine), "mine");
  assert_int_equal(tare_table_n_tensors(mine), tare_table_n_tensors(minmax));
  for (int i = 0; i < tare_table_n_tensors(mine); i++) {
    assert_true(tare_table_get(mine, i, 0).amax == tare_table_get(minmax, i, 0).amax);
  }
  assert_true(a.merged > 0 && a.of_profile == 0);
  tare_table_free(&mine);
  tare_table_free(&minmax);
}

static void a_calibrator_decides(void **const state) {
  const made *const m = *state;
  tare_error err = {0};
  asked a = {.answer = 0.25};
  tare_table *table = NULL;
  need(tabulate(m, &a, true, &table, &err), &err);
  assert_true(a.merged > 0 && a.of_profile > 0);
  assert_int_equal(tare_table_n_profiles(table), 2);
  assert_true(tare_table_get(table, 0, 0).amax == 0.25 && tare_table_get(table, 0, 1).amax == 0.25);
  tare_table_free(&table);
}

static void a_threshold_must_be_positive(void **const state) {
  const made *const m = *state;
  const double wrong[] = {-1, NAN, INFINITY};
  for (int i = 0; i < 3; i++) {
    tare_error err = {0};
    asked a = {.answer = wrong[i]};
    tare_table *table = NULL;
    assert_int_equal(tabulate(m, &a, false, &table, &err), TARE_E_USAGE);
    assert_null(table);
    assert_non_null(strstr(err.message, "'mine'"));
    assert_non_null(strstr(err.message, "positive"));
  }
  tare_table_options o;
  tare_table_options_init(&o);
  o.threshold = threshold;
  tare_table *table = NULL;
  tare_error err = {0};
  assert_int_equal(tare_table_from_stats(m->stats, &o, &table, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "name"));
}

/* --- metric ----------------------------------------------------------------------------------- */

/* Right labels and all of them, as the accuracy of the library has them. */
static tare_status add_labels(void *const user, const tare_metric_case *const c, double *const sums,
                              bool *const counts, tare_error *const err) {
  (void)err;
  *(int *)user += 1;
  *counts = c->sample->label != NULL;
  if (!*counts) {
    return TARE_OK;
  }
  const int64_t *const labels = c->sample->label->data;
  const int64_t n = tare_tensor_count(c->sample->label);
  const int64_t classes = c->got->dims[c->got->rank - 1];
  const float *const logits = c->got->data;
  for (int64_t i = 0; i < n; i++) {
    int64_t best = 0;
    for (int64_t k = 1; k < classes; k++) {
      best = logits[i * classes + k] > logits[i * classes + best] ? k : best;
    }
    sums[0] += labels[i] >= 0 && best == labels[i];
    sums[1] += labels[i] >= 0;
  }
  return TARE_OK;
}

static double share(void *const user, const double *const sums) {
  (void)user;
  return sums[1] > 0 ? sums[0] / sums[1] : NAN;
}

static tare_custom_metric labels_metric(int *const calls) {
  return (tare_custom_metric){.name = "mine",
                              .n_sums = 2,
                              .truth = TARE_TRUTH_LABELS,
                              .add = add_labels,
                              .value = share,
                              .user = calls};
}

static tare_status evaluate(const made *const m, tare_eval_options *const o,
                            tare_eval_result *const result, tare_error *const err) {
  tare_dataset *data = open_data(m->model, INTENTS "eval.h5", "labels");
  const tare_status status = tare_eval(m->plan, data, o, result, err);
  tare_dataset_close(&data);
  return status;
}

static void a_metric_has_what_metrics_have(void **const state) {
  const made *const m = *state;
  tare_error err = {0};
  int calls = 0;
  const tare_custom_metric metric = labels_metric(&calls);
  tare_eval_options mine, accuracy;
  tare_eval_result a, b;
  tare_eval_options_init(&mine);
  tare_eval_options_init(&accuracy);
  mine.custom_metric = &metric;
  accuracy.metric = "accuracy";
  need(evaluate(m, &mine, &a, &err), &err);
  need(evaluate(m, &accuracy, &b, &err), &err);
  assert_int_equal(calls, 20);
  assert_true(a.total.metric == b.total.metric);
  assert_true(a.total.metric > 0.5);
  for (int p = 0; p < 2; p++) {
    assert_memory_equal(&a.profiles[p].metric, &b.profiles[p].metric, sizeof(double));
  }
  assert_int_equal(tare_metric_states_metric(a.states), -1);
  const tare_metric_states *const same[] = {a.states, a.states};
  tare_difference differences[2];
  need(tare_metric_differences(same, 2, 0, NULL, 0, differences, &err), &err);
  assert_true(differences[1].value == 0 && differences[1].samples == 20);
  assert_true(tare_eval_results_match(&a, &a) && !tare_eval_results_match(&a, &b));
  assert_int_equal(tare_eval_result_save(&a, NULL, "never", &err), TARE_E_UNSUPPORTED);
  assert_non_null(strstr(err.message, "'mine'"));
  tare_eval_result_fini(&a);
  tare_eval_result_fini(&b);
}

static tare_status add_nan(void *const user, const tare_metric_case *const c, double *const sums,
                           bool *const counts, tare_error *const err) {
  (void)user;
  (void)c;
  (void)counts;
  (void)err;
  sums[0] = NAN;
  return TARE_OK;
}

static tare_status add_silently(void *const user, const tare_metric_case *const c,
                                double *const sums, bool *const counts, tare_error *const err) {
  (void)user;
  (void)c;
  (void)sums;
  (void)counts;
  (void)err;
  return TARE_E_INPUT;
}

static void a_metric_that_cannot_be_used_is_refused(void **const state) {
  const made *const m = *state;
  int calls = 0;
  tare_custom_metric wrong[6];
  for (int i = 0; i < 6; i++) {
    wrong[i] = labels_metric(&calls);
  }
  wrong[0].n_sums = 0;
  wrong[1].n_sums = TARE_METRIC_SUMS + 1;
  wrong[2].value = NULL;
  wrong[3].reserved[0] = &calls;
  wrong[4].add = add_nan;
  wrong[5].add = add_silently;
  for (int i = 0; i < 6; i++) {
    tare_error err = {0};
    tare_eval_options o;
    tare_eval_result result;
    tare_eval_options_init(&o);
    o.custom_metric = &wrong[i];
    assert_int_equal(evaluate(m, &o, &result, &err), i >= 4 ? TARE_E_INPUT : TARE_E_USAGE);
    assert_int_equal(err.status, i >= 4 ? TARE_E_INPUT : TARE_E_USAGE);
    assert_true(*err.message);
  }
  tare_error err = {0};
  const tare_custom_metric good = labels_metric(&calls);
  tare_eval_options both;
  tare_eval_result result;
  tare_eval_options_init(&both);
  both.custom_metric = &good;
  both.metric = "accuracy";
  assert_int_equal(evaluate(m, &both, &result, &err), TARE_E_USAGE);
}

/* --- tables ----------------------------------------------------------------------------------- */

/* All that a table has of thresholds gets out by tare_table_get, and in by tare_table_make. */
static void tables_come_back(void **const state) {
  const made *const m = *state;
  tare_error err = {0};
  tare_table *table = NULL, *copy = NULL;
  tare_table_options o;
  tare_table_options_init(&o);
  o.per_profile = true;
  need(tare_table_from_stats(m->stats, &o, &table, &err), &err);
  const int n = tare_table_n_tensors(table), columns = tare_table_n_profiles(table);
  tare_table_entry *const entries = calloc((size_t)(n * columns), sizeof *entries);
  assert_non_null(entries);
  for (int i = 0; i < n * columns; i++) {
    entries[i] = tare_table_get(table, i / columns, i % columns);
  }
  const char *const profiles[] = {tare_table_profile(table, 0), tare_table_profile(table, 1)};
  const tare_table_draft draft = {.method = "copied",
                                  .model_hash = tare_table_model_hash(table),
                                  .profiles = profiles,
                                  .n_profiles = 2,
                                  .entries = entries,
                                  .n_tensors = n};
  need(tare_table_make(&draft, &copy, &err), &err);
  assert_string_equal(tare_table_method(copy), "copied");
  assert_string_equal(tare_table_profile(copy, 1), profiles[1]);
  assert_true(tare_table_model_hash(copy) == tare_table_model_hash(table));
  for (int i = 0; i < n * columns; i++) {
    const tare_table_entry e = tare_table_get(copy, i / columns, i % columns);
    assert_string_equal(e.tensor, entries[i].tensor);
    assert_true(e.amax == entries[i].amax && e.count == entries[i].count);
    assert_memory_equal(&e.rms, &entries[i].rms, sizeof e.rms);
  }
  char path[] = "/tmp/tare_table_XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0 && close(file) == 0);
  tare_table *read = NULL;
  need(tare_table_write_json(copy, path, &err), &err);
  need(tare_table_read(path, &read, &err), &err);
  assert_int_equal(tare_table_n_tensors(read), n);
  unlink(path);
  tare_table_free(&read);
  tare_table_free(&copy);
  tare_table_free(&table);
  free(entries);
}

static void a_table_of_wrong_entries_is_refused(void **const state) {
  (void)state;
  const tare_table_entry good = tare_table_unknown("x", 2);
  tare_table_entry wrong[8];
  for (int i = 0; i < 8; i++) {
    wrong[i] = good;
  }
  wrong[0].tensor = NULL;
  wrong[1].tensor = "";
  wrong[2].amax = -1;
  wrong[3].amax = NAN;
  wrong[4].amax = 1e300;
  wrong[5].min = 1;
  wrong[6].min = 2, wrong[6].max = 1;
  wrong[7].count = -1;
  for (int i = 0; i < 8; i++) {
    tare_error err = {0};
    tare_table *table = NULL;
    const tare_table_draft draft = {.entries = &wrong[i], .n_tensors = 1};
    assert_int_equal(tare_table_make(&draft, &table, &err), TARE_E_USAGE);
    assert_null(table);
    assert_true(*err.message);
  }
  const tare_table_entry twice[] = {good, good};
  tare_table *table = NULL;
  tare_table_draft draft = {.entries = twice, .n_tensors = 2};
  assert_int_equal(tare_table_make(&draft, &table, NULL), TARE_E_INPUT);
  draft.n_tensors = -1;
  assert_int_equal(tare_table_make(&draft, &table, NULL), TARE_E_USAGE);
  const tare_table_entry pair[] = {good, tare_table_unknown("y", 2)};
  const char *const profiles[] = {"n=1", "n=2"};
  draft =
      (tare_table_draft){.entries = pair, .n_tensors = 1, .profiles = profiles, .n_profiles = 2};
  assert_int_equal(tare_table_make(&draft, &table, NULL), TARE_E_USAGE);
}

int custom_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_calibrator_sees_what_those_of_the_library_see),
      cmocka_unit_test(a_calibrator_decides),
      cmocka_unit_test(a_threshold_must_be_positive),
      cmocka_unit_test(a_metric_has_what_metrics_have),
      cmocka_unit_test(a_metric_that_cannot_be_used_is_refused),
      cmocka_unit_test(tables_come_back),
      cmocka_unit_test(a_table_of_wrong_entries_is_refused),
  };
  return cmocka_run_group_tests(tests, make, unmake);
}
