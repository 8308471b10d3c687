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

/* Pieces of outputs of a convolution, anywhere in x. */
static void planes_are_convolved(void **state) {
  (void)state;
  enum { PIECES = 3 };
  for (int i = 0; i < 200; i++) {
    tarei_plane_conv c = {.m = 1 + ck_below(20), .k = 1 + ck_below(40), .n_pieces = PIECES};
    tarei_conv_piece pieces[PIECES];
    const size_t reach = 100;
    size_t length = 0;
    for (int p = 0; p < PIECES; p++) {
      pieces[p] = (tarei_conv_piece){.x = ck_below(50), .out = c.ld_out, .n = ck_size()};
      length = pieces[p].x + pieces[p].n > length ? pieces[p].x + pieces[p].n : length;
      c.ld_out += pieces[p].n;
    }
    size_t *const offsets = ck_alloc(c.k * sizeof *offsets);
    for (size_t k = 0; k < c.k; k++) {
      offsets[k] = ck_below(reach);
    }
    const size_t n = c.m * c.ld_out;
    float *const x = ck_floats(length + reach, i % 4 == 0), *const w = ck_floats(c.m * c.k, false);
    float *const bias = ck_floats(c.m, false), *const expected = ck_output(n * sizeof *expected);
    c.x = x;
    c.offsets = offsets;
    c.w = w;
    c.bias = i % 3 ? bias : NULL;
    c.pieces = pieces;
    for (size_t o = 0; o < n; o++) {
      const size_t r = o / c.ld_out;
      size_t p = PIECES - 1;
      while (pieces[p].out > o % c.ld_out) {
        p--;
      }
      const size_t at = pieces[p].x + o % c.ld_out - pieces[p].out;
      float sum = 0;
      for (size_t k = 0; k < c.k; k++) {
        sum = fmaf(w[r * c.k + k], x[at + offsets[k]], sum);
      }
      expected[o] = c.bias ? sum + bias[r] : sum;
    }
    CK_EACH_ROW("plane_conv") {
      c.out = ck_output(n * sizeof *c.out);
      ((tarei_plane_conv_fn *)row->function)(&c);
      ck_assert_same_floats(row->name, c.out, expected, n);
      free(c.out);
    }
    free(offsets);
    free(x);
    free(w);
    free(bias);
    free(expected);
  }
}

int planes_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moments_of_planes),
      cmocka_unit_test(planes_are_scaled),
      cmocka_unit_test(planes_are_convolved),
  };
  return cmocka_run_group_tests_name("kernels.planes", tests, ck_seed, NULL);
}
