/* Loads a model, builds it in float or int8 at small lengths, runs it, saves the plan and runs what
 * is loaded again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/harness.h"

/* A range for each symbol that can be named in a profile; false: there are others. */
static bool onnx_run_profiles(const tare_model *const model, const uint64_t choices,
                              tare_profiles **const out) {
  const tare_port *ports;
  const int n = tare_model_inputs(model, &ports);
  tare_error err = {0};
  if (!fuzz_ok(tare_profiles_new(ports, n, out, &err), &err)) {
    return false;
  }
  char spec[2048] = "";
  size_t at = 0;
  for (int i = 0; i < tare_profiles_n_symbols(*out); i++) {
    const char *const symbol = tare_profiles_symbol(*out, i);
    if (strlen(symbol) > 60 || strpbrk(symbol, ",=:'\"")) {
      return false;
    }
    at += (size_t)snprintf(spec + at, sizeof spec - at, "%s%s=%d:2:%d", i ? "," : "", symbol,
                           (int)(choices & 1), choices & 2 ? 4 : 9);
  }
  return fuzz_ok(tare_profiles_add(*out, spec, &err), &err);
}

/* A table with a scale for most names of results and inputs, as a cache. */
static tare_table *onnx_run_table(const tare_model *const model, uint64_t state) {
  char *text = NULL;
  tare_error err = {0};
  if (!fuzz_ok(tare_model_print(model, true, &text, &err), &err)) {
    return NULL;
  }
  static const char *const scales[] = {"3c010204", "3b800000", "3f800000", "00800000", "7f7fffff"};
  const char *const path = fuzz_path("scales.cache");
  FILE *const f = fopen(path, "w");
  if (!f) {
    perror(path);
    exit(1);
  }
  fputs("TRT-101602-EntropyCalibration2\n", f);
  char *rest = text;
  for (char *word; (word = strtok_r(rest, " ,()\n\t=%:;[]", &rest));) {
    const uint32_t i = fuzz_random(&state, 8);
    fprintf(f, "%s: %s\n", word, scales[i < 5 ? i : 0]);
  }
  fclose(f);
  tare_free(text);
  tare_table *table = NULL;
  fuzz_ok(tare_table_read(path, &table, &err), &err);
  return table;
}

static void onnx_run_again(const tare_plan *const plan, const uint64_t choices) {
  const char *const path = fuzz_path("model.plan");
  const tare_load_options load = {.limits = fuzz_limits()};
  tare_plan *again = NULL;
  tare_error err = {0};
  fuzz_need(tare_plan_save(plan, path, &err), &err);
  fuzz_need(tare_plan_load_with(path, &load, &again, &err), &err);
  fuzz_run_plan(again, choices);
  tare_plan_free(&again);
}

static int onnx_run_test(const uint8_t *const data, const size_t size) {
  const char *const path = fuzz_file("model.onnx", data, size);
  const uint64_t choices = fuzz_hash(data, size);
  const tare_load_options load = {.limits = fuzz_limits()};
  tare_model *model = NULL;
  tare_profiles *profiles = NULL;
  tare_plan *plan = NULL;
  tare_table *table = NULL;
  tare_error err = {0};
  if (fuzz_ok(tare_model_load_with(path, &load, &model, &err), &err) &&
      onnx_run_profiles(model, choices >> 8, &profiles)) {
    tare_build_options options;
    tare_build_options_init(&options);
    table = choices & 1 ? onnx_run_table(model, choices | 1) : NULL;
    options.table = table;
    options.observable = (choices >> 12) % 8 == 0;
    options.symmetric = (choices >> 15) % 4 == 0;
    options.isa = (choices >> 17) % 4 == 0 ? "scalar" : NULL;
    options.int8_when_small = (choices >> 19) & 1;
    options.layer_precisions = (choices >> 20) % 16 == 0   ? "*:int8-rows"
                               : (choices >> 20) % 16 == 1 ? "*:bf16"
                                                           : NULL;
    if (fuzz_ok(tare_plan_build(model, profiles, &options, &plan, &err), &err)) {
      fuzz_run_plan(plan, choices);
      if ((choices >> 24) % 4 == 0) {
        onnx_run_again(plan, choices);
      }
    }
  }
  tare_plan_free(&plan);
  tare_table_free(&table);
  tare_profiles_free(&profiles);
  tare_model_free(&model);
  return 0;
}

static const char *const onnx_run_seeds[] = {"tests/fixtures/onnx/good_*.onnx",
                                             "tests/fixtures/onnx/if_*.onnx",
                                             "tests/fixtures/onnx/waits_*.onnx",
                                             "tests/fixtures/hostile/*.onnx",
                                             "tests/fixtures/precision/*.onnx",
                                             "tests/fixtures/lengths/*.onnx",
                                             "tests/fixtures/smoothing/*.onnx",
                                             "tests/fixtures/qdq/*.onnx",
                                             NULL};

const fuzz_target fuzz_target_onnx_run = {
    .name = "onnx_run", .seeds = onnx_run_seeds, .test = onnx_run_test, .mutate = fuzz_mutate_onnx};
