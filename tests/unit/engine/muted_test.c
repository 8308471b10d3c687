/* Muted runs: outputs that no input decides, and runs afterwards that are as before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/observe/muted.h"
#include "unit/engine/support/built.h"

#define SMALL TARE_SOURCE_DIR "/tests/fixtures/small/intents-mini/intents-mini.onnx"

enum { LENGTH = 12, MOST_PORTS = 8 };

/* Ids that differ with `turn`. */
static void fill(const tare_plan *const plan, const int turn, tare_tensor *const inputs) {
  const tare_port *ports = NULL;
  const int n = tare_plan_inputs(plan, &ports);
  assert_true(n <= MOST_PORTS);
  for (int i = 0; i < n; i++) {
    int64_t *const data = calloc(LENGTH, sizeof *data);
    assert_true(data && ports[i].dtype == TARE_I64);
    for (int k = 0; k < LENGTH; k++) {
      data[k] = strstr(ports[i].name, "mask") ? 1 : (k * 7 + turn * 3 + 1) % 20;
    }
    inputs[i] = (tare_tensor){.dtype = TARE_I64, .rank = 2, .dims = {1, LENGTH}, .data = data};
  }
}

static float *copy_of(const tare_tensor *const t) {
  const size_t bytes = (size_t)tare_tensor_count(t) * sizeof(float);
  assert_int_equal(t->dtype, TARE_F32);
  float *const data = malloc(bytes);
  assert_non_null(data);
  memcpy(data, t->data, bytes);
  return data;
}

static float *run(tare_context *const context, const tare_tensor *const inputs, const bool muted,
                  size_t *const bytes) {
  tare_tensor out[MOST_PORTS];
  tare_error err = {0};
  const tare_status status = muted ? tarei_context_run_muted(context, inputs, NULL, -1, out, &err)
                                   : tarei_context_run_valid(context, inputs, NULL, -1, out, &err);
  if (status != TARE_OK) {
    fail_msg("%s", err.message);
  }
  *bytes = (size_t)tare_tensor_count(&out[0]) * sizeof(float);
  return copy_of(&out[0]);
}

static void a_muted_run_is_decided_by_no_input(void **state) {
  (void)state;
  tare_plan *plan = built_plan(SMALL, "batch=1:1:1,sequence=1:12:40");
  tare_context *context = NULL;
  tare_tensor first[MOST_PORTS], second[MOST_PORTS];
  size_t bytes = 0;
  assert_true(tarei_plan_is_mutable(plan));
  assert_int_equal(tare_context_new(plan, NULL, &context, NULL), TARE_OK);
  fill(plan, 0, first);
  fill(plan, 1, second);
  float *const before = run(context, first, false, &bytes);
  float *const other = run(context, second, false, &bytes);
  float *const muted = run(context, first, true, &bytes);
  float *const also = run(context, second, true, &bytes);
  float *const after = run(context, first, false, &bytes);
  assert_true(memcmp(before, other, bytes) != 0);
  assert_memory_equal(muted, also, bytes);
  assert_memory_equal(before, after, bytes);
  const tare_port *ports = NULL;
  for (int i = 0; i < tare_plan_inputs(plan, &ports); i++) {
    free(first[i].data);
    free(second[i].data);
  }
  float *const all[] = {before, other, muted, also, after};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    free(all[i]);
  }
  tare_context_free(&context);
  tare_plan_free(&plan);
}

int muted_test(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_muted_run_is_decided_by_no_input)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
