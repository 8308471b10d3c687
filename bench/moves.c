/*
 * Operators that move or combine elements, beside the speed at which this machine copies memory:
 * float plans of models of one operator, as bench/models/moves.py writes them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/engine_plans.h"
#include "bench/pair.h"
#include "bench/peak.h"
#include "tools/cli.h"
#include "tools/feed.h"

enum { OPT_ROUNDS = 'r', COPIED = 1 << 24, MOST_MODELS = 256, SETTLED = 2 };

typedef struct moves_arguments {
  const char *models[MOST_MODELS];
  int n, rounds;
} moves_arguments;

static const struct argp_option OPTIONS[] = {
    {"rounds", OPT_ROUNDS, "N", 0, "Turns of copies and operator (default 7)", 0}, {0}};

static error_t moves_parse(const int key, char *const arg, struct argp_state *const state) {
  moves_arguments *const a = state->input;
  switch (key) {
    case OPT_ROUNDS:
      a->rounds = (int)cli_int(state, "--rounds", arg, 1, 1000);
      return 0;
    case ARGP_KEY_ARG:
      if (a->n == MOST_MODELS) {
        argp_error(state, "at most %d models", MOST_MODELS);
      }
      a->models[a->n++] = arg;
      return 0;
    case ARGP_KEY_END:
      if (a->n == 0) {
        argp_error(state, "a model is needed");
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = moves_parse,
    .args_doc = "MODEL...",
    .doc =
        "Measures single operators of fixed shape on one and two threads, beside copies of 16 MB: "
        "bytes of inputs and outputs a second, and their share of what copies reach."};

/* Bytes a second that copying reads and writes, on one core or on two. */
static double copy_rate(char *const memory, const int threads) {
  bench_block halves[2] = {{memory, (size_t)2 * COPIED / (size_t)threads},
                           {memory + COPIED, COPIED}};
  bench_pair pair = {{bench_copy, bench_copy}, {&halves[0], &halves[1]}};
  if (threads == 2 && !bench_pair_start()) {
    return NAN;
  }
  double best = INFINITY;
  for (int i = 0; i < 3 + SETTLED; i++) {
    const double start = tarei_now();
    threads == 2 ? bench_pair_run(&pair) : bench_copy(&halves[0]);
    best = fmin(best, tarei_now() - start);
  }
  if (threads == 2) {
    bench_pair_stop();
  }
  return 2.0 * COPIED / best;
}

static double operator_seconds(tare_context *const context, const feed *const f,
                               tare_tensor *const outputs, tare_error *const err,
                               tare_status *const status) {
  double best = INFINITY;
  for (int i = 0; i < 3 + SETTLED && *status == TARE_OK; i++) {
    const double start = tarei_now();
    *status = tare_context_run(context, f->tensors, outputs, err);
    best = fmin(best, tarei_now() - start);
  }
  return best;
}

static size_t bytes_of_tensor(const tare_tensor *const t) {
  return (size_t)tare_tensor_count(t) * tare_dtype_size(t->dtype);
}

typedef struct moved {
  double bytes, seconds, copied; /* copied: bytes a second */
} moved;

static tare_status moves_measure(const tare_plan *const plan, const feed *const f,
                                 const int threads, const int rounds, char *const memory,
                                 moved *const out, tare_error *const err) {
  const tare_context_options options = {.threads = threads, .profile = -1};
  tare_context *context = NULL;
  tare_tensor output;
  tare_status status = tare_context_new(plan, &options, &context, err);
  *out = (moved){.seconds = INFINITY};
  for (int r = 0; r < rounds && status == TARE_OK; r++) {
    out->copied = fmax(out->copied, copy_rate(memory, threads));
    out->seconds = fmin(out->seconds, operator_seconds(context, f, &output, err, &status));
  }
  for (int i = 0; i < f->n && status == TARE_OK; i++) {
    out->bytes += (double)bytes_of_tensor(&f->tensors[i]);
  }
  out->bytes += status == TARE_OK ? (double)bytes_of_tensor(&output) : 0;
  tare_context_free(&context);
  return status;
}

static void moves_print(const char *const path, const moved *const m) {
  const char *const slash = strrchr(path, '/'), *const name = slash ? slash + 1 : path;
  const int length = (int)strcspn(name, ".");
  printf("| %.*s | %.1f |", length, name, m[0].bytes * 1e-6);
  for (int i = 0; i < 2; i++) {
    const double rate = m[i].bytes / m[i].seconds;
    printf(" %.3f | %.1f | %.0f |", m[i].seconds * 1e3, rate * 1e-9, 100 * rate / m[i].copied);
  }
  printf(" %.2f |\n", m[0].seconds / m[1].seconds);
  (void)fflush(stdout);
}

static tare_status measure_model(const char *const path, const int rounds, char *const memory,
                                 tare_error *const err) {
  const plan_wishes wishes = {.path = path, .fp32 = true};
  const int64_t values[TARE_MAX_SYMBOLS] = {0};
  plans p = {0};
  feed f = {0};
  moved m[2];
  tare_status status = plans_new(&wishes, &p, err);
  const tare_port *inputs, *outputs;
  if (status == TARE_OK && tare_plan_outputs(p.fp32, &outputs) != 1) {
    status = cli_fail(err, TARE_E_USAGE, "'%s': expected one output", path);
  }
  if (status == TARE_OK) {
    const int n = tare_plan_inputs(p.fp32, &inputs);
    status = feed_new(inputs, n, tare_plan_profiles(p.fp32), values, &f, err);
  }
  for (int i = 0; i < 2 && status == TARE_OK; i++) {
    status = moves_measure(p.fp32, &f, i + 1, rounds, memory, &m[i], err);
  }
  if (status == TARE_OK) {
    moves_print(path, m);
  }
  feed_fini(&f);
  plans_fini(&p);
  return status;
}

int main(const int argc, char **const argv) {
  moves_arguments a = {.rounds = 7};
  tare_error err = {0};
  cli_parse(&ARGP, argc, argv, &a);
  char *const memory = bench_allocate((size_t)2 * COPIED);
  tare_status status = TARE_OK;
  printf(
      "| operator | MB | one thread: ms | GB/s | %% of copying | two threads: ms | GB/s | %% of "
      "copying | second thread |\n|---|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < a.n && status == TARE_OK; i++) {
    status = measure_model(a.models[i], a.rounds, memory, &err);
  }
  free(memory);
  return cli_end(argv[0], status, &err);
}
