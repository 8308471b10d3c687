/* Which values count in a comparison: constants of masks do not, whatever makes them. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "calib/eval/measure.h"
#include "unit/seed.h"

enum { N = 200, LAYER = N / 4 }; /* the first ones are what a layer computes */

/* Values of both sides, and of a muted run. */
typedef struct made {
  double got[N], want[N], muted[N];
} made;

static uint32_t state_of_random;

static double uniform(void) {
  state_of_random = state_of_random * 1664525U + 1013904223U;
  return (double)(state_of_random >> 8) / 0x1p23 - 1; /* -1 .. 1 */
}

/* Logits, and noise of some 20 dB below them. */
static void make_logits(made *const m, const double scale) {
  for (int i = 0; i < N; i++) {
    m->want[i] = scale * uniform();
    m->got[i] = m->want[i] + scale * 0.1 * uniform();
    m->muted[i] = 0;
  }
}

static tare_error_tally measure(const made *const m, const bool muted, const int first,
                                const int n) {
  const tarei_measured block = {.got = m->got + first,
                                .want = m->want + first,
                                .muted = muted ? m->muted + first : NULL,
                                .n = n};
  static tarei_sizes_seen seen;
  tare_error_tally sums = {0};
  tarei_sizes_forget(&seen);
  tarei_sizes_see(&seen, &block);
  tarei_measure_take(&sums, &block, tarei_sizes_bound(&seen));
  return sums;
}

static bool is_suspect(const made *const m) {
  const tarei_measured block = {.got = m->got, .want = m->want, .n = N};
  static tarei_sizes_seen seen;
  tarei_sizes_forget(&seen);
  tarei_sizes_see(&seen, &block);
  return tarei_sizes_suspect(&seen);
}

static const double CONSTANTS[] = {-1e2,  -1e3, -1e4, -1e5,     -1e9,    -65504,
                                   -1e30, 1e2,  1e6,  -FLT_MAX, FLT_MAX, -1e38};
enum { N_CONSTANTS = sizeof CONSTANTS / sizeof *CONSTANTS };

/* Where(mask, logits, constant): the values are those of the part that the mask leaves. */
static void chosen_constants_do_not_count(void **state) {
  (void)state;
  for (int c = 0; c < N_CONSTANTS; c++) {
    made m;
    make_logits(&m, 8);
    for (int i = LAYER; i < N; i++) {
      m.want[i] = m.got[i] = m.muted[i] = CONSTANTS[c];
    }
    const tare_error_tally part = measure(&m, false, 0, LAYER);
    assert_true(is_suspect(&m));
    for (int muted = 0; muted < 2; muted++) {
      const tare_error_tally all = measure(&m, muted, 0, N);
      assert_int_equal(all.constant, N - LAYER);
      assert_true(all.signal == part.signal && all.noise == part.noise);
      assert_true(tarei_measure_sqnr(&all) < 30);
    }
  }
}

/* Of any size, where a muted run shows them. */
static void constants_among_the_values_do_not_count(void **state) {
  (void)state;
  made m;
  make_logits(&m, 8);
  for (int i = LAYER; i < N; i++) {
    m.want[i] = m.got[i] = m.muted[i] = -6;
  }
  const tare_error_tally part = measure(&m, false, 0, LAYER), all = measure(&m, true, 0, N);
  assert_true(is_suspect(&m));
  assert_true(all.constant == N - LAYER && all.signal == part.signal && all.noise == part.noise);
}

/* logits + (1 - mask) * constant, rounded to float32. */
static void added_constants_do_not_count(void **state) {
  (void)state;
  for (int c = 0; c < N_CONSTANTS; c++) {
    made m;
    make_logits(&m, 8);
    for (int i = LAYER; i < N; i++) {
      m.want[i] = (float)(m.want[i] + CONSTANTS[c]);
      m.got[i] = (float)(m.got[i] + CONSTANTS[c]);
      m.muted[i] = CONSTANTS[c];
    }
    const tare_error_tally part = measure(&m, false, 0, LAYER), all = measure(&m, true, 0, N);
    assert_true(is_suspect(&m));
    assert_int_equal(all.constant, N - LAYER);
    assert_true(all.signal == part.signal && all.noise == part.noise);
  }
}

/* A mask that the plan loses is an error. */
static void a_lost_constant_counts(void **state) {
  (void)state;
  made m;
  make_logits(&m, 8);
  m.want[0] = m.muted[0] = -1e4;
  m.got[0] = -8;
  const tare_error_tally sums = measure(&m, true, 0, N);
  assert_int_equal(sums.constant, 0);
  assert_true(tarei_measure_sqnr(&sums) < 1);
}

