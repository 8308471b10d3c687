/* Plans end to end on the shipped example: float and int8, saved and loaded, on every ISA. */
#include <math.h>
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

#include "engine/plan.h"
#include "unit/engine/support/isas.h"

#define EXAMPLE TARE_SOURCE_DIR "/examples/digits-conv/"
#define PROFILES "samples=1600:16000:40000"

typedef struct fixture {
  tare_model *model;
  tare_profiles *one, *two; /* one profile; the same range cut in two */
  tare_table *table;        /* min-max, merged */
  char folder[64];
} fixture;

static tare_error err;

#define OK(call)                              \
  do {                                        \
    if ((call) != TARE_OK) {                  \
      fail_msg("%s: %s", #call, err.message); \
    }                                         \
  } while (0)

static tare_profiles *make_profiles(const tare_model *const model, const char *const a,
                                    const char *const b) {
  const tare_port *ports;
  tare_profiles *p = NULL;
  const int n = tare_model_inputs(model, &ports);
  OK(tare_profiles_new(ports, n, &p, &err));
  OK(tare_profiles_add(p, a, &err));
  if (b) {
    OK(tare_profiles_add(p, b, &err));
  }
  return p;
}

static tare_table *calibrate(const tare_model *const model, const tare_profiles *const profiles,
                             const bool per_profile) {
  const char *const paths[] = {EXAMPLE "calib"};
  const tare_port *ports;
  tare_dataset_options data;
  tare_dataset_options_init(&data);
  data.n_inputs = tare_model_inputs(model, &ports);
  data.inputs = ports;
  data.rate = 8000;
  data.limit = 6;
  tare_dataset *set = NULL;
  OK(tare_dataset_open(paths, 1, &data, &set, &err));
  tare_calibrate_options options;
  tare_calibrate_options_init(&options);
  options.outside = TARE_OUTSIDE_NEAREST;
  tare_stats *stats = NULL;
  OK(tare_calibrate(model, set, profiles, &options, &stats, &err));
  tare_table_options method;
  tare_table_options_init(&method);
  method.per_profile = per_profile;
  tare_table *table = NULL;
  OK(tare_table_from_stats(stats, &method, &table, &err));
  tare_stats_free(&stats);
  tare_dataset_close(&set);
  return table;
}

static int setup(void **state) {
  fixture *const f = calloc(1, sizeof *f);
  assert_non_null(f);
  OK(tare_model_load(EXAMPLE "digits-conv.onnx", &f->model, &err));
  f->one = make_profiles(f->model, PROFILES, NULL);
  f->two = make_profiles(f->model, "samples=1600:8000:12000", "samples=12001:20000:40000");
  f->table = calibrate(f->model, f->one, false);
  strcpy(f->folder, "/tmp/tare-plan-XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *const f = *state;
  tare_table_free(&f->table);
  tare_profiles_free(&f->one);
  tare_profiles_free(&f->two);
  tare_model_free(&f->model);
  assert_int_equal(rmdir(f->folder), 0); /* every test cleans up behind itself */
  free(f);
  return 0;
}

static tare_plan *build(const fixture *const f, const tare_table *const table,
                        const char *const isa) {
  tare_build_options options;
  tare_build_options_init(&options);
  options.int8_when_small = true;
  options.table = table;
  options.isa = isa;
  tare_plan *plan = NULL;
  OK(tare_plan_build(f->model, f->one, &options, &plan, &err));
  return plan;
}

/* A copy of the output for a made-up wave of n samples; *count receives its elements. */
static float *run_wave(const tare_plan *const plan, const int n, const int threads,
                       int64_t *const count) {
  float *const wave = malloc((size_t)n * sizeof *wave);
  assert_non_null(wave);
  uint32_t x = 12345;
  for (int i = 0; i < n; i++) {
    x = x * 1664525u + 1013904223u;
    wave[i] = (float)((int32_t)x >> 8) * 0x1p-24f * (float)(i % 1000) * 1e-3f;
  }
  const tare_tensor in = {.dtype = TARE_F32, .rank = 1, .dims = {n}, .data = wave};
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = threads;
  tare_context *context = NULL;
  OK(tare_context_new(plan, &options, &context, &err));
  tare_tensor out;
  OK(tare_context_run(context, &in, &out, &err));
  *count = tare_tensor_count(&out);
  float *const copy = malloc((size_t)*count * sizeof *copy);
  assert_non_null(copy);
  memcpy(copy, out.data, (size_t)*count * sizeof *copy);
  tare_context_free(&context);
  free(wave);
  return copy;
}

/* One scale for each input, but for the raw signal; weights to nearest. */
static tare_plan *build_static(const fixture *const f) {
  tare_build_options options;
  tare_build_options_init(&options);
  options.int8_when_small = true;
  options.table = f->table;
  options.layer_precisions = "*:int8,/front/front.0*:int8-rows";
  options.symmetric = true; /* residuals too, although they may get louder */
  options.weight_rounding = TARE_ROUNDING_NEAREST;
  tare_plan *plan = NULL;
  OK(tare_plan_build(f->model, f->one, &options, &plan, &err));
  return plan;
}

/* Layers of a residual net hand bytes on: floats go in where rows are quantized at run time, and
 * come out at the end. */
static void int8_layers_exchange_bytes(void **state) {
  const fixture *const f = *state;
  tare_plan *plan = build_static(f);
  int floats = 0;
  for (int s = 0; s < plan->root.n_steps; s++) {
    const tarei_node *const node = plan->root.steps[s].node;
    assert_ptr_equal(node->op, &tarei_op_qconv_last);
    for (int o = 0; o < node->n_out; o++) {
      floats += plan->root.graph->values[node->out[o]].dtype == TARE_F32;
    }
    floats -= tarei_attr_int(node, "row_scales", 0) != 0;
  }
  assert_int_equal(plan->root.n_steps, 23);
  assert_int_equal(floats, 0); /* the first input is the caller's, the last output is float */
  tare_plan_free(&plan);
}

static void assert_same_outputs(const tare_plan *const a, const int threads_a,
                                const tare_plan *const b, const int threads_b) {
  static const int lengths[] = {1600, 1601, 4096, 15999, 40000};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    int64_t n, m;
    float *const x = run_wave(a, lengths[i], threads_a, &n);
    float *const y = run_wave(b, lengths[i], threads_b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    free(x);
    free(y);
  }
}

static void threads_do_not_change_a_bit(void **state) {
  const fixture *const f = *state;
  for (int int8 = 0; int8 < 2; int8++) {
    tare_plan *plan = build(f, int8 ? f->table : NULL, NULL);
    assert_same_outputs(plan, 1, plan, 2);
    assert_same_outputs(plan, 1, plan, 3);
    tare_plan_free(&plan);
  }
}

/* One plan for each set of features that a row of kernels.inc asks for and this CPU has. */
static void every_isa_gives_the_same_bits(void **state) {
  const fixture *const f = *state;
  const isas all = isas_of_this_cpu();
  for (int int8 = 0; int8 < 2; int8++) {
    tare_plan *first = build(f, int8 ? f->table : NULL, all.name[0]);
    for (int i = 1; i < all.n; i++) { /* the last one is scalar, and slow: it runs once */
      tare_plan *plan = build(f, int8 ? f->table : NULL, all.name[i]);
      assert_same_outputs(first, 1, plan, 2);
      tare_plan_free(&plan);
    }
    tare_plan_free(&first);
  }
}

static void a_loaded_plan_runs_like_the_built_one(void **state) {
  const fixture *const f = *state;
  char path[100];
  snprintf(path, sizeof path, "%s/x.plan", f->folder);
  for (int int8 = 0; int8 < 2; int8++) {
    tare_plan *built = build(f, int8 ? f->table : NULL, NULL), *loaded = NULL;
    OK(tare_plan_save(built, path, &err));
    assert_true(tare_plan_is_plan_file(path));
    OK(tare_plan_load(path, &loaded, &err));
    assert_same_outputs(built, 2, loaded, 2);
    assert_int_equal(tare_plan_n_layers(built), tare_plan_n_layers(loaded));
    for (int i = 0; i < tare_plan_n_layers(built); i++) {
      const tare_layer a = tare_plan_layer(built, i), b = tare_plan_layer(loaded, i);
      assert_string_equal(a.name, b.name);
      assert_string_equal(a.precision, b.precision);
      assert_string_equal(a.output_type, b.output_type);
      assert_string_equal(a.output_reason, b.output_reason);
      assert_int_equal(a.asked, b.asked);
      assert_int_equal(a.got, b.got);
      assert_int_equal(a.why, b.why);
      assert_string_equal(a.subject, b.subject);
      assert_true(a.number == b.number);
      assert_string_equal(a.shape, b.shape);
    }
    tare_plan_free(&built);
    tare_plan_free(&loaded);
    unlink(path);
  }
}

static float amax_of(const float *const w, const size_t n) {
  float amax = 0;
  for (size_t i = 0; i < n; i++) {
    amax = fmaxf(amax, fabsf(w[i]));
  }
  return amax;
}

/* Of each output channel, in a plan that still has the floats and in its file. */
static void weight_scales_are_those_of_the_channels(void **state) {
  const fixture *const f = *state;
  char path[100];
  snprintf(path, sizeof path, "%s/x.plan", f->folder);
  tare_plan *built = build_static(f), *loaded = NULL;
  OK(tare_plan_save(built, path, &err));
  OK(tare_plan_load(path, &loaded, &err));
  for (int i = 0; i < tare_plan_n_layers(built); i++) {
    const tarei_step *const step = &built->root.steps[i];
    const tare_tensor w = tarei_value_tensor(step->graph, step->node->in[1]);
    const size_t k = (size_t)(tare_tensor_count(&w) / w.dims[0]);
    float a[512], b[512];
    assert_true(w.dims[0] <= 512);
    assert_int_equal(tare_plan_weight_scales(built, i, 1, a), w.dims[0]);
    assert_int_equal(tare_plan_weight_scales(loaded, i, 1, b), w.dims[0]);
    assert_memory_equal(a, b, (size_t)w.dims[0] * sizeof *a);
    for (size_t c = 0; c < (size_t)w.dims[0]; c++) {
      const float scale = amax_of((const float *)w.data + c * k, k) / 127.0f;
      assert_memory_equal(&a[c], &scale, sizeof scale);
    }
  }
  tare_plan_free(&built);
  tare_plan_free(&loaded);
  unlink(path);
}

static int count_layers(const tare_plan *const plan, const char *const op,
                        const char *const precision) {
  int n = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    n += strcmp(layer.op, op) == 0 && strcmp(layer.precision, precision) == 0;
  }
  return n;
}

static void layers_get_what_was_asked_for(void **state) {
  const fixture *const f = *state;
  tare_plan *plan = build(f, f->table, NULL);
  assert_int_equal(count_layers(plan, "QConvLast", "int8-rows"), 14); /* may get louder, */
  assert_int_equal(count_layers(plan, "ConvLast", "fp32"), 9); /* also where rows have no scales */
  tare_plan_free(&plan);
  tare_build_options options;
  tare_build_options_init(&options);
  options.int8_when_small = true;
  options.table = f->table;
  options.layer_precisions = "*:fp32,/front/*:int8,*front.3*:fp32";
  OK(tare_plan_build(f->model, f->one, &options, &plan, &err));
  assert_int_equal(count_layers(plan, "QConvLast", "int8"), 2);
  assert_int_equal(count_layers(plan, "ConvLast", "fp32"), 21);
  tare_plan_free(&plan);
  options.layer_precisions = "*:int8,/front/*:int8-rows";
  OK(tare_plan_build(f->model, f->one, &options, &plan, &err));
  assert_int_equal(count_layers(plan, "QConvLast", "int8-rows"), 3);
  tare_plan_free(&plan);
  options.symmetric = true; /* as TensorRT has it: static scales */
  options.layer_precisions = NULL;
  OK(tare_plan_build(f->model, f->one, &options, &plan, &err));
  assert_int_equal(count_layers(plan, "QConvLast", "int8"), 23);
  tare_plan_free(&plan);
  options.symmetric = false;
  options.layer_precisions = "nobody*:fp32";
  assert_int_equal(tare_plan_build(f->model, f->one, &options, &plan, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "'nobody*'"));
  options.layer_precisions = "*:int4";
  assert_int_equal(tare_plan_build(f->model, f->one, &options, &plan, &err), TARE_E_USAGE);
  options.table = NULL;
  options.layer_precisions = "/head/*:int8-rows"; /* needs no table */
  OK(tare_plan_build(f->model, f->one, &options, &plan, &err));
  assert_int_equal(count_layers(plan, "QConvLast", "int8-rows"), 1);
  tare_plan_free(&plan);
  options.layer_precisions = "/head/*:int8";
  options.constraints = TARE_CONSTRAINTS_OBEY;
  assert_int_equal(tare_plan_build(f->model, f->one, &options, &plan, &err), TARE_E_UNSUPPORTED);
  assert_non_null(strstr(err.message, "/head/Conv"));
  assert_non_null(strstr(err.message, "no calibration table"));
  options.constraints = TARE_CONSTRAINTS_PREFER;
  OK(tare_plan_build(f->model, f->one, &options, &plan, &err));
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    if (strcmp(layer.name, "/head/Conv") == 0) {
      assert_int_equal(layer.asked, TARE_PRECISION_INT8);
      assert_int_equal(layer.got, TARE_PRECISION_FP32);
      assert_string_equal(layer.precision, "fp32");
      assert_string_equal(layer.reason, "no calibration table");
    }
  }
  tare_plan_free(&plan);
}

