/* Character errors of texts made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "unit/metrics/made_metric.h"
#include "unit/metrics/made_scores.h"

static const tare_metric_setting ABC = {"alphabet", "abc"};

static tare_status ctc_add(made_metric *const m, const char *const classes, const int64_t valid,
                           const char *const text, tare_error *const err) {
  scores s;
  make_scores(classes, &s);
  const tare_sample sample = {.label_text = text};
  const int64_t extents[] = {1, valid, CLASSES};
  return made_metric_add(m, &sample, &s.tensor, NULL, extents, err);
}

/* Errors by letters of one text. */
static void expect_ctc(const char *const classes, const char *const text, const double errors) {
  made_metric m;
  made_metric_begin(&m, "ctc-error", &ABC, 1);
  assert_int_equal(ctc_add(&m, classes, (int64_t)strlen(classes), text, NULL), TARE_OK);
  assert_float_equal(made_metric_end(&m), errors / (double)strlen(text), 1e-15);
}

static void collapses_repeats_and_drops_blanks(void **state) {
  (void)state;
  expect_ctc("aa_ab_cc", "aabc", 0);
  expect_ctc("aaaa", "a", 0);
}

static void counts_each_kind_of_edit(void **state) {
  (void)state;
  expect_ctc("a_b_c", "abcc", 1); /* one missing */
  expect_ctc("a_b_c", "ab", 1);   /* one too many */
  expect_ctc("a_b_c", "acc", 1);  /* one wrong */
  expect_ctc("____", "abc", 3);
  expect_ctc("a_b_c", "cab", 2);
}

static void leaves_padding_out(void **state) {
  (void)state;
  made_metric m;
  made_metric_begin(&m, "ctc-error", &ABC, 1);
  assert_int_equal(ctc_add(&m, "a_bccc", 3, "ab", NULL), TARE_OK);
  assert_int_equal(ctc_add(&m, "a_bccc", 0, "ab", NULL), TARE_OK);
  assert_float_equal(made_metric_end(&m), 2.0 / 4, 0);
}

/* Errors over nothing have no share, but they count beside other texts. */
static void letters_of_an_empty_text_are_errors(void **state) {
  (void)state;
  made_metric m;
  made_metric_begin(&m, "ctc-error", &ABC, 1);
  assert_int_equal(ctc_add(&m, "a_b", 3, "", NULL), TARE_OK);
  assert_int_equal(ctc_add(&m, "a_b_", 4, "ab", NULL), TARE_OK);
  assert_float_equal(made_metric_end(&m), 1, 0);
  made_metric_begin(&m, "ctc-error", &ABC, 1);
  assert_int_equal(ctc_add(&m, "a_b", 3, "", NULL), TARE_OK);
  assert_true(isnan(made_metric_end(&m)));
}

static void refuses_texts_it_cannot_read(void **state) {
  (void)state;
  made_metric m;
  tare_error err = {0};
  made_metric_begin(&m, "ctc-error", &ABC, 1);
  assert_int_equal(ctc_add(&m, "a", 1, "ax", &err), TARE_E_INPUT);
  assert_non_null(strstr(err.message, "'x'"));
  assert_int_equal(ctc_add(&m, "a", 1, NULL, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "sample"));
  (void)made_metric_end(&m);
}

static void refuses_an_alphabet_of_other_size(void **state) {
  (void)state;
  made_metric m;
  tare_error err = {0};
  const tare_metric_setting ab = {"alphabet", "ab"};
  made_metric_begin(&m, "ctc-error", &ab, 1);
  assert_int_equal(ctc_add(&m, "ab", 2, "a", &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "4 classes"));
  (void)made_metric_end(&m);
}

/* --- vocabularies ----------------------------------------------------------------------------- */

