/* Task metrics on outputs made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "calib/eval/metric.h"

#define TAREI_METRIC(id) extern const tarei_metric tarei_metric_##id;
#include "calib/eval/metrics.inc"
#undef TAREI_METRIC

enum { CLASSES = 4, MOST = 16 };

/* Scores whose argmax per row is what the string says, '_' being class 0. */
typedef struct scores {
  float values[MOST * CLASSES];
  tare_tensor tensor;
} scores;

static void make_scores(const char *const classes, scores *const s) {
  const int frames = (int)strlen(classes);
  memset(s, 0, sizeof *s);
  for (int f = 0; f < frames; f++) {
    s->values[f * CLASSES + (classes[f] == '_' ? 0 : classes[f] - 'a' + 1)] = 1;
  }
  s->tensor =
      (tare_tensor){.dtype = TARE_F32, .rank = 3, .dims = {1, frames, CLASSES}, .data = s->values};
}

static tare_status ctc(const char *const classes, const int64_t valid, const char *const text,
                       tare_metric_tally *const sum, tare_error *const err) {
  scores s;
  make_scores(classes, &s);
  const tare_sample sample = {.name = "sample", .label_text = text};
  const int64_t extents[] = {1, valid, CLASSES};
  const tarei_metric_case c = {.sample = &sample,
                               .output = "logits",
                               .got = &s.tensor,
                               .extents = extents,
                               .alphabet = "abc"};
  return tarei_metric_ctc_error.add(&c, sum, err);
}

static void expect_ctc(const char *const classes, const char *const text, const int64_t errors) {
  tare_metric_tally sum = {0};
  assert_int_equal(ctc(classes, (int64_t)strlen(classes), text, &sum, NULL), TARE_OK);
  assert_int_equal(sum.part, errors);
  assert_int_equal(sum.whole, (int64_t)strlen(text));
}

static void collapses_repeats_and_drops_blanks(void **state) {
  (void)state;
  expect_ctc("aa_ab_cc", "aabc", 0);
  expect_ctc("____", "", 0);
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
  tare_metric_tally sum = {0};
  assert_int_equal(ctc("a_bccc", 3, "ab", &sum, NULL), TARE_OK);
  assert_int_equal(sum.part, 0);
  assert_int_equal(ctc("a_bccc", 0, "ab", &sum, NULL), TARE_OK);
  assert_int_equal(sum.part, 2);
  assert_int_equal(sum.whole, 4);
}

static void refuses_texts_it_cannot_read(void **state) {
  (void)state;
  tare_metric_tally sum = {0};
  tare_error err = {0};
  assert_int_equal(ctc("a", 1, "ax", &sum, &err), TARE_E_INPUT);
  assert_non_null(strstr(err.message, "'x'"));
  assert_int_equal(ctc("a", 1, NULL, &sum, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "sample"));
}

static void refuses_an_alphabet_of_other_size(void **state) {
  (void)state;
  scores s;
  make_scores("ab", &s);
  tare_metric_tally sum = {0};
  tare_error err = {0};
  const tare_sample sample = {.name = "sample", .label_text = "a"};
  const int64_t extents[] = {1, 2, CLASSES};
  const tarei_metric_case c = {.sample = &sample,
                               .output = "logits",
                               .got = &s.tensor,
                               .extents = extents,
                               .alphabet = "ab"};
  assert_int_equal(tarei_metric_ctc_error.add(&c, &sum, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "4 classes"));
}

static tare_status accuracy(const char *const classes, const int64_t valid,
                            const tare_tensor *const label, tare_metric_tally *const sum,
                            tare_error *const err) {
  scores s;
  make_scores(classes, &s);
  const tare_sample sample = {.name = "sample", .label = label};
  const int64_t extents[] = {1, valid, CLASSES};
  const tarei_metric_case c = {
      .sample = &sample, .output = "logits", .got = &s.tensor, .extents = extents};
  return tarei_metric_accuracy.add(&c, sum, err);
}

