/* Contexts of one plan: many threads at once, and many inferences in a row, give the bits of a
 * fresh context at every length, and take no more memory. TARE_TURNS=1000000 runs that many. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <tare/tare.h>

#define EXAMPLE TARE_SOURCE_DIR "/tests/fixtures/small/digits-conv/"

enum { SHORTEST = 400, STEP = 37, N_LENGTHS = 48, LONGEST = 2200, N_THREADS = 6, SLACK = 1 << 21 };

static tare_error err;

#define OK(call)                              \
  do {                                        \
    if ((call) != TARE_OK) {                  \
      fail_msg("%s: %s", #call, err.message); \
    }                                         \
  } while (0)

typedef struct subject {
  tare_model *model;
  tare_profiles *profiles;
  tare_table *table;
  tare_plan *plans[2]; /* float, int8 */
} subject;

/* What a fresh context says to a wave of each length. */
typedef struct expected {
  const tare_plan *plan;
  float wave[LONGEST];
  void *outputs[N_LENGTHS];
  size_t bytes[N_LENGTHS];
} expected;

static int64_t contexts_turns(const int64_t normal) {
  const char *const text = getenv("TARE_TURNS");
  return text ? strtoll(text, NULL, 10) : normal;
}

static tare_table *contexts_calibrate(const subject *const s) {
  const char *const path = EXAMPLE "calib";
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.n_inputs = tare_model_inputs(s->model, &options.inputs);
  options.rate = 8000;
  options.limit = 4;
  tare_calibrate_options calibrate;
  tare_calibrate_options_init(&calibrate);
  calibrate.outside = TARE_OUTSIDE_NEAREST;
  tare_dataset *data = NULL;
  tare_stats *stats = NULL;
  tare_table *table = NULL;
  OK(tare_dataset_open(&path, 1, &options, &data, &err));
  OK(tare_calibrate(s->model, data, s->profiles, &calibrate, &stats, &err));
  OK(tare_table_from_stats(stats, NULL, &table, &err));
  tare_stats_free(&stats);
  tare_dataset_close(&data);
  return table;
}

static int contexts_setup(void **state) {
  static subject s;
  const tare_port *ports;
  OK(tare_model_load(EXAMPLE "digits-conv.onnx", &s.model, &err));
  const int n = tare_model_inputs(s.model, &ports);
  OK(tare_profiles_new(ports, n, &s.profiles, &err));
  OK(tare_profiles_add(s.profiles, "samples=400:800:1200", &err));
  OK(tare_profiles_add(s.profiles, "samples=1201:1600:2200", &err));
  s.table = contexts_calibrate(&s);
  for (int i = 0; i < 2; i++) {
    tare_build_options options;
    tare_build_options_init(&options);
    options.table = i ? s.table : NULL;
    options.int8_when_small = true;
    OK(tare_plan_build(s.model, s.profiles, &options, &s.plans[i], &err));
  }
  *state = &s;
  return 0;
}

static int contexts_teardown(void **state) {
  subject *const s = *state;
  tare_plan_free(&s->plans[0]);
  tare_plan_free(&s->plans[1]);
  tare_table_free(&s->table);
  tare_profiles_free(&s->profiles);
  tare_model_free(&s->model);
  return 0;
}

static tare_context *contexts_new(const tare_plan *const plan, const int threads,
                                  tare_error *const why) {
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = threads;
  tare_context *context = NULL;
  (void)tare_context_new(plan, &options, &context, why); /* NULL tells */
  return context;
}

static tare_status contexts_run(tare_context *const context, const expected *const e,
                                const int length, tare_tensor *const output,
                                tare_error *const why) {
  const tare_tensor input = {
      .dtype = TARE_F32, .rank = 2, .dims = {1, SHORTEST + STEP * length}, .data = (void *)e->wave};
  return tare_context_run(context, &input, output, why);
}

