/* Steps that write their output over an input, where nothing reads that any more. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan.h"
#include "unit/engine/support/built.h"

enum { WIDTH = 4, MOST = 8 };

static tare_error err;

static const tarei_value_slot *slot_of(const tare_plan *const plan, const char *const name) {
  for (int v = 0; v < plan->root.graph->n_values; v++) {
    if (strcmp(plan->root.graph->values[v].name, name) == 0) {
      return &plan->root.slots[v];
    }
  }
  fail_msg("no value '%s'", name);
  return NULL;
}

static void one_place_serves_where_nobody_reads_again(void **state) {
  (void)state;
  tare_plan *plan =
      built_plan(TARE_SOURCE_DIR "/tests/fixtures/onnx/good_overwrites.onnx", "batch=1:2:8");
  assert_int_equal(slot_of(plan, "a")->offset, slot_of(plan, "r")->offset);
  assert_int_not_equal(slot_of(plan, "b")->offset, slot_of(plan, "a")->offset);
  assert_int_not_equal(slot_of(plan, "c")->offset, slot_of(plan, "b")->offset);
  assert_int_not_equal(slot_of(plan, "e")->offset, slot_of(plan, "f")->offset);
  tare_plan_free(&plan);
}

static void expect_row(const tare_tensor *const t, const int row, const float *const values,
                       const float factor) {
  for (int i = 0; i < WIDTH; i++) {
    assert_true(((const float *)t->data)[row * WIDTH + i] == factor * values[i]);
  }
}

static void values_are_those_of_copies(void **state) {
  (void)state;
  tare_plan *plan =
      built_plan(TARE_SOURCE_DIR "/tests/fixtures/onnx/good_overwrites.onnx", "batch=1:2:8");
  for (int round = 0; round < 12; round++) {
    const tare_context_options options = {.threads = 1 + round % 2, .profile = -1};
    const int n = 1 + round * 5 % MOST;
    float x[MOST * WIDTH], before[MOST * WIDTH], u[WIDTH] = {1, -2, 3, -4};
    const float abs[WIDTH] = {1, 2, 3, 4}, none[WIDTH] = {0};
    for (int i = 0; i < n * WIDTH; i++) {
      x[i] = (float)((i * 7 + round) % 11 + 1);
    }
    memcpy(before, x, sizeof x);
    const tare_tensor in[] = {{TARE_F32, 2, {n, WIDTH}, x}, {TARE_F32, 2, {1, WIDTH}, u}};
    tare_tensor out[5];
    tare_context *context = NULL;
    assert_int_equal(tare_context_new(plan, &options, &context, &err), TARE_OK);
    for (int again = 0; again < 2; again++) {
      assert_int_equal(tare_context_run(context, in, out, &err), TARE_OK);
      assert_memory_equal(x, before, (size_t)n * WIDTH * sizeof *x);
      expect_row(&out[0], 0, none, 1);
      expect_row(&out[1], 0, u, 1);
      expect_row(&out[2], 0, u, 1);
      expect_row(&out[3], 0, u, 1);
      expect_row(&out[4], 0, abs, 2);
      for (int row = 1; row < n; row++) {
        expect_row(&out[0], row, x + row * WIDTH, 2);
        expect_row(&out[1], row, x + row * WIDTH, -1);
        expect_row(&out[2], row, x + row * WIDTH, 1);
        expect_row(&out[3], row, x + row * WIDTH, 1);
      }
    }
    tare_context_free(&context);
  }
  tare_plan_free(&plan);
}

int overwrites_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_place_serves_where_nobody_reads_again),
      cmocka_unit_test(values_are_those_of_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
