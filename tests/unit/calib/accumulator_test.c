#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "calib/accumulator.h"
#include "unit/calib/random_floats.h"
#include "unit/calib/same_histogram.h"

static tarei_kernels kernels;

static void assert_same(const tarei_accumulator *const a, const tarei_accumulator *const b) {
  assert_int_equal(a->n_samples, b->n_samples);
  assert_int_equal(a->count, b->count);
  assert_int_equal(a->n_nan, b->n_nan);
  assert_int_equal(a->n_inf, b->n_inf);
  assert_memory_equal(&a->min, &b->min, sizeof a->min);
  assert_memory_equal(&a->max, &b->max, sizeof a->max);
  assert_memory_equal(a->rows, b->rows, sizeof a->rows);
  assert_same_histogram(&a->histogram, &b->histogram);
}

/* Element by element: whether it lies in the box, and which row it belongs to. */
typedef struct naive_row {
  int64_t n, n_finite;
  float amax;
} naive_row;

static void end_row(tarei_accumulator *const a, const naive_row *const row) {
  int power = 0;
  (void)frexpf(row->amax, &power);
  const int bin = row->n_finite == 0            ? TAREI_ROW_BIN_NOT_FINITE
                  : row->amax < ldexpf(1, -126) ? 0
                                                : power + 126;
  a->rows[bin]++;
}

static void naive_element(tarei_accumulator *const a, const float x, naive_row *const row) {
  a->count++;
  row->n++;
  a->n_nan += isnan(x) != 0;
  a->n_inf += isinf(x) != 0;
  if (isfinite(x)) {
    row->n_finite++;
    row->amax = fmaxf(row->amax, fabsf(x));
    a->min = x < a->min ? (x == 0 ? 0 : x) : a->min;
    a->max = x > a->max ? (x == 0 ? 0 : x) : a->max;
    assert_true(tarei_histogram_add(&a->histogram, &kernels, &x, 1, 1, fabsf(x)));
  }
}

static void naive_observe(tarei_accumulator *const a, const tare_tensor *const t,
                          const int64_t *const valid) {
  const int64_t n = tare_tensor_count(t);
  const int64_t columns = t->rank ? t->dims[t->rank - 1] : 1;
  naive_row row = {0};
  a->n_samples++;
  for (int64_t i = 0; i < n; i++) {
    int64_t rest = i;
    bool inside = true;
    for (int axis = t->rank - 1; axis >= 0; axis--) {
      inside = inside && rest % t->dims[axis] < valid[axis];
      rest /= t->dims[axis];
    }
    if (inside) {
      naive_element(a, ((const float *)t->data)[i], &row);
    }
    if (i % columns == columns - 1) {
      if (row.n) {
        end_row(a, &row);
      }
      row = (naive_row){0};
    }
  }
}

static float *make_data(const int64_t n, const bool with_special) {
  float *const data = malloc(((size_t)n + 16) * sizeof *data);
  for (int64_t i = 0; i < n; i++) {
    const int64_t kind = with_special ? random_below(40) : -1;
    data[i] = kind == 0 ? NAN : kind == 1 ? INFINITY : kind == 2 ? -INFINITY : random_activation();
  }
  return data;
}

static void check_box(tarei_crew *const crew, const int rank, const int64_t *const dims,
                      const int64_t *const valid, const bool with_special) {
  tare_tensor t = {.dtype = TARE_F32, .rank = rank};
  for (int i = 0; i < rank; i++) {
    t.dims[i] = dims[i];
  }
  t.data = make_data(tare_tensor_count(&t), with_special);
  tarei_accumulator fast, slow;
  tarei_accumulator_init(&fast);
  tarei_accumulator_init(&slow);
  tare_error err = {0};
  assert_int_equal(tarei_crew_observe(crew, &t, valid, &fast, &err), TARE_OK);
  naive_observe(&slow, &t, valid);
  assert_same(&fast, &slow);
  assert_true(tarei_accumulator_is_sound(&fast));
  tarei_accumulator_fini(&fast);
  tarei_accumulator_fini(&slow);
  free(t.data);
}

static tarei_team *start_crew(tarei_crew *const crew, const int threads) {
  tarei_team *team;
  assert_int_equal(tarei_team_new(threads, &team, NULL), TARE_OK);
  assert_int_equal(tarei_crew_init(crew, &kernels, team, NULL), TARE_OK);
  return team;
}

