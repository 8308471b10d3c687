/*
 * A model in ONNX Runtime beside a plan, over one data set: what both get wrong, and how far they
 * agree.
 *
 * peer_eval LIBRARY MODEL PLAN DATA [--rate HZ] [--labels NAME --metric NAME [--alphabet TEXT]]
 * [--limit N]
 *           [--error-within X] [--agreement X] [--sqnr DB]
 * Prints one line of figures; exit 1 where they miss the bounds, 77 (skipped) without the library.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>
#include <unistd.h>

#include "bench/ort.h"
#include "calib/metrics/metric.h"
#include "calib/eval/eval_score.h"
#include "calib/eval/eval_tally.h"
#include "calib/metrics/states.h"
#include "tools/cli.h"

enum { FAILED = 1, SKIPPED = 77, MOST_PORTS = 16 };

typedef struct peer_options {
  tare_dataset_options data;
  tare_eval_options eval;
  tare_metric_setting alphabet;         /* name NULL: none */
  double error_within, agreement, sqnr; /* NAN: no bound */
} peer_options;

typedef struct peer_work {
  tare_plan *plan;
  tare_context *context;
  tare_dataset *dataset;
  ort *library;
  ort_session *session;
  const tarei_metric *metric;
  tarei_metric_settings settings;
  const tare_port *inputs, *outputs;
  int n_inputs, n_outputs;
  tare_error_tally errors[MOST_PORTS]; /* of the peer beside the plan, by output */
  int64_t n_samples;
  tare_metric_states *of_peer, *of_plan; /* NULL without a metric */
} peer_work;

static tare_status open_all(const peer_options *const o, char **const argv, peer_work *const w,
                            tare_error *const err) {
  const tare_context_options context = {.threads = 1, .profile = -1};
  const char *const path = argv[3];
  CLI_TRY(tare_plan_load(argv[2], &w->plan, err));
  CLI_TRY(tare_context_new(w->plan, &context, &w->context, err));
  w->n_inputs = tare_plan_inputs(w->plan, &w->inputs);
  w->n_outputs = tare_plan_outputs(w->plan, &w->outputs);
  tare_dataset_options data = o->data;
  data.inputs = w->inputs;
  data.n_inputs = w->n_inputs;
  CLI_TRY(tare_dataset_open(&path, 1, &data, &w->dataset, err));
  if (o->eval.metric) {
    CLI_TRY(tarei_metric_pick(o->eval.metric, &o->alphabet, o->alphabet.name != NULL, &w->metric,
                              &w->settings, err));
    CLI_TRY(tarei_metric_check_output(w->metric, &w->outputs[0], false, err));
    CLI_TRY(tarei_metric_states_new(w->metric, &w->settings, &w->of_peer, err));
    CLI_TRY(tarei_metric_states_new(w->metric, &w->settings, &w->of_plan, err));
  }
  return ort_session_new(w->library, argv[1], 1, &w->session, err);
}

static tare_status count(const peer_work *const w, const tare_sample *const sample,
                         const tare_tensor *const got, tare_metric_states *const states,
                         tare_error *const err) {
  const tarei_metric_case c = {
      .sample = sample, .output = w->outputs[0].name, .got = got, .extents = got->dims};
  if (!w->metric) {
    return TARE_OK;
  }
  CLI_TRY(tarei_metric_states_begin(states, 0, 0, err));
  CLI_TRY(w->metric->add(&c, states, err));
  tarei_metric_states_keep(states);
  return TARE_OK;
}

static tare_status compare_outputs(const peer_options *const o, peer_work *const w,
                                   const tare_sample *const sample, const tare_tensor *const want,
                                   tare_error *const err) {
  for (int i = 0; i < w->n_outputs; i++) {
    tare_tensor got;
    const int at = ort_session_find_output(w->session, w->outputs[i].name);
    if (at < 0) {
      return cli_fail(err, TARE_E_MODEL, "the model has no output '%s'", w->outputs[i].name);
    }
    CLI_TRY(ort_session_output(w->session, at, &got, err));
    if (got.dtype == TARE_F32 && want[i].dtype == TARE_F32) {
      const tarei_output_pair pair = {
          .got = &got, .want = &want[i], .got_extents = got.dims, .want_extents = got.dims};
      tarei_tally_output(&w->errors[i], &pair, INFINITY);
    }
    if (i == o->eval.output) {
      CLI_TRY(count(w, sample, &got, w->of_peer, err));
      CLI_TRY(count(w, sample, &want[i], w->of_plan, err));
    }
  }
  return TARE_OK;
}

/* A batch of one. */
static tare_tensor batched(const tare_port *const port, const tare_tensor *const tensor) {
  tare_tensor t = *tensor;
  if (t.rank < port->rank) {
    memmove(t.dims + 1, t.dims, (size_t)t.rank * sizeof t.dims[0]);
    t.dims[0] = 1;
    t.rank++;
  }
  return t;
}

