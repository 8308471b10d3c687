#include "tests/unit/kernels/checkkern.h"

/* Rows of both sides are longer than what is turned: what lies behind stays. */
static void check_size(const size_t element, const size_t rows, const size_t columns) {
  const size_t from_step = rows + ck_below(5), to_step = columns + ck_below(5);
  const size_t to_bytes = rows ? ((rows - 1) * to_step + columns) * element : 0;
  uint8_t *const x = ck_bytes(columns ? ((columns - 1) * from_step + rows) * element : 0);
  uint8_t *const expected = ck_output(to_bytes);
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < columns; j++) {
      memcpy(expected + (i * to_step + j) * element, x + (j * from_step + i) * element, element);
    }
  }
  CK_EACH_ROW("transpose") {
    uint8_t *const got = ck_output(to_bytes);
    ((tarei_turn_fn *)row->function)(element, x, from_step, got, to_step, rows, columns);
    ck_assert_same_bytes(row->name, got, expected, to_bytes);
    free(got);
  }
  free(x);
  free(expected);
}

static void rows_become_columns(void **state) {
  (void)state;
  for (size_t element = 1; element <= 8; element *= 2) {
    check_size(element, 128, 128);
    check_size(element, 1, 1);
    for (int i = 0; i < 60; i++) {
      check_size(element, ck_size(), ck_size());
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_become_columns)};
  return cmocka_run_group_tests_name("kernels.transpose", tests, ck_seed, NULL);
}
