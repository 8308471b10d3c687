#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "calib/row_loss.h"
#include "unit/calib/random_floats.h"

enum { ROWS = 600, LONGEST = 256 };

static tarei_kernels kernels;

/* Rows of one shape, whose levels differ. */
typedef struct row_sample {
  float x[ROWS][LONGEST];
  int n_columns;
  tarei_accumulator stats;
} row_sample;

static double uniform(void) {
  return random_bits() / 4294967295.0;
}

static double normal(void) {
  double sum = 0;
  for (int i = 0; i < 12; i++) {
    sum += uniform();
  }
  return sum - 6;
}

typedef double row_element(void);

static double half_normal_or_zero(void) {
  return fmax(normal(), 0);
}

static double centered(void) {
  return 2 * uniform() - 1;
}

static row_element *const ELEMENTS[] = {normal, half_normal_or_zero, centered, uniform};

/* Levels are spread over `decibels` below the first row. */
static void fill(row_sample *const s, row_element *const element, const int n_columns,
                 const double decibels, const double level) {
  s->n_columns = n_columns;
  tarei_accumulator_init(&s->stats);
  for (int r = 0; r < ROWS; r++) {
    const double amplitude = level * pow(10, -decibels * (r ? uniform() : 0) / 20);
    for (int c = 0; c < n_columns; c++) {
      s->x[r][c] = (float)(amplitude * element());
    }
    assert_true(tarei_accumulator_add_rows(&s->stats, &kernels, s->x[r], 1, n_columns));
  }
}

static double error_of(const double x, const double step, const double lowest,
                       const double highest) {
  return fmin(fmax(nearbyint(x / step), lowest), highest) * step - x;
}

/* The loss itself: each row is rounded, and compared with its energy. */
static tarei_row_loss measured(const row_sample *const s, const double threshold) {
  const bool is_unsigned = s->stats.min >= 0;
  tarei_row_loss loss = {0};
  int n = 0;
  for (int r = 0; r < ROWS; r++) {
    double amax = 0, energy = 0, fixed = 0, rows = 0;
    for (int c = 0; c < s->n_columns; c++) {
      const double x = (double)s->x[r][c];
      amax = fmax(amax, fabs(x));
      energy += x * x;
    }
    for (int c = 0; amax > 0 && c < s->n_columns; c++) {
      const double x = (double)s->x[r][c];
      const double a = is_unsigned ? error_of(x, threshold / 255, 0, 255)
                                   : error_of(x, threshold / 127, -128, 127);
      const double b = error_of(x, amax / 127, -127, 127);
      fixed += a * a;
      rows += b * b;
    }
    n += amax > 0;
    loss.fixed += amax > 0 ? fmin(fixed / energy, 1) : 0;
    loss.rows += amax > 0 ? fmin(rows / energy, 1) : 0;
  }
  return (tarei_row_loss){.fixed = loss.fixed / n, .rows = loss.rows / n};
}

static double decibels_between(const double a, const double b) {
  return 10 * log10(a / b);
}

static void assert_within(const double predicted, const double real, const double decibels,
                          const char *const what, const int element, const row_sample *const s) {
  if (!(fabs(decibels_between(predicted, real)) <= decibels)) {
    fail_msg("%s: predicted %g, measured %g: elements %d, %d columns", what, predicted, real,
             element, s->n_columns);
  }
}

/* Over random shapes, levels and thresholds. Rows are counted by powers of two, which resolve 3 dB
 * of the ratio of their amax to their energy. */
static void predicts_what_rounding_costs(void **const state) {
  (void)state;
  row_sample *const s = test_calloc(1, sizeof *s);
  for (int i = 0; i < 60; i++) {
    const int element = i % 4, n_columns = 16 + (int)random_below(LONGEST - 15);
    const double decibels = 60 * uniform(), level = pow(10, 8 * uniform() - 4);
    fill(s, ELEMENTS[element], n_columns, decibels, level);
    const double amax = (double)tarei_accumulator_amax(&s->stats);
    const tarei_row_loss p = tarei_row_loss_predict(&s->stats, amax), m = measured(s, amax);
    assert_within(p.fixed, m.fixed, 3.5, "one scale", element, s);
    assert_within(p.rows, m.rows, 3.2, "row scales", element, s);
    const double clipped = amax * (0.4 + 0.5 * uniform());
    assert_within(tarei_row_loss_predict(&s->stats, clipped).fixed, measured(s, clipped).fixed, 4,
                  "one clipping scale", element, s);
    tarei_accumulator_fini(&s->stats);
  }
  test_free(s);
}

/* At half and twice the loudness, the same rows lose the same. */
static void does_not_depend_on_loudness(void **const state) {
  (void)state;
  row_sample *const s = test_calloc(1, sizeof *s);
  const uint64_t seed = random_state;
  tarei_row_loss first = {0};
  for (int i = 0; i < 5; i++) {
    random_state = seed;
    fill(s, normal, 64, 40, ldexp(1, i - 2));
    const double amax = (double)tarei_accumulator_amax(&s->stats);
    const tarei_row_loss loss = tarei_row_loss_predict(&s->stats, amax);
    first = i ? first : loss;
    assert_true(loss.fixed == first.fixed && loss.rows == first.rows);
    tarei_accumulator_fini(&s->stats);
  }
  for (int i = 0; i < 5; i++) { /* other loudness moves rows to other classes */
    random_state = seed;
    fill(s, normal, 64, 40, pow(10, i - 2.5));
    const double amax = (double)tarei_accumulator_amax(&s->stats);
    const tarei_row_loss loss = tarei_row_loss_predict(&s->stats, amax);
    assert_true(fabs(decibels_between(loss.fixed, first.fixed)) < 2);
    assert_true(fabs(decibels_between(loss.rows, first.rows)) < 2);
    tarei_accumulator_fini(&s->stats);
  }
  test_free(s);
}

static void rows_of_zeros_lose_nothing(void **const state) {
  (void)state;
  const float zeros[64] = {0}, ones[64] = {1, -1, 1, -1};
  tarei_accumulator a;
  tarei_accumulator_init(&a);
  assert_true(tarei_accumulator_add_rows(&a, &kernels, zeros, 4, 16));
  assert_true(isnan(tarei_row_loss_predict(&a, 1).fixed));
  assert_true(isnan(tarei_row_loss_predict(&a, 1).rows));
  assert_true(tarei_accumulator_add_rows(&a, &kernels, ones, 1, 16));
  const tarei_row_loss one = tarei_row_loss_predict(&a, 1);
  assert_true(one.fixed > 0 && one.fixed < 1e-3 && one.rows > 0 && one.rows < 1e-3);
  const float odd[2] = {NAN, INFINITY};
  assert_true(tarei_accumulator_add_rows(&a, &kernels, odd, 1, 2));
  assert_true(tarei_row_loss_predict(&a, 1).fixed < 1e-3);
  tarei_accumulator_fini(&a);
}

int row_loss_test(void) {
  seed_random();
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(predicts_what_rounding_costs),
      cmocka_unit_test(does_not_depend_on_loudness),
      cmocka_unit_test(rows_of_zeros_lose_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
