/* Samples that are left out by their lengths, that are checked, and a number of those that are
 * given. */
#include "unit/datasets/data_helper.h"

#define BOUNDED TARE_SOURCE_DIR "/tests/fixtures/bounded/"

static const tare_port AUDIO = {"x", TARE_F32, 3, {{-1, "B"}, {1, NULL}, {-1, "S"}}};
static const tare_port MAPS = {"x", TARE_F32, 4, {{-1, "B"}, {1, NULL}, {-1, "H"}, {-1, "W"}}};

static tare_dataset *open_with(const char *const path, const tare_port *const port,
                               const tare_dataset_options *const given) {
  tare_dataset *data = NULL;
  tare_error err = {0};
  tare_dataset_options o = *given;
  o.inputs = port;
  o.n_inputs = 1;
  if (tare_dataset_open(&path, 1, &o, &data, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return data;
}

/* Number of samples that are given. */
static int64_t count(tare_dataset *const data) {
  const tare_sample *sample = NULL;
  int64_t n = 0;
  tare_error err = {0};
  for (;; n++) {
    if (tare_dataset_next(data, &sample, &err) != TARE_OK) {
      fail_msg("%s", err.message);
    }
    if (!sample) {
      return n;
    }
  }
}

static void expect(const char *const path, const tare_port *const port,
                   const tare_length_bounds bounds, const int64_t given, const int64_t shorter,
                   const int64_t longer) {
  const tare_dataset_options o = {.lengths = &bounds, .n_lengths = 1};
  tare_dataset *data = open_with(path, port, &o);
  for (int pass = 0; pass < 3; pass++) {
    assert_int_equal(count(data), given);
    const tare_left_out out = tare_dataset_left_out(data);
    assert_int_equal(out.shorter, shorter);
    assert_int_equal(out.longer, longer);
    assert_int_equal(out.outside, 0);
    assert_int_equal(tare_dataset_n_bad(data), 0);
    assert_int_equal((pass ? tare_dataset_rewind : tare_dataset_rewind_for_dims)(data, NULL),
                     TARE_OK);
    assert_int_equal(tare_dataset_left_out(data).shorter, 0);
  }
  tare_dataset_close(&data);
}

static void lengths_are_in_elements_or_seconds(void **state) {
  (void)state;
  expect(BOUNDED "wav", &AUDIO, (tare_length_bounds){.min = 700}, 4, 0, 0);
  expect(BOUNDED "wav", &AUDIO, (tare_length_bounds){.min = 701}, 3, 1, 0);
  expect(BOUNDED "wav", &AUDIO, (tare_length_bounds){.symbol = "S", .max = 12000}, 3, 0, 1);
  expect(BOUNDED "wav", &AUDIO, (tare_length_bounds){.min = 701, .max = 11999}, 1, 1, 2);
  expect(BOUNDED "wav", &AUDIO, (tare_length_bounds){.min_seconds = 1, .max_seconds = 1.5}, 2, 1,
         1);
  expect(BOUNDED "images", &MAPS, (tare_length_bounds){.symbol = "W", .min = 25}, 3, 1, 0);
}

static void seconds_are_those_of_the_recording(void **state) {
  (void)state;
  static const tare_port ROWS = {"x", TARE_F32, 3, {{-1, "B"}, {-1, "T"}, {-1, "F"}}};
  const tare_length_bounds bounds = {.min_seconds = 1.25};
  const tare_dataset_options o = {
      .features = "kaldi,rate=8000", .lengths = &bounds, .n_lengths = 1};
  tare_dataset *data = open_with(BOUNDED "wav", &ROWS, &o);
  assert_int_equal(count(data), 2);
  assert_string_equal(tare_dataset_length_bounds(data, false), "1.25s");
  assert_string_equal(tare_dataset_length_bounds(data, true), "");
  tare_dataset_close(&data);
}

static void levels_of_a_sample_count_once(void **state) {
  (void)state;
  const tare_length_bounds bounds = {.min = 701};
  const tare_dataset_options o = {.gain_range = "-20:20dB", .lengths = &bounds, .n_lengths = 1};
  tare_dataset *data = open_with(BOUNDED "wav", &AUDIO, &o);
  assert_int_equal(count(data), 3 * tare_dataset_n_levels(data));
  assert_int_equal(tare_dataset_left_out(data).shorter, 1);
  tare_dataset_close(&data);
}

static void refuses(const tare_port *const port, const char *const path,
                    const tare_length_bounds bounds, const char *const says) {
  tare_dataset_options o = options_for(port, 1);
  o.lengths = &bounds;
  o.n_lengths = 1;
  tare_dataset *data = NULL;
  tare_error err = {0};
  assert_int_equal(tare_dataset_open(&path, 1, &o, &data, &err), TARE_E_USAGE);
  assert_null(data);
  if (!strstr(err.message, says)) {
    fail_msg("expected \"%s\" in: %s", says, err.message);
  }
}

static void bounds_are_checked(void **state) {
  (void)state;
  static const tare_port FIXED = {"x", TARE_F32, 2, {{-1, "B"}, {4, NULL}}};
  refuses(&MAPS, BOUNDED "images", (tare_length_bounds){.min = 2}, "several lengths (H, W)");
  refuses(&FIXED, BOUNDED "frames", (tare_length_bounds){.min = 2}, "no length that changes");
  refuses(&AUDIO, BOUNDED "wav", (tare_length_bounds){.symbol = "T", .min = 2}, "one of B, S");
  refuses(&AUDIO, BOUNDED "wav", (tare_length_bounds){.min = 3, .max = 2}, "exceeds maximum 2");
  refuses(&AUDIO, BOUNDED "wav", (tare_length_bounds){.min = -3}, "negative");
  refuses(&AUDIO, BOUNDED "wav", (tare_length_bounds){.min_seconds = 2, .max_seconds = 1},
          "minimum 2 s exceeds maximum 1 s");
  refuses(&AUDIO, BOUNDED "wav", (tare_length_bounds){.symbol = "S", .min_seconds = 1},
          "has no symbol");
  refuses(&MAPS, BOUNDED "images", (tare_length_bounds){.min_seconds = 1}, "are for audio");
}

static tare_status check_even(void *const user, const tare_tensor *const tensors,
                              tare_error *const err) {
  ++*(int *)user;
  if (tensors[0].dims[tensors[0].rank - 1] <= 12000) {
    return TARE_OK;
  }
  err->status = TARE_E_SHAPE;
  strcpy(err->message, "is none of ours");
  return TARE_E_SHAPE;
}

static void checks_make_samples_bad(void **state) {
  (void)state;
  int asked = 0;
  tare_dataset_options o = {.skip_bad = true, .check = check_even, .check_user = &asked};
  tare_dataset *data = open_with(BOUNDED "wav", &AUDIO, &o);
  assert_int_equal(count(data), 3);
  assert_int_equal(asked, 4);
  assert_int_equal(tare_dataset_n_bad(data), 1);
  assert_non_null(strstr(tare_dataset_bad(data, 0), "long/d.wav: is none of ours"));
  tare_dataset_set_check(data, NULL, NULL);
  assert_int_equal(tare_dataset_rewind(data, NULL), TARE_OK);
  assert_int_equal(count(data), 4);
  tare_dataset_close(&data);
  o.skip_bad = false;
  data = open_with(BOUNDED "wav", &AUDIO, &o);
  const tare_sample *sample = NULL;
  tare_error err = {0};
  while (tare_dataset_next(data, &sample, &err) == TARE_OK && sample) {
  }
  assert_int_equal(err.status, TARE_E_SHAPE);
  assert_non_null(strstr(err.message, "long/d.wav: is none of ours"));
  tare_dataset_close(&data);
}

static void samples_outside_profiles_are_left_out(void **state) {
  (void)state;
  tare_dataset_options o = {.n_inputs = 0};
  tare_dataset *data = open_with(BOUNDED "wav", &AUDIO, &o);
  tare_profiles *profiles = NULL;
  assert_int_equal(tare_profiles_new(&AUDIO, 1, &profiles, NULL), TARE_OK);
  assert_int_equal(tare_profiles_add(profiles, "S=8000:8000:9000", NULL), TARE_OK);
  assert_int_equal(tare_profiles_add(profiles, "S=15000:16000:16000", NULL), TARE_OK);
  assert_int_equal(tare_dataset_set_profiles(data, profiles, NULL), TARE_OK);
  tare_profiles_free(&profiles);
  assert_int_equal(count(data), 2);
  assert_int_equal(tare_dataset_left_out(data).outside, 2);
  assert_int_equal(tare_dataset_set_profiles(data, NULL, NULL), TARE_OK);
  assert_int_equal(tare_dataset_rewind(data, NULL), TARE_OK);
  assert_int_equal(count(data), 4);
  tare_dataset_close(&data);
}

static void the_first_usable_samples_are_given(void **state) {
  (void)state;
  const tare_length_bounds bounds = {.min = 9000};
  const tare_dataset_options o = {
      .most = 1, .gain_range = "-20:0dB", .lengths = &bounds, .n_lengths = 1};
  tare_dataset *data = open_with(BOUNDED "wav", &AUDIO, &o); /* the first is shorter */
  for (int pass = 0; pass < 2; pass++) {
    assert_int_equal(count(data), tare_dataset_n_levels(data));
    assert_int_equal(tare_dataset_rewind(data, NULL), TARE_OK);
  }
  tare_dataset_close(&data);
}

int length_filter_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_are_in_elements_or_seconds),
      cmocka_unit_test(seconds_are_those_of_the_recording),
      cmocka_unit_test(levels_of_a_sample_count_once),
      cmocka_unit_test(bounds_are_checked),
      cmocka_unit_test(checks_make_samples_bad),
      cmocka_unit_test(samples_outside_profiles_are_left_out),
      cmocka_unit_test(the_first_usable_samples_are_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
