/* A context that is made runs any length without taking memory. The calls of the engine's own code
 * are wrapped by the linker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tare/tare.h>

#define EXAMPLE TARE_SOURCE_DIR "/tests/fixtures/small/"

static tare_error err;
static _Atomic int n_calls;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *at, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);

void *__wrap_malloc(const size_t size) {
  n_calls++;
  return __real_malloc(size);
}
void *__wrap_calloc(const size_t count, const size_t size) {
  n_calls++;
  return __real_calloc(count, size);
}
void *__wrap_realloc(void *const at, const size_t size) {
  n_calls++;
  return __real_realloc(at, size);
}
void *__wrap_aligned_alloc(const size_t alignment, const size_t size) {
  n_calls++;
  return __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void **const out, const size_t alignment, const size_t size) {
  n_calls++;
  return __real_posix_memalign(out, alignment, size);
}

#define OK(call)                                \
  do {                                          \
    if ((call) != TARE_OK) {                    \
      fail_msg("%s: %s", #call, err.message);   \
    }                                           \
  } while (0)

typedef struct subject {
  tare_model *model;
  tare_profiles *profiles;
  tare_plan *plan;
  tare_table *table;
} subject;

static void calibrate(subject *const s, const char *const data_path, const int rate) {
  const tare_port *ports;
  tare_dataset_options data;
  tare_dataset_options_init(&data);
  data.n_inputs = tare_model_inputs(s->model, &ports);
  data.inputs = ports;
  data.rate = rate;
  data.limit = 3;
  tare_dataset *set = NULL;
  OK(tare_dataset_open(&data_path, 1, &data, &set, &err));
  tare_calibrate_options options;
  tare_calibrate_options_init(&options);
  options.outside = TARE_OUTSIDE_NEAREST;
  tare_stats *stats = NULL;
  OK(tare_calibrate(s->model, set, s->profiles, &options, &stats, &err));
  tare_table_options method;
  tare_table_options_init(&method);
  OK(tare_table_from_stats(stats, &method, &s->table, &err));
  tare_stats_free(&stats);
  tare_dataset_close(&set);
}

static subject make(const char *const model, const char *const profile, const char *const data,
                    const int rate) {
  subject s = {0};
  const tare_port *ports;
  OK(tare_model_load(model, &s.model, &err));
  const int n = tare_model_inputs(s.model, &ports);
  OK(tare_profiles_new(ports, n, &s.profiles, &err));
  OK(tare_profiles_add(s.profiles, profile, &err));
  if (data) {
    calibrate(&s, data, rate);
  }
  tare_build_options options;
  tare_build_options_init(&options);
  options.int8_when_small = true;
  options.table = s.table;
  OK(tare_plan_build(s.model, s.profiles, &options, &s.plan, &err));
  return s;
}

static void end(subject *const s) {
  tare_plan_free(&s->plan);
  tare_table_free(&s->table);
  tare_profiles_free(&s->profiles);
  tare_model_free(&s->model);
}

/* Inputs with a batch of one, and `length` along the other axis that changes. */
static void fill_inputs(const tare_plan *const plan, const int64_t length,
                        tare_tensor *const inputs, void *const *const memory) {
  const tare_port *ports;
  const int n = tare_plan_inputs(plan, &ports);
  for (int i = 0; i < n; i++) {
    inputs[i] = (tare_tensor){.dtype = ports[i].dtype, .rank = ports[i].rank, .data = memory[i]};
    for (int d = 0; d < ports[i].rank; d++) {
      const char *const symbol = ports[i].dims[d].symbol;
      inputs[i].dims[d] = !symbol                        ? ports[i].dims[d].value
                          : strcmp(symbol, "batch") == 0 ? 1
                                                         : length;
    }
    for (int64_t k = 0; k < tare_tensor_count(&inputs[i]); k++) {
      if (ports[i].dtype == TARE_F32) {
        ((float *)memory[i])[k] = (float)(k % 17) / 17 - 0.5f;
      } else {
        ((int64_t *)memory[i])[k] = 1;
      }
    }
  }
}

static void run_all_lengths(const tare_plan *const plan, const int64_t from, const int64_t to,
                            const int64_t step, const int threads) {
  const tare_port *ports;
  const int n = tare_plan_inputs(plan, &ports);
  void *memory[8] = {0};
  tare_tensor inputs[8], outputs[8];
  assert_in_range(n, 1, 8);
  for (int i = 0; i < n; i++) {
    memory[i] = calloc((size_t)to, sizeof(int64_t));
    assert_non_null(memory[i]);
  }
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = threads;
  tare_context *context = NULL;
  OK(tare_context_new(plan, &options, &context, &err));
  for (int64_t length = from; length <= to; length += step) {
    fill_inputs(plan, length, inputs, memory);
    n_calls = 0;
    OK(tare_context_run(context, inputs, outputs, &err));
    assert_int_equal(n_calls, 0);
  }
  tare_context_free(&context);
  for (int i = 0; i < n; i++) {
    free(memory[i]);
  }
}

static void check(const char *const model, const char *const profile, const char *const data,
                  const int rate, const int64_t from, const int64_t to, const int64_t step) {
  n_calls = 0;
  subject s = make(model, profile, data, rate);
  assert_true(n_calls > 0); /* the wrappers are in their place */
  for (int threads = 1; threads <= 2; threads++) {
    run_all_lengths(s.plan, from, to, step, threads);
  }
  end(&s);
}

static void audio_takes_no_memory(void **const state) {
  (void)state;
  for (int int8 = 0; int8 <= 1; int8++) {
    check(EXAMPLE "digits-conv/digits-conv.onnx", "samples=1600:16000:40000",
          int8 ? EXAMPLE "digits-conv/calib" : NULL, 8000, 1600, 40000, 2741);
  }
}

static void text_takes_no_memory(void **const state) {
  (void)state;
  for (int int8 = 0; int8 <= 1; int8++) {
    check(EXAMPLE "intents-mini/intents-mini.onnx", "sequence=1:16:64",
          int8 ? EXAMPLE "intents-mini/calib.h5" : NULL, 0, 1, 64, 7);
  }
}

int allocation_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(audio_takes_no_memory),
      cmocka_unit_test(text_takes_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
