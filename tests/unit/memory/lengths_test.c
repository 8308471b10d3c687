/* What follows from lengths alone is computed once for each length: outputs have the bits of
 * contexts that keep nothing, whatever lengths came before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/context.h"
#include "engine/context_parts.h"
#include "engine/plan.h"
#include "unit/engine/support/built.h"
#include "unit/seed.h"

#define FIXTURE(name) TARE_SOURCE_DIR "/tests/fixtures/onnx/good_relative_" name ".onnx"
enum { LONGEST = 96, BATCH = 3, WORDS = 20, OUTPUTS = 2 };

static const char *const models[] = {FIXTURE("buckets"), FIXTURE("products")};
static tare_error err;
static uint32_t seed;

#define OK(call)                              \
  do {                                        \
    if ((call) != TARE_OK) {                  \
      fail_msg("%s: %s", #call, err.message); \
    }                                         \
  } while (0)

static int64_t below(const int64_t n) {
  seed = seed * 1664525u + 1013904223u;
  return (int64_t)(seed >> 8) % n;
}

static tare_plan *plan_of(const char *const path, const char *const *const profiles,
                          const bool loaded) {
  tare_model *model = NULL;
  tare_profiles *p = NULL;
  tare_plan *plan = NULL;
  const tare_port *ports;
  OK(tare_model_load(path, &model, &err));
  const int n = tare_model_inputs(model, &ports);
  OK(tare_profiles_new(ports, n, &p, &err));
  for (int i = 0; profiles[i]; i++) {
    OK(tare_profiles_add(p, profiles[i], &err));
  }
  OK(tare_plan_build(model, p, NULL, &plan, &err));
  if (loaded) {
    char file[64];
    (void)snprintf(file, sizeof file, "/tmp/tare_lengths_%d.plan", (int)getpid());
    OK(tare_plan_save(plan, file, &err));
    tare_plan_free(&plan);
    OK(tare_plan_load(file, &plan, &err));
    unlink(file);
  }
  tare_profiles_free(&p);
  tare_model_free(&model);
  return plan;
}

static tare_context *context_of(const tare_plan *const plan, const int64_t kept_bytes,
                                const int threads) {
  tare_context_options options;
  tare_context *context = NULL;
  tare_context_options_init(&options);
  options.threads = threads;
  options.kept_bytes = kept_bytes;
  OK(tare_context_new(plan, &options, &context, &err));
  return context;
}

static tare_tensor tokens(int64_t *const data, const int64_t batch, const int64_t length) {
  for (int64_t i = 0; i < batch * length; i++) {
    data[i] = below(WORDS);
  }
  return (tare_tensor){TARE_I64, 2, {batch, length}, data};
}

static void same_outputs(const tare_tensor *const a, const tare_tensor *const b) {
  for (int i = 0; i < OUTPUTS; i++) {
    assert_int_equal(tare_tensor_count(&a[i]), tare_tensor_count(&b[i]));
    assert_memory_equal(a[i].data, b[i].data,
                        (size_t)tare_tensor_count(&a[i]) * tare_dtype_size(a[i].dtype));
  }
}

static tare_status run(tare_context *const c, const tare_tensor *const in, tare_tensor *const out) {
  return tare_context_run(c, in, out, &err);
}

/* Contexts that keep nothing, as many lengths as there are, few lengths, and only short ones. */
static void bits_do_not_depend_on_what_came_before(void **state) {
  (void)state;
  static const char *const one[] = {"B=1:1:3,S=1:20:96", NULL};
  static const char *const three[] = {"B=1:1:3,S=1:8:16", "B=1:1:3,S=17:20:40", "B=1:1:3,S=5:50:96",
                                      NULL};
  static const int64_t bounds[] = {-1, 0, 100000, 3000};
  enum { CONTEXTS = sizeof bounds / sizeof *bounds };
  print_message("seed %u\n", seed);
  for (int form = 0; form < 8; form++) {
    tare_plan *plan = plan_of(models[form & 1], form & 2 ? three : one, form & 4);
    tare_context *contexts[CONTEXTS];
    for (int c = 0; c < CONTEXTS; c++) {
      contexts[c] = context_of(plan, bounds[c], 1 + c % 2);
    }
    for (int round = 0; round < 120; round++) {
      int64_t data[BATCH * LONGEST];
      const int64_t length = round % 3 ? 1 + 7 * below(5) : 1 + below(LONGEST);
      const tare_tensor in = tokens(data, 1 + below(BATCH), length);
      tare_tensor expected[OUTPUTS], out[OUTPUTS];
      OK(run(contexts[0], &in, expected));
      for (int c = 1; c < CONTEXTS; c++) {
        OK(run(contexts[c], &in, out));
        same_outputs(out, expected);
      }
    }
    for (int c = 0; c < CONTEXTS; c++) {
      tare_context_free(&contexts[c]);
    }
    tare_plan_free(&plan);
  }
}

