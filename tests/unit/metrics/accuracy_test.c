/* Shares of correct labels and F1 scores, on outputs made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "unit/metrics/made_metric.h"
#include "unit/metrics/made_scores.h"

static tare_status accuracy_add(made_metric *const m, const char *const classes,
                                const int64_t valid, const tare_tensor *const label,
                                tare_error *const err) {
  scores s;
  make_scores(classes, &s);
  const tare_sample sample = {.label = label};
  const int64_t extents[] = {1, valid, CLASSES};
  return made_metric_add(m, &sample, &s.tensor, NULL, extents, err);
}

static void counts_right_positions(void **state) {
  (void)state;
  int64_t labels[] = {1, -100, 2, 0};
  const tare_tensor with_batch = {.dtype = TARE_I64, .rank = 2, .dims = {1, 4}, .data = labels};
  const tare_tensor without = {.dtype = TARE_I64, .rank = 1, .dims = {4}, .data = labels};
  made_metric m;
  made_metric_begin(&m, "accuracy", NULL, 0);
  assert_int_equal(accuracy_add(&m, "abcb", 4, &with_batch, NULL), TARE_OK);
  assert_int_equal(accuracy_add(&m, "a_b_", 4, &without, NULL), TARE_OK);
  assert_float_equal(made_metric_end(&m), 4.0 / 6, 1e-15);
}

static void counts_valid_positions_only(void **state) {
  (void)state;
  int64_t labels[] = {1, 2};
  const tare_tensor label = {.dtype = TARE_I64, .rank = 1, .dims = {2}, .data = labels};
  made_metric m;
  made_metric_begin(&m, "accuracy", NULL, 0);
  assert_int_equal(accuracy_add(&m, "abcc", 2, &label, NULL), TARE_OK);
  assert_float_equal(made_metric_end(&m), 1, 0);
}

static void refuses_labels_that_do_not_fit(void **state) {
  (void)state;
  int64_t labels[] = {1, 9, 0, 0};
  tare_tensor label = {.dtype = TARE_I64, .rank = 1, .dims = {2}, .data = labels};
  tare_error err = {0};
  made_metric m;
  made_metric_begin(&m, "accuracy", NULL, 0);
  assert_int_equal(accuracy_add(&m, "ab", 2, &label, &err), TARE_E_INPUT);
  assert_non_null(strstr(err.message, "label 9"));
  assert_int_equal(accuracy_add(&m, "abc", 3, &label, &err), TARE_E_INPUT);
  assert_non_null(strstr(err.message, "has length 2"));
  label.rank = 3;
  assert_int_equal(accuracy_add(&m, "ab", 2, &label, &err), TARE_E_INPUT);
  assert_int_equal(accuracy_add(&m, "ab", 2, NULL, &err), TARE_E_USAGE);
  assert_true(isnan(made_metric_end(&m)));
}

/* Scores 0.1, 0.4, 0.4, 0.3: classes by rank are 1, 2, 3, 0. */
static void a_label_among_the_largest_is_right(void **state) {
  (void)state;
  float scores_of[] = {0.1F, 0.4F, 0.4F, 0.3F, NAN, 0, 0, 0};
  const tare_tensor got = {.dtype = TARE_F32, .rank = 2, .dims = {2, 4}, .data = scores_of};
  const double right[][4] = {{0, 1, 0, 0}, {0, 1, 1, 0}, {0, 1, 1, 1}, {1, 1, 1, 1}};
  for (int top = 1; top <= 4; top++) {
    const char text[] = {(char)('0' + top), 0};
    const tare_metric_setting k = {"top", text};
    for (int64_t class = 0; class < 4; class ++) {
      int64_t labels[] = {class, 0};
      const tare_tensor label = {.dtype = TARE_I64, .rank = 1, .dims = {2}, .data = labels};
      const tare_sample sample = {.label = &label};
      made_metric m;
      made_metric_begin(&m, "accuracy", &k, 1);
      assert_int_equal(made_metric_add(&m, &sample, &got, NULL, NULL, NULL), TARE_OK);
      assert_float_equal(made_metric_end(&m), right[top - 1][class] / 2, 0);
    }
  }
}

static void labels_to_ignore_do_not_count(void **state) {
  (void)state;
  double labels[] = {1, 3, 0, -100};
  const tare_tensor label = {.dtype = TARE_F64, .rank = 1, .dims = {4}, .data = labels};
  const tare_metric_setting three = {"ignore-index", "3"};
  made_metric m;
  made_metric_begin(&m, "accuracy", &three, 1);
  assert_int_equal(accuracy_add(&m, "aaaa", 4, &label, NULL), TARE_OK);
  assert_float_equal(made_metric_end(&m), 0.5, 0);
}

/* --- F1 --------------------------------------------------------------------------------------- */

/* Labels 1 1 1 0 0 2 and answers 1 1 0 0 2 2 in two samples: classes have tp 1, 2, 1; labels 2, 3,
 * 1; answers 2, 2, 2. */
static void f1_is_that_of_the_definition(void **state) {
  (void)state;
  int64_t first[] = {1, 1, 1, 0}, second[] = {0, 2, -100};
  const tare_tensor a = {.dtype = TARE_I64, .rank = 1, .dims = {4}, .data = first};
  const tare_tensor b = {.dtype = TARE_I64, .rank = 1, .dims = {3}, .data = second};
  const struct {
    const char *average;
    double wanted;
  } cases[] = {
      {"macro", (2.0 / 4 + 4.0 / 5 + 2.0 / 3) / 3}, {"micro", 8.0 / 12}, {"binary", 4.0 / 5}};
  for (int i = 0; i < 3; i++) {
    const tare_metric_setting average = {"average", cases[i].average};
    made_metric m;
    made_metric_begin(&m, "f1", &average, 1);
    assert_int_equal(accuracy_add(&m, "aa__", 4, &a, NULL), TARE_OK);
    assert_int_equal(accuracy_add(&m, "bbb", 3, &b, NULL), TARE_OK);
    assert_float_equal(made_metric_end(&m), cases[i].wanted, 1e-15);
  }
}

static void f1_of_nothing_has_no_value(void **state) {
  (void)state;
  int64_t labels[] = {-100, 0};
  const tare_tensor label = {.dtype = TARE_I64, .rank = 1, .dims = {2}, .data = labels};
  const tare_metric_setting binary = {"average", "binary"};
  made_metric m;
  made_metric_begin(&m, "f1", &binary, 1);
  assert_int_equal(accuracy_add(&m, "__", 2, &label, NULL), TARE_OK);
  assert_true(isnan(made_metric_end(&m)));
}

int accuracy_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_right_positions),
      cmocka_unit_test(counts_valid_positions_only),
      cmocka_unit_test(refuses_labels_that_do_not_fit),
      cmocka_unit_test(a_label_among_the_largest_is_right),
      cmocka_unit_test(labels_to_ignore_do_not_count),
      cmocka_unit_test(f1_is_that_of_the_definition),
      cmocka_unit_test(f1_of_nothing_has_no_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
