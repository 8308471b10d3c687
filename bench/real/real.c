/*
 * Speed of a model on its own data: the plans of tare, and ONNX Runtime on forms of the same model,
 * in turns. It prints one line of tab-separated values for each number of threads, which run.sh
 * gathers into a table.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/runners.h"
#include "bench/threads.h"
#include "tools/bench/samples.h"
#include "tools/cli.h"

enum { PROFILED_RUNS = 5 };
enum { OPT_INT8 = '8', OPT_FP32 = 'f', OPT_THREADS = 't', OPT_ROUNDS = 'r', OPT_LIMIT = 'n' };
enum { OPT_PAUSE = 256, OPT_ORT, OPT_PEER };

typedef struct real_arguments {
  const char *int8, *fp32, *ort;
  cli_list peers, data;
  bench_threads threads;
  int rounds;
  int64_t limit;
  double pause_ms;
} real_arguments;

static const struct argp_option OPTIONS[] = {
    {"int8", OPT_INT8, "PLAN", 0, "The model's int8 plan", 0},
    {"fp32", OPT_FP32, "PLAN", 0, "The model's float plan", 0},
    {"threads", OPT_THREADS, "N,N", 0, "Numbers of threads (default 1,2)", 0},
    {"rounds", OPT_ROUNDS, "N", 0, "Turns that everybody gets on a sample (default 7)", 0},
    {"limit", OPT_LIMIT, "N", 0, "Samples of the data (default 3)", 0},
    {"pause", OPT_PAUSE, "MS", 0, "Before each turn with several threads (default 80)", 0},
    {"ort", OPT_ORT, "LIBRARY", 0, "ONNX Runtime's libonnxruntime.so.1", 0},
    {"peer", OPT_PEER, "NAME=MODEL", 0,
     "The model in a form for ONNX Runtime; f32... are the float forms", 0},
    {0}};

static error_t real_parse(const int key, char *const arg, struct argp_state *const state) {
  real_arguments *const a = state->input;
  switch (key) {
    case OPT_INT8:
      a->int8 = arg;
      return 0;
    case OPT_FP32:
      a->fp32 = arg;
      return 0;
    case OPT_THREADS:
      bench_threads_take(&a->threads, arg, state);
      return 0;
    case OPT_ROUNDS:
      a->rounds = (int)cli_int(state, "--rounds", arg, 1, 1000);
      return 0;
    case OPT_LIMIT:
      a->limit = cli_int(state, "--limit", arg, 1, 1000);
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
      cli_list_add(&a->data, arg);
      return 0;
    case ARGP_KEY_END:
      if (!a->int8 || !a->fp32 || !a->data.n) {
        argp_error(state, "--int8, --fp32 and data are needed");
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp REAL_ARGP = {
    .options = OPTIONS,
    .parser = real_parse,
    .args_doc = "DATA...",
    .doc =
        "Measures plans of a model on data, in turns with ONNX Runtime. Prints, separated by "
        "tabs: threads, samples; sums over the samples of the best times in ms: ONNX Runtime's "
        "float, tare's float, ONNX Runtime's int8, tare's int8; geometric means of ratios: "
        "float over ONNX Runtime's, int8 over its float, int8 over its int8, int8 over tare's "
        "own float; the operator that costs most of the int8 plan, and its percentage. \"-\" "
        "stands for what does not exist."};

/* --- what is measured ------------------------------------------------------------------------- */

typedef struct real_model {
  plans plans;
  samples data;
  ort *library;
  cli_list peers; /* those that ONNX Runtime loads */
} real_model;

static tare_status read_data(const real_arguments *const a, real_model *const m,
                             tare_error *const err) {
  tare_dataset_options options;
  tare_dataset *dataset = NULL;
  tare_dataset_options_init(&options);
  options.n_inputs = tare_plan_inputs(m->plans.int8, &options.inputs);
  options.limit = a->limit;
  CLI_TRY(tare_dataset_open(a->data.items, a->data.n, &options, &dataset, err));
  const tare_status status = samples_read(dataset, options.n_inputs, &m->data, err);
  tare_dataset_close(&dataset);
  return status;
}