static tare_status run_sample(const peer_options *const o, peer_work *const w,
                              const tare_sample *const sample, tare_error *const err) {
  tare_tensor inputs[MOST_PORTS], outputs[MOST_PORTS];
  if (w->n_inputs > MOST_PORTS || w->n_outputs > MOST_PORTS) {
    return cli_fail(err, TARE_E_LIMIT, "more than %d inputs or outputs", MOST_PORTS);
  }
  for (int i = 0; i < w->n_inputs; i++) {
    inputs[i] = batched(&w->inputs[i], &sample->tensors[i]);
  }
  CLI_TRY(tare_context_run(w->context, inputs, outputs, err));
  CLI_TRY(ort_session_feed(w->session, w->inputs, inputs, w->n_inputs, err));
  CLI_TRY(ort_session_run(w->session, err));
  CLI_TRY(compare_outputs(o, w, sample, outputs, err));
  w->n_samples++;
  return TARE_OK;
}

static tare_status run_all(const peer_options *const o, char **const argv, peer_work *const w,
                           tare_error *const err) {
  CLI_TRY(open_all(o, argv, w, err));
  for (;;) {
    const tare_sample *sample = NULL;
    CLI_TRY(tare_dataset_next(w->dataset, &sample, err));
    if (!sample) {
      return TARE_OK;
    }
    CLI_TRY(run_sample(o, w, sample, err));
  }
}

static double value_of(tare_metric_states *const states) {
  double value = NAN;
  return states && tarei_metric_states_finish(states, NULL) == TARE_OK &&
                 tare_metric_states_value(states, NULL, &value, NULL) == TARE_OK
             ? value
             : NAN;
}

static bool within(const peer_options *const o, const tare_eval_score *const score,
                   const double peer, const double plan) {
  return !(fabs(peer - plan) > o->error_within) && !(score->top1_agreement < o->agreement) &&
         !(score->sqnr_db < o->sqnr);
}

static int conclude(const peer_options *const o, const peer_work *const w) {
  const tarei_score_errors errors = {
      .errors = w->errors, .n_columns = w->n_outputs, .n_outputs = w->n_outputs, .n = 1};
  tare_eval_score score = {0};
  if (tarei_score_fill(&errors, &score, NULL) != TARE_OK) {
    return FAILED;
  }
  const double peer = value_of(w->of_peer), plan = value_of(w->of_plan);
  const bool good = within(o, &score, peer, plan);
  printf("%s samples %lld, sqnr %.2f dB, top-1 %.5f, metric peer %.5f plan %.5f\n",
         good ? "ok" : "MISSED", (long long)w->n_samples, score.sqnr_db, score.top1_agreement, peer,
         plan);
  return good ? 0 : FAILED;
}

static void parse(const int argc, char **const argv, peer_options *const o) {
  enum { RATE = 256, LABELS, METRIC, ALPHABET, LIMIT, WITHIN, AGREEMENT, SQNR };
  static const struct option LONG[] = {{"rate", 1, NULL, RATE},
                                       {"labels", 1, NULL, LABELS},
                                       {"metric", 1, NULL, METRIC},
                                       {"alphabet", 1, NULL, ALPHABET},
                                       {"limit", 1, NULL, LIMIT},
                                       {"error-within", 1, NULL, WITHIN},
                                       {"agreement", 1, NULL, AGREEMENT},
                                       {"sqnr", 1, NULL, SQNR},
                                       {0}};
  for (int key; (key = getopt_long(argc, argv, "", LONG, NULL)) != -1;) {
    switch (key) {
      case RATE:
        o->data.rate = atoi(optarg);
        break;
      case LABELS:
        o->data.labels = optarg;
        break;
      case METRIC:
        o->eval.metric = optarg;
        break;
      case ALPHABET:
        o->alphabet = (tare_metric_setting){"alphabet", optarg};
        break;
      case LIMIT:
        o->data.limit = atoi(optarg);
        break;
      case WITHIN:
        o->error_within = atof(optarg);
        break;
      case AGREEMENT:
        o->agreement = atof(optarg);
        break;
      case SQNR:
        o->sqnr = atof(optarg);
        break;
      default:
        exit(FAILED);
    }
  }
}

int main(int argc, char **argv) {
  peer_options o = {.error_within = NAN, .agreement = NAN, .sqnr = NAN};
  peer_work w = {0};
  tare_error err = {0};
  tare_dataset_options_init(&o.data);
  tare_eval_options_init(&o.eval);
  parse(argc, argv, &o);
  if (argc - optind != 4) {
    fprintf(stderr, "usage: peer_eval LIBRARY MODEL PLAN DATA [options]\n");
    return FAILED;
  }
  char **const args = argv + optind;
  if (ort_open(args[0], &w.library, &err) != TARE_OK) {
    printf("skipped: %s\n", err.message);
    return SKIPPED;
  }
  const tare_status status = run_all(&o, args, &w, &err);
  if (status != TARE_OK) {
    fprintf(stderr, "peer_eval: %s\n", err.message);
  }
  const int code = status == TARE_OK ? conclude(&o, &w) : FAILED;
  fflush(stdout);
  _exit(code); /* the library's threads may not be gone yet */
}