static void the_profile_of_the_shape_gives_the_scales(void **state) {
  const fixture *const f = *state;
  tare_table *table = calibrate(f->model, f->two, true);
  assert_int_equal(tare_table_n_profiles(table), 2);
  tare_build_options options;
  tare_build_options_init(&options);
  options.int8_when_small = true;
  options.table = table;
  tare_plan *plan = NULL;
  assert_int_equal(tare_plan_build(f->model, f->one, &options, &plan, &err), TARE_E_USAGE);
  OK(tare_plan_build(f->model, f->two, &options, &plan, &err));
  tare_context *context = NULL;
  const tare_context_options beyond = {.profile = 2}, negative = {.threads = -1, .profile = -1};
  assert_int_equal(tare_context_new(plan, &beyond, &context, &err), TARE_E_USAGE);
  assert_string_equal(err.message, "profile 2: the plan has profiles 0..1");
  assert_int_equal(tare_context_new(plan, &negative, &context, &err), TARE_E_USAGE);
  assert_string_equal(err.message, "-1 threads: expected 0 or more");
  OK(tare_context_new(plan, NULL, &context, &err));
  float *const wave = calloc(50000, sizeof *wave);
  tare_tensor in = {.dtype = TARE_F32, .rank = 2, .dims = {1, 12000}, .data = wave}, out;
  OK(tare_context_run(context, &in, &out, &err));
  assert_int_equal(tare_context_profile(context), 0);
  in.dims[1] = 12001;
  OK(tare_context_run(context, &in, &out, &err));
  assert_int_equal(tare_context_profile(context), 1);
  in.dims[1] = 50000;
  assert_int_equal(tare_context_run(context, &in, &out, &err), TARE_E_SHAPE);
  assert_non_null(strstr(err.message, "samples=50000"));
  assert_non_null(strstr(err.message, "40000"));
  in.dims[1] = 12000;
  OK(tare_context_run(context, &in, &out, &err)); /* an error leaves the context usable */
  in.dtype = TARE_I64;
  assert_int_equal(tare_context_run(context, &in, &out, &err), TARE_E_USAGE);
  tare_context_free(&context);
  free(wave);
  tare_plan_free(&plan);
  tare_table_free(&table);
}

