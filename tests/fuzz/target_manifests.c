/* Reads manifests (CSV, TSV, JSON lines) and lists of files, beside a recording. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/harness.h"

static const uint8_t manifests_wave[] = {
    'R', 'I', 'F', 'F', 44, 0, 0,    0,    'W', 'A', 'V',  'E',  'f', 'm', 't', ' ', 16, 0,
    0,   0,   1,   0,   1,  0, 0x40, 0x1f, 0,   0,   0x80, 0x3e, 0,   0,   2,   0,   16, 0,
    'd', 'a', 't', 'a', 8,  0, 0,    0,    1,   2,   3,    4,    5,   6,   7,   8};

static const char *manifests_name(const uint8_t *const data, const size_t size) {
  if (size && (data[0] == '{' || data[0] == 0x1f)) {
    return data[0] == '{' ? "list.jsonl" : "list.jsonl.gz";
  }
  if (size && memchr(data, '\t', size)) {
    return "list.tsv";
  }
  return size && memchr(data, ',', size) ? "list.csv" : "list.txt";
}

static int manifests_test(const uint8_t *const data, const size_t size) {
  static const tare_port port = {
      .name = "audio", .dtype = TARE_F32, .rank = 2, .dims = {{-1, "batch"}, {-1, "n"}}};
  const uint64_t choices = fuzz_hash(data, size);
  fuzz_file("ramp.wav", manifests_wave, sizeof manifests_wave);
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.inputs = &port;
  options.n_inputs = 1;
  options.labels = choices & 2 ? "label" : choices & 4 ? "text" : NULL;
  fuzz_read_data(fuzz_file(manifests_name(data, size), data, size), &options, choices);
  return 0;
}

static void manifests_make(fuzz_take_fn *const take, void *const user) {
  static const char *const texts[] = {
      "path,label\nramp.wav,1\n\"ramp.wav\",\"a \"\"b\"\"\"\n", "path\tlabel\r\nramp.wav\t0.5\r\n",
      "ramp.wav\n# no\n./ramp.wav\n", "path,from,to\nramp.wav,0,0.0005\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    take(user, texts[i], strlen(texts[i]));
  }
}

static const char *const manifests_seeds[] = {"tests/fixtures/archives/*.jsonl",
                                              "tests/fixtures/archives/*.jsonl.gz",
                                              "examples/digits-conv/calib/labels.csv", NULL};

static const char *const manifests_words[] = {"path",
                                              "label",
                                              "ramp.wav",
                                              "\"audio_filepath\"",
                                              "\"duration\"",
                                              "\"offset\"",
                                              "\"text\"",
                                              "\"recording\"",
                                              "\"sources\"",
                                              "\"start\"",
                                              "\"channel\"",
                                              ",",
                                              "\t",
                                              "\"",
                                              "\n",
                                              "\r\n",
                                              "../",
                                              "1e999",
                                              "-1",
                                              "\\u0000",
                                              NULL};

const fuzz_target fuzz_target_manifests = {.name = "manifests",
                                           .seeds = manifests_seeds,
                                           .make = manifests_make,
                                           .test = manifests_test,
                                           .words = manifests_words};
