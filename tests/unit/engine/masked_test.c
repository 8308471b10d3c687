/* A model that masks its padding gives a sample the same bits alone, padded, and beside others: in
 * float and in int8, with every instruction set. */
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

#include "unit/engine/support/isas.h"
#include "unit/engine/support/transformers.h"
#include "unit/seed.h"

enum { LONGEST = 512, BATCH = 4, MOST_PORTS = 4 };
#ifdef __SANITIZE_THREAD__ /* what threads share does not depend on the instruction set */
enum { EACH_ISA = false };
#else
enum { EACH_ISA = true };
#endif

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

/* --- samples ---------------------------------------------------------------------------------- */

/* Rows of a batch, `length` long each; the first `own[row]` positions are a sample. */
typedef struct batch {
  const tare_port *ports;
  int n_ports, rows, length;
  int own[BATCH];
  tare_tensor tensors[MOST_PORTS];
} batch;

/* Position `at` of sample `number`: the same wherever it stands. What pads it is anything. */
static int64_t element(const char *const port, const int number, const int at, const bool there) {
  uint32_t x = 0x9e3779b9u * (uint32_t)(number * 1000 + at + 1);
  x ^= x >> 15;
  if (strstr(port, "mask")) {
    return there;
  }
  return strstr(port, "type") ? 0
         : there              ? (x * 0x85ebca6bu >> 8) % TRANSFORMER_IDS
                              : below(TRANSFORMER_IDS);
}

static void fill(batch *const b, const tare_port *const ports, const int n_ports,
                 const int *const numbers) {
  b->ports = ports;
  b->n_ports = n_ports;
  assert_true(n_ports <= MOST_PORTS);
  for (int i = 0; i < n_ports; i++) {
    assert_int_equal(ports[i].dtype, TARE_I64);
    int64_t *const data = malloc((size_t)b->rows * (size_t)b->length * sizeof *data);
    assert_non_null(data);
    for (int k = 0; k < b->rows * b->length; k++) {
      const int row = k / b->length, at = k % b->length;
      data[k] = element(ports[i].name, numbers[row], at, at < b->own[row]);
    }
    b->tensors[i] =
        (tare_tensor){.dtype = TARE_I64, .rank = 2, .dims = {b->rows, b->length}, .data = data};
  }
}

static void drop(batch *const b) {
  for (int i = 0; i < b->n_ports; i++) {
    free(b->tensors[i].data);
  }
}

/* --- plans ------------------------------------------------------------------------------------ */

static void write_array(const char *const path, const batch *const b, const int port) {
  char header[119] = {0};
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  const int n =
      snprintf(header, sizeof header, "{'descr': '<i8', 'fortran_order': False, 'shape': (%d, %d)}",
               b->rows, b->length);
  memset(header + n, ' ', sizeof header - 1 - (size_t)n);
  header[sizeof header - 1] = '\n';
  fwrite("\x93NUMPY\1\0\x77\0", 1, 10, file);
  fwrite(header, 1, sizeof header, file);
  fwrite(b->tensors[port].data, sizeof(int64_t), (size_t)b->rows * (size_t)b->length, file);
  assert_int_equal(fclose(file), 0);
}

static tare_table *calibrate(const tare_model *const model, const tare_profiles *const profiles) {
  char folder[] = "/tmp/tare-masked-XXXXXX", path[256];
  tare_dataset_options data;
  tare_dataset_options_init(&data);
  data.n_inputs = tare_model_inputs(model, &data.inputs);
  data.rows = true;
  batch b = {.rows = BATCH, .length = 40, .own = {40, 40, 40, 40}};
  fill(&b, data.inputs, data.n_inputs, (const int[]){100, 101, 102, 103});
  assert_non_null(mkdtemp(folder));
  for (int i = 0; i < b.n_ports; i++) {
    (void)snprintf(path, sizeof path, "%s/%s.npy", folder, data.inputs[i].name);
    write_array(path, &b, i);
  }
  tare_dataset *set = NULL;
  tare_stats *stats = NULL;
  tare_table *table = NULL;
  OK(tare_dataset_open(&(const char *){folder}, 1, &data, &set, &err));
  OK(tare_calibrate(model, set, profiles, NULL, &stats, &err));
  OK(tare_table_from_stats(stats, NULL, &table, &err));
  tare_stats_free(&stats);
  tare_dataset_close(&set);
  for (int i = 0; i < b.n_ports; i++) {
    (void)snprintf(path, sizeof path, "%s/%s.npy", folder, data.inputs[i].name);
    assert_int_equal(unlink(path), 0);
  }
  assert_int_equal(rmdir(folder), 0);
  drop(&b);
  return table;
}

static tare_profiles *profiles_of(const tare_model *const model) {
  const tare_port *ports;
  char spec[256];
  tare_profiles *profiles = NULL;
  const int n = tare_model_inputs(model, &ports);
  (void)snprintf(spec, sizeof spec, "%s=1:1:%d,%s=1:64:%d", ports[0].dims[0].symbol, BATCH,
                 ports[0].dims[1].symbol, LONGEST);
  OK(tare_profiles_new(ports, n, &profiles, &err));
  OK(tare_profiles_add(profiles, spec, &err));
  return profiles;
}

/* --- equal bits ------------------------------------------------------------------------------- */

enum { SAMPLES = 4, MOST_OUTPUTS = 2, SHORT = 80 };
static const int lengths[SAMPLES] = {1, 16, 33, 70};

/* What the first run of a sample gave: its part of each output. */
typedef struct answers {
  char *bytes[SAMPLES][MOST_OUTPUTS];
} answers;

/* The part of an output that is row `row`'s sample: its positions, where the output has such an
 * axis. */
