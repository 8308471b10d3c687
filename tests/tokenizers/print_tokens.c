/* Prints the tokens of each sample of a file with texts, one sample on a line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/dataset.h>

static void fail_with(const tare_error *const err) {
  (void)fprintf(stderr, "print_tokens: %s\n", err->message);
  exit(EXIT_FAILURE);
}

static void print_sample(const tare_sample *const sample) {
  const int64_t *const ids = sample->tensors[0].data, *const types = sample->tensors[1].data;
  const int64_t n = tare_tensor_count(&sample->tensors[0]);
  for (int64_t i = 0; i < n; i++) {
    (void)printf("%s%" PRId64 "/%" PRId64, i ? " " : "", ids[i], types[i]);
  }
  (void)putchar('\n');
}

int main(const int argc, char **const argv) {
  if (argc < 3 || argc > 4) {
    (void)fprintf(stderr, "usage: print_tokens TOKENIZER FILE [PAIR]\n");
    return EXIT_FAILURE;
  }
  static const tare_port PORTS[] = {
      {.name = "input_ids", .dtype = TARE_I64, .rank = 1, .dims = {{-1, "sequence"}}},
      {.name = "token_type_ids", .dtype = TARE_I64, .rank = 1, .dims = {{-1, "sequence"}}}};
  tare_dataset_options options;
  tare_error err = {0};
  tare_dataset *data = NULL;
  const tare_sample *sample = NULL;
  tare_dataset_options_init(&options);
  options.inputs = PORTS;
  options.n_inputs = 2;
  options.tokenizer = argv[1];
  options.text_pair = argc == 4 ? argv[3] : NULL;
  const char *const paths[] = {argv[2]};
  if (tare_dataset_open(paths, 1, &options, &data, &err) != TARE_OK) {
    fail_with(&err);
  }
  do {
    if (tare_dataset_next(data, &sample, &err) != TARE_OK) {
      fail_with(&err);
    }
    if (sample) {
      print_sample(sample);
    }
  } while (sample);
  tare_dataset_close(&data);
  return EXIT_SUCCESS;
}
