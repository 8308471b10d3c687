/* Undoes the quantization of a model, and writes the float model. */
#include <stdlib.h>
#include <string.h>
#include <tare/import.h>

#include "fuzz/harness.h"

static int qdq_import_test(const uint8_t *const data, const size_t size) {
  const char *const path = fuzz_file("model.onnx", data, size);
  const tare_load_options load = {.limits = fuzz_limits()};
  tare_import *import = NULL;
  tare_error err = {0};
  if (fuzz_ok(tare_import_new(path, &load, &import, &err), &err)) {
    const tare_import_counts counts = tare_import_count(import);
    for (int i = 0; i < counts.kept; i++) {
      const tare_kept_node node = tare_import_kept(import, i);
      (void)(strlen(node.name) + strlen(node.op) + strlen(node.reason));
    }
    (void)tare_table_n_tensors(tare_import_table(import));
    (void)strlen(tare_import_precisions(import));
    bool external = false;
    fuzz_ok(tare_import_save(import, fuzz_path("float.onnx"), 0, &external, &err), &err);
  }
  tare_import_free(&import);
  return 0;
}

static const char *const qdq_import_seeds[] = {"tests/fixtures/qdq/*.onnx",
                                               "tests/fixtures/qdq/hostile/*.onnx",
                                               "tests/fixtures/onnx/check_*.onnx",
                                               "tests/fixtures/onnx/good_quantized.onnx",
                                               "tests/fixtures/precision/quantized*.onnx",
                                               NULL};

const fuzz_target fuzz_target_qdq_import = {.name = "qdq_import",
                                            .seeds = qdq_import_seeds,
                                            .test = qdq_import_test,
                                            .mutate = fuzz_mutate_onnx};
