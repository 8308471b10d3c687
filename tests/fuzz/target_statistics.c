/* Loads statistics whose checksum fits, and makes a table of them by each method. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/calib.h>
#include <xxhash.h>

#include "fuzz/harness.h"

enum { SEAL = 16 };

static int statistics_test(const uint8_t *const data, const size_t size) {
  if (size < SEAL) {
    return 0;
  }
  uint8_t *const sealed = malloc(size);
  if (!sealed) {
    return 0;
  }
  const size_t n = size - SEAL;
  const uint64_t sum = XXH64(data, n, 0);
  memcpy(sealed, data, n);
  memcpy(sealed + n, "tareXXH1", 8);
  memcpy(sealed + n + 8, &sum, 8);
  const char *const path = fuzz_file("data.stats", sealed, size);
  free(sealed);
  tare_stats *stats = NULL;
  tare_error err = {0};
  if (fuzz_ok(tare_stats_load(path, &stats, &err), &err)) {
    for (int i = 0; i < tare_n_methods(); i++) {
      const tare_table_options options = {.method = tare_method_name(i), .per_profile = i & 1};
      tare_table *table = NULL;
      fuzz_ok(tare_table_from_stats(stats, &options, &table, &err), &err);
      tare_table_free(&table);
    }
    fuzz_need(tare_stats_save(stats, fuzz_path("again.stats"), &err), &err);
  }
  tare_stats_free(&stats);
  fuzz_need_closed();
  return 0;
}

static void statistics_one(const bool undecided, fuzz_take_fn *const take, void *const user) {
  const char *const path = TARE_SOURCE_DIR "/tests/fixtures/lengths/few_calib.npz";
  const char *const saved = fuzz_path("seed.stats");
  tare_model *model = NULL;
  tare_profiles *profiles = NULL;
  tare_dataset *data = NULL;
  tare_stats *stats = NULL;
  tare_error err = {0};
  fuzz_need(tare_model_load(TARE_SOURCE_DIR "/tests/fixtures/lengths/few.onnx", &model, &err),
            &err);
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.n_inputs = tare_model_inputs(model, &options.inputs);
  options.threads = 1;
  options.limit = 3;
  fuzz_need(tare_profiles_new(options.inputs, options.n_inputs, &profiles, &err), &err);
  char spec[1024] = "";
  for (int k = 0; k < tare_profiles_n_symbols(profiles); k++) {
    const size_t at = strlen(spec);
    snprintf(spec + at, sizeof spec - at, "%s%s=1:8:4096", k ? "," : "",
             tare_profiles_symbol(profiles, k));
  }
  fuzz_need(tare_profiles_add(profiles, spec, &err), &err);
  fuzz_need(tare_dataset_open(&path, 1, &options, &data, &err), &err);
  const tare_calibrate_options calibrate = {.threads = 1,
                                            .isa = "scalar",
                                            .undecided = undecided,
                                            .smoothing = TARE_SMOOTHING_ON,
                                            .clipping = TARE_CLIPPING_ON};
  fuzz_need(tare_calibrate(model, data, profiles, &calibrate, &stats, &err), &err);
  fuzz_need(tare_stats_save(stats, saved, &err), &err);
  fuzz_take_file(saved, take, user);
  tare_stats_free(&stats);
  tare_dataset_close(&data);
  tare_profiles_free(&profiles);
  tare_model_free(&model);
}

static void statistics_make(fuzz_take_fn *const take, void *const user) {
  statistics_one(false, take, user);
  statistics_one(true, take, user);
}

static const char *const statistics_words[] = {
    "tensors", "count", "histogram", "exponent", "ledger", "settings", "shards", "sums",
    "TREE",    "SNOD",  "HEAP",      "OHDR",     "FRHP",   "BTHD",     NULL};

const fuzz_target fuzz_target_statistics = {.name = "statistics",
                                            .make = statistics_make,
                                            .test = statistics_test,
                                            .words = statistics_words};