static void impossible_profiles_name_the_node(void **state) {
  const fixture *const f = *state;
  const char *const path = TARE_SHARED_DIR "/models/digits-former.onnx";
  if (access(path, R_OK) != 0) {
    print_message("skipped: %s is not there\n", path);
    skip();
  }
  (void)f;
  tare_model *model = NULL;
  OK(tare_model_load(path, &model, &err));
  tare_profiles *profiles = make_profiles(model, "samples=5:1600:8000", NULL);
  tare_plan *plan = NULL;
  assert_int_equal(tare_plan_build(model, profiles, NULL, &plan, &err), TARE_E_SHAPE);
  assert_non_null(strstr(err.message, "profile 0"));
  assert_non_null(strstr(err.message, "convs.0"));
  tare_profiles_free(&profiles);
  tare_model_free(&model);
}

/* --- damaged files ---------------------------------------------------------------------------- */

static uint8_t *read_file(const char *const path, size_t *const n) {
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *n = (size_t)ftell(file);
  rewind(file);
  uint8_t *const data = malloc(*n);
  assert_non_null(data);
  assert_int_equal(fread(data, 1, *n, file), *n);
  fclose(file);
  return data;
}

static void write_file(const char *const path, const uint8_t *const data, const size_t n) {
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, n, file), n);
  fclose(file);
}

