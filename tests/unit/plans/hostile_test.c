/* Plans of small models with changed fields and right checksums: they load and run, or are refused
 * with a sentence. Damage of any other kind is for the sanitizers to see. */
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
#include <xxhash.h>

enum { HEADER = 64, ROUNDS = 250, MOST_INPUTS = 8, MOST_BYTES = 1 << 24 };

static tare_error err;
static char folder[] = "/tmp/tare_hostile_XXXXXX";

#define OK(call)                              \
  do {                                        \
    if ((call) != TARE_OK) {                  \
      fail_msg("%s: %s", #call, err.message); \
    }                                         \
  } while (0)

static uint64_t next(uint64_t *const seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 20;
}

/* One field: a byte, or a number of four or eight bytes at the edge of its range. */
static void change(uint8_t *const data, const size_t bytes, uint64_t *const seed) {
  static const int64_t edges[] = {0,         1,         -1,        2,         INT32_MAX,
                                  INT32_MIN, INT64_MAX, INT64_MIN, 1ll << 40, 1ll << 62};
  const uint64_t kind = next(seed) % 4;
  const size_t at = HEADER + next(seed) % (bytes - sizeof(int64_t));
  const int64_t edge = edges[next(seed) % (sizeof edges / sizeof *edges)];
  if (kind < 2) {
    data[at] = (uint8_t)next(seed);
  } else {
    memcpy(data + at, &edge, kind == 2 ? sizeof(int32_t) : sizeof edge);
  }
}

static void sign(uint8_t *const data, const size_t n, const uint64_t meta) {
  const uint64_t sums[] = {XXH64(data + HEADER, n - HEADER, 0), XXH64(data + HEADER, meta, 0)};
  memcpy(data + 32, sums, sizeof sums);
}

static int64_t smallest(const tare_profiles *const profiles, const tare_dim dim) {
  for (int s = 0; dim.symbol && s < tare_profiles_n_symbols(profiles); s++) {
    if (strcmp(tare_profiles_symbol(profiles, s), dim.symbol) == 0) {
      return tare_profiles_range(profiles, 0, s).min;
    }
  }
  return dim.symbol ? 1 : dim.value;
}

/* Inputs of zeros; false where they would be large. */
static bool make_inputs(const tare_plan *const plan, tare_tensor *const inputs) {
  const tare_port *ports;
  const int n = tare_plan_inputs(plan, &ports);
  for (int i = 0; i < n && i < MOST_INPUTS; i++) {
    inputs[i] = (tare_tensor){.dtype = ports[i].dtype, .rank = ports[i].rank};
    for (int d = 0; d < ports[i].rank; d++) {
      inputs[i].dims[d] = smallest(tare_plan_profiles(plan), ports[i].dims[d]);
    }
    const int64_t count = tare_tensor_count(&inputs[i]);
    if (count < 0 || count > MOST_BYTES) {
      return false;
    }
    inputs[i].data = calloc((size_t)count + 1, tare_dtype_size(ports[i].dtype));
    assert_non_null(inputs[i].data);
  }
  return n <= MOST_INPUTS;
}

static void run(const tare_plan *const plan) {
  tare_tensor inputs[MOST_INPUTS] = {{0}};
  tare_context *context = NULL;
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = 1;
  if (tare_plan_context_bytes(plan) <= MOST_BYTES && make_inputs(plan, inputs) &&
      tare_context_new(plan, &options, &context, &err) == TARE_OK &&
      tare_context_run(context, inputs, NULL, &err) != TARE_OK) {
    assert_true(strlen(err.message) > 0);
  }
  tare_context_free(&context);
  for (int i = 0; i < MOST_INPUTS; i++) {
    free(inputs[i].data);
  }
}

static uint8_t *read_file(const char *const path, size_t *const n) {
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  uint8_t *const data = malloc(1 << 20);
  assert_non_null(data);
  *n = fread(data, 1, 1 << 20, file);
  fclose(file);
  return data;
}

static void write_file(const char *const path, const uint8_t *const data, const size_t n) {
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, n, file), n);
  fclose(file);
}

static void change_and_run(const char *const path, uint64_t seed) {
  char changed[64];
  size_t n;
  uint8_t *const data = read_file(path, &n), *const copy = malloc(n);
  uint64_t meta;
  int loaded = 0;
  assert_non_null(copy);
  memcpy(&meta, data + 24, sizeof meta);
  snprintf(changed, sizeof changed, "%s/changed.plan", folder);
  print_message("seed %llu\n", (unsigned long long)seed);
  for (int round = 0; round < ROUNDS; round++) {
    memcpy(copy, data, n);
    for (int k = 0; k < 1 + round % 3; k++) {
      change(copy, round % 5 ? (size_t)meta : n - HEADER, &seed);
    }
    sign(copy, n, meta);
    write_file(changed, copy, n);
    tare_plan *plan = NULL;
    if (tare_plan_load(changed, &plan, &err) == TARE_OK) {
      loaded++;
      run(plan);
      tare_plan_free(&plan);
    } else {
      assert_true(strlen(err.message) > 0);
    }
  }
  print_message("%d of %d changed files still loaded\n", loaded, (int)ROUNDS);
  assert_true(loaded > 0 && loaded < ROUNDS);
  unlink(changed);
  free(copy);
  free(data);
}

static void changed_plans_run_or_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *model, *profile;
  } cases[] = {{"onnx/good_small", "batch=1:2:4,seq=1:2:4"},
               {"onnx/good_quantized", "batch=1:1:2,samples=64:128:128"},
               {"onnx/good_mels", "batch=1:1:2,frames=8:16:32"},
               {"onnx/good_late_lookup", "batch=1:2:4"},
               {"hostile/tilde_range", "~q2.0=1:2:4"},
               {"hostile/nan_weights", "n=1:2:4"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[256];
    tare_model *model = NULL;
    tare_profiles *profiles = NULL;
    tare_plan *plan = NULL;
    const tare_port *ports;
    snprintf(path, sizeof path, TARE_SOURCE_DIR "/tests/fixtures/%s.onnx", cases[i].model);
    OK(tare_model_load(path, &model, &err));
    const int n = tare_model_inputs(model, &ports);
    OK(tare_profiles_new(ports, n, &profiles, &err));
    OK(tare_profiles_add(profiles, cases[i].profile, &err));
    OK(tare_plan_build(model, profiles, NULL, &plan, &err));
    snprintf(path, sizeof path, "%s/right.plan", folder);
    OK(tare_plan_save(plan, path, &err));
    tare_plan_free(&plan);
    tare_profiles_free(&profiles);
    tare_model_free(&model);
    print_message("%s: ", cases[i].model);
    change_and_run(path, 20261122 + i);
    unlink(path);
  }
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  return rmdir(folder);
}

int hostile_test(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(changed_plans_run_or_are_refused)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