/* The largest logit of a sure classifier, and probabilities, are what layers compute. */
static void peaks_count(void **state) {
  (void)state;
  made m;
  make_logits(&m, 0.1);
  m.want[7] = 100;
  m.got[7] = 100.1;
  for (int i = 0; i < N; i++) {
    m.muted[i] = 0.01; /* bias */
  }
  assert_true(is_suspect(&m));
  for (int muted = 0; muted < 2; muted++) {
    const tare_error_tally sums = measure(&m, muted, 0, N);
    assert_true(sums.constant == 0 && sums.values == N && sums.signal > 1e4);
  }
}

/* What is added to an input of all sizes stays: what a user hears is both. */
static void a_correction_counts_with_what_it_corrects(void **state) {
  (void)state;
  made m;
  for (int i = 0; i < N; i++) {
    m.muted[i] = uniform();
    m.want[i] = m.muted[i] + 0.01 * uniform();
    m.got[i] = m.want[i] + 0.001 * uniform();
  }
  const tare_error_tally sums = measure(&m, true, 0, N);
  assert_int_equal(sums.values, N);
  assert_true(tarei_measure_sqnr(&sums) > 50);
}

static void data_that_pass_by_do_not_count(void **state) {
  (void)state;
  made m;
  make_logits(&m, 1);
  for (int i = LAYER; i < N; i++) {
    m.want[i] = m.got[i] = m.muted[i] = uniform();
  }
  const tare_error_tally sums = measure(&m, true, 0, N);
  assert_true(sums.values == LAYER && sums.constant == N - LAYER);
}

static void equal_outputs_are_equal(void **state) {
  (void)state;
  made m;
  make_logits(&m, 1);
  for (int i = 0; i < N; i++) {
    m.got[i] = m.want[i];
  }
  m.want[3] = m.got[3] = -1e4;
  assert_false(is_suspect(&m));
  const tare_error_tally sums = measure(&m, false, 0, N);
  assert_true(isinf(tarei_measure_sqnr(&sums)) && tarei_measure_cosine(&sums) == 1);
}

static void what_is_not_finite_is_told_apart(void **state) {
  (void)state;
  assert_int_equal(tarei_measure_standing(1, NAN, NULL, INFINITY), TAREI_UNDEFINED);
  assert_int_equal(tarei_measure_standing(NAN, NAN, NULL, INFINITY), TAREI_UNDEFINED);
  assert_int_equal(tarei_measure_standing(1, INFINITY, NULL, INFINITY), TAREI_UNDEFINED);
  assert_int_equal(tarei_measure_standing(-INFINITY, -INFINITY, NULL, INFINITY), TAREI_CONSTANT);
  assert_int_equal(tarei_measure_standing(NAN, 1, NULL, INFINITY), TAREI_BROKEN);
  const tare_error_tally none = {.undefined = 5}, silent = {.values = 5, .noise = 1};
  assert_true(isnan(tarei_measure_sqnr(&none)) && isnan(tarei_measure_cosine(&none)));
  assert_true(isnan(tarei_measure_sqnr(&silent))); /* all zero in the reference */
}

static void a_tenth_may_be_worse(void **state) {
  (void)state;
  double db[] = {30, NAN, 10, 20, 40};
  assert_true(tarei_measure_tenth(db, 5) == 10);
  double many[20];
  for (int i = 0; i < 20; i++) {
    many[i] = 20 - i;
  }
  assert_true(tarei_measure_tenth(many, 20) == 3);
  double none[] = {NAN};
  assert_true(isnan(tarei_measure_tenth(none, 1)));
  assert_true(tarei_measure_judge(30, 25) == 30 && tarei_measure_judge(30, 20) == 26);
  assert_true(tarei_measure_judge(30, NAN) == 30);
}

int measure_test(void) {
  state_of_random = test_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chosen_constants_do_not_count),
      cmocka_unit_test(constants_among_the_values_do_not_count),
      cmocka_unit_test(added_constants_do_not_count),
      cmocka_unit_test(a_lost_constant_counts),
      cmocka_unit_test(peaks_count),
      cmocka_unit_test(a_correction_counts_with_what_it_corrects),
      cmocka_unit_test(data_that_pass_by_do_not_count),
      cmocka_unit_test(equal_outputs_are_equal),
      cmocka_unit_test(what_is_not_finite_is_told_apart),
      cmocka_unit_test(a_tenth_may_be_worse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