static void refuse(const char *const path, const uint8_t *const data, const size_t n,
                   const char *const sentence) {
  tare_plan *plan = NULL;
  write_file(path, data, n);
  assert_int_equal(tare_plan_load(path, &plan, &err), TARE_E_INPUT);
  assert_null(plan);
  if (!strstr(err.message, sentence)) {
    fail_msg("'%s' does not say '%s'", err.message, sentence);
  }
}

static void damaged_files_are_refused(void **state) {
  const fixture *const f = *state;
  char path[100];
  snprintf(path, sizeof path, "%s/x.plan", f->folder);
  tare_plan *plan = build(f, f->table, NULL);
  OK(tare_plan_save(plan, path, &err));
  tare_plan_free(&plan);
  size_t n;
  uint8_t *const data = read_file(path, &n);
  refuse(path, data, 0, "not a plan file");
  refuse(path, (const uint8_t *)"TAREPLAN", 8, "truncated");
  refuse(path, data, 63, "truncated");
  refuse(path, data, 64, "truncated");
  refuse(path, data, n - 1, "truncated");
  refuse(path, data, n / 2, "truncated");
  data[n / 2] ^= 1;
  refuse(path, data, n, "checksum");
  data[n / 2] ^= 1;
  data[0] ^= 1;
  refuse(path, data, n, "not a plan file");
  data[0] ^= 1;
  data[8] = 7; /* which had no weight scales */
  refuse(path, data, n, "plan format version 7.0, expected 14: build the plan again");
  data[8] = 15;
  refuse(path, data, n, "version 15");
  unlink(path);
  assert_int_equal(tare_plan_load(path, &plan, &err), TARE_E_INPUT);
  free(data);
}

