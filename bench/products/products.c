/*
 * Int8 products of the sizes of common networks beside oneDNN's, where it was built in, and ONNX
 * Runtime's, where its library is given. See bench/README.md.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/ort.h"
#include "bench/pair.h"
#include "bench/peak.h"
#include "bench/products/product.h"
#include "bench/products/row_products.h"
#include "tools/cli.h"
#if BENCH_ONEDNN
#include "bench/products/onednn.h"
#endif

enum { PEAK, OWN, ONEDNN, ORT, WHO_COUNT };
static const double BURST_SECONDS = 0.0008;

enum { OPT_THREADS = 't', OPT_ROUNDS = 'r', OPT_ISA = 256, OPT_ORT, OPT_MODELS, OPT_ROW_SCALES };

typedef struct products_arguments {
  int threads, rounds;
  unsigned isa;
  const char *ort, *models;
  bool row_scales;
} products_arguments;

static const struct argp_option OPTIONS[] = {
    {"threads", OPT_THREADS, "N", 0, "1 or 2 threads (default 1)", 0},
    {"rounds", OPT_ROUNDS, "N", 0, "Turns that everybody gets (default 7)", 0},
    {"isa", OPT_ISA, "LIST", 0, "Features that tare's kernels may use", 0},
    {"ort", OPT_ORT, "LIBRARY", 0, "ONNX Runtime's libonnxruntime.so.1", 0},
    {"row-scales", OPT_ROW_SCALES, NULL, 0,
     "Measure a scale for each row against one for all instead, on one thread", 0},
    {"models", OPT_MODELS, "FOLDER", 0, "Where models/generate.py wrote the products", 0},
    {0}};

static error_t products_parse(const int key, char *const arg, struct argp_state *const state) {
  products_arguments *const a = state->input;
  switch (key) {
    case OPT_THREADS:
      a->threads = (int)cli_int(state, "--threads", arg, 1, 2);
      return 0;
    case OPT_ROUNDS:
      a->rounds = (int)cli_int(state, "--rounds", arg, 1, 1000);
      return 0;
    case OPT_ISA:
      if (!tarei_isa_parse(arg, &a->isa)) {
        argp_error(state, "--isa: '%s' is no list of CPU features", arg);
      }
      return 0;
    case OPT_ORT:
      a->ort = arg;
      return 0;
    case OPT_MODELS:
      a->models = arg;
      return 0;
    case OPT_ROW_SCALES:
      a->row_scales = true;
      return 0;
    case ARGP_KEY_END:
      if (a->row_scales && (a->ort || a->threads > 1)) {
        argp_error(state, "--row-scales is for tare alone, on one thread");
      }
      if (!a->ort != !a->models) {
        argp_error(state, "--ort and --models need each other");
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp ARGP = {.options = OPTIONS,
                                 .parser = products_parse,
                                 .doc = "Measures int8 products beside those of others."};

/* One product with everybody who can do it. */
typedef struct contest {
  const products_arguments *arguments;
  size_t m, k, n;
  bench_operands operands;
  bench_product parts[2]; /* all columns, or half of them each */
  bench_pair own, loops;
  const bench_peak *peak;
  void *onednn;
  ort_session *session;
  uint8_t *other_out;
  double best[WHO_COUNT]; /* seconds; INFINITY for those who are not there */
} contest;

static void run_session(void *const session) {
  tare_error err = {0};
  (void)ort_session_run(session, &err); /* it was tried before */
}

static void burst(contest *const c, const int who, bench_work_fn *const run, void *const context) {
  run(context);
  const double first = cli_now();
  run(context);
  const int calls = 1 + (int)(BURST_SECONDS / (cli_now() - first + 1e-9));
  for (int r = 0; r < 4; r++) {
    const double start = cli_now();
    for (int i = 0; i < calls; i++) {
      run(context);
    }
    c->best[who] = fmin(c->best[who], (cli_now() - start) / calls);
  }
}

/* Workers of a library may go on spinning for some time after their work. */
static void pause_between(const int threads) {
  const struct timespec t = {.tv_nsec = threads > 1 ? 80000000 : 0};
  (void)nanosleep(&t, NULL); /* a shorter pause only costs precision */
}

/* A library's turn: this thread on the first core, its worker on the second. */
static void peer_turn(contest *const c, const int who, bench_work_fn *const run,
                      void *const context) {
  pause_between(c->arguments->threads);
  bench_pin(0);
  burst(c, who, run, context);
  bench_pin(-1);
}

static void own_turn(contest *const c) {
  if (c->arguments->threads == 1) {
    burst(c, PEAK, c->peak->run, NULL);
    burst(c, OWN, bench_run_product, &c->parts[0]);
  } else if (bench_pair_start()) {
    burst(c, PEAK, bench_pair_run, &c->loops);
    burst(c, OWN, bench_pair_run, &c->own);
    bench_pair_stop();
  }
}

static void take_turns(contest *const c) {
  for (int r = 0; r < c->arguments->rounds; r++) {
    own_turn(c);
#if BENCH_ONEDNN
    if (c->onednn) {
      peer_turn(c, ONEDNN, onednn_product_run, c->onednn);
    }
#endif
    if (c->session) {
      peer_turn(c, ORT, run_session, c->session);
    }
    pause_between(c->arguments->threads);
  }
}

static tare_status feed_session(contest *const c, tare_error *const err) {
  const tare_port port = {.name = "x", .dtype = TARE_U8, .rank = 2};
  const tare_tensor x = {
      .dtype = TARE_U8, .rank = 2, .data = c->operands.a, .dims = {(int64_t)c->m, (int64_t)c->k}};
  CLI_TRY(ort_session_feed(c->session, &port, &x, 1, err));
  return ort_session_run(c->session, err);
}

