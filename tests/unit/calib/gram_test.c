/* Sums of products against sums one by one, in any order and any number of rows at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/gram.h"
#include "calib/input_sums.h"

enum { ROWS = 600 };

static uint32_t random_state = 1;

static uint8_t random_byte(void) {
  random_state = random_state * 1664525 + 1013904223;
  return (uint8_t)(1 + (random_state >> 16) % 255);
}

static uint8_t *random_rows(const int64_t k) {
  uint8_t *const rows = malloc((size_t)(ROWS * k));
  assert_non_null(rows);
  for (int64_t i = 0; i < ROWS * k; i++) {
    rows[i] = random_byte();
  }
  return rows;
}

/* Adds all rows, at most `most` at a time. */
static tarei_gram gram_of(const uint8_t *const rows, const int64_t k, const size_t most,
                          const unsigned isa) {
  tarei_gram gram;
  tarei_gram_work work;
  tarei_kernels kernels;
  tarei_kernels_select(isa, &kernels);
  assert_int_equal(tarei_gram_init(&gram, k, NULL), TARE_OK);
  assert_int_equal(tarei_gram_work_init(&work, NULL), TARE_OK);
  for (size_t r = 0; r < ROWS; r += most) {
    tarei_gram_add(&gram, rows + r * (size_t)k, ROWS - r < most ? ROWS - r : most, &work, &kernels);
  }
  tarei_gram_work_fini(&work);
  return gram;
}

static int64_t product(const uint8_t *const rows, const int64_t k, const int64_t i,
                       const int64_t j) {
  int64_t sum = 0;
  for (int64_t r = 0; r < ROWS; r++) {
    sum += (rows[r * k + i] - TAREI_GRAM_MIDDLE) * (rows[r * k + j] - TAREI_GRAM_MIDDLE);
  }
  return sum;
}

static void sums_are_those_of_the_rows(void **const state) {
  (void)state;
  static const int64_t SIZES[] = {1, 2, 31, 64, 65, 200, 512, 513, 1300};
  for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++) {
    const int64_t k = SIZES[s];
    uint8_t *const rows = random_rows(k);
    tarei_gram gram = gram_of(rows, k, TAREI_GRAM_BATCH, TAREI_ISA_ALL);
    assert_int_equal(gram.n_rows, ROWS);
    for (int64_t b = 0; b < tarei_gram_blocks(k); b++) {
      const int64_t begin = tarei_gram_begin(k, b), size = tarei_gram_begin(k, b + 1) - begin;
      const int64_t *const sums = tarei_gram_block(&gram, b);
      assert_in_range(size, 1, TAREI_GRAM_MOST);
      for (int64_t i = 0; i < size; i += 1 + size / 37) {
        for (int64_t j = 0; j <= i; j += 1 + i / 23) {
          assert_int_equal(sums[i * (i + 1) / 2 + j], product(rows, k, begin + i, begin + j));
        }
      }
    }
    assert_int_equal(tarei_gram_begin(k, tarei_gram_blocks(k)), k);
    tarei_gram_fini(&gram);
    free(rows);
  }
}

static void neither_batches_nor_kernels_matter(void **const state) {
  (void)state;
  const int64_t k = 150;
  uint8_t *const rows = random_rows(k);
  tarei_gram one = gram_of(rows, k, TAREI_GRAM_BATCH, TAREI_ISA_ALL);
  static const struct {
    size_t most;
    unsigned isa;
  } OTHERS[] = {{1, TAREI_ISA_ALL}, {77, TAREI_ISA_ALL}, {200, TAREI_ISA_SCALAR}};
  for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
    tarei_gram other = gram_of(rows, k, OTHERS[i].most, OTHERS[i].isa);
    assert_memory_equal(one.sums, other.sums, tarei_gram_count(k) * sizeof *one.sums);
    tarei_gram_fini(&other);
  }
  tarei_gram_reset(&one);
  assert_int_equal(one.n_rows, 0);
  assert_int_equal(one.sums[0], 0);
  tarei_gram_fini(&one);
  free(rows);
}

