/* Prints the tokens of each sample of a file with texts, one sample on a line, which is empty if
 * the text has no tokens. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Texts without tokens are the only bad samples that there may be. */
static void check_bad(const tare_dataset *const data) {
  static const char ALLOWED[] = ": the text has no tokens";
  const char *text;
  for (int64_t i = 0; (text = tare_dataset_bad(data, i)) != NULL; i++) {
    const size_t length = strlen(text), end = sizeof ALLOWED - 1;
    if (length < end || strcmp(text + length - end, ALLOWED) != 0) {
      (void)fprintf(stderr, "print_tokens: %s\n", text);
      exit(EXIT_FAILURE);
    }
  }
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
  options.skip_bad = true;
  options.text_pair = argc == 4 ? argv[3] : NULL;
  const char *const paths[] = {argv[2]};
  if (tare_dataset_open(paths, 1, &options, &data, &err) != TARE_OK) {
    fail_with(&err);
  }
  int64_t line = 0;
  do {
    if (tare_dataset_next(data, &sample, &err) != TARE_OK) {
      fail_with(&err);
    }
    for (const int64_t here = sample ? sample->index : tare_dataset_count(data); line < here;
         line++) {
      (void)putchar('\n');
    }
    if (sample) {
      print_sample(sample);
      line++;
    }
  } while (sample);
  check_bad(data);
  tare_dataset_close(&data);
  return EXIT_SUCCESS;
}
