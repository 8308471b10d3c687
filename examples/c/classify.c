/*
 * Text: turns the lines of a file into tokens, and prints the class that a plan gives each.
 *
 *   classify PLAN TOKENIZER TEXTS.txt
 *
 * TOKENIZER is a tokenizer.json of Hugging Face or a SentencePiece model. The class is that of the
 * first row of the output, which is where models of BERT's kind have it.
 *
 *   cc classify.c $(pkg-config --cflags --libs tare) -o classify
 */
#include <stdio.h>
#include <tare/tare.h>

static void print_class(const char *const name, const tare_tensor *const output) {
  const int64_t classes = output->dims[output->rank - 1];
  const float *const values = output->data;
  int64_t best = 0;
  for (int64_t i = 1; i < classes; i++) {
    best = values[i] > values[best] ? i : best;
  }
  printf("%s\t%lld\t%.4f\n", name, (long long)best, (double)values[best]);
}

static tare_status classify(tare_dataset *const data, tare_context *const context,
                            tare_error *const err) {
  const tare_sample *sample = NULL;
  tare_status status = TARE_OK;
  while (status == TARE_OK) {
    tare_tensor output;
    status = tare_dataset_next(data, &sample, err);
    if (status != TARE_OK || !sample) {
      break;
    }
    status = tare_context_run(context, sample->tensors, &output, err);
    if (status == TARE_OK) {
      print_class(sample->name, &output);
    }
  }
  return status;
}

static tare_status open_texts(const tare_plan *const plan, char **const argv,
                              tare_dataset **const out, tare_error *const err) {
  const char *const path = argv[3];
  const tare_port *outputs;
  tare_dataset_options options;
  if (tare_plan_outputs(plan, &outputs) != 1 || outputs[0].dtype != TARE_F32 ||
      outputs[0].rank < 1) {
    snprintf(err->message, sizeof err->message, "%s: expected one float32 output", argv[1]);
    return TARE_E_USAGE;
  }
  tare_dataset_options_init(&options);
  options.n_inputs = tare_plan_inputs(plan, &options.inputs);
  options.tokenizer = argv[2];
  return tare_dataset_open(&path, 1, &options, out, err);
}

int main(const int argc, char **const argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s PLAN TOKENIZER TEXTS.txt\n", argv[0]);
    return 2;
  }
  tare_plan *plan = NULL;
  tare_context *context = NULL;
  tare_dataset *data = NULL;
  tare_error err = {0};
  tare_status status = tare_plan_load(argv[1], &plan, &err);
  if (status == TARE_OK) {
    status = open_texts(plan, argv, &data, &err);
  }
  if (status == TARE_OK) {
    status = tare_context_new(plan, NULL, &context, &err);
  }
  if (status == TARE_OK) {
    status = classify(data, context, &err);
  }
  if (status != TARE_OK) {
    fprintf(stderr, "%s: %s\n", argv[0], err.message);
  }
  tare_context_free(&context);
  tare_dataset_close(&data);
  tare_plan_free(&plan);
  return tare_status_exit_code(status);
}