/* Sets both checksums of a plan file's header. */
static void sign(uint8_t *const data, const size_t n) {
  uint64_t meta;
  memcpy(&meta, data + 24, sizeof meta);
  const uint64_t sums[] = {XXH64(data + 64, n - 64, 0), XXH64(data + 64, meta, 0)};
  memcpy(data + 32, sums, sizeof sums);
}

/* Weights of large files are not read when they are loaded: their damage is found by a check. */
static void large_files_are_checked_when_asked(void **state) {
  enum { MORE = 17 << 20 };
  const fixture *const f = *state;
  char path[100];
  snprintf(path, sizeof path, "%s/x.plan", f->folder);
  tare_plan *plan = build(f, f->table, NULL);
  OK(tare_plan_save(plan, path, &err));
  tare_plan_free(&plan);
  OK(tare_plan_check_file(path, &err));
  size_t n;
  uint8_t *const small = read_file(path, &n), *const data = calloc(1, n + MORE);
  assert_non_null(data);
  memcpy(data, small, n);
  memcpy(data + 16, &(uint64_t){n + MORE}, sizeof(uint64_t));
  sign(data, n + MORE);
  write_file(path, data, n + MORE);
  OK(tare_plan_check_file(path, &err));
  data[n + MORE / 2] ^= 1;
  write_file(path, data, n + MORE);
  OK(tare_plan_load(path, &plan, &err));
  tare_plan_free(&plan);
  assert_int_equal(tare_plan_check_file(path, &err), TARE_E_INPUT);
  assert_non_null(strstr(err.message, "checksum"));
  data[100] ^= 1; /* of the meta section */
  refuse(path, data, n + MORE, "checksum");
  unlink(path);
  assert_int_equal(tare_plan_check_file(path, &err), TARE_E_INPUT);
  free(small);
  free(data);
}

