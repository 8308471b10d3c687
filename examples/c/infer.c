/*
 * Runs a plan for token ids, as a server does: the plan is loaded once, and each request has
 * another length. A context serves one thread; others may have contexts of the same plan.
 *
 *   infer PLAN < requests       a request is a line of ids: "101 7592 102"
 *
 * The first input of the plan gets the ids; a second one is taken for their mask, which is 1.
 *
 *   cc infer.c $(pkg-config --cflags --libs tare) -o infer
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/tare.h>

enum { MOST_IDS = 4096 };

/* Returns how many ids the line holds. */
static int read_ids(const char *line, int64_t *const ids) {
  int n = 0;
  char *end;
  for (long long id = strtoll(line, &end, 10); end != line && n < MOST_IDS;
       id = strtoll(line, &end, 10)) {
    ids[n++] = id;
    line = end;
  }
  return n;
}

static void print_first_row(const tare_tensor *const output) {
  const int64_t n = output->rank ? output->dims[output->rank - 1] : 1;
  const float *const values = output->data;
  int64_t best = 0;
  for (int64_t i = 1; i < n; i++) {
    best = values[i] > values[best] ? i : best;
  }
  printf("%lld %.4f\n", (long long)best, (double)values[best]);
}

static tare_status serve(tare_context *const context, tare_error *const err) {
  static char line[16 * MOST_IDS];
  static int64_t ids[MOST_IDS], mask[MOST_IDS];
  for (int i = 0; i < MOST_IDS; i++) {
    mask[i] = 1;
  }
  while (fgets(line, sizeof line, stdin)) {
    const int n = read_ids(line, ids);
    tare_tensor inputs[] = {{TARE_I64, 1, {n}, ids}, {TARE_I64, 1, {n}, mask}}; /* no batch dim */
    tare_tensor output;
    const tare_status status = tare_context_run(context, inputs, &output, err);
    if (status == TARE_E_SHAPE) { /* the request's fault: the server goes on */
      fprintf(stderr, "%s\n", err->message);
      continue;
    }
    if (status != TARE_OK) {
      return status;
    }
    print_first_row(&output);
  }
  return TARE_OK;
}

/* Whether serve can feed a plan. */
static bool takes_ids(const tare_plan *const plan) {
  const tare_port *inputs, *outputs;
  const int n = tare_plan_inputs(plan, &inputs);
  bool fits =
      (n == 1 || n == 2) && tare_plan_outputs(plan, &outputs) == 1 && outputs[0].dtype == TARE_F32;
  for (int i = 0; i < n; i++) {
    fits = fits && inputs[i].dtype == TARE_I64 && inputs[i].rank == 2;
  }
  return fits;
}

int main(const int argc, char **const argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s PLAN < requests\n", argv[0]);
    return 2;
  }
  tare_plan *plan = NULL;
  tare_context *context = NULL;
  tare_context_options options;
  tare_error err;
  tare_context_options_init(&options);
  tare_status status = tare_plan_load(argv[1], &plan, &err);
  if (status == TARE_OK && !takes_ids(plan)) {
    fprintf(stderr, "%s: expected token ids, perhaps a mask, and one float32 output\n", argv[1]);
    tare_plan_free(&plan);
    return 2;
  }
  if (status == TARE_OK) {
    status = tare_context_new(plan, &options, &context, &err);
  }
  if (status == TARE_OK) {
    status = serve(context, &err);
  }
  if (status != TARE_OK) {
    fprintf(stderr, "%s: %s\n", argv[0], err.message);
  }
  tare_context_free(&context);
  tare_plan_free(&plan);
  return tare_status_exit_code(status);
}