static void counts_right_positions(void **state) {
  (void)state;
  int64_t labels[] = {1, -100, 2, 0};
  const tare_tensor with_batch = {.dtype = TARE_I64, .rank = 2, .dims = {1, 4}, .data = labels};
  const tare_tensor without = {.dtype = TARE_I64, .rank = 1, .dims = {4}, .data = labels};
  tare_metric_tally sum = {0};
  assert_int_equal(accuracy("abcb", 4, &with_batch, &sum, NULL), TARE_OK);
  assert_int_equal(sum.whole, 3);
  assert_int_equal(sum.part, 1);
  assert_int_equal(accuracy("a_b_", 4, &without, &sum, NULL), TARE_OK);
  assert_int_equal(sum.whole, 6);
  assert_int_equal(sum.part, 4);
}

static void counts_valid_positions_only(void **state) {
  (void)state;
  int64_t labels[] = {1, 2};
  const tare_tensor label = {.dtype = TARE_I64, .rank = 1, .dims = {2}, .data = labels};
  tare_metric_tally sum = {0};
  assert_int_equal(accuracy("abcc", 2, &label, &sum, NULL), TARE_OK);
  assert_int_equal(sum.whole, 2);
  assert_int_equal(sum.part, 2);
}

static void refuses_labels_that_do_not_fit(void **state) {
  (void)state;
  int64_t labels[] = {1, 9, 0, 0};
  tare_tensor label = {.dtype = TARE_I64, .rank = 1, .dims = {2}, .data = labels};
  tare_metric_tally sum = {0};
  tare_error err = {0};
  assert_int_equal(accuracy("ab", 2, &label, &sum, &err), TARE_E_INPUT);
  assert_non_null(strstr(err.message, "label 9"));
  assert_int_equal(accuracy("abc", 3, &label, &sum, &err), TARE_E_INPUT);
  assert_non_null(strstr(err.message, "has length 2"));
  label.rank = 3;
  assert_int_equal(accuracy("ab", 2, &label, &sum, &err), TARE_E_INPUT);
  assert_int_equal(accuracy("ab", 2, NULL, &sum, &err), TARE_E_USAGE);
}

static void picks_by_name_and_checks_the_output(void **state) {
  (void)state;
  tare_eval_options o = {.metric = "ctc-error", .alphabet = "abc"};
  tare_port output = {.name = "logits", .dtype = TARE_F32, .rank = 3};
  const tarei_metric *metric = NULL;
  tare_error err = {0};
  assert_int_equal(tarei_metric_pick(&o, &output, &metric, &err), TARE_OK);
  assert_string_equal(metric->name, "ctc-error");
  o.alphabet = NULL;
  assert_int_equal(tarei_metric_pick(&o, &output, &metric, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "alphabet"));
  o.metric = "acuracy";
  assert_int_equal(tarei_metric_pick(&o, &output, &metric, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "accuracy"));
  o.metric = "accuracy";
  output.dtype = TARE_I64;
  assert_int_equal(tarei_metric_pick(&o, &output, &metric, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "int64"));
}

static void every_metric_has_a_direction(void **state) {
  (void)state;
  for (int i = 0; i < tare_n_metrics(); i++) {
    const bool error = strstr(tare_metric_name(i), "error") != NULL;
    assert_int_equal(tare_metric_lower_is_better(i), error);
    assert_non_null(tare_metric_summary(i));
  }
  assert_null(tare_metric_name(-1));
  assert_null(tare_metric_summary(tare_n_metrics()));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_metric_has_a_direction),
      cmocka_unit_test(collapses_repeats_and_drops_blanks),
      cmocka_unit_test(counts_each_kind_of_edit),
      cmocka_unit_test(leaves_padding_out),
      cmocka_unit_test(refuses_texts_it_cannot_read),
      cmocka_unit_test(refuses_an_alphabet_of_other_size),
      cmocka_unit_test(counts_right_positions),
      cmocka_unit_test(counts_valid_positions_only),
      cmocka_unit_test(refuses_labels_that_do_not_fit),
      cmocka_unit_test(picks_by_name_and_checks_the_output),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
