/* Operations of the shipped examples, against sums taken by hand from their weights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <tare/tare.h>

#include "unit/engine/support/built.h"

static tare_error err;

#define OK(call)                              \
  do {                                        \
    if ((call) != TARE_OK) {                  \
      fail_msg("%s: %s", #call, err.message); \
    }                                         \
  } while (0)

/* The symbols are a batch of 1 and one length. */
static int64_t sum(const tare_plan *const plan, const int64_t length) {
  const tare_profiles *const profiles = tare_plan_profiles(plan);
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    values[s] = tare_profiles_range(profiles, 0, s).max > 1 ? length : 1;
  }
  double operations = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    double layer = -1;
    OK(tare_plan_layer_operations(plan, i, values, &layer, &err));
    assert_true(layer >= 0);
    operations += layer;
  }
  return (int64_t)operations;
}

static void convolutions_count_their_weights(void **const state) {
  (void)state;
  tare_plan *plan = built_plan(TARE_SOURCE_DIR "/examples/digits-conv/digits-conv.onnx",
                               "samples=1600:5000:20000");
  assert_int_equal(sum(plan, 5000), 31289856);
  assert_int_equal(sum(plan, 16000), 98937600);
  tare_plan_free(&plan);
}

/* 609024 weights meet each token; in three layers, 128 features of each token meet each other token
 * twice. */
static void products_count_rows_and_keys(void **const state) {
  (void)state;
  tare_plan *plan =
      built_plan(TARE_SOURCE_DIR "/examples/intents-mini/intents-mini.onnx", "sequence=4:16:32");
  for (int64_t n = 5; n <= 32; n += 9) {
    assert_int_equal(sum(plan, n), 2 * (609024 * n + 6 * 128 * n * n));
  }
  tare_plan_free(&plan);
}

int operations_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(convolutions_count_their_weights),
      cmocka_unit_test(products_count_rows_and_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
