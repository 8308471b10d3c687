/* Reads Kaldi's lists (.scp), beside a recording and matrices, and its archives (.ark). */
#include <stdlib.h>
#include <string.h>

#include "fuzz/harness.h"

static bool kaldi_is_archive(const uint8_t *const data, const size_t size) {
  return size && (memchr(data, 0, size) || memchr(data, '[', size));
}

static int kaldi_test(const uint8_t *const data, const size_t size) {
  static const tare_port ports[] = {
      {.name = "audio", .dtype = TARE_F32, .rank = 2, .dims = {{-1, "batch"}, {-1, "n"}}},
      {.name = "x", .dtype = TARE_F32, .rank = 3, .dims = {{-1, "batch"}, {-1, "n"}, {-1, "m"}}}};
  static const char matrix[] = "a \0BFM \4\1\0\0\0\4\2\0\0\0\0\0\x80\x3f\0\0\0\x40";
  const uint64_t choices = fuzz_hash(data, size);
  fuzz_file("matrices.ark", matrix, sizeof matrix - 1);
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.inputs = &ports[choices & 2 ? 0 : 1];
  options.n_inputs = 1;
  const char *const name = kaldi_is_archive(data, size) ? "data.ark" : "wav.scp";
  fuzz_read_data(fuzz_file(name, data, size), &options, choices);
  return 0;
}

static void kaldi_make(fuzz_take_fn *const take, void *const user) {
  static const char *const texts[] = {"a matrices.ark:2\n",
                                      "a matrices.ark:2[0:0,0:1]\nb matrices.ark\n",
                                      "a [\n 1 2\n 3 4 ]\n", "a cat x.wav |\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    take(user, texts[i], strlen(texts[i]));
  }
}

static const char *const kaldi_seeds[] = {"tests/fixtures/archives/*.ark",
                                          "tests/fixtures/archives/*.scp", NULL};

static const char *const kaldi_words[] = {
    "matrices.ark:2", "[0:1]", "[0:0,0:1]", "|",   "\n",  "FM ", "DM ",   "CM ", "CM2 ",
    "CM3 ",           "FV ",   " [\n",      "]\n", "nan", "inf", "1e999", NULL};

const fuzz_target fuzz_target_kaldi = {.name = "kaldi",
                                       .seeds = kaldi_seeds,
                                       .make = kaldi_make,
                                       .test = kaldi_test,
                                       .words = kaldi_words};