static expected *expect(const tare_plan *const plan) {
  expected *const e = calloc(1, sizeof *e);
  assert_non_null(e);
  e->plan = plan;
  uint32_t x = 12345;
  for (int i = 0; i < LONGEST; i++) {
    x = x * 1664525 + 1013904223;
    e->wave[i] = (float)(int32_t)x / 4294967296.0f;
  }
  for (int i = 0; i < N_LENGTHS; i++) {
    tare_tensor out;
    tare_context *context = contexts_new(plan, 1, &err);
    assert_non_null(context);
    OK(contexts_run(context, e, i, &out, &err));
    e->bytes[i] = (size_t)tare_tensor_count(&out) * tare_dtype_size(out.dtype);
    e->outputs[i] = malloc(e->bytes[i]);
    assert_non_null(e->outputs[i]);
    memcpy(e->outputs[i], out.data, e->bytes[i]);
    tare_context_free(&context);
  }
  return e;
}

static void expected_free(expected *const e) {
  for (int i = 0; i < N_LENGTHS; i++) {
    free(e->outputs[i]);
  }
  free(e);
}

/* Runs lengths that follow from the seed; returns how many differ, or could not run. */
static int64_t run_many(tare_context *const context, const expected *const e, const int64_t turns,
                        const uint32_t seed) {
  int64_t wrong = 0;
  uint32_t x = seed;
  for (int64_t t = 0; t < turns; t++) {
    x = x * 1664525 + 1013904223;
    const int i = (int)((x >> 16) % N_LENGTHS);
    tare_tensor out;
    tare_error why;
    wrong += contexts_run(context, e, i, &out, &why) != TARE_OK ||
             memcmp(out.data, e->outputs[i], e->bytes[i]) != 0;
  }
  return wrong;
}

typedef struct worker {
  const expected *expected;
  pthread_t thread;
  uint32_t seed;
  int64_t turns, wrong;
} worker;

static void *work(void *const user) {
  worker *const w = user;
  tare_error why;
  tare_context *context = contexts_new(w->expected->plan, 1 + (int)(w->seed % 2), &why);
  w->wrong = context ? run_many(context, w->expected, w->turns, w->seed) : w->turns;
  tare_context_free(&context);
  return NULL;
}

static void threads_share_a_plan(void **state) {
  const subject *const s = *state;
  for (int p = 0; p < 2; p++) {
    expected *const e = expect(s->plans[p]);
    worker workers[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
      workers[i] = (worker){
          .expected = e, .seed = 1 + (uint32_t)i, .turns = contexts_turns(300) / N_THREADS};
      assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < N_THREADS; i++) {
      (void)pthread_join(workers[i].thread, NULL);
      assert_int_equal(workers[i].wrong, 0);
    }
    expected_free(e);
  }
}

static int64_t resident_bytes(void) {
  FILE *const f = fopen("/proc/self/statm", "r");
  long long all = 0, resident = 0;
  assert_non_null(f);
  assert_int_equal(fscanf(f, "%lld %lld", &all, &resident), 2);
  (void)fclose(f);
  return resident * sysconf(_SC_PAGESIZE);
}

static void a_context_runs_on_and_on(void **state) {
  const subject *const s = *state;
  for (int p = 0; p < 2; p++) {
    expected *const e = expect(s->plans[p]);
    tare_context *context = contexts_new(s->plans[p], 1, &err);
    assert_non_null(context);
    assert_int_equal(run_many(context, e, 4 * N_LENGTHS, 1), 0);
    const int64_t before = resident_bytes(), turns = contexts_turns(1000);
    assert_int_equal(run_many(context, e, turns, 2), 0);
    const int64_t grown = resident_bytes() - before;
    print_message("%s: %lld inferences, memory %+lld bytes\n", p ? "int8" : "float",
                  (long long)turns, (long long)grown);
    assert_true(grown < SLACK);
    tare_context_free(&context);
    expected_free(e);
  }
}

int contexts_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_share_a_plan),
      cmocka_unit_test(a_context_runs_on_and_on),
  };
  return cmocka_run_group_tests(tests, contexts_setup, contexts_teardown);
}