/* "-" for those who are not there. */
static void products_print_ratio(const double ratio) {
  if (isfinite(ratio)) {
    printf(" %.2f |", ratio);
  } else {
    printf(" - |");
  }
}

static void products_print(const contest *const c) {
  const double operations = 2.0 * (double)(c->m * c->k * c->n);
  const double peak = c->peak->operations * c->arguments->threads / c->best[PEAK];
  printf("| %zux%zu | %zu | %.0f | %.0f |", c->k, c->n, c->m, operations / c->best[OWN] * 1e-9,
         100 * operations / c->best[OWN] / peak);
  for (int who = ONEDNN; who < WHO_COUNT; who++) {
    products_print_ratio(c->best[who] / c->best[OWN]);
  }
  printf("\n");
  fflush(stdout);
}

/* Adds the logarithms of the others' times over ours. */
static tare_status products_measure(const products_arguments *const a,
                                    const tarei_kernels *const kernels, const size_t m,
                                    const size_t k, const size_t n, ort_session *const session,
                                    double logs[static WHO_COUNT], tare_error *const err) {
  contest c = {.arguments = a,
               .m = m,
               .k = k,
               .n = n,
               .operands = bench_operands_new(m, k, n),
               .peak = bench_peak_loop(true, TAREI_ISA_ALL),
               .session = session,
               .best = {INFINITY, INFINITY, INFINITY, INFINITY}};
  const size_t half = a->threads > 1 ? n / 2 : n;
  c.parts[0] = bench_product_of(kernels, &c.operands, m, k, n, 0, half);
  c.parts[1] = bench_product_of(kernels, &c.operands, m, k, n, half, n);
  c.own = (bench_pair){{bench_run_product, bench_run_product}, {&c.parts[0], &c.parts[1]}};
  c.loops = (bench_pair){{c.peak->run, c.peak->run}, {NULL, NULL}};
  c.other_out = bench_allocate(m * n);
#if BENCH_ONEDNN
  c.onednn = onednn_product_new(m, k, n, c.operands.a, c.operands.w, c.operands.mult, c.other_out);
#endif
  const tare_status status = session ? feed_session(&c, err) : TARE_OK;
  if (status == TARE_OK) {
    take_turns(&c);
    products_print(&c);
  }
  for (int who = 0; who < WHO_COUNT; who++) {
    logs[who] += log(c.best[who] / c.best[OWN]);
  }
#if BENCH_ONEDNN
  onednn_product_free(c.onednn);
#endif
  free(c.other_out);
  bench_operands_free(&c.operands);
  return status;
}

static tare_status open_session(const products_arguments *const a, ort *const library,
                                const size_t k, const size_t n, ort_session **const out,
                                tare_error *const err) {
  if (!library) {
    return TARE_OK;
  }
  char *const path = cli_format("%s/product-%zux%zu_qdq.onnx", a->models, k, n);
  const tare_status status = ort_session_new(library, path, a->threads, out, err);
  free(path);
  return status;
}

static tare_status products_measure_all(const products_arguments *const a, ort *const library,
                                        tare_error *const err) {
  static const size_t rows[] = {16, 100, 256, 512};
  double logs[sizeof rows / sizeof *rows][WHO_COUNT] = {{0}};
  tarei_kernels kernels;
  tarei_kernels_select(a->isa, &kernels);
  printf(
      "%s, %d thread%s\n\n| K x N | M | tare GOP/s | %% of %s | oneDNN's time over tare's "
      "| ONNX Runtime's |\n|---|---|---|---|---|---|\n",
      kernels.i8_gemm_name, a->threads, a->threads > 1 ? "s" : "",
      bench_peak_loop(true, TAREI_ISA_ALL)->name);
  for (int s = 0; s < BENCH_PRODUCT_SIZES; s++) {
    ort_session *session = NULL;
    const size_t k = bench_product_sizes[s][0], n = bench_product_sizes[s][1];
    tare_status status = open_session(a, library, k, n, &session, err);
    for (size_t r = 0; r < sizeof rows / sizeof *rows && status == TARE_OK; r++) {
      status = products_measure(a, &kernels, rows[r], k, n, session, logs[r], err);
    }
    ort_session_free(&session);
    CLI_TRY(status);
  }
  printf("\n| M | oneDNN's time over tare's, geometric mean | ONNX Runtime's |\n|---|---|---|\n");
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    printf("| %zu |", rows[r]);
    products_print_ratio(exp(logs[r][ONEDNN] / BENCH_PRODUCT_SIZES));
    products_print_ratio(exp(logs[r][ORT] / BENCH_PRODUCT_SIZES));
    printf("\n");
  }
  return TARE_OK;
}

int main(const int argc, char **const argv) {
  products_arguments a = {.threads = 1, .rounds = 7, .isa = TAREI_ISA_ALL};
  ort *library = NULL;
  tare_error err = {0};
  cli_parse(&ARGP, argc, argv, &a);
  if (!bench_peak_loop(true, TAREI_ISA_ALL)) {
    fprintf(stderr, "no peak loop is known for this CPU\n");
    return 1;
  }
  if (a.row_scales) {
    bench_row_products(a.isa);
    return 0;
  }
  bench_pin(-1); /* remembers the cores */
#if BENCH_ONEDNN
  onednn_set_threads(a.threads);
#endif
  tare_status status = a.ort ? ort_open(a.ort, &library, &err) : TARE_OK;
  if (status == TARE_OK) {
    status = products_measure_all(&a, library, &err);
  }
  ort_close(&library);
  return cli_end(argv[0], status, &err);
}