/* A run that fails, at a new length or at one that is kept, leaves nothing wrong behind. */
static void failed_runs_leave_nothing(void **state) {
  (void)state;
  tare_plan *plan = built_plan(models[0], "B=1:1:3,S=1:20:96");
  tare_context *plain = context_of(plan, -1, 1), *keeping = context_of(plan, 0, 1);
  for (int round = 0; round < 60; round++) {
    int64_t data[BATCH * LONGEST];
    const int64_t length = 1 + 5 * below(8);
    const tare_tensor in = tokens(data, 1, length);
    tare_tensor expected[OUTPUTS], out[OUTPUTS];
    if (below(2)) {
      const int64_t at = below(length), word = data[at];
      data[at] = WORDS;
      assert_int_equal(run(keeping, &in, out), TARE_E_INPUT);
      data[at] = word;
    }
    OK(run(plain, &in, expected));
    OK(run(keeping, &in, out));
    same_outputs(out, expected);
  }
  tare_context_free(&plain);
  tare_context_free(&keeping);
  tare_plan_free(&plan);
}

static void count_event(void *const user, const int layer, const double begin, const double end) {
  (void)layer;
  (void)begin;
  (void)end;
  ++*(int *)user;
}

static int layers_of_run(tare_context *const c, const int64_t length) {
  int64_t data[LONGEST];
  const tare_tensor in = tokens(data, 1, length);
  tare_tensor out[OUTPUTS];
  int n = 0;
  tare_context_set_timer(c, count_event, &n);
  tare_context_set_profiling(c, true);
  OK(run(c, &in, out));
  tare_context_set_profiling(c, false);
  return n;
}

static void steps_run_once_for_each_length(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    tare_plan *plan = built_plan(models[m], "B=1,S=1:20:96");
    int marked = 0;
    for (int s = 0; s < plan->root.n_steps; s++) {
      marked += plan->lengths.steps[s];
    }
    assert_true(marked > 5 && marked < plan->root.n_steps);
    tare_context *c = context_of(plan, 0, 1);
    const int all = layers_of_run(c, 10);
    assert_int_equal(all, plan->root.n_steps);
    assert_int_equal(layers_of_run(c, 10), all - marked);
    assert_int_equal(layers_of_run(c, 11), all);
    assert_int_equal(layers_of_run(c, 10), all - marked);
    for (int64_t length = 20; length < 20 + TAREI_KEPT_LENGTHS; length++) {
      assert_int_equal(layers_of_run(c, length), all);
    }
    assert_int_equal(layers_of_run(c, 10), all); /* others were used since */
    tare_context_free(&c);
    c = context_of(plan, -1, 1);
    assert_int_equal(layers_of_run(c, 10), all);
    assert_int_equal(layers_of_run(c, 10), all);
    tare_context_free(&c);
    tare_plan_free(&plan);
  }
}

static tare_status count_watched(void *const user, const int value, const tare_tensor *const data,
                                 const int64_t *const valid, tare_error *const e) {
  (void)value;
  (void)data;
  (void)valid;
  (void)e;
  ++*(int *)user;
  return TARE_OK;
}

static void watchers_see_every_tensor(void **state) {
  (void)state;
  tare_plan *plan = built_plan(models[1], "B=1,S=1:20:96");
  tare_context *c = context_of(plan, 0, 1), *plain = context_of(plan, -1, 1);
  int64_t data[LONGEST];
  const tare_tensor in = tokens(data, 1, 12);
  tare_tensor out[OUTPUTS], expected[OUTPUTS];
  int seen = 0, first = 0;
  OK(run(plain, &in, expected));
  for (int round = 0; round < 6; round++) {
    seen = 0;
    tarei_context_set_watcher(c, round % 2 ? count_watched : NULL, &seen);
    OK(run(c, &in, out));
    same_outputs(out, expected);
    first = round == 1 ? seen : first;
    assert_true(round % 2 == 0 || seen == first);
  }
  assert_true(first > plan->root.n_steps);
  tare_context_free(&c);
  tare_context_free(&plain);
  tare_plan_free(&plan);
}

int lengths_test(void) {
  seed = (uint32_t)test_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bits_do_not_depend_on_what_came_before),
      cmocka_unit_test(failed_runs_leave_nothing),
      cmocka_unit_test(steps_run_once_for_each_length),
      cmocka_unit_test(watchers_see_every_tensor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
