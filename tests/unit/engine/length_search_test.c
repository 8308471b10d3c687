/* The nearest lengths at which something works, and those at which models can run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tare/tare.h>

#include "engine/check/length_search.h"

#define BOUNDED TARE_SOURCE_DIR "/tests/fixtures/bounded/"

static const tare_port PORT = {"x", TARE_F32, 2, {{-1, "B"}, {-1, "S"}}};
static const tare_port SUMS[] = {{"x", TARE_F32, 1, {{-1, "a"}}},
                                 {"y", TARE_F32, 1, {{-1, "b"}}},
                                 {"z", TARE_F32, 1, {{-1, "a + b"}}}};

typedef struct asked {
  int64_t n; /* questions */
  bool (*works)(const int64_t *values);
} asked;

static bool ask(void *const user, const int64_t *const values) {
  asked *const a = user;
  a->n++;
  return a->works(values);
}

static tare_length_near search(const tare_port *const ports, const int n, asked *const a,
                               const int64_t *const values, char text[const 200]) {
  tare_profiles *profiles = NULL;
  tarei_str said = {0};
  assert_int_equal(tare_profiles_new(ports, n, &profiles, NULL), TARE_OK);
  const tarei_length_search s = {ask, a, profiles};
  const tare_length_near near = tarei_length_search_near(&s, values);
  tarei_length_near_print(&near, profiles, &said);
  assert_true(said.length < 200);
  strcpy(text, tarei_str_get(&said));
  tarei_str_free(&said);
  tare_profiles_free(&profiles);
  assert_true(a->n < 1500); /* however long the lengths are */
  return near;
}

static bool from_400(const int64_t *const values) {
  return values[1] >= 400;
}

static bool up_to_a_million(const int64_t *const values) {
  return values[1] <= 1000000;
}

static bool fours(const int64_t *const values) {
  return values[1] % 4 == 0;
}

static bool never(const int64_t *const values) {
  (void)values;
  return false;
}

static bool one_hundred_and_a_few(const int64_t *const values) {
  return values[1] == 100 || values[1] > 3000;
}

static bool sums_of_ten(const int64_t *const values) {
  return values[2] == values[0] + values[1] && values[2] >= 10;
}

static void bounds_are_exact(void **state) {
  (void)state;
  char text[200];
  asked a = {.works = from_400};
  tare_length_near near = search(&PORT, 1, &a, (int64_t[]){1, 300}, text);
  assert_true(near.symbol == 1 && near.above == 400 && near.below == -1 && near.ends);
  assert_string_equal(text, "the least S that works is 400");
  a = (asked){.works = from_400};
  near = search(&PORT, 1, &a, (int64_t[]){1, 1}, text);
  assert_true(near.above == 400 && near.ends);
  a = (asked){.works = up_to_a_million};
  near = search(&PORT, 1, &a, (int64_t[]){1, INT64_C(1) << 39}, text);
  assert_true(near.symbol == 1 && near.below == 1000000 && near.above == -1 && near.ends);
  assert_string_equal(text, "the most S that works is 1000000");
}

static void other_lengths_are_no_bounds(void **state) {
  (void)state;
  char text[200];
  asked a = {.works = fours};
  tare_length_near near = search(&PORT, 1, &a, (int64_t[]){1, 1601}, text);
  assert_true(near.below == 1600 && near.above == 1604 && !near.ends);
  assert_string_equal(text, "it works at S=1600 and at S=1604");
  a = (asked){.works = fours};
  near = search(&PORT, 1, &a, (int64_t[]){1, 3}, text); /* nothing is no length */
  assert_true(near.below == -1 && near.above == 4 && !near.ends);
  assert_string_equal(text, "it works at S=4, and not at all lengths");
  a = (asked){.works = one_hundred_and_a_few};
  near = search(&PORT, 1, &a, (int64_t[]){1, 99}, text);
  assert_true(near.above == 100 && !near.ends);
  a = (asked){.works = never};
  near = search(&PORT, 1, &a, (int64_t[]){1, 99}, text);
  assert_true(near.symbol == -1);
  assert_string_equal(text, "");
}

static void the_symbol_that_changes_least_is_taken(void **state) {
  (void)state;
  char text[200];
  asked a = {.works = sums_of_ten};
  const tare_length_near near = search(SUMS, 3, &a, (int64_t[]){1, 6, 7}, text);
  assert_true(near.symbol == 1 && near.above == 9 && near.ends);
  assert_string_equal(text, "the least b that works is 9");
}

