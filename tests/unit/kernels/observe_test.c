#include "tests/unit/kernels/checkkern.h"

static tarei_minmax plain_minmax(const float *x, size_t n) {
  tarei_minmax m = {INFINITY, -INFINITY, 3, 5};
  for (size_t i = 0; i < n; i++) {
    if (isnan(x[i])) {
      m.n_nan++;
    } else if (isinf(x[i])) {
      m.n_inf++;
    } else {
      m.min = fminf(m.min, x[i]);
      m.max = fmaxf(m.max, x[i]);
    }
  }
  return m;
}

static void minmax_rows_agree_with_plain_loop(void **state) {
  (void)state;
  for (int i = 0; i < 300; i++) {
    const size_t n = i % 2 ? ck_size() : ck_below(2000);
    float *const x = ck_floats(n, i % 3 == 0);
    const tarei_minmax expected = plain_minmax(x, n);
    CK_EACH_ROW("minmax") {
      tarei_minmax m = {INFINITY, -INFINITY, 3, 5};
      ((tarei_minmax_fn *)row->function)(x, n, &m);
      assert_true(m.min == expected.min && m.max == expected.max);
      assert_int_equal(m.n_nan, expected.n_nan);
      assert_int_equal(m.n_inf, expected.n_inf);
    }
    free(x);
  }
}

static void minmax_of_zeros_is_no_negative_zero(void **state) {
  (void)state;
  float x[202];
  for (int i = 0; i < 202; i++) {
    x[i] = i % 3 ? -0.0f : 0.0f;
  }
  CK_EACH_ROW("minmax") {
    for (int i = 0; i < 6; i++) { /* blocks and a rest, or a rest alone, from either zero on */
      tarei_minmax m = {INFINITY, -INFINITY, 0, 0};
      ((tarei_minmax_fn *)row->function)(x + i % 3, i < 3 ? 200 : 5, &m);
      assert_false(signbit(m.min) || signbit(m.max));
    }
  }
}

enum { BINS = TAREI_OBSERVE_BINS, ROW_BINS = TAREI_OBSERVE_ROW_BINS };

/* What an observation adds to; counts begin somewhere, because they are added to. */
typedef struct counts {
  uint16_t bins[2][BINS];
  int64_t rows[ROW_BINS];
  float min, max;
} counts;

static counts *new_counts(void) {
  counts *const c = ck_alloc(sizeof *c);
  memset(c, 1, sizeof *c);
  c->min = INFINITY;
  c->max = -INFINITY;
  return c;
}

static void plain_row(counts *c, const float *x, size_t n, int exponent) {
  float amax = 0;
  for (size_t i = 0; i < n; i++) {
    const double bin = floor(ldexp(fabs((double)x[i]), -exponent));
    c->bins[x[i] < 0][(int)bin]++;
    c->min = x[i] < c->min ? (x[i] == 0 ? 0.0f : x[i]) : c->min;
    c->max = x[i] > c->max ? (x[i] == 0 ? 0.0f : x[i]) : c->max;
    amax = fmaxf(amax, fabsf(x[i]));
  }
  int power;
  (void)frexpf(amax, &power);
  c->rows[amax < ldexpf(1, -126) ? 0 : power + 126]++;
}

static bool observe(const tarei_kernel_row *row, const tarei_observe *o, bool rows, counts *c) {
  tarei_observe call = *o;
  call.counts = c->bins[0];
  call.rows = rows ? c->rows : NULL;
  call.min = c->min;
  call.max = c->max;
  const counts before = *c;
  const bool ok = ((tarei_observe_fn *)row->function)(&call);
  for (int i = 0; ok && i < 2 * BINS; i++) {
    const int sign = i / BINS, bin = i % BINS;
    if (c->bins[sign][bin] != before.bins[sign][bin]) {
      assert_true(call.pages[sign] >> bin / TAREI_OBSERVE_PAGE & 1);
    }
  }
  c->min = call.min;
  c->max = call.max;
  return ok;
}