static const char *write_tokens(const char *const text) {
  static const char PATH[] = "ctc_error_test.tokens";
  FILE *const file = fopen(PATH, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
  return PATH;
}

/* Errors by words and by characters of a text whose classes are a number per frame. */
static void expect_tokens(const char *const file, const char *const blank,
                          const char *const classes, const char *const text, const double by_char,
                          const double by_word) {
  const tare_metric_setting settings[] = {
      {"tokens", write_tokens(file)}, {"unit", "char"}, {"blank", blank}};
  const tare_metric_setting words[] = {settings[0], {"unit", "word"}, settings[2]};
  for (int w = 0; w < 2; w++) {
    made_metric m;
    made_metric_begin(&m, "ctc-error", w ? words : settings, blank ? 3 : 2);
    assert_int_equal(ctc_add(&m, classes, (int64_t)strlen(classes), text, NULL), TARE_OK);
    assert_float_equal(made_metric_end(&m), w ? by_word : by_char, 1e-15);
  }
}

/* In the scores, '_' is class 0, 'a' class 1, ... */
static void reads_tokens_in_every_form(void **state) {
  (void)state;
  expect_tokens("{\"<pad>\": 0, \"|\": 1, \"x\": 2, \"y\": 3}", NULL, "b_cacb", "xy yy", 1.0 / 5,
                1.0 / 2);
  expect_tokens("x\n|\ny\n<blk>\n", NULL, "_ba_c", "xyx", 1.0 / 3, 2);
  expect_tokens("<s> 0\n\xe2\x96\x81x 2\ny 1\n<blank> 3\n", NULL, "_bab", "xy x", 0, 0);
  expect_tokens("x\r\ny\r\n|", "3", "_ba_", "x yx", 0, 0); /* the blank is behind the last */
  expect_tokens("<pad>\nx\ny\n|\n", "|", "abca", "xyy", 1.0 / 3, 1);
  expect_tokens("<pad>\n\xc3\xa9\ny\n|\n", NULL, "aba", "\xc3\xa9y", 1.0 / 2, 1);
}

static void expect_bad_tokens(const char *const file, const char *const blank,
                              const tare_status wanted, const char *const message) {
  const tare_metric_setting settings[] = {{"tokens", write_tokens(file)}, {"blank", blank}};
  const tarei_metric *metric = NULL;
  tarei_metric_settings read;
  tare_error err = {0};
  assert_int_equal(tarei_metric_pick("ctc-error", settings, blank ? 2 : 1, &metric, &read, &err),
                   wanted);
  if (!strstr(err.message, message)) {
    fail_msg("%s", err.message);
  }
  tarei_metric_settings_fini(&read);
}

static void refuses_files_of_tokens_that_are_wrong(void **state) {
  (void)state;
  expect_bad_tokens("", NULL, TARE_E_INPUT, "has no tokens");
  expect_bad_tokens("a\n\nb\n<pad>", NULL, TARE_E_INPUT, "line 2 is empty");
  expect_bad_tokens("{\"a\": 0, \"b\": 2}", NULL, TARE_E_INPUT, "class 1 of 3 has no token");
  expect_bad_tokens("{\"a\": 0, \"b\": 0}", NULL, TARE_E_INPUT, "both have class 0");
  expect_bad_tokens("{\"a\": \"x\"}", NULL, TARE_E_INPUT, "expected the number of its class");
  expect_bad_tokens("{\"a\": 0", NULL, TARE_E_INPUT, "not valid JSON");
  expect_bad_tokens("{\"a\": 99999999}", NULL, TARE_E_INPUT, "has class 99999999");
  expect_bad_tokens("a\nb\n", NULL, TARE_E_USAGE, "name the blank");
  expect_bad_tokens("a\nb\n", "3", TARE_E_USAGE, "expected a class from 0 to 2");
  expect_bad_tokens("a\nb\n", "c", TARE_E_USAGE, "no token 'c'");
  expect_bad_tokens("\xff\n<pad>\n", NULL, TARE_E_INPUT, "not UTF-8");
}

static void the_blank_of_an_alphabet_is_any_class(void **state) {
  (void)state;
  const tare_metric_setting settings[] = {{"alphabet", "xyz"}, {"blank", "2"}};
  made_metric m;
  made_metric_begin(&m, "ctc-error", settings, 2);
  assert_int_equal(ctc_add(&m, "_bac", 4, "xyz", NULL), TARE_OK); /* classes 0, 2, 1, 3 */
  assert_float_equal(made_metric_end(&m), 0, 0);
}

int ctc_error_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(collapses_repeats_and_drops_blanks),
      cmocka_unit_test(counts_each_kind_of_edit),
      cmocka_unit_test(leaves_padding_out),
      cmocka_unit_test(letters_of_an_empty_text_are_errors),
      cmocka_unit_test(refuses_texts_it_cannot_read),
      cmocka_unit_test(refuses_an_alphabet_of_other_size),
      cmocka_unit_test(reads_tokens_in_every_form),
      cmocka_unit_test(refuses_files_of_tokens_that_are_wrong),
      cmocka_unit_test(the_blank_of_an_alphabet_is_any_class),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
