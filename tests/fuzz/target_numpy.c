/* Reads arrays of .npy and .npz files. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/harness.h"

static int numpy_test(const uint8_t *const data, const size_t size) {
  const uint64_t choices = fuzz_hash(data, size);
  const bool archive = size >= 2 && memcmp(data, "PK", 2) == 0;
  const tare_port ports[] = {
      {.name = "x",
       .dtype = choices & 2 ? TARE_F32 : TARE_I64,
       .rank = choices & 4 ? 2 : 1,
       .dims = {{-1, "batch"}, {-1, "n"}}},
      {.name = "y", .dtype = TARE_I64, .rank = 2, .dims = {{-1, "batch"}, {-1, "n"}}}};
  const tare_mapping mapping = {.input = "x", .path = "ids", .lengths = choices & 8 ? "len" : NULL};
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.inputs = ports;
  options.n_inputs = choices & 16 ? 2 : 1;
  options.rows = choices & 32;
  options.labels = choices & 64 ? "label" : NULL;
  options.mappings = &mapping;
  options.n_mappings = choices & 128 ? 1 : 0;
  fuzz_read_data(fuzz_file(archive ? "data.npz" : "data.npy", data, size), &options, choices);
  return 0;
}

static const char *const numpy_seeds[] = {"tests/fixtures/arrays/*.npy",
                                          "tests/fixtures/arrays/*.npz",
                                          "tests/fixtures/hostile/*.npz", NULL};

static const char *const numpy_words[] = {
    "'descr': ", "'fortran_order': ", "'shape': ",  "True",       "<f4", "<i8", "|b1", "|O", "(",
    "), }",      "PK\x01\x02",        "PK\x03\x04", "PK\x05\x06", NULL};

const fuzz_target fuzz_target_numpy = {
    .name = "numpy", .seeds = numpy_seeds, .test = numpy_test, .words = numpy_words};
