#include "tests/unit/kernels/checkkern.h"

/* Rows of both sides may be longer than what is turned, and matrices: what lies behind stays. */
static void check_size(const size_t element, const size_t rows, const size_t columns,
                       const size_t more, const size_t count) {
  tarei_turn t = {.element = element, .rows = rows, .columns = columns, .count = count};
  t.from_step = rows + ck_below(more);
  t.to_step = columns + ck_below(more);
  t.from_next = t.from_step * columns + ck_below(3);
  t.to_next = t.to_step * rows + ck_below(3);
  const size_t to_bytes = t.to_next * count * element;
  uint8_t *const x = ck_bytes(t.from_next * count * element);
  uint8_t *const expected = ck_output(to_bytes);
  t.from = x;
  for (size_t k = 0; k < count; k++) {
    for (size_t i = 0; i < rows; i++) {
      for (size_t j = 0; j < columns; j++) {
        memcpy(expected + (k * t.to_next + i * t.to_step + j) * element,
               x + (k * t.from_next + j * t.from_step + i) * element, element);
      }
    }
  }
  CK_EACH_ROW("transpose") {
    uint8_t *const got = ck_output(to_bytes);
    t.to = got;
    ((tarei_turn_fn *)row->function)(&t);
    ck_assert_same_bytes(row->name, got, expected, to_bytes);
    free(got);
  }
  free(x);
  free(expected);
}

static void rows_become_columns(void **state) {
  (void)state;
  for (size_t element = 1; element <= 8; element *= 2) {
    check_size(element, 128, 128, 5, 1);
    check_size(element, 1, 1, 5, 1);
    for (int i = 0; i < 60; i++) {
      check_size(element, ck_size(), ck_size(), 5, ck_below(4));
    }
    for (size_t few = 2; few <= 5; few++) { /* side by side */
      check_size(element, few, ck_size(), 1, 1 + ck_below(4));
      check_size(element, ck_size(), few, 1, 1 + ck_below(4));
    }
  }
}

int transpose_test(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_become_columns)};
  return cmocka_run_group_tests_name("kernels.transpose", tests, ck_seed, NULL);
}