static tare_length_check *check_of(const char *const path, const char *const spec,
                                   const int64_t memory, tare_model **const model) {
  tare_limits limits;
  tare_error err = {0};
  tare_limits_init(&limits);
  limits.memory = memory;
  tare_load_options load;
  tare_load_options_init(&load);
  load.limits = &limits;
  const tare_port *inputs;
  tare_profiles *profiles = NULL;
  tare_length_check *check = NULL;
  if (tare_model_load_with(path, &load, model, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  const int n = tare_model_inputs(*model, &inputs);
  assert_int_equal(tare_profiles_new(inputs, n, &profiles, NULL), TARE_OK);
  assert_int_equal(tare_profiles_add(profiles, spec, NULL), TARE_OK);
  if (tare_length_check_new(*model, profiles, &check, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  tare_profiles_free(&profiles);
  return check;
}

static void expect(const char *const path, const char *const spec, const int64_t memory,
                   const int64_t *const values, const tare_status status, const char *const says) {
  tare_model *model = NULL;
  tare_error err = {0};
  tare_length_check *check = check_of(path, spec, memory, &model);
  assert_int_equal(tare_length_check_explain(check, values, NULL, &err), status);
  if (!strstr(err.message, says)) {
    fail_msg("expected \"%s\" in: %s", says, err.message);
  }
  tare_length_check_free(&check);
  tare_length_check_free(&check); /* NULL now */
  tare_model_free(&model);
}

static const int64_t MUCH = INT64_C(1) << 40;

static void models_are_asked(void **state) {
  (void)state;
  expect(BOUNDED "wave.onnx", "S=300:8000:16000", MUCH, (int64_t[]){1, 8000}, TARE_OK, "");
  expect(BOUNDED "wave.onnx", "S=300:8000:16000", MUCH, (int64_t[]){1, 719}, TARE_E_SHAPE,
         "S=719 is too short for the model: ");
  expect(BOUNDED "wave.onnx", "S=300:8000:16000", MUCH, (int64_t[]){1, 300}, TARE_E_SHAPE,
         "; the least S that works is 720");
  expect(BOUNDED "table.onnx", "T=3:20:100", MUCH, (int64_t[]){1, 90}, TARE_E_SHAPE,
         "; the most T that works is 64");
  expect(BOUNDED "quads.onnx", "T=3:20:100", MUCH, (int64_t[]){1, 90}, TARE_E_SHAPE,
         "; it works at T=88 and at T=92");
  expect(BOUNDED "maps.onnx", "H=8:24:40,W=8:24:40", MUCH, (int64_t[]){1, 20, 30}, TARE_E_SHAPE,
         "H=20, W=30 are too short for the model: ");
  expect(BOUNDED "loop.onnx", "T=1:20:100", MUCH, (int64_t[]){1, 2}, TARE_OK, ""); /* a run tells */
}

static void memory_is_a_bound(void **state) {
  (void)state;
  expect(BOUNDED "wave.onnx", "S=800:8000:100000000", MUCH, (int64_t[]){1, 100000000}, TARE_OK, "");
  expect(BOUNDED "wave.onnx", "S=800:8000:100000000", 10000000, (int64_t[]){1, 2000000}, TARE_OK,
         "");
  expect(BOUNDED "wave.onnx", "S=800:8000:100000000", 10000000, (int64_t[]){1, 100000000},
         TARE_E_LIMIT, "S=100000000 is too long for the model: ");
  expect(BOUNDED "wave.onnx", "S=800:8000:100000000", 10000000, (int64_t[]){1, INT64_C(1) << 50},
         TARE_E_LIMIT, "the most S that works is ");
}

/* What is said to fit, does: with one element more a plan is refused. */
static void what_fits_is_what_plans_take(void **state) {
  (void)state;
  tare_model *model = NULL;
  tare_length_check *check =
      check_of(BOUNDED "wave.onnx", "S=800:8000:100000000", 10000000, &model);
  tare_length_near near;
  assert_int_equal(tare_length_check_near(check, (int64_t[]){1, 100000000}, &near, NULL), TARE_OK);
  assert_true(near.symbol == 1 && near.below > 1000000 && near.ends);
  const tare_port *inputs;
  const int n = tare_model_inputs(model, &inputs);
  for (int more = 0; more < 2; more++) {
    tare_profiles *profiles = NULL;
    tare_plan *plan = NULL;
    char spec[80];
    snprintf(spec, sizeof spec, "S=800:8000:%lld", (long long)near.below + more);
    assert_int_equal(tare_profiles_new(inputs, n, &profiles, NULL), TARE_OK);
    assert_int_equal(tare_profiles_add(profiles, spec, NULL), TARE_OK);
    assert_int_equal(tare_plan_build(model, profiles, NULL, &plan, NULL),
                     more ? TARE_E_LIMIT : TARE_OK);
    tare_plan_free(&plan);
    tare_profiles_free(&profiles);
  }
  tare_length_check_free(&check);
  tare_model_free(&model);
}

static void failing_plans_say_which_lengths_do(void **state) {
  (void)state;
  static const char *const CASES[][3] = {
      {"S=300:8000:16000", "profile 0 at its min: ", "; the least S that works is 720"},
      {"S=300", " in every profile", "; the least S that works is 720"},
      {"S=800:900:100000000", "max-memory allows", "; the most S that works is "}};
  tare_model *model = NULL;
  tare_length_check *check = check_of(BOUNDED "wave.onnx", "S=800", 10000000, &model);
  const tare_port *inputs;
  const int n = tare_model_inputs(model, &inputs);
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    tare_profiles *profiles = NULL;
    tare_plan *plan = NULL;
    tare_error err = {0};
    assert_int_equal(tare_profiles_new(inputs, n, &profiles, NULL), TARE_OK);
    assert_int_equal(tare_profiles_add(profiles, CASES[i][0], NULL), TARE_OK);
    assert_int_not_equal(tare_plan_build(model, profiles, NULL, &plan, &err), TARE_OK);
    assert_non_null(strstr(err.message, CASES[i][1]));
    assert_non_null(strstr(err.message, CASES[i][2]));
    assert_null(plan);
    tare_profiles_free(&profiles);
  }
  tare_length_check_free(&check);
  tare_model_free(&model);
}

int length_search_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds_are_exact),
      cmocka_unit_test(other_lengths_are_no_bounds),
      cmocka_unit_test(the_symbol_that_changes_least_is_taken),
      cmocka_unit_test(models_are_asked),
      cmocka_unit_test(memory_is_a_bound),
      cmocka_unit_test(what_fits_is_what_plans_take),
      cmocka_unit_test(failing_plans_say_which_lengths_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
