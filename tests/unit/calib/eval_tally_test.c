/* Comparison figures on outputs made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "calib/metrics/rows.h"
#include "calib/eval/eval_score.h"
#include "calib/eval/eval_tally.h"

static tare_tensor matrix(float *const values, const int64_t rows, const int64_t columns) {
  return (tare_tensor){.dtype = TARE_F32, .rank = 2, .dims = {rows, columns}, .data = values};
}

static void add(tare_error_tally *const sums, const tare_tensor *const got,
                const int64_t *const got_extents, const tare_tensor *const want,
                const int64_t *const want_extents) {
  const tarei_output_pair pair = {
      .got = got, .want = want, .got_extents = got_extents, .want_extents = want_extents};
  tarei_tally_output(sums, &pair, INFINITY);
}

static tare_eval_score score(const tare_error_tally *const sums) {
  const tarei_score_errors errors = {.errors = sums, .n_columns = 1, .n_outputs = 1, .n = 1};
  tare_eval_score out = {.metric = NAN};
  assert_int_equal(tarei_score_fill(&errors, &out, NULL), TARE_OK);
  return out;
}

static tare_eval_score score_of(float *const got, float *const want, const int64_t rows,
                                const int64_t columns, const int64_t *const extents) {
  const tare_tensor a = matrix(got, rows, columns), b = matrix(want, rows, columns);
  tare_error_tally sums = {0};
  add(&sums, &a, extents, &b, extents);
  return score(&sums);
}

static void equal_outputs_have_infinite_sqnr(void **state) {
  (void)state;
  float values[] = {1, 2, -INFINITY, 4, NAN, 6};
  const int64_t extents[] = {2, 3};
  const tare_eval_score s = score_of(values, values, 2, 3, extents);
  assert_true(isinf(s.sqnr_db) && s.sqnr_db > 0);
  assert_true(s.cosine == 1);
  assert_true(s.max_abs_error == 0);
  assert_true(s.top1_agreement == 1);
  assert_true(isnan(s.metric));
}

static void figures_are_those_of_the_definitions(void **state) {
  (void)state;
  float got[] = {1, 0, 3, 4}, want[] = {1, 2, 4, 3};
  const int64_t extents[] = {2, 2};
  const tare_eval_score s = score_of(got, want, 2, 2, extents);
  assert_true(fabs(s.sqnr_db - 10 * log10(30.0 / 6.0)) < 1e-12);
  assert_true(fabs(s.cosine - 25.0 / (sqrt(26.0) * sqrt(30.0))) < 1e-12);
  assert_true(s.max_abs_error == 2);
  assert_true(s.top1_agreement == 0);
}

static void only_the_valid_part_counts(void **state) {
  (void)state;
  float got[] = {1, 2, 99, 5, 4, 99, 99, 99, 99}, want[] = {1, 2, 0, 5, 4, 0, 0, 0, 0};
  const int64_t extents[] = {2, 2};
  const tare_eval_score s = score_of(got, want, 3, 3, extents);
  assert_true(s.max_abs_error == 0);
  assert_true(s.top1_agreement == 1);
}

static void the_first_of_equal_values_is_the_argmax(void **state) {
  (void)state;
  float got[] = {2, 2}, want[] = {1, 2};
  const int64_t extents[] = {1, 2};
  assert_true(score_of(got, want, 1, 2, extents).top1_agreement == 0);
}

static void short_rows_have_no_top1(void **state) {
  (void)state;
  float got[] = {2, 2}, want[] = {1, 2};
  const int64_t extents[] = {2, 1};
  assert_true(isnan(score_of(got, want, 2, 1, extents).top1_agreement));
}

/* Integers agree or not, one by one; those that only one of both has do not. */
static void integers_are_answers(void **state) {
  (void)state;
  int64_t got[] = {3, 7, 1LL << 53, 9, 9, 9}, want[] = {3, 8, (1LL << 53) + 1, 9, 9, 9, 9, 9};
  const int64_t valid[] = {2, 2}, more[] = {2, 4}, all[] = {2, 3};
  const tare_tensor a = {.dtype = TARE_I64, .rank = 2, .dims = {2, 3}, .data = got};
  tare_tensor b = {.dtype = TARE_I64, .rank = 2, .dims = {2, 3}, .data = want};
  tare_error_tally tally = {0}, wider = {0};
  add(&tally, &a, all, &b, all);
  tare_eval_score s = score(&tally);
  assert_true(s.top1_agreement == 4.0 / 6);
  assert_true(isnan(s.sqnr_db) && isnan(s.max_abs_error));
  tally = (tare_error_tally){0};
  add(&tally, &a, valid, &b, valid);
  assert_true(score(&tally).top1_agreement == 0.75);
  b.dims[1] = 4;
  add(&wider, &a, all, &b, more);
  s = score(&wider);
  assert_true(s.top1_agreement == 4.0 / 8);
}

static void a_lost_value_is_an_infinite_error(void **state) {
  (void)state;
  float got[] = {NAN, 2}, want[] = {1, 2};
  const int64_t extents[] = {1, 2};
  const tare_eval_score s = score_of(got, want, 1, 2, extents);
  assert_true(isinf(s.max_abs_error));
  assert_true(isinf(s.sqnr_db) && s.sqnr_db < 0);
}