/* ONNX Runtime wants the axis of the batch, which samples may lack. */
static void add_batch_axes(samples *const s, const tare_port *const ports) {
  for (int i = 0; i < s->n * s->n_inputs; i++) {
    tare_tensor *const t = &s->tensors[i];
    if (t->rank + 1 == ports[i % s->n_inputs].rank) {
      memmove(t->dims + 1, t->dims, (size_t)t->rank++ * sizeof *t->dims);
      t->dims[0] = 1;
    }
  }
}

/* A form that ONNX Runtime does not load is said and left out. */
static void find_peers(const real_arguments *const a, real_model *const m) {
  for (int i = 0; i < a->peers.n; i++) {
    const char *const equals = strchr(a->peers.items[i], '=');
    ort_session *session = NULL;
    tare_error err = {0};
    if (ort_session_new(m->library, equals ? equals + 1 : a->peers.items[i], 1, &session, &err) ==
        TARE_OK) {
      cli_list_add(&m->peers, a->peers.items[i]);
    } else {
      fprintf(stderr, "left out: %s\n", err.message);
    }
    ort_session_free(&session);
  }
}

static tare_status real_open(const real_arguments *const a, real_model *const m,
                             tare_error *const err) {
  const tare_port *ports;
  CLI_TRY(tare_plan_load(a->int8, &m->plans.int8, err));
  CLI_TRY(tare_plan_load(a->fp32, &m->plans.fp32, err));
  CLI_TRY(read_data(a, m, err));
  (void)tare_plan_inputs(m->plans.int8, &ports);
  add_batch_axes(&m->data, ports);
  CLI_TRY(a->ort ? ort_open(a->ort, &m->library, err) : TARE_OK);
  if (m->library) {
    find_peers(a, m);
  }
  return TARE_OK;
}

static void real_close(real_model *const m) {
  samples_fini(&m->data);
  cli_list_fini(&m->peers);
  ort_close(&m->library);
  plans_fini(&m->plans);
}

/* --- the operator that costs most ------------------------------------------------------------- */

typedef struct costly_op {
  const char *op;
  double percent;
} costly_op;

static double seconds_of_op(const tare_plan *const plan, const tare_context *const context,
                            const char *const op /* NULL: all */) {
  double sum = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    if (!op || strcmp(tare_plan_layer(plan, i).op, op) == 0) {
      sum += tare_context_layer_seconds(context, i);
    }
  }
  return sum;
}

static costly_op costliest_op(const tare_plan *const plan, const tare_context *const context) {
  const double all = seconds_of_op(plan, context, NULL);
  costly_op out = {"-", 0};
  for (int i = 0; i < tare_plan_n_layers(plan) && all > 0; i++) {
    const char *const op = tare_plan_layer(plan, i).op;
    const double percent = 100 * seconds_of_op(plan, context, op) / all;
    out = percent > out.percent ? (costly_op){op, percent} : out;
  }
  return out;
}

/* Profiles the int8 plan, whose context it leaves as it was. */
static tare_status find_costliest(const real_model *const m, runner *const int8,
                                  costly_op *const out, tare_error *const err) {
  tare_context_set_profiling(int8->context, true);
  for (int i = 0; i < PROFILED_RUNS * m->data.n; i++) {
    const tare_tensor *const inputs = m->data.tensors + i % m->data.n * m->data.n_inputs;
    CLI_TRY(tare_context_run(int8->context, inputs, int8->outputs, err));
  }
  *out = costliest_op(int8->plan, int8->context);
  tare_context_set_profiling(int8->context, false);
  return TARE_OK;
}

/* --- times ------------------------------------------------------------------------------------ */

