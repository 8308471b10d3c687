/* Reads shards of tar. */
#include "fuzz/harness.h"

static int tar_test(const uint8_t *const data, const size_t size) {
  static const tare_port ports[] = {
      {.name = "audio", .dtype = TARE_F32, .rank = 2, .dims = {{-1, "batch"}, {-1, "n"}}},
      {.name = "x", .dtype = TARE_I64, .rank = 2, .dims = {{-1, "batch"}, {-1, "n"}}}};
  const uint64_t choices = fuzz_hash(data, size);
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.inputs = &ports[choices & 2 ? 0 : 1];
  options.n_inputs = 1;
  options.labels = choices & 4 ? "label" : choices & 8 ? "json:label" : NULL;
  const bool packed = size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
  fuzz_read_data(fuzz_file(packed ? "data.tar.gz" : "data.tar", data, size), &options, choices);
  return 0;
}

/* Members count only if the checksum of their header fits. */
static void tar_mend(uint8_t *const header) {
  unsigned sum = 8 * ' ';
  for (int i = 0; i < 512; i++) {
    sum += i >= 148 && i < 156 ? 0 : header[i];
  }
  for (int i = 5; i >= 0; i--, sum /= 8) {
    header[148 + i] = (uint8_t)('0' + sum % 8);
  }
  header[154] = 0;
  header[155] = ' ';
}

static size_t tar_mutate(uint8_t *const data, const size_t size, const size_t most,
                         const unsigned seed) {
  const size_t n = fuzz_mutate_bytes(&fuzz_target_tar, data, size, most, seed);
  for (size_t at = 0; seed % 4 && at + 512 <= n; at += 512) {
    if (data[at + 257] == 'u' && data[at + 258] == 's') {
      tar_mend(data + at);
    }
  }
  return n;
}

static const char *const tar_seeds[] = {"tests/fixtures/archives/*.tar",
                                        "tests/fixtures/archives/*.tar.gz", NULL};

static const char *const tar_words[] = {"ustar",       ".wav",       ".npy",  ".json",
                                        ".cls",        ".txt",       "../",   "0000000",
                                        "77777777777", "GNU.sparse", "path=", NULL};

const fuzz_target fuzz_target_tar = {
    .name = "tar", .seeds = tar_seeds, .test = tar_test, .mutate = tar_mutate, .words = tar_words};
