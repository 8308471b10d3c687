/* Sums of products against sums one by one, in any order and any number of rows at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "calib/gram.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_those_of_the_rows),
      cmocka_unit_test(neither_batches_nor_kernels_matter),
      cmocka_unit_test(the_largest_sums_are_exact),
      cmocka_unit_test(impossible_sizes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
