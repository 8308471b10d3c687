/* Loads a model and prints it. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/harness.h"

static int onnx_load_test(const uint8_t *const data, const size_t size) {
  const char *const path = fuzz_file("model.onnx", data, size);
  const tare_load_options options = {.limits = fuzz_limits()};
  tare_model *model = NULL;
  tare_error err = {0};
  if (fuzz_ok(tare_model_load_with(path, &options, &model, &err), &err)) {
    char *text = NULL;
    fuzz_ok(tare_model_print(model, fuzz_hash(data, size) & 1, &text, &err), &err);
    tare_free(text);
  }
  tare_model_free(&model);
  return 0;
}

static const char *const onnx_load_seeds[] = {
    "tests/fixtures/onnx/*.onnx",      "tests/fixtures/hostile/*.onnx",
    "tests/fixtures/precision/*.onnx", "tests/fixtures/lengths/*.onnx",
    "tests/fixtures/smoothing/*.onnx", NULL};

static const char *const onnx_load_words[] = {
    "ai.onnx", "com.microsoft", "Loop", "If", "Scan", "location", "../", "offset", "length", NULL};

const fuzz_target fuzz_target_onnx_load = {.name = "onnx_load",
                                           .seeds = onnx_load_seeds,
                                           .test = onnx_load_test,
                                           .mutate = fuzz_mutate_onnx,
                                           .words = onnx_load_words};
