/* Whole evaluations, on the models of the examples. */
#include <hdf5.h>
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

#define DIGITS TARE_SOURCE_DIR "/examples/digits-conv/"
#define MEASURED TARE_SOURCE_DIR "/tests/fixtures/measured/"
#define INTENTS TARE_SOURCE_DIR "/examples/intents-mini/"

static const tare_metric_setting DIGITS_ALPHABET = {"alphabet", "0123456789"};

typedef struct bench {
  tare_model *model;
  tare_profiles *profiles;
  tare_plan *plan;
  tare_dataset *data;
} bench;

static tare_dataset *open_data(const tare_model *const model, const char *const path,
                               const char *const labels, const int64_t limit) {
  tare_dataset_options o;
  tare_dataset_options_init(&o);
  o.n_inputs = tare_model_inputs(model, &o.inputs);
  o.rate = 8000;
  o.labels = labels;
  o.limit = limit;
  tare_dataset *data = NULL;
  tare_error err = {0};
  if (tare_dataset_open(&path, 1, &o, &data, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return data;
}

static tare_plan *build(const tare_model *const model, const tare_profiles *const profiles) {
  tare_plan *plan = NULL;
  tare_error err = {0};
  if (tare_plan_build(model, profiles, NULL, &plan, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return plan;
}

static bench make(const char *const model, const char *const spec, const char *const data,
                  const char *const labels, const int64_t limit) {
  bench b = {0};
  tare_error err = {0};
  const tare_port *inputs = NULL;
  if (tare_model_load(model, &b.model, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  const int n = tare_model_inputs(b.model, &inputs);
  assert_int_equal(tare_profiles_new(inputs, n, &b.profiles, &err), TARE_OK);
  assert_int_equal(tare_profiles_add(b.profiles, spec, &err), TARE_OK);
  b.plan = build(b.model, b.profiles);
  b.data = open_data(b.model, data, labels, limit);
  return b;
}

static void end(bench *const b) {
  tare_dataset_close(&b->data);
  tare_plan_free(&b->plan);
  tare_profiles_free(&b->profiles);
  tare_model_free(&b->model);
}

static bench make_digits(const int64_t limit) {
  return make(DIGITS "digits-conv.onnx", "samples=1000:20000:160000", DIGITS "eval", "digits",
              limit);
}

static void a_plan_equals_itself_and_knows_its_digits(void **state) {
  (void)state;
  bench b = make_digits(6);
  tare_eval_options o;
  tare_eval_options_init(&o);
  o.against = b.plan;
  o.metric = "ctc-error";
  o.settings = &DIGITS_ALPHABET;
  o.n_settings = 1;
  tare_eval_result r = {0};
  tare_error err = {0};
  if (tare_eval(b.plan, b.data, &o, &r, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(r.total.samples, 6);
  assert_int_equal(r.n_profiles, 1);
  assert_int_equal(r.profiles[0].samples, 6);
  assert_true(isinf(r.total.sqnr_db) && r.total.top1_agreement == 1);
  assert_true(r.total.metric < 0.1);
  assert_true(r.total.metric == r.total.reference);
  assert_true(r.seconds > 0 && r.peak_bytes > 0);
  tare_eval_result_fini(&r);
  end(&b);
}

/* The model's receptive field reaches over the end of a recording, so that padding may change the
 * last frames a little; the digits stay. */
static void padding_is_left_out_of_the_digits(void **state) {
  (void)state;
  bench b = make_digits(4);
  tare_eval_options o;
  tare_eval_options_init(&o);
  o.fit = TARE_FIT_PAD;
  o.metric = "ctc-error";
  o.settings = &DIGITS_ALPHABET;
  o.n_settings = 1;
  tare_eval_result r = {0};
  tare_error err = {0};
  if (tare_eval(b.plan, b.data, &o, &r, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  assert_true(r.total.metric < 0.1);
  tare_eval_result_fini(&r);
  end(&b);
}

static void accuracy_reads_integer_labels(void **state) {
  (void)state;
  bench b = make(INTENTS "intents-mini.onnx", "sequence=4:64:600", INTENTS "eval.h5", "labels", 8);
  tare_eval_options o;
  tare_eval_options_init(&o);
  o.metric = "accuracy";
  tare_eval_result r = {0};
  tare_error err = {0};
  if (tare_eval(b.plan, b.data, &o, &r, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  assert_true(r.total.metric > 0.7 && r.total.metric <= 1);
  assert_true(isnan(r.total.sqnr_db) && isnan(r.total.reference));
  tare_eval_result_fini(&r);
  end(&b);
}

/* Side by side or one after the other, the figures are the same. */
static void plans_side_by_side_give_what_each_gives_alone(void **state) {
  (void)state;
  bench b = make_digits(4);
  tare_plan *const again = build(b.model, b.profiles);
  tare_eval_options o;
  tare_eval_options_init(&o);
  o.metric = "ctc-error";
  o.settings = &DIGITS_ALPHABET;
  o.n_settings = 1;
  o.against = b.plan;
  tare_eval_result alone = {0}, two[2] = {{{0}}}, one = {0};
  tare_error err = {0};
  const tare_plan *const plans[] = {b.plan, again};
  assert_int_equal(tare_eval(again, b.data, &o, &alone, &err), TARE_OK);
  assert_int_equal(tare_dataset_rewind(b.data, &err), TARE_OK);
  assert_int_equal(tare_eval_many(plans, 2, b.data, &o, two, &err), TARE_OK);
  assert_int_equal(tare_dataset_rewind(b.data, &err), TARE_OK);
  assert_int_equal(tare_eval_many(&plans[1], 1, b.data, &o, &one, &err), TARE_OK);
  assert_true(isnan(two[0].total.sqnr_db) && isnan(two[0].total.reference));
  assert_true(isinf(two[1].total.sqnr_db) && isinf(one.total.sqnr_db));
  assert_true(two[1].total.metric == alone.total.metric);
  assert_true(two[1].total.reference == alone.total.reference);
  assert_true(one.total.reference == alone.total.reference);
  assert_int_equal(tare_metric_states_count(two[1].states), 4);
  double of_all = NAN;
  for (int i = 0; i < 4; i++) {
    const int32_t only[] = {i == 0, i == 1, i == 2, i == 3};
    double side_by_side = NAN, by_itself = NAN;
    assert_int_equal(tare_metric_states_value(two[1].states, only, &side_by_side, &err), TARE_OK);
    assert_int_equal(tare_metric_states_value(alone.states, only, &by_itself, &err), TARE_OK);
    assert_true(side_by_side == by_itself);
  }
  assert_int_equal(tare_metric_states_value(two[0].states, NULL, &of_all, &err), TARE_OK);
  assert_true(of_all == two[0].total.metric);
  tare_eval_result_fini(&alone);
  tare_eval_result_fini(&two[0]);
  tare_eval_result_fini(&two[1]);
  tare_eval_result_fini(&one);
  tare_plan *freed = again;
  tare_plan_free(&freed);
  end(&b);
}

/* Names are those of the data, lengths those before fitting, and the profile is that of the length.
 */
static void samples_keep_their_names_and_lengths(void **state) {
  (void)state;
  bench b = make(DIGITS "digits-conv.onnx", "samples=1000:1000:1000", DIGITS "eval", NULL, 4);
  tare_error err = {0};
  assert_int_equal(tare_profiles_add(b.profiles, "samples=1001:20000:160000", &err), TARE_OK);
  tare_plan *both = build(b.model, b.profiles);
  tare_eval_options o;
  tare_eval_options_init(&o);
  o.fit = TARE_FIT_PAD;
  const tare_plan *const plans[] = {both, both};
  tare_eval_result r[2] = {{{0}}};
  assert_int_equal(tare_eval_many(plans, 2, b.data, &o, r, &err), TARE_OK);
  assert_int_equal(r[0].n_samples, 4);
  assert_string_equal(r[0].length_symbol, "samples");
  assert_null(r[1].samples);
  assert_int_equal(tare_dataset_rewind(b.data, &err), TARE_OK);
  for (int i = 0; i < 4; i++) {
    const tare_sample *sample = NULL;
    assert_int_equal(tare_dataset_next(b.data, &sample, &err), TARE_OK);
    const tare_tensor *const t = &sample->tensors[0];
    assert_string_equal(r[0].samples[i].name, sample->name);
    assert_int_equal(r[0].samples[i].length, t->dims[t->rank - 1]);
    assert_int_equal(r[0].samples[i].profile, 1);
  }
  tare_eval_result_fini(&r[0]);
  tare_eval_result_fini(&r[1]);
  tare_plan_free(&both);
  end(&b);
}

/* The parts of a result add up to its total. */
static void scores_of_some_samples_are_those_of_their_sums(void **state) {
  (void)state;
  bench b = make_digits(5);
  tare_build_options build_options;
  tare_build_options_init(&build_options);
  build_options.layer_weight_types = "*:bf16"; /* any plan that differs a little */
  tare_plan *other = NULL;
  tare_error err = {0};
  if (tare_plan_build(b.model, b.profiles, &build_options, &other, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  tare_eval_options o;
  tare_eval_options_init(&o);
  o.metric = "ctc-error";
  o.settings = &DIGITS_ALPHABET;
  o.n_settings = 1;
  o.against = b.plan;
  tare_eval_result all = {0}, first = {0};
  assert_int_equal(tare_eval(other, b.data, &o, &all, &err), TARE_OK);
  tare_dataset *one = open_data(b.model, DIGITS "eval", "digits", 1);
  assert_int_equal(tare_eval(other, one, &o, &first, &err), TARE_OK);
  const int64_t numbers[] = {0, 1, 2, 3, 4};
  tare_eval_score total, part;
  assert_int_equal(tare_eval_score_of(&all, numbers, 5, &total, &err), TARE_OK);
  assert_true(isfinite(total.sqnr_db) && total.sqnr_db == all.total.sqnr_db);
  assert_true(total.cosine == all.total.cosine && total.metric == all.total.metric);
  assert_true(total.top1_agreement == all.total.top1_agreement);
  assert_true(total.max_abs_error == all.total.max_abs_error && total.samples == 5);
  assert_int_equal(tare_eval_score_of(&all, numbers, 1, &part, &err), TARE_OK);
  assert_true(part.sqnr_db == first.total.sqnr_db && part.sqnr_db != total.sqnr_db);
  assert_true(part.metric == first.total.metric);
  assert_true(all.n_samples == 5 && all.sample_seconds[4] > 0);
  tare_eval_result_fini(&all);
  tare_eval_result_fini(&first);
  tare_dataset_close(&one);
  tare_plan_free(&other);
  end(&b);
}

static void saved_outputs_are_there(void **state) {
  (void)state;
  bench b = make_digits(2);
  char path[] = "eval_test_XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  tare_eval_options o;
  tare_eval_options_init(&o);
  o.save_outputs = path;
  tare_eval_result r = {0};
  tare_error err = {0};
  if (tare_eval(b.plan, b.data, &o, &r, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  tare_eval_result_fini(&r);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  const hid_t set = H5Dopen2(file, "/1/logits", H5P_DEFAULT);
  assert_true(set >= 0);
  const hid_t space = H5Dget_space(set);
  hsize_t dims[3] = {0};
  assert_int_equal(H5Sget_simple_extent_dims(space, dims, NULL), 3);
  assert_int_equal(dims[0], 1);
  assert_true(dims[1] > 10);
  assert_int_equal(dims[2], 11);
  char name[4096] = {0};
  const hid_t attribute = H5Aopen_by_name(file, "/1", "name", H5P_DEFAULT, H5P_DEFAULT);
  assert_true(attribute >= 0);
  const hid_t type = H5Aget_type(attribute);
  assert_true(H5Tget_size(type) < sizeof name && H5Aread(attribute, type, name) >= 0);
  assert_non_null(strstr(name, ".ogg"));
  H5Tclose(type);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
  unlink(path);
  end(&b);
}

static void samples_are_fitted_to_the_pinned_profile(void **state) {
  (void)state;
  bench b = make_digits(2);
  assert_int_equal(tare_profiles_add(b.profiles, "samples=2000:3000:4000", NULL), TARE_OK);
  tare_plan_free(&b.plan);
  b.plan = build(b.model, b.profiles);
  tare_eval_options o;
  tare_eval_options_init(&o);
  o.profile = 1;
  tare_eval_result r = {0};
  tare_error err = {0};
  assert_int_equal(tare_eval(b.plan, b.data, &o, &r, &err), TARE_E_SHAPE);
  if (!strstr(err.message, "is outside profile 1: expected 2000..4000")) {
    fail_msg("%s", err.message);
  }
  o.outside = TARE_OUTSIDE_SKIP; /* all are, of the pinned profile */
  assert_int_equal(tare_dataset_rewind(b.data, NULL), TARE_OK);
  assert_int_equal(tare_eval(b.plan, b.data, &o, &r, &err), TARE_E_INPUT);
  assert_int_equal(tare_dataset_left_out(b.data).outside, 2);
  assert_int_equal(tare_dataset_set_profiles(b.data, NULL, NULL), TARE_OK);
  o.outside = TARE_OUTSIDE_NEAREST;
  for (tare_fit fit = TARE_FIT_NATIVE; fit < TARE_FIT_COUNT; fit++) {
    o.fit = fit;
    assert_int_equal(tare_dataset_rewind(b.data, NULL), TARE_OK);
    if (tare_eval(b.plan, b.data, &o, &r, &err) != TARE_OK) {
      fail_msg("%s: %s", tare_fit_name(fit), err.message);
    }
    assert_int_equal(r.profiles[0].samples, 0);
    assert_int_equal(r.profiles[1].samples, 2);
    tare_eval_result_fini(&r);
  }
  o.profile = 2;
  assert_int_equal(tare_eval(b.plan, b.data, &o, &r, &err), TARE_E_USAGE);
  end(&b);
}

static bool stop_after_one(void *const user, const int64_t done, const int64_t total) {
  (void)user;
  (void)total;
  return done < 1;
}

static void lengths_that_values_decide_may_differ(void **state) {
  (void)state;
  bench low = make(MEASURED "low.onnx", "n=1:4:8", MEASURED "x.npy", NULL, 1);
  bench high = make(MEASURED "high.onnx", "n=1:4:8", MEASURED "x.npy", NULL, 1);
  tare_eval_options o;
  tare_eval_options_init(&o);
  o.against = high.plan;
  tare_eval_result r = {0}, back = {0};
  tare_error err = {0};
  if (tare_eval(low.plan, low.data, &o, &r, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  /* 3 1 2 beside 3 2, places 1 2 3 beside 1 3 */
  assert_true(fabs(r.outputs[0].sqnr_db - 10 * log10(13.0 / (1 + 4))) < 1e-12);
  assert_true(isnan(r.outputs[1].sqnr_db));
  const int64_t other[] = {1, 1, 0};
  for (int i = 0; i < r.n_outputs; i++) {
    assert_int_equal(r.outputs[i].other_shapes, other[i]);
  }
  assert_int_equal(r.total.other_shapes, 1);
  assert_int_equal(tare_eval_result_save(&r, NULL, "eval_test_shapes.h5", &err), TARE_OK);
  assert_int_equal(tare_eval_result_load("eval_test_shapes.h5", &back, NULL, &err), TARE_OK);
  assert_int_equal(back.total.other_shapes, 1);
  assert_int_equal(back.outputs[2].other_shapes, 0);
  (void)unlink("eval_test_shapes.h5");
  tare_eval_result_fini(&back);
  tare_eval_result_fini(&r);
  end(&high);
  end(&low);
}

static void stops_when_told(void **state) {
  (void)state;
  bench b = make_digits(3);
  tare_eval_options o;
  tare_eval_options_init(&o);
  o.progress = stop_after_one;
  o.save_outputs = "eval_test_never.h5";
  tare_eval_result r = {0};
  tare_error err = {0};
  assert_int_equal(tare_eval(b.plan, b.data, &o, &r, &err), TARE_E_CHECK);
  assert_int_equal(access("eval_test_never.h5", F_OK), -1);
  end(&b);
}

static void expect_refused(const tare_eval_options *const o, const char *const word) {
  bench b = make_digits(1);
  tare_eval_result r = {0};
  tare_error err = {0};
  assert_int_equal(tare_eval(b.plan, b.data, o, &r, &err), TARE_E_USAGE);
  if (!strstr(err.message, word)) {
    fail_msg("'%s' is not in: %s", word, err.message);
  }
  end(&b);
}

static void misuse_is_named(void **state) {
  (void)state;
  tare_eval_options o;
  tare_eval_options_init(&o);
  o.metric = "wer";
  expect_refused(&o, "wer");
  o.metric = "ctc-error";
  expect_refused(&o, "alphabet");
  o.metric = "accuracy";
  o.output = 3;
  expect_refused(&o, "output 3");
  bench other = make(INTENTS "intents-mini.onnx", "sequence=4:64:600", INTENTS "eval.h5", NULL, 1);
  tare_eval_options_init(&o);
  o.against = other.plan;
  expect_refused(&o, "the plans differ");
  end(&other);
}

int eval_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plan_equals_itself_and_knows_its_digits),
      cmocka_unit_test(padding_is_left_out_of_the_digits),
      cmocka_unit_test(accuracy_reads_integer_labels),
      cmocka_unit_test(plans_side_by_side_give_what_each_gives_alone),
      cmocka_unit_test(samples_keep_their_names_and_lengths),
      cmocka_unit_test(scores_of_some_samples_are_those_of_their_sums),
      cmocka_unit_test(saved_outputs_are_there),
      cmocka_unit_test(samples_are_fitted_to_the_pinned_profile),
      cmocka_unit_test(lengths_that_values_decide_may_differ),
      cmocka_unit_test(stops_when_told),
      cmocka_unit_test(misuse_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