static void counts_valid_boxes(void **const state) {
  (void)state;
  tarei_crew crew;
  tarei_team *const team = start_crew(&crew, 2);
  for (int round = 0; round < 200; round++) {
    const int rank = (int)random_below(5); /* 0..4 */
    int64_t dims[4], valid[4];
    for (int i = 0; i < rank; i++) {
      dims[i] = 1 + random_below(i == rank - 1 ? 70 : 6);
      valid[i] = random_below(3) ? dims[i] : random_below(dims[i] + 1);
    }
    check_box(&crew, rank, dims, valid, round % 2);
  }
  tarei_crew_fini(&crew);
  tarei_team_free(team);
}

static void counts_long_rows_in_blocks(void **const state) {
  (void)state;
  tarei_crew crew;
  tarei_team *const team = start_crew(&crew, 2);
  const int64_t dims[] = {2, 100000}, valid[] = {2, 70001};
  check_box(&crew, 2, dims, dims, true);
  check_box(&crew, 2, dims, valid, true);
  tarei_crew_fini(&crew);
  tarei_team_free(team);
}

/* The same samples by 1, 2 and 5 threads, in another order. */
static void does_not_depend_on_threads_or_order(void **const state) {
  (void)state;
  enum { SAMPLES = 4 };
  static const int threads[] = {1, 2, 5};
  tare_tensor t[SAMPLES];
  for (int s = 0; s < SAMPLES; s++) {
    t[s] = (tare_tensor){.dtype = TARE_F32, .rank = 3, .dims = {3, 40 + 300 * s, 96}};
    t[s].data = make_data(tare_tensor_count(&t[s]), s == 2);
  }
  tarei_accumulator a[3];
  for (int k = 0; k < 3; k++) {
    tarei_crew crew;
    tarei_accumulator_init(&a[k]);
    tarei_team *const team = start_crew(&crew, threads[k]);
    for (int s = 0; s < SAMPLES; s++) {
      const tare_tensor *const sample = &t[k == 1 ? SAMPLES - 1 - s : s];
      const int64_t valid[] = {3, sample->dims[1] - 7, 96};
      assert_int_equal(tarei_crew_observe(&crew, sample, valid, &a[k], NULL), TARE_OK);
    }
    tarei_crew_fini(&crew);
    tarei_team_free(team);
    assert_same(&a[0], &a[k]);
  }
  for (int k = 0; k < 3; k++) {
    tarei_accumulator_fini(&a[k]);
  }
  for (int s = 0; s < SAMPLES; s++) {
    free(t[s].data);
  }
}

static void zero_has_one_sign(void **const state) {
  (void)state;
  const float a[] = {0.0f, -0.0f}, b[] = {-0.0f, 0.0f};
  tarei_accumulator x, y;
  tarei_accumulator_init(&x);
  tarei_accumulator_init(&y);
  assert_true(tarei_accumulator_add_rows(&x, &kernels, a, 1, 2));
  assert_true(tarei_accumulator_add_rows(&y, &kernels, b, 1, 2));
  assert_same(&x, &y);
  assert_int_equal(signbit(x.min), 0);
  tarei_accumulator_fini(&x);
  tarei_accumulator_fini(&y);
}

static void unsound_counts_are_found(void **const state) {
  (void)state;
  const float x[] = {1, -2, 3};
  tarei_accumulator a;
  tarei_accumulator_init(&a);
  assert_true(tarei_accumulator_is_sound(&a));
  assert_true(tarei_accumulator_add_rows(&a, &kernels, x, 1, 3));
  assert_true(tarei_accumulator_is_sound(&a));
  const float more = 1;
  assert_true(tarei_histogram_add(&a.histogram, &kernels, &more, 1, 1, more));
  assert_false(tarei_accumulator_is_sound(&a));
  a.count++;
  assert_true(tarei_accumulator_is_sound(&a));
  a.n_nan = 1;
  assert_false(tarei_accumulator_is_sound(&a));
  a.n_nan = 0;
  a.rows[3] = -1;
  assert_false(tarei_accumulator_is_sound(&a));
  a.rows[3] = 0;
  a.max = NAN;
  assert_false(tarei_accumulator_is_sound(&a));
  tarei_accumulator_fini(&a);
}

int accumulator_test(void) {
  seed_random();
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_valid_boxes),
      cmocka_unit_test(counts_long_rows_in_blocks),
      cmocka_unit_test(does_not_depend_on_threads_or_order),
      cmocka_unit_test(zero_has_one_sign),
      cmocka_unit_test(unsound_counts_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