/* A hostile file has a right checksum: every field must be checked by itself. */
static void load_changed(const char *const path, const uint64_t first_seed) {
  size_t n;
  uint8_t *const data = read_file(path, &n);
  uint64_t meta, seed = first_seed;
  memcpy(&meta, data + 24, sizeof meta);
  print_message("seed %llu\n", (unsigned long long)seed);
  int loaded = 0;
  for (int round = 0; round < 400; round++) {
    uint8_t *const copy = malloc(n);
    assert_non_null(copy);
    memcpy(copy, data, n);
    for (int k = 0; k < 1 + round % 3; k++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      copy[64 + (seed >> 20) % meta] = (uint8_t)(seed >> 56);
    }
    sign(copy, n);
    write_file(path, copy, n);
    tare_plan *plan = NULL;
    if (tare_plan_load(path, &plan, &err) == TARE_OK) {
      loaded++;
      tare_plan_free(&plan);
    } else {
      assert_true(strlen(err.message) > 0);
    }
    free(copy);
  }
  print_message("%d of 400 changed files still loaded\n", loaded);
  free(data);
  unlink(path);
}

static void a_plan_that_does_not_load_back_is_not_written(void **state) {
  const fixture *const f = *state;
  char path[100];
  snprintf(path, sizeof path, "%s/x.plan", f->folder);
  tare_plan *plan = build(f, f->table, NULL);
  plan->blobs.n--; /* the last layer finds no weights */
  assert_int_equal(tare_plan_save(plan, path, &err), TARE_E_UNSUPPORTED);
  assert_non_null(strstr(err.message, "not written: the plan fails to load back: "));
  assert_non_null(strstr(err.message, "packed block"));
  plan->blobs.n++;
  assert_int_not_equal(access(path, F_OK), 0);
  OK(tare_plan_save(plan, path, &err));
  tare_plan_free(&plan);
  unlink(path);
}

static void hostile_files_never_crash(void **state) {
  const fixture *const f = *state;
  char path[100];
  snprintf(path, sizeof path, "%s/x.plan", f->folder);
  tare_plan *plan = build(f, f->table, NULL);
  OK(tare_plan_save(plan, path, &err));
  tare_plan_free(&plan);
  load_changed(path, 20261120);
}

static void hostile_bodies_never_crash(void **state) {
  const fixture *const f = *state;
  static const struct {
    const char *model, *profile;
  } cases[] = {{"good_if", "batch=1:2:8"}, {"good_loop", "batch=1:2:8"}, {"good_scan", "n=1:2:8"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[256];
    tare_model *model = NULL;
    tare_profiles *profiles = NULL;
    tare_plan *plan = NULL;
    const tare_port *ports;
    snprintf(path, sizeof path, TARE_SOURCE_DIR "/tests/fixtures/onnx/%s.onnx", cases[i].model);
    OK(tare_model_load(path, &model, &err));
    const int n = tare_model_inputs(model, &ports);
    OK(tare_profiles_new(ports, n, &profiles, &err));
    OK(tare_profiles_add(profiles, cases[i].profile, &err));
    OK(tare_plan_build(model, profiles, NULL, &plan, &err));
    snprintf(path, sizeof path, "%s/x.plan", f->folder);
    OK(tare_plan_save(plan, path, &err));
    tare_plan_free(&plan);
    tare_profiles_free(&profiles);
    tare_model_free(&model);
    load_changed(path, 20261121 + i);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(int8_layers_exchange_bytes),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(every_isa_gives_the_same_bits),
      cmocka_unit_test(a_loaded_plan_runs_like_the_built_one),
      cmocka_unit_test(a_plan_that_does_not_load_back_is_not_written),
      cmocka_unit_test(weight_scales_are_those_of_the_channels),
      cmocka_unit_test(layers_get_what_was_asked_for),
      cmocka_unit_test(the_profile_of_the_shape_gives_the_scales),
      cmocka_unit_test(impossible_profiles_name_the_node),
      cmocka_unit_test(damaged_files_are_refused),
      cmocka_unit_test(large_files_are_checked_when_asked),
      cmocka_unit_test(hostile_files_never_crash),
      cmocka_unit_test(hostile_bodies_never_crash),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
