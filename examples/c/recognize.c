/*
 * Audio: reads recordings, of any length and rate, and prints the characters that a plan hears.
 *
 *   recognize PLAN RATE ALPHABET RECORDINGS
 *   recognize digits.plan 8000 0123456789 recordings/
 *
 * RECORDINGS is a file or a folder; what is not at RATE is resampled. The output of the plan has
 * the blank of CTC as its class 0, and then those of ALPHABET.
 *
 *   cc recognize.c $(pkg-config --cflags --libs tare) -o recognize
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

/* The best class of each step; repeated ones count once, and blanks not at all. */
static void print_text(const char *const name, const tare_tensor *const output,
                       const char *const alphabet) {
  const int64_t classes = output->dims[output->rank - 1];
  const int64_t steps = classes ? tare_tensor_count(output) / classes : 0;
  const int64_t letters = (int64_t)strlen(alphabet);
  const float *row = output->data;
  int64_t before = 0;
  printf("%s\t", name);
  for (int64_t i = 0; i < steps; i++, row += classes) {
    int64_t best = 0;
    for (int64_t k = 1; k < classes; k++) {
      best = row[k] > row[best] ? k : best;
    }
    if (best > 0 && best != before && best <= letters) {
      putchar(alphabet[best - 1]);
    }
    before = best;
  }
  putchar('\n');
}

static tare_status recognize(tare_dataset *const data, tare_context *const context,
                             const char *const alphabet, tare_error *const err) {
  const tare_sample *sample = NULL;
  for (;;) {
    tare_tensor output;
    tare_status status = tare_dataset_next(data, &sample, err);
    if (status != TARE_OK || !sample) {
      return status;
    }
    status = tare_context_run(context, sample->tensors, &output, err);
    if (status == TARE_E_SHAPE) { /* shorter or longer than the profiles of the plan */
      fprintf(stderr, "%s: %s\n", sample->name, err->message);
      continue;
    }
    if (status != TARE_OK) {
      return status;
    }
    print_text(sample->name, &output, alphabet);
  }
}

/* Whether the plan makes float rows of one input. */
static tare_status check_plan(const tare_plan *const plan) {
  const tare_port *inputs, *outputs;
  const bool fits = tare_plan_inputs(plan, &inputs) == 1 && inputs[0].dtype == TARE_F32 &&
                    tare_plan_outputs(plan, &outputs) == 1 && outputs[0].dtype == TARE_F32 &&
                    outputs[0].rank > 0;
  return fits ? TARE_OK : TARE_E_USAGE;
}

int main(const int argc, char **const argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: %s PLAN RATE ALPHABET RECORDINGS\n", argv[0]);
    return 2;
  }
  tare_plan *plan = NULL;
  tare_context *context = NULL;
  tare_dataset *data = NULL;
  tare_error err = {TARE_OK, "expected one float32 input and one float32 output"};
  const char *const path = argv[4];
  tare_status status = tare_plan_load(argv[1], &plan, &err);
  if (status == TARE_OK) {
    status = check_plan(plan);
  }
  if (status == TARE_OK) {
    tare_dataset_options options;
    tare_dataset_options_init(&options);
    options.n_inputs = tare_plan_inputs(plan, &options.inputs);
    options.rate = atoi(argv[2]);
    status = tare_dataset_open(&path, 1, &options, &data, &err);
  }
  if (status == TARE_OK) {
    status = tare_context_new(plan, NULL, &context, &err);
  }
  if (status == TARE_OK) {
    status = recognize(data, context, argv[3], &err);
  }
  if (status != TARE_OK) {
    fprintf(stderr, "%s: %s\n", argv[0], err.message);
  }
  tare_context_free(&context);
  tare_dataset_close(&data);
  tare_plan_free(&plan);
  return tare_status_exit_code(status);
}