static void check_observe(const float *x, size_t n_rows, size_t n_columns, int exponent, int bins) {
  const tarei_observe o = {
      .x = x, .n_rows = n_rows, .n_columns = n_columns, .exponent = exponent, .bins = bins};
  for (int rows = 0; rows < 2; rows++) {
    counts *const expected = new_counts();
    const counts before = *expected;
    for (size_t r = 0; r < n_rows && n_columns > 0; r++) {
      plain_row(expected, x + r * n_columns, n_columns, exponent);
    }
    if (!rows) {
      memcpy(expected->rows, before.rows, sizeof expected->rows);
    }
    CK_EACH_ROW("observe") {
      counts *const got = new_counts();
      assert_true(observe(row, &o, rows, got));
      ck_assert_same_bytes(row->name, got, expected, sizeof *got);
      free(got);
    }
    free(expected);
  }
}

/* One value that does not fit: rows and extremes stay, bins are worthless. */
static void check_refusal(float *x, size_t n_rows, size_t n_columns, int exponent, int bins) {
  const float limit = ldexpf((float)bins, exponent);
  const float odd[] = {NAN, INFINITY, -INFINITY, limit, -limit, nextafterf(limit, INFINITY)};
  float *const place = &x[ck_below(n_rows * n_columns)];
  const float kept = *place;
  *place = odd[ck_below(sizeof odd / sizeof *odd)];
  const tarei_observe o = {
      .x = x, .n_rows = n_rows, .n_columns = n_columns, .exponent = exponent, .bins = bins};
  counts *const expected = new_counts();
  CK_EACH_ROW("observe") {
    counts *const got = new_counts();
    assert_false(observe(row, &o, true, got));
    memcpy(got->bins, expected->bins, sizeof got->bins);
    ck_assert_same_bytes(row->name, got, expected, sizeof *got);
    free(got);
  }
  free(expected);
  *place = kept;
}

static float fitting_value(int exponent, int bins, size_t common) {
  const double place = (double)ck_below((size_t)bins) + (double)ck_below(2) * 0.5;
  const float x = (float)ldexp(ck_below(2) ? place : -place, exponent);
  return ck_below(8) < common ? -ldexpf(1.0f, exponent) * (bins > 1) : x;
}

static void observe_rows_count_every_bin(void **state) {
  (void)state;
  static const int exponents[] = {0, -3, 5, 100, 114, -100, -126, -125};
  for (int i = 0; i < 100; i++) {
    const int bins = 1 << ck_below(15);
    const int exponent = exponents[ck_below(sizeof exponents / sizeof *exponents)];
    const size_t n_columns = ck_below(3) ? 1 + ck_below(150) : ck_below(3000);
    const size_t n_rows = ck_below(i % 4 ? 12 : 60), n = n_rows * n_columns;
    const size_t common = i % 3 ? 0 : ck_below(9);
    if (n > TAREI_OBSERVE_MOST) {
      continue;
    }
    float *const x = ck_alloc(n * sizeof *x);
    for (size_t j = 0; j < n; j++) {
      x[j] = fitting_value(exponent, bins, common);
    }
    check_observe(x, n_rows, n_columns, exponent, bins);
    if (n) {
      check_refusal(x, n_rows, n_columns, exponent, bins);
      check_observe(x, n_rows, n_columns, exponent, bins);
    }
    free(x);
  }
}

/* as many equal values as the small counters hold at most, found out as common or not */
static void observing_a_constant_does_not_wrap(void **state) {
  (void)state;
  const size_t n = TAREI_OBSERVE_MOST;
  float *const x = ck_alloc(n * sizeof *x);
  for (int kind = 0; kind < 4; kind++) {
    for (size_t i = 0; i < n; i++) {
      const bool is_sample = kind % 2 && i % ((n - 1) / 15) < 16;
      x[i] = is_sample ? (float)(i % 1000) : kind < 2 ? -1.25f : i % 3 ? -1.25f : -0.0f;
    }
    check_observe(x, kind % 3 ? 1 : n / 64, kind % 3 ? n : 64, -1, BINS);
  }
  free(x);
}

int observe_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(minmax_rows_agree_with_plain_loop),
      cmocka_unit_test(minmax_of_zeros_is_no_negative_zero),
      cmocka_unit_test(observe_rows_count_every_bin),
      cmocka_unit_test(observing_a_constant_does_not_wrap),
  };
  return cmocka_run_group_tests_name("kernels.observe", tests, ck_seed, NULL);
}
