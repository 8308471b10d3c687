/* Pooled rows: every row of the table against the scalar one, and that against a plain loop. */
#include "tests/unit/kernels/checkkern.h"

enum { MOST_ROWS = 20 };

typedef struct window {
  size_t n_rows, n;
  float *floats[MOST_ROWS];
  uint8_t *bytes[MOST_ROWS];
} window;

static window random_window(void) {
  window w = {.n_rows = 1 + ck_below(MOST_ROWS), .n = ck_size()};
  for (size_t r = 0; r < w.n_rows; r++) {
    w.floats[r] = ck_floats(w.n, true);
    w.bytes[r] = ck_bytes(w.n);
  }
  return w;
}

static void window_free(window *const w) {
  for (size_t r = 0; r < w->n_rows; r++) {
    free(w->floats[r]);
    free(w->bytes[r]);
  }
}

static void largest_floats(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    window w = random_window();
    float *const expected = ck_alloc(w.n * sizeof *expected);
    ck_scalar().pool_max((const float *const *)w.floats, w.n_rows, w.n, expected);
    for (size_t k = 0; k < w.n; k++) {
      float most = -INFINITY;
      for (size_t r = 0; r < w.n_rows && !isnan(most); r++) {
        const float v = w.floats[r][k];
        most = isnan(v) || v > most ? v : most;
      }
      assert_true(isnan(most) ? isnan(expected[k]) : expected[k] == most);
    }
    CK_EACH_ROW("pool_max") {
      float *const out = ck_output(w.n * sizeof *out);
      ((tarei_pool_max_fn *)row->function)((const float *const *)w.floats, w.n_rows, w.n, out);
      ck_assert_same_floats(row->name, out, expected, w.n);
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
    CK_EACH_ROW("pool_max_u8") {
      uint8_t *const out = ck_output(w.n);
      ((tarei_pool_max_u8_fn *)row->function)((const uint8_t *const *)w.bytes, w.n_rows, w.n, out);
      for (size_t k = 0; k < w.n; k++) {
        uint8_t most = 0;
        for (size_t r = 0; r < w.n_rows; r++) {
          most = w.bytes[r][k] > most ? w.bytes[r][k] : most;
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
    float *const expected = ck_alloc(w.n * sizeof *expected);
    ck_scalar().pool_mean((const float *const *)w.floats, w.n_rows, w.n, count, expected);
    for (size_t k = 0; k < w.n; k++) {
      float sum = w.floats[0][k];
      for (size_t r = 1; r < w.n_rows; r++) {
        sum += w.floats[r][k];
      }
      const float mean = sum / count;
      assert_true(isnan(mean) ? isnan(expected[k]) : expected[k] == mean);
    }
    CK_EACH_ROW("pool_mean") {
      float *const out = ck_output(w.n * sizeof *out);
      ((tarei_pool_mean_fn *)row->function)((const float *const *)w.floats, w.n_rows, w.n, count,
                                            out);
      ck_assert_same_floats(row->name, out, expected, w.n);
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
