/* Pooled rows: every row of the table against the scalar one, and that against a plain loop. */
#include "tests/unit/kernels/checkkern.h"

enum { MOST_ROWS = 20 };

typedef struct window {
  size_t n_rows, n, m, step,
      elements; /* m windows, step apart, of which rows have so many elements */
  float *floats[MOST_ROWS];
  uint8_t *bytes[MOST_ROWS];
} window;

static window random_window(void) {
  window w = {.n_rows = 1 + ck_below(MOST_ROWS), .n = ck_size(), .m = 1 + ck_below(4)};
  if (ck_below(4) == 0) { /* one channel, whose windows go side by side */
    w.n = 1;
    w.m = 1 + ck_below(40);
  }
  w.step = ck_below(2 * w.n + 2);
  w.elements = (w.m - 1) * w.step + w.n;
  for (size_t r = 0; r < w.n_rows; r++) {
    w.floats[r] = ck_floats(w.elements, true);
    w.bytes[r] = ck_bytes(w.elements);
  }
  return w;
}

static void window_free(window *const w) {
  for (size_t r = 0; r < w->n_rows; r++) {
    free(w->floats[r]);
    free(w->bytes[r]);
  }
}

static tarei_pool_floats floats_of(const window *const w, float *const out) {
  return (tarei_pool_floats){.rows = (const float *const *)w->floats,
                             .n_rows = w->n_rows,
                             .n = w->n,
                             .m = w->m,
                             .step = w->step,
                             .out = out};
}

/* Where element k of all results comes from in each row. */
static size_t place_of(const window *const w, const size_t k) {
  return k / w->n * w->step + k % w->n;
}

static void largest_floats(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    window w = random_window();
    const size_t n = w.m * w.n;
    float *const expected = ck_alloc(n * sizeof *expected);
    const tarei_pool_floats want = floats_of(&w, expected);
    ck_scalar().pool_max(&want);
    for (size_t k = 0; k < n; k++) {
      float most = -INFINITY;
      for (size_t r = 0; r < w.n_rows && !isnan(most); r++) {
        const float v = w.floats[r][place_of(&w, k)];
        most = isnan(v) || v > most ? v : most;
      }
      assert_true(isnan(most) ? isnan(expected[k]) : expected[k] == most);
    }
    CK_EACH_ROW("pool_max") {
      float *const out = ck_output(n * sizeof *out);
      const tarei_pool_floats pool = floats_of(&w, out);
      ((tarei_pool_max_fn *)row->function)(&pool);
      ck_assert_same_floats(row->name, out, expected, n);
      free(out);
    }
    free(expected);
    window_free(&w);
  }
}

static void largest_bytes(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    window w = random_window();
    const size_t n = w.m * w.n;
    CK_EACH_ROW("pool_max_u8") {
      uint8_t *const out = ck_output(n);
      const tarei_pool_bytes pool = {.rows = (const uint8_t *const *)w.bytes,
                                     .n_rows = w.n_rows,
                                     .n = w.n,
                                     .m = w.m,
                                     .step = w.step,
                                     .out = out};
      ((tarei_pool_max_u8_fn *)row->function)(&pool);
      for (size_t k = 0; k < n; k++) {
        uint8_t most = 0;
        for (size_t r = 0; r < w.n_rows; r++) {
          const uint8_t byte = w.bytes[r][place_of(&w, k)];
          most = byte > most ? byte : most;
        }
        assert_int_equal(out[k], most);
      }
      free(out);
    }
    window_free(&w);
  }
}

static void means(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    window w = random_window();
    const float count = (float)(w.n_rows + ck_below(5));
    const size_t n = w.m * w.n;
    float *const expected = ck_alloc(n * sizeof *expected);
    const tarei_pool_floats want = floats_of(&w, expected);
    ck_scalar().pool_mean(&want, count);
    for (size_t k = 0; k < n; k++) {
      float sum = w.floats[0][place_of(&w, k)];
      for (size_t r = 1; r < w.n_rows; r++) {
        sum += w.floats[r][place_of(&w, k)];
      }
      const float mean = sum / count;
      assert_true(isnan(mean) ? isnan(expected[k]) : expected[k] == mean);
    }
    CK_EACH_ROW("pool_mean") {
      float *const out = ck_output(n * sizeof *out);
      const tarei_pool_floats pool = floats_of(&w, out);
      ((tarei_pool_mean_fn *)row->function)(&pool, count);
      ck_assert_same_floats(row->name, out, expected, n);
      free(out);
    }
    free(expected);
    window_free(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(largest_floats),
      cmocka_unit_test(largest_bytes),
      cmocka_unit_test(means),
  };
  return cmocka_run_group_tests_name("kernels.pool", tests, ck_seed, NULL);
}