enum { ORT_F32, OWN_F32, ORT_INT8, OWN_INT8, N_SIDES };

/* NAN where nobody runs it. */
typedef struct real_times {
  double ms[N_SIDES];                                         /* sums */
  double float_ratio, int8_ratio, int8_int8_ratio, own_ratio; /* sums of logarithms */
} real_times;

static double real_best_of(const runners *const r, const bool peer, const bool bytes) {
  double best = NAN;
  for (int i = 0; i < r->n; i++) {
    if (r->items[i].peer == peer && r->items[i].bytes == bytes) {
      best = fmin(best, r->items[i].times.ms[0]);
    }
  }
  return best;
}

static void add_sample(const runners *const r, real_times *const t) {
  double ms[N_SIDES];
  for (int i = 0; i < N_SIDES; i++) {
    ms[i] = real_best_of(r, i == ORT_F32 || i == ORT_INT8, i == ORT_INT8 || i == OWN_INT8);
    t->ms[i] += ms[i];
  }
  t->float_ratio += log(ms[ORT_F32] / ms[OWN_F32]);
  t->int8_ratio += log(ms[ORT_F32] / ms[OWN_INT8]);
  t->int8_int8_ratio += log(ms[ORT_INT8] / ms[OWN_INT8]);
  t->own_ratio += log(ms[OWN_F32] / ms[OWN_INT8]);
}

static void real_print_value(const char *const format, const double x) {
  if (isnan(x)) {
    printf("\t-");
  } else {
    printf(format, x);
  }
}

static void print_sums(const real_times *const t, const int threads, const int n,
                       const costly_op op) {
  printf("%d\t%d", threads, n);
  for (int i = 0; i < N_SIDES; i++) {
    real_print_value("\t%.3f", t->ms[i]);
  }
  real_print_value("\t%.2f", exp(t->float_ratio / n));
  real_print_value("\t%.2f", exp(t->int8_ratio / n));
  real_print_value("\t%.2f", exp(t->int8_int8_ratio / n));
  real_print_value("\t%.2f", exp(t->own_ratio / n));
  printf("\t%s\t%.0f\n", op.op, op.percent);
  fflush(stdout);
}

static tare_status take_samples(const real_arguments *const a, const real_model *const m,
                                runners *const r, tare_error *const err) {
  const tare_port *ports;
  real_times sums = {0};
  costly_op op = {0};
  const int n = tare_plan_inputs(m->plans.int8, &ports);
  for (int i = 0; i < m->data.n; i++) {
    CLI_TRY(runners_take_turns(r, ports, m->data.tensors + i * n, n, a->rounds, a->pause_ms, err));
    add_sample(r, &sums);
  }
  CLI_TRY(find_costliest(m, &r->items[0], &op, err));
  print_sums(&sums, r->threads, m->data.n, op);
  return TARE_OK;
}

static tare_status real_measure(const real_arguments *const a, const real_model *const m,
                                tare_error *const err) {
  for (int t = 0; t < a->threads.n; t++) {
    runners r;
    tare_status status = runners_new(&m->plans, m->library, m->peers.items, m->peers.n,
                                     a->threads.counts[t], &r, err);
    if (status == TARE_OK) {
      status = take_samples(a, m, &r, err);
    }
    runners_fini(&r);
    CLI_TRY(status);
  }
  return TARE_OK;
}

int main(const int argc, char **const argv) {
  real_arguments a = {.threads = {2, {1, 2}}, .rounds = 7, .limit = 3, .pause_ms = 80};
  real_model m = {0};
  tare_error err = {0};
  cli_parse(&REAL_ARGP, argc, argv, &a);
  tare_status status = real_open(&a, &m, &err);
  if (status == TARE_OK) {
    status = real_measure(&a, &m, &err);
  }
  real_close(&m);
  cli_list_fini(&a.peers);
  cli_list_fini(&a.data);
  return cli_end(argv[0], status, &err);
}
