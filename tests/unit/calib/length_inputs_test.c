/* Inputs that hold the length of another, as data show it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <tare/calib.h>

static const tare_port ports[] = {{"ids", TARE_I64, 2, {{-1, "batch"}, {-1, "sequence"}}},
                                  {"input_lengths", TARE_I64, 1, {{-1, "batch"}}}};
enum { INPUTS = 2 };

static tare_dataset *open_data(const char *const name, const int64_t limit) {
  char path[512];
  tare_dataset *set = NULL;
  tare_error err = {0};
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.inputs = ports;
  options.n_inputs = INPUTS;
  options.limit = limit;
  (void)snprintf(path, sizeof path, TARE_SOURCE_DIR "/tests/fixtures/arrays/%s.npz", name);
  if (tare_dataset_open(&(const char *){path}, 1, &options, &set, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return set;
}

/* How many of the inputs hold lengths in one data set, or in both; the data sets are at their start
 * then. */
static int find(const char *const first, const char *const second, const int64_t limit,
                tare_length_input *const found) {
  tare_dataset *sets[] = {open_data(first, limit), second ? open_data(second, limit) : NULL};
  const tare_sample *sample;
  int n = -1;
  assert_int_equal(tare_dataset_next(sets[0], &sample, NULL), TARE_OK); /* not at its start */
  assert_int_equal(tare_length_inputs_find(sets, second ? 2 : 1, ports, INPUTS, found, &n, NULL),
                   TARE_OK);
  for (int i = 0; i < 2 && sets[i]; i++) {
    assert_int_equal(tare_dataset_next(sets[i], &sample, NULL), TARE_OK);
    assert_int_equal(sample->index, 0);
    tare_dataset_close(&sets[i]);
  }
  return n;
}

static void lengths_are_found_where_all_samples_agree(void **state) {
  (void)state;
  tare_length_input found[INPUTS];
  assert_int_equal(find("good_lengths", NULL, 0, found), 1);
  assert_ptr_equal(found[0].input, ports[1].name);
  assert_string_equal(found[0].symbol, "sequence");
  assert_int_equal(find("good_lengths_shorter", NULL, 0, found), 0);
  assert_int_equal(find("good_lengths_longer", NULL, 0, found), 0);
  assert_int_equal(find("good_lengths", "good_lengths", 0, found), 1);
  assert_int_equal(find("good_lengths", "good_lengths_longer", 0, found), 0);
  assert_int_equal(find("good_lengths_longer", NULL, 3, found), 1); /* the other sample is behind */
}

static void a_length_that_never_changes_proves_nothing(void **state) {
  (void)state;
  tare_length_input found[INPUTS];
  assert_int_equal(find("good_lengths", NULL, 1, found), 0);
}

/* Without a candidate nothing is read. */
static void other_forms_hold_none(void **state) {
  (void)state;
  static const tare_port others[] = {
      {"ids", TARE_I64, 2, {{-1, "batch"}, {-1, "sequence"}}},
      {"rate", TARE_F32, 1, {{-1, "batch"}}},
      {"pair", TARE_I64, 2, {{-1, "batch"}, {2, NULL}}},
      {"flag", TARE_U8, 1, {{-1, "batch"}}},
  };
  tare_length_input found[4];
  int n = -1;
  assert_int_equal(tare_length_inputs_find((tare_dataset *[]){NULL}, 1, others, 4, found, &n, NULL),
                   TARE_OK);
  assert_int_equal(n, 0);
}

int length_inputs_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_are_found_where_all_samples_agree),
      cmocka_unit_test(a_length_that_never_changes_proves_nothing),
      cmocka_unit_test(other_forms_hold_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
