/* Planes, channels-first: every row of the table against the scalar one, and that against plain
 * loops in double. */
#include "tests/unit/kernels/checkkern.h"

static void check_moments(const float *const x, const size_t n, const tarei_plane_moments m) {
  double mean = 0, squares = 0;
  for (size_t i = 0; i < n; i++) {
    mean += (double)x[i] / (double)n;
  }
  for (size_t i = 0; i < n; i++) {
    squares += ((double)x[i] - mean) * ((double)x[i] - mean);
  }
  assert_true(isfinite(squares) ? m.squares >= 0 : isnan(m.squares));
  assert_true(!isfinite(squares) ||
              (fabs(m.mean - mean) <= 1e-12 * (fabs(mean) + sqrt(squares)) &&
               fabs(m.squares - squares) <= 1e-10 * squares + 1e-20 * mean * mean));
}

static void moments_of_planes(void **state) {
  (void)state;
  for (int i = 0; i < 400; i++) {
    const size_t n = ck_size() * (1 + ck_below(20));
    float *const x = ck_floats(n, i % 4 == 0);
    for (size_t k = 0; k < n; k++) { /* far from zero, constant, an outlier in front */
      x[k] = i % 4 == 1 ? x[k] + 1e6f : i % 4 == 2 ? x[i % n] : x[k];
    }
    x[0] *= i % 8 == 3 ? 1e10f : 1.0f;
    const tarei_plane_moments expected = ck_scalar().plane_moments(x, n);
    check_moments(x, n, expected);
    assert_true(i % 4 != 2 || expected.squares == 0 || isnan(x[0]));
    CK_EACH_ROW("plane_moments") {
      const tarei_plane_moments m = ((tarei_plane_moments_fn *)row->function)(x, n);
      assert_true(isnan(m.squares) ? isnan(expected.squares) : m.squares == expected.squares);
      assert_true(isnan(m.mean) ? isnan(expected.mean) : m.mean == expected.mean);
    }
    free(x);
  }
}

static void planes_are_scaled(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    const size_t n = ck_size(), step = ck_below(2), parameters = step ? n : 1;
    float *const x = ck_floats(n, i % 4 == 0), *const center = ck_floats(parameters, false);
    float *const factor = ck_floats(parameters, false), *const offset =
                                                            ck_floats(parameters, false);
    const tarei_plane_scale scale = {center, factor, offset, step};
    float *const expected = ck_output(n * sizeof *expected);
    ck_scalar().plane_scale(&scale, x, n, expected);
    for (size_t k = 0; k < n; k++) {
      const float y = fmaf(x[k] - center[k * step], factor[k * step], offset[k * step]);
      ck_assert_same_floats("plane_scale", &expected[k], &y, 1);
    }
    CK_EACH_ROW("plane_scale") {
      float *const in_place = ck_output(n * sizeof *x);
      memcpy(in_place, x, n * sizeof *x);
      ((tarei_plane_scale_fn *)row->function)(&scale, in_place, n, in_place);
      ck_assert_same_floats(row->name, in_place, expected, n);
      free(in_place);
    }
    free(x);
    free(center);
    free(factor);
    free(offset);
    free(expected);
  }
}

/* A line whose windows fit into its width. */
static tarei_pool_line random_line(void) {
  tarei_pool_line p = {.n_rows = ck_below(5),
                       .width = ck_size(),
                       .stride = 1 + ck_below(3),
                       .dilation = 1 + ck_below(3)};
  const size_t places = (p.width - 1) / p.dilation + 1;
  p.taps = 1 + ck_below(places < 6 ? places : 6);
  const size_t left = p.width - ((p.taps - 1) * p.dilation + 1);
  p.first = ck_below(left + 1);
  p.n = ck_below((left - p.first) / p.stride + 2);
  p.share = 1.0 / (double)(p.taps * (p.n_rows ? p.n_rows : 1));
  return p;
}

static double column_sum(const tarei_pool_line *const p, const size_t i) {
  double sum = 0;
  for (size_t r = 0; r < p->n_rows; r++) {
    sum += (double)p->rows[r][i];
  }
  return sum;
}

static void check_line(const tarei_pool_line *const p, const double *const sums) {
  for (size_t i = 0; i < p->width; i++) {
    const double sum = column_sum(p, i);
    assert_true(isnan(sum) ? isnan(sums[i]) : sum == sums[i]);
  }
  for (size_t i = 0; i < p->n; i++) {
    double sum = 0;
    for (size_t t = 0; t < p->taps; t++) {
      sum += column_sum(p, p->first + i * p->stride + t * p->dilation);
    }
    const float mean = (float)(sum * p->share);
    assert_true(isnan(mean) ? isnan(p->out[i]) : mean == p->out[i]);
  }
}

/* The same as a plain loop: equal but for which NaN a window gives. */
static void check_line_max(const tarei_pool_line *const p) {
  for (size_t i = 0; i < p->n; i++) {
    float largest = -INFINITY;
    for (size_t t = 0; t < p->taps; t++) {
      for (size_t r = 0; r < p->n_rows; r++) {
        const float x = p->rows[r][p->first + i * p->stride + t * p->dilation];
        largest = x > largest || isnan(x) ? x : largest;
      }
    }
    assert_true(isnan(largest) ? isnan(p->out[i]) : largest == p->out[i]);
  }
}

/* Every row of a family of lines against the scalar one. */
#define LINES_OF(family, type, column, CHECK)                                         \
  static void family##_rows(tarei_pool_line p) {                                      \
    column *const columns = ck_output((p.width + TAREI_POOL_ROOM) * sizeof *columns); \
    float *const expected = p.out = ck_output(p.n * sizeof *p.out);                   \
    ck_scalar().family(&p, columns);                                                  \
    CHECK;                                                                            \
    CK_EACH_ROW(#family) {                                                            \
      column *const more = ck_output((p.width + TAREI_POOL_ROOM) * sizeof *more);     \
      p.out = ck_output(p.n * sizeof *p.out);                                         \
      ((type *)row->function)(&p, more);                                              \
      ck_assert_same_floats(row->name, p.out, expected, p.n);                         \
      for (size_t k = 0; k < p.width; k++) {                                          \
        assert_true(columns[k] == more[k] || (isnan(columns[k]) && isnan(more[k])));  \
      }                                                                               \
      free(more);                                                                     \
      free(p.out);                                                                    \
    }                                                                                 \
    free(columns);                                                                    \
    free(expected);                                                                   \
  }
LINES_OF(pool_line, tarei_pool_line_fn, double, check_line(&p, columns))
LINES_OF(pool_line_max, tarei_pool_line_max_fn, float, check_line_max(&p))

static void lines_are_pooled(void **state) {
  (void)state;
  for (int i = 0; i < 1000; i++) {
    tarei_pool_line p = random_line();
    const float *rows[4];
    for (size_t r = 0; r < p.n_rows; r++) {
      rows[r] = ck_floats(p.width, i % 4 == 0);
    }
    p.rows = rows;
    pool_line_rows(p);
    pool_line_max_rows(p);
    for (size_t r = 0; r < p.n_rows; r++) {
      free((void *)rows[r]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moments_of_planes),
      cmocka_unit_test(planes_are_scaled),
      cmocka_unit_test(lines_are_pooled),
  };
  return cmocka_run_group_tests_name("kernels.planes", tests, ck_seed, NULL);
}