static void the_largest_sums_are_exact(void **const state) {
  (void)state;
  const int64_t k = 3;
  uint8_t *const rows = malloc((size_t)(ROWS * k));
  assert_non_null(rows);
  memset(rows, 255, (size_t)(ROWS * k));
  tarei_gram gram = gram_of(rows, k, TAREI_GRAM_BATCH, TAREI_ISA_ALL);
  for (size_t i = 0; i < tarei_gram_count(k); i++) {
    assert_int_equal(gram.sums[i], 127 * 127 * ROWS);
  }
  tarei_gram_fini(&gram);
  free(rows);
}

static void impossible_sizes_are_refused(void **const state) {
  (void)state;
  tarei_gram gram;
  assert_int_equal(tarei_gram_init(&gram, INT64_MAX / 2, NULL), TARE_E_MEMORY);
}

/* --- sums of inputs --------------------------------------------------------------------------- */

enum { INPUTS = 3, RUNS = 200 };

static void run_of(const int run, double *const sums) {
  for (int i = 0; i < INPUTS; i++) {
    sums[i] = sin(run * 7 + i) * pow(10, (run * 5 + i) % 13 - 6);
  }
}

static void the_order_of_runs_does_not_matter(void **const state) {
  (void)state;
  tarei_input_sums there, back;
  double sums[INPUTS], exact[INPUTS] = {0};
  assert_int_equal(tarei_input_sums_init(&there, INPUTS, NULL), TARE_OK);
  assert_int_equal(tarei_input_sums_init(&back, INPUTS, NULL), TARE_OK);
  for (int r = 0; r < RUNS; r++) {
    run_of(r, sums);
    tarei_input_sums_add(&there, sums, 2);
    for (int i = 0; i < INPUTS; i++) {
      exact[i] += sums[i];
    }
    run_of(RUNS - 1 - r, sums);
    tarei_input_sums_add(&back, sums, 2);
  }
  assert_int_equal(there.n_rows, 2 * RUNS);
  assert_memory_equal(there.sums, back.sums, INPUTS * sizeof *there.sums);
  for (int i = 0; i < INPUTS; i++) {
    assert_true(fabs(tarei_input_mean(&there, (size_t)i) - exact[i] / (2 * RUNS)) < 1e-9);
  }
  tarei_input_sums_reset(&back);
  assert_int_equal(back.n_rows, 0);
  assert_true(tarei_input_mean(&back, 0) == 0);
  tarei_input_sums_fini(&there);
  tarei_input_sums_fini(&back);
}

static void sums_that_do_not_fit_are_left_out(void **const state) {
  (void)state;
  tarei_input_sums s;
  assert_int_equal(tarei_input_sums_init(&s, INPUTS, NULL), TARE_OK);
  tarei_input_sums_add(&s, (const double[INPUTS]){1, -2, 0.5}, 4);
  tarei_input_sums_add(&s, (const double[INPUTS]){1, 1e19, 1}, 4);
  tarei_input_sums_add(&s, (const double[INPUTS]){1, 1, (double)NAN}, 4);
  tarei_input_sums_add(&s, (const double[INPUTS]){(double)-INFINITY, 1, 1}, 4);
  assert_int_equal(s.n_rows, 4);
  assert_true(tarei_input_mean(&s, 0) == 0.25);
  assert_true(tarei_input_mean(&s, 1) == -0.5);
  assert_true(tarei_input_mean(&s, 2) == 0.125);
  tarei_input_sums_fini(&s);
}

int gram_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_those_of_the_rows),
      cmocka_unit_test(neither_batches_nor_kernels_matter),
      cmocka_unit_test(the_largest_sums_are_exact),
      cmocka_unit_test(impossible_sizes_are_refused),
      cmocka_unit_test(the_order_of_runs_does_not_matter),
      cmocka_unit_test(sums_that_do_not_fit_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