static const char *part_of(const batch *const b, const tare_tensor *const out, const int row,
                           size_t *const bytes) {
  const bool by_position = out->rank > 1 && out->dims[1] == b->length;
  const size_t all = (size_t)tare_tensor_count(out) / (size_t)b->rows * sizeof(float);
  assert_int_equal(out->dims[0], b->rows);
  *bytes = by_position ? all / (size_t)b->length * (size_t)b->own[row] : all;
  return (const char *)out->data + (size_t)row * all;
}

static void compare(const batch *const b, const int *const numbers, const tare_tensor *const outs,
                    const int n_outs, answers *const a, const char *const what) {
  for (int row = 0; row < b->rows; row++) {
    for (int o = 0; o < n_outs; o++) {
      size_t bytes;
      const char *const got = part_of(b, &outs[o], row, &bytes);
      char **const want = &a->bytes[numbers[row]][o];
      if (!*want) {
        *want = malloc(bytes);
        assert_non_null(*want);
        memcpy(*want, got, bytes);
      }
      if (memcmp(*want, got, bytes) != 0) {
        fail_msg("%s: output %d of the sample of %d differs in %d rows of %d", what, o, b->own[row],
                 b->rows, b->length);
      }
    }
  }
}

/* One run of the samples `numbers`, padded to `length`. */
static void run(tare_context *const context, const tare_plan *const plan, const int rows,
                const int length, const int *const numbers, answers *const a,
                const char *const what) {
  const tare_port *in, *out;
  batch b = {.rows = rows, .length = length};
  tare_tensor outputs[MOST_OUTPUTS];
  for (int row = 0; row < rows; row++) {
    b.own[row] = lengths[numbers[row]];
  }
  const int n_in = tare_plan_inputs(plan, &in), n_out = tare_plan_outputs(plan, &out);
  assert_true(n_out <= MOST_OUTPUTS);
  fill(&b, in, n_in, numbers);
  OK(tare_context_run(context, b.tensors, outputs, &err));
  compare(&b, numbers, outputs, n_out, a, what);
  drop(&b);
}

static void check_plan(const tare_plan *const plan, const int longest, answers *const a,
                       const char *const what) {
  tare_context *context = NULL;
  OK(tare_context_new(plan, NULL, &context, &err));
  for (int i = 0; i < SAMPLES; i++) {
    const int to[] = {lengths[i], lengths[i] + 1, 128, LONGEST};
    for (int k = 0; k < 4 && to[k] <= longest; k++) {
      run(context, plan, 1, to[k], &i, a, what);
    }
  }
  run(context, plan, BATCH, lengths[SAMPLES - 1], (const int[]){0, 1, 2, 3}, a, what);
  run(context, plan, BATCH, longest < 128 ? longest : 128, (const int[]){3, 1, 0, 2}, a, what);
  tare_context_free(&context);
}

/* With all features of this CPU, which take the longest runs, and with `each_isa` with each set
 * that kernels ask for. */
static void check_form(const tare_model *const model, const tare_profiles *const profiles,
                       const tare_table *const table, const bool each_isa, const int longest,
                       const char *const what) {
  const isas all = isas_of_this_cpu();
  answers a = {0};
  for (int i = 0; i <= (each_isa ? all.n : 0); i++) {
    tare_build_options options;
    tare_plan *plan = NULL;
    char name[128];
    tare_build_options_init(&options);
    options.int8_when_small = true;
    options.table = table;
    options.isa = i ? all.name[i - 1] : NULL;
    OK(tare_plan_build(model, profiles, &options, &plan, &err));
    (void)snprintf(name, sizeof name, "%s, %s, %s", what, table ? "int8" : "float",
                   i ? all.name[i - 1] : "native");
    check_plan(plan, i && longest > SHORT ? SHORT : longest, &a, name);
    tare_plan_free(&plan);
  }
  for (int i = 0; i < SAMPLES * MOST_OUTPUTS; i++) {
    free(a.bytes[i / MOST_OUTPUTS][i % MOST_OUTPUTS]);
  }
}

static void check_model(tare_model *model, const bool each_isa, const int longest,
                        const char *const what) {
  tare_profiles *profiles = profiles_of(model);
  tare_table *table = calibrate(model, profiles);
  check_form(model, profiles, NULL, each_isa, longest, what);
  check_form(model, profiles, table, each_isa, longest, what);
  tare_table_free(&table);
  tare_profiles_free(&profiles);
  tare_model_free(&model);
}

static void generated_models(void **state) {
  (void)state;
  for (int i = 0; i < TRANSFORMERS; i++) {
    check_model(transformer(i, seed + (uint32_t)i), EACH_ISA, LONGEST, transformer_name(i));
  }
}

static void check_file(const char *const path, const int longest) {
  tare_model *model = NULL;
  OK(tare_model_load(path, &model, &err));
  check_model(model, false, longest, path);
}

static void the_example(void **state) {
  (void)state;
  check_file(TARE_SOURCE_DIR "/examples/intents-mini/intents-mini.onnx", LONGEST);
}

static void larger_models(void **state) {
  (void)state;
  static const struct {
    const char *path;
    int longest; /* at most what it has positions for */
  } files[] = {{TARE_SHARED_DIR "/models/intents-bert.onnx", 128},
               {TARE_SHARED_DIR "/models/wild/structural-transformers/ort_bert_toy.onnx", 100},
               {TARE_SHARED_DIR "/models/wild/structural-transformers/tribuo_tinybert.onnx", 100}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (access(files[i].path, R_OK) != 0) {
      print_message("skipped: no %s\n", files[i].path);
      continue;
    }
    check_file(files[i].path, files[i].longest);
  }
}

int masked_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(generated_models),
      cmocka_unit_test(the_example),
      cmocka_unit_test(larger_models),
  };
  seed = (uint32_t)test_seed();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