static void what_one_of_both_lacks_counts_as_zeros(void **state) {
  (void)state;
  float got[] = {1, 2, 3, 4, 9, 8}, want[] = {1, 2, 0, 3, 5, 1};
  const tare_tensor a = matrix(got, 3, 2), b = matrix(want, 2, 3);
  tare_error_tally tally = {0};
  add(&tally, &a, a.dims, &b, b.dims);
  const tare_eval_score s = score(&tally);
  /* rows 1 2 . | 3 4 . | 9 8 beside 1 2 0 | 3 5 1 */
  assert_true(fabs(s.sqnr_db - 10 * log10(40.0 / (1 + 1 + 81 + 64))) < 1e-12);
  assert_true(s.max_abs_error == 9);
  assert_true(fabs(s.top1_agreement - 2.0 / 3) < 1e-12);
  tally = (tare_error_tally){0};
  add(&tally, &b, b.dims, &a, a.dims);
  assert_true(tally.signal == 1 + 4 + 9 + 16 + 81 + 64 && tally.noise == 1 + 1 + 81 + 64);
  assert_true(tally.rows == 3 && tally.agreed == 2);
}

/* Its own SQNR is judged, unless a tenth of the samples is much worse. */
static void the_worst_decides(void **state) {
  enum { SAMPLES = 20, OUTPUTS = 2 };
  (void)state;
  tare_error_tally errors[SAMPLES * OUTPUTS];
  for (int i = 0; i < SAMPLES; i++) {
    errors[i * OUTPUTS] = (tare_error_tally){.signal = 1e9, .noise = 1, .got = 1, .values = 1};
    errors[i * OUTPUTS + 1] = (tare_error_tally){.signal = 100, .noise = 1, .got = 1, .values = 1};
  }
  const tarei_score_errors all = {
      .errors = errors, .n_columns = OUTPUTS, .n_outputs = OUTPUTS, .n = SAMPLES};
  tare_eval_score s = {0};
  assert_int_equal(tarei_score_fill(&all, &s, NULL), TARE_OK);
  assert_true(s.worst == 1 && s.sqnr_db == 20 && s.together_db == 20 && s.tenth_db == 20);
  errors[1].noise = errors[3].noise = 10; /* a tenth */
  assert_int_equal(tarei_score_fill(&all, &s, NULL), TARE_OK);
  assert_true(s.tenth_db == 20 && s.sqnr_db == s.together_db);
  errors[5].noise = 1000; /* more than that */
  assert_int_equal(tarei_score_fill(&all, &s, NULL), TARE_OK);
  assert_true(s.tenth_db == 10 && s.sqnr_db < 16);
  errors[5] = (tare_error_tally){.signal = 1e12, .noise = 1000, .got = 1, .values = 1};
  errors[7].noise = 10;
  assert_int_equal(tarei_score_fill(&all, &s, NULL), TARE_OK);
  assert_true(s.together_db > 80 && s.tenth_db == 10 && s.sqnr_db == 16); /* a loud one */
}

static void rows_walk_in_order(void **state) {
  (void)state;
  const tare_tensor t = {.dtype = TARE_F32, .rank = 3, .dims = {2, 3, 4}};
  const int64_t extents[] = {2, 2, 9}; /* beyond the dim: clipped */
  const int64_t expected[] = {0, 4, 12, 16};
  tarei_rows rows;
  tarei_rows_begin(&t, extents, &rows);
  assert_int_equal(rows.length, 4);
  int64_t offset = 0;
  for (int i = 0; i < 4; i++) {
    assert_true(tarei_rows_next(&rows, &offset));
    assert_int_equal(offset, expected[i]);
  }
  assert_false(tarei_rows_next(&rows, &offset));
  assert_false(tarei_rows_next(&rows, &offset));
}

static void scalars_and_empty_tensors_are_walked(void **state) {
  (void)state;
  const tare_tensor scalar = {.dtype = TARE_F32};
  const tare_tensor empty = {.dtype = TARE_F32, .rank = 2, .dims = {3, 0}};
  tarei_rows rows;
  int64_t offset = -1;
  tarei_rows_begin(&scalar, NULL, &rows);
  assert_true(tarei_rows_next(&rows, &offset));
  assert_int_equal(rows.length, 1);
  assert_false(tarei_rows_next(&rows, &offset));
  tarei_rows_begin(&empty, empty.dims, &rows);
  assert_false(tarei_rows_next(&rows, &offset));
}

int eval_tally_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_outputs_have_infinite_sqnr),
      cmocka_unit_test(figures_are_those_of_the_definitions),
      cmocka_unit_test(only_the_valid_part_counts),
      cmocka_unit_test(the_first_of_equal_values_is_the_argmax),
      cmocka_unit_test(short_rows_have_no_top1),
      cmocka_unit_test(integers_are_answers),
      cmocka_unit_test(a_lost_value_is_an_infinite_error),
      cmocka_unit_test(what_one_of_both_lacks_counts_as_zeros),
      cmocka_unit_test(the_worst_decides),
      cmocka_unit_test(rows_walk_in_order),
      cmocka_unit_test(scalars_and_empty_tensors_are_walked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
