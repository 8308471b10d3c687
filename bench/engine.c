/*
 * Speed of whole networks over lengths and threads, beside the peak of the machine and, where its
 * library is given, ONNX Runtime on the same network. See bench/README.md.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/engine_report.h"
#include "bench/threads.h"
#include "tools/cli.h"

enum {
  OPT_LENGTHS = 'l',
  OPT_THREADS = 't',
  OPT_ROUNDS = 'r',
  OPT_TABLE = 'c',
  OPT_SAVE = 's',
  OPT_FLOAT = 'f',
  OPT_ISA = 256,
  OPT_FLOAT_ONLY,
  OPT_PAUSE,
  OPT_ORT,
  OPT_PEER
};

typedef struct engine_arguments {
  plan_wishes wishes;
  cli_list lengths, peers;
  bench_threads threads;
  int rounds;
  double pause_ms;
  const char *ort;
} engine_arguments;

static const struct argp_option OPTIONS[] = {
    {"lengths", OPT_LENGTHS, "SYMBOL=N,N", 0, "Lengths to run at, rising; once for each symbol", 0},
    {"threads", OPT_THREADS, "N,N", 0, "Numbers of threads (default 1,2)", 0},
    {"rounds", OPT_ROUNDS, "N", 0, "Turns that everybody gets (default 7)", 0},
    {"table", OPT_TABLE, "FILE", 0, "Calibration table (default: made on random samples)", 0},
    {"save", OPT_SAVE, "PLAN", 0, "Keep the int8 plan", 0},
    {"float", OPT_FLOAT, NULL, 0, "Run the float plan too", 0},
    {"float-only", OPT_FLOAT_ONLY, NULL, 0, "Run the float plan only", 0},
    {"isa", OPT_ISA, "LIST", 0, "Features that the plan's kernels may use", 0},
    {"pause", OPT_PAUSE, "MS", 0, "Before each turn with several threads (default 80)", 0},
    {"ort", OPT_ORT, "LIBRARY", 0, "ONNX Runtime's libonnxruntime.so.1", 0},
    {"peer", OPT_PEER, "NAME=MODEL", 0,
     "The network in a form for ONNX Runtime; f32... are the float forms", 0},
    {0}};

static void check_arguments(const engine_arguments *const a, const struct argp_state *const state) {
  if (!a->wishes.path) {
    argp_error(state, "a model or plan is needed");
  }
  if (a->peers.n && !a->ort) {
    argp_error(state, "--peer needs --ort");
  }
}

static error_t engine_parse(const int key, char *const arg, struct argp_state *const state) {
  engine_arguments *const a = state->input;
  switch (key) {
    case OPT_LENGTHS:
      cli_list_add(&a->lengths, arg);
      return 0;
    case OPT_THREADS:
      bench_threads_take(&a->threads, arg, state);
      return 0;
    case OPT_ROUNDS:
      a->rounds = (int)cli_int(state, "--rounds", arg, 1, 1000);
      return 0;
    case OPT_TABLE:
      a->wishes.table = arg;
      return 0;
    case OPT_SAVE:
      a->wishes.save = arg;
      return 0;
    case OPT_FLOAT_ONLY:
      a->wishes.int8 = false;
      a->wishes.fp32 = true;
      return 0;
    case OPT_FLOAT:
      a->wishes.fp32 = true;
      return 0;
    case OPT_ISA:
      a->wishes.isa = arg;
      return 0;
    case OPT_PAUSE:
      a->pause_ms = cli_real(state, "--pause", arg, 0, 10000);
      return 0;
    case OPT_ORT:
      a->ort = arg;
      return 0;
    case OPT_PEER:
      cli_list_add(&a->peers, arg);
      return 0;
    case ARGP_KEY_ARG:
      a->wishes.path = arg;
      return 0;
    case ARGP_KEY_END:
      check_arguments(a, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = engine_parse,
    .args_doc = "MODEL|PLAN",
    .doc =
        "Measures a network over lengths and threads.\v"
        "Example:\n"
        "  bench_engine model.onnx --lengths S=16,64,128 --threads 1,2 \\\n"
        "    --ort libonnxruntime.so.1 --peer qdq=model_qdq.onnx --peer f32=model.onnx"};

static void print_plans(const plans *const p) {
  if (p->int8) {
    printf("int8 plan: %.2f MB, loaded in %.2f ms; it and the last length add %.2f MB of memory\n",
           (double)p->file_bytes * 1e-6, p->load_ms, (double)p->peak_bytes * 1e-6);
  }
}

static tare_status measure_threads(const engine_arguments *const a, const plans *const p,
                                   ort *const library, const int threads, summary *const out,
                                   tare_error *const err) {
  runners r;
  tare_status status = runners_new(p, library, a->peers.items, a->peers.n, threads, &r, err);
  for (int i = 0; i < p->points.n && status == TARE_OK; i++) {
    status = runners_measure(&r, p, i, a->rounds, a->pause_ms, err);
    if (status == TARE_OK) {
      report_point(p, &r, i, &out[i]);
    }
  }
  runners_fini(&r);
  return status;
}

static tare_status engine_measure(const engine_arguments *const a, const plans *const p,
                                  ort *const library, tare_error *const err) {
  const int n = a->threads.n * p->points.n;
  summary *const sums = cli_realloc(NULL, (size_t)n, sizeof *sums);
  tare_status status = TARE_OK;
  for (int t = 0; t < a->threads.n && status == TARE_OK; t++) {
    status = measure_threads(a, p, library, a->threads.counts[t], sums + t * p->points.n, err);
  }
  if (status == TARE_OK) {
    report_summaries(sums, n);
  }
  free(sums);
  return status;
}

int main(const int argc, char **const argv) {
  engine_arguments a = {
      .wishes = {.int8 = true}, .threads = {2, {1, 2}}, .rounds = 7, .pause_ms = 80};
  plans p = {0};
  ort *library = NULL;
  tare_error err = {0};
  cli_parse(&ARGP, argc, argv, &a);
  a.wishes.lengths = a.lengths.items;
  a.wishes.n_lengths = a.lengths.n;
  tare_status status = plans_new(&a.wishes, &p, &err);
  if (status == TARE_OK) {
    print_plans(&p);
  }
  if (status == TARE_OK && a.ort) {
    status = ort_open(a.ort, &library, &err);
  }
  if (status == TARE_OK) {
    status = engine_measure(&a, &p, library, &err);
  }
  ort_close(&library);
  plans_fini(&p);
  cli_list_fini(&a.lengths);
  cli_list_fini(&a.peers);
  return cli_end(argv[0], status, &err);
}
