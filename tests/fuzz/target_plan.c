/* Loads a plan whose sizes and checksums fit the file, runs it and saves it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "engine/file/plan_version.h"
#include "fuzz/harness.h"

enum { HEADER = 64 };

/* The length of the meta section, inside of the file. */
static uint64_t plan_meta(const uint8_t *const data, const size_t size) {
  uint64_t meta;
  memcpy(&meta, data + 24, sizeof meta);
  return meta > size - HEADER || meta % 64 ? (size - HEADER) / 64 * 64 : meta;
}

static void plan_mend(uint8_t *const data, const size_t size) {
  const uint64_t meta = plan_meta(data, size), bytes = size;
  const uint64_t sum = XXH64(data + HEADER, size - HEADER, 0),
                 meta_sum = XXH64(data + HEADER, meta, 0);
  static const uint32_t version[2] = {TAREI_PLAN_MAJOR, TAREI_PLAN_MINOR};
  memcpy(data, "TAREPLAN", 8);
  memcpy(data + 8, version, sizeof version);
  memcpy(data + 16, &bytes, 8);
  memcpy(data + 24, &meta, 8);
  memcpy(data + 32, &sum, 8);
  memcpy(data + 40, &meta_sum, 8);
}

static int plan_test(const uint8_t *const data, const size_t size) {
  if (size < HEADER) {
    return 0;
  }
  uint8_t *const mended = malloc(size);
  if (!mended) {
    return 0;
  }
  memcpy(mended, data, size);
  plan_mend(mended, size);
  const char *const path = fuzz_file("model.plan", mended, size);
  free(mended);
  const tare_load_options load = {.limits = fuzz_limits()};
  tare_plan *plan = NULL;
  tare_error err = {0};
  if (fuzz_ok(tare_plan_load_with(path, &load, &plan, &err), &err)) {
    for (int i = 0; i < tare_plan_n_layers(plan); i++) {
      const tare_layer layer = tare_plan_layer(plan, i);
      (void)(strlen(layer.name) + strlen(layer.shape));
    }
    fuzz_run_plan(plan, fuzz_hash(data, size));
    fuzz_need(tare_plan_save(plan, fuzz_path("again.plan"), &err), &err);
  }
  tare_plan_free(&plan);
  return 0;
}

/* The meta section is where mutations matter; the rest is weights. */
static size_t plan_mutate(uint8_t *const data, const size_t size, const size_t most,
                          const unsigned seed) {
  static const fuzz_target plain = {0};
  if (size <= HEADER) {
    return fuzz_mutate_bytes(&plain, data, size, most, seed);
  }
  const uint64_t meta = plan_meta(data, size);
  if (seed % 16) { /* all stays where it is */
    return (void)fuzz_mutate_bytes(&plain, data + HEADER, meta, meta, seed), size;
  }
  return HEADER + fuzz_mutate_bytes(&plain, data + HEADER, size - HEADER, most - HEADER, seed);
}

/* Plans of the models of the tests: with int8 layers where these state scales. */
static void plan_make(fuzz_take_fn *const take, void *const user) {
  static const char *const models[] = {"onnx/good_small", "onnx/good_lengths",   "onnx/good_if",
                                       "onnx/good_loop",  "onnx/good_scan",      "onnx/check_good",
                                       "onnx/check_conv", "precision/norm_half", "qdq/chain",
                                       "smoothing/conv",  "smoothing/linear",    "lengths/plain",
                                       "onnx/if_products"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    char path[512];
    snprintf(path, sizeof path, TARE_SOURCE_DIR "/tests/fixtures/%s.onnx", models[i]);
    const char *const plan_path = fuzz_path("seed.plan");
    tare_model *model = NULL;
    tare_profiles *profiles = NULL;
    tare_plan *plan = NULL;
    tare_error err = {0};
    fuzz_need(tare_model_load(path, &model, &err), &err);
    const tare_port *ports;
    const int n = tare_model_inputs(model, &ports);
    fuzz_need(tare_profiles_new(ports, n, &profiles, &err), &err);
    char spec[1024] = "";
    for (int k = 0; k < tare_profiles_n_symbols(profiles); k++) {
      const size_t at = strlen(spec);
      snprintf(spec + at, sizeof spec - at, "%s%s=1:4:9", k ? "," : "",
               tare_profiles_symbol(profiles, k));
    }
    tare_build_options options;
    tare_build_options_init(&options);
    options.isa = "avx2";
    if (fuzz_ok(tare_profiles_add(profiles, spec, &err), &err) &&
        fuzz_ok(tare_plan_build(model, profiles, &options, &plan, &err), &err)) {
      fuzz_need(tare_plan_save(plan, plan_path, &err), &err);
      fuzz_take_file(plan_path, take, user);
    }
    tare_plan_free(&plan);
    tare_profiles_free(&profiles);
    tare_model_free(&model);
  }
}

static const char *const plan_seeds[] = {"tests/fixtures/hostile/*.plan", NULL};

const fuzz_target fuzz_target_plan = {.name = "plan",
                                      .seeds = plan_seeds,
                                      .make = plan_make,
                                      .test = plan_test,
                                      .mutate = plan_mutate};
