#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench_advice.h"
#include "tools/bench/bench_trace.h"
#include "tools/bench/stream.h"
#include "tools/json_out.h"
#include "tools/layer_times.h"
#include "tools/options/choose_profiles.h"
#include "tools/options/lengths.h"
#include "tools/options/parse.h"
#include "tools/output.h"
#include "tools/peak.h"
#include "tools/report.h"
#include "tools/say.h"
#include "tools/side.h"
#include "tools/source.h"
#include "tools/timing.h"

enum {
  OPT_SHAPES = OPT_COMMAND,
  OPT_SYMBOLS,
  OPT_ITERATIONS,
  OPT_WARM_UP,
  OPT_DURATION,
  OPT_PERCENTILES,
  OPT_DUMP_PROFILE,
  OPT_EXPORT_PROFILE,
  OPT_TRACE,
  OPT_ADVICE,
  OPT_BENCH_USE_PROFILE,
  OPT_STREAMS
};

enum { MOST_PERCENTILES = 16, MOST_STREAMS = 1024 };

typedef struct bench_arguments {
  opt_common common;
  opt_profiles profiles;
  opt_streaming streaming;
  opt_model model_options;
  const char *path, *shapes, *symbols;
  int64_t iterations;
  double warm_up_ms, duration_s;
  double percentiles[MOST_PERCENTILES];
  int n_percentiles;
  bool dump_profile, advice;
  const char *profile_file, *trace_file; /* or NULL */
  int use_profile;                       /* -1: by shape */
  int streams;
} bench_arguments;

typedef struct bench_session {
  side side;
  tare_profiles *profiles; /* of a model */
  tare_profiles *point;    /* one profile: the lengths to run at */
  int64_t values[TARE_MAX_SYMBOLS];
  stream *streams; /* each with the same inputs, and states of its own */
  int n_streams;
  timing times;                         /* of the runs of all streams */
  double *layer_operations, operations; /* of each layer and of all in one run */
  double loaded;                        /* seconds until the first run can begin */
  double wall;                          /* seconds of the measured runs together */
  bench_trace trace;
  bench_advice advice;
} bench_session;

static const struct argp_option OPTIONS[] = {
    {"shapes", OPT_SHAPES, "SHAPES", 0, "Shapes to run at, e.g. audio:1x16000 (default: opt)", 0},
    {"symbols", OPT_SYMBOLS, "SPEC", 0, "Lengths to run at, e.g. samples=16000", 0},
    {"iterations", OPT_ITERATIONS, "N", 0, "Run at least N times (default 10)", 0},
    {"warmUp", OPT_WARM_UP, "MS", 0, "Warm up for MS milliseconds (default 200)", 0},
    {"duration", OPT_DURATION, "S", 0, "Run for at least S seconds (default 3)", 0},
    {"percentile", OPT_PERCENTILES, "P,P", 0,
     "Percentiles of the latency to print (default 90,95,99)", 0},
    {"dumpProfile", OPT_DUMP_PROFILE, NULL, 0, "Print the time of each layer and operator", 0},
    {"exportProfile", OPT_EXPORT_PROFILE, "FILE", 0,
     "Write the times of the layers to FILE, as trtexec does (JSON)", 0},
    {"trace", OPT_TRACE, "FILE", 0,
     "Write when each layer ran to FILE, for Perfetto or chrome://tracing (JSON)", 0},
    {"advice", OPT_ADVICE, NULL, 0,
     "Print the hot layers and what bounds them, the cost of conversions and data movement, and "
     "what "
     "is in float",
     0},
    {"use-profile", OPT_BENCH_USE_PROFILE, "I", 0,
     "Run in profile I (default: the first that fits)", 0},
    {"streams", OPT_STREAMS, "N", 0,
     "Run N contexts at the same time, with one thread each unless --threads says more, as a "
     "server "
     "does (default 1, with all cores)",
     0},
    {"useProfile", OPT_BENCH_USE_PROFILE, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
    {0}};

static bool bench_times_layers(const bench_arguments *const a) {
  return a->dump_profile || a->advice || a->profile_file || a->trace_file;
}

static void bench_check(const bench_arguments *const a, const struct argp_state *const state) {
  if (!a->path) {
    argp_error(state, "missing PLAN or MODEL");
  }
  if (a->shapes && a->symbols) {
    argp_error(state, "--shapes and --symbols are mutually exclusive");
  }
  if (a->streams > 1 && bench_times_layers(a)) {
    argp_error(state,
               "--streams measures runs: --dumpProfile, --exportProfile, --trace and --advice are "
               "for one stream");
  }
}

static void take_percentiles(bench_arguments *const a, const struct argp_state *const state,
                             char *const text) {
  cli_list parts = {0};
  cli_list_split(&parts, text);
  if (parts.n > MOST_PERCENTILES) {
    argp_error(state, "--percentile takes at most %d percentiles", MOST_PERCENTILES);
  }
  for (a->n_percentiles = 0; a->n_percentiles < parts.n; a->n_percentiles++) {
    a->percentiles[a->n_percentiles] =
        cli_real(state, "--percentile", parts.items[a->n_percentiles], 0, 100);
  }
  cli_list_fini(&parts);
}

/* At which lengths, and how often and how long. */
static error_t bench_parse_runs(bench_arguments *const a, const int key, char *const arg,
                                const struct argp_state *const state) {
  switch (key) {
    case OPT_SHAPES:
      a->shapes = arg;
      return 0;
    case OPT_SYMBOLS:
      a->symbols = arg;
      return 0;
    case OPT_BENCH_USE_PROFILE:
      a->use_profile = (int)cli_int(state, "--use-profile", arg, 0, TARE_MAX_PROFILES - 1);
      return 0;
    case OPT_ITERATIONS:
      a->iterations = cli_int(state, "--iterations", arg, 1, 1000000000);
      return 0;
    case OPT_WARM_UP:
      a->warm_up_ms = cli_real(state, "--warmUp", arg, 0, 1e9);
      return 0;
    case OPT_DURATION:
      a->duration_s = cli_real(state, "--duration", arg, 0, 1e6);
      return 0;
    case OPT_STREAMS:
      a->streams = (int)cli_int(state, "--streams", arg, 1, MOST_STREAMS);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

/* What is said about the times. */
static error_t bench_parse_report(bench_arguments *const a, const int key, char *const arg,
                                  const struct argp_state *const state) {
  switch (key) {
    case OPT_PERCENTILES:
      take_percentiles(a, state, arg);
      return 0;
    case OPT_DUMP_PROFILE:
      a->dump_profile = true;
      return 0;
    case OPT_EXPORT_PROFILE:
      a->profile_file = arg;
      return 0;
    case OPT_TRACE:
      a->trace_file = arg;
      return 0;
    case OPT_ADVICE:
      a->advice = true;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static error_t bench_parse(const int key, char *const arg, struct argp_state *const state) {
  bench_arguments *const a = state->input;
  error_t result;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->profiles;
      state->child_inputs[1] = &a->streaming;
      state->child_inputs[2] = &a->model_options;
      state->child_inputs[3] = &a->common;
      return 0;
    case ARGP_KEY_ARG:
      opt_take_one(state, &a->path, arg, "one plan or model");
      return 0;
    case ARGP_KEY_END:
      bench_check(a, state);
      return 0;
    default:
      result = bench_parse_runs(a, key, arg, state);
      return result == ARGP_ERR_UNKNOWN ? bench_parse_report(a, key, arg, state) : result;
  }
}

static const struct argp_child CHILDREN[] = {
    {&opt_profiles_argp, 0, "Lengths (for a model; a plan has its own):", 1},
    {&opt_streaming_argp, 0, "Streaming models (states are carried from run to run):", 2},
    {&opt_model_argp, 0, "Model:", 3},
    {&opt_common_argp, 0, "Common:", 4},
    {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = bench_parse,
    .args_doc = "PLAN|MODEL",
    .doc =
        "Measures latency and throughput on generated inputs: normally distributed floats, "
        "integers of 0 or 1, masks of 1. A model runs as a float plan.\vExamples:\n  tare bench "
        "model.plan --shapes audio:1x16000 --dumpProfile\n  tare bench model.onnx --symbols "
        "samples=16000 --threads 1\n  tare bench model.plan --advice --trace trace.json",
    .children = CHILDREN};

/* A model without --profile is built for just the lengths that it runs at. */
static tare_status choose_profiles(const bench_arguments *const a, bench_session *const w,
                                   const tare_port *const inputs, const int n_inputs,
                                   tare_error *const err) {
  if (w->side.plan) {
    return side_refuse_options(&w->side, &a->profiles, &a->model_options, &a->common, err);
  }
  return profiles_choose(&a->profiles, &a->common, inputs, n_inputs,
                         a->shapes || a->symbols ? w->point : NULL, NULL, 0, &w->profiles, err);
}

static tare_status parse_point(const bench_arguments *const a, bench_session *const w,
                               const tare_port *const inputs, const int n_inputs,
                               tare_error *const err) {
  CLI_TRY(tare_profiles_new(inputs, n_inputs, &w->point, err));
  if (a->shapes) {
    return tare_profiles_add_shapes(w->point, NULL, a->shapes, NULL, err);
  }
  return a->symbols ? tare_profiles_add(w->point, a->symbols, err) : TARE_OK;
}

/* Symbol values to run at: those given, else the opt values of the profile. */
static tare_status choose_values(const bench_arguments *const a, bench_session *const w,
                                 tare_error *const err) {
  const tare_profiles *const built = tare_plan_profiles(w->side.plan);
  const bool given = a->shapes || a->symbols;
  const int profile = a->use_profile < 0 ? 0 : a->use_profile;
  if (!given && profile >= tare_profiles_count(built)) {
    return cli_fail(err, TARE_E_USAGE, "profile %d: the plan has profiles 0 to %d", profile,
                    tare_profiles_count(built) - 1);
  }
  for (int s = 0; s < tare_profiles_n_symbols(built); s++) {
    w->values[s] = given ? tare_profiles_range(w->point, 0, s).opt
                         : tare_profiles_range(built, profile, s).opt;
  }
  return TARE_OK;
}

static tare_status find_states(const bench_arguments *const a, bench_session *const w,
                               tare_streaming **const out, tare_error *const err) {
  const ports p = ports_of_plan(w->side.plan);
  int64_t size = 0;
  CLI_TRY(streaming_new(&a->streaming, &p, out, err));
  if (!*out) {
    CLI_TRY(tare_streaming_new(p.inputs, p.n_inputs, p.outputs, p.n_outputs, out, err));
    if (!a->streaming.no_states) {
      (void)tare_streaming_find_states(*out); /* most models have none */
    }
  }
  const char *const chunk = tare_streaming_chunk_symbol(*out, &size);
  const tare_profiles *const built = tare_plan_profiles(w->side.plan);
  for (int s = 0; chunk && s < tare_profiles_n_symbols(built); s++) {
    if (strcmp(tare_profiles_symbol(built, s), chunk) == 0) {
      w->values[s] = size;
    }
  }
  return TARE_OK;
}

static int threads_of_stream(const bench_arguments *const a) {
  return a->common.threads > 0 ? a->common.threads : a->streams > 1 ? 1 : tare_cores();
}

static tare_status stream_open(const bench_arguments *const a, bench_session *const w,
                               stream *const s, tare_error *const err) {
  const tare_plan *const plan = w->side.plan;
  const tare_port *inputs = NULL, *outputs = NULL;
  const int n_inputs = side_inputs(&w->side, &inputs);
  const int n_outputs = tare_plan_outputs(plan, &outputs);
  CLI_TRY(find_states(a, w, &s->streaming, err));
  CLI_TRY(feed_new(inputs, n_inputs, tare_plan_profiles(plan), w->values, &s->feed, err));
  s->outputs = cli_realloc(NULL, (size_t)n_outputs, sizeof *s->outputs);
  s->plan = plan;
  s->times_layers = bench_times_layers(a);
  s->trace = a->profile_file || a->trace_file ? &w->trace : NULL;
  tare_context_options o;
  tare_context_options_init(&o);
  o.threads = threads_of_stream(a);
  o.profile = a->use_profile;
  return tare_context_new(plan, &o, &s->context, err);
}

static tare_status bench_prepare(const bench_arguments *const a, bench_session *const w,
                                 tare_error *const err) {
  const double start = cli_now();
  const tare_port *inputs = NULL;
  CLI_TRY(side_load(a->path, &a->common, &w->side, err));
  CLI_TRY(w->side.model ? opt_model_apply(&a->model_options, w->side.model, err) : TARE_OK);
  const int n_inputs = side_inputs(&w->side, &inputs);
  CLI_TRY(parse_point(a, w, inputs, n_inputs, err));
  CLI_TRY(choose_profiles(a, w, inputs, n_inputs, err));
  CLI_TRY(side_build(&w->side, w->profiles, &a->common, err));
  CLI_TRY(choose_values(a, w, err));
  w->streams = calloc((size_t)a->streams, sizeof *w->streams);
  if (!w->streams) {
    return cli_fail(err, TARE_E_MEMORY, "out of memory for %d streams", a->streams);
  }
  for (; w->n_streams < a->streams; w->n_streams++) {
    stream *const s = &w->streams[w->n_streams];
    const tare_status status = stream_open(a, w, s, err);
    if (status != TARE_OK) {
      stream_fini(s);
      return status;
    }
  }
  w->loaded = cli_now() - start;
  return plan_operations(w->side.plan, w->values, &w->layer_operations, &w->operations, err);
}

static tare_status bench_measure(const bench_arguments *const a, bench_session *const w,
                                 tare_error *const err) {
  const stream_span span = {a->warm_up_ms * 1e-3, a->duration_s, a->iterations};
  CLI_TRY(streams_run(w->streams, w->n_streams, &span, &w->wall, err));
  for (int i = 0; i < w->n_streams; i++) {
    const timing *const times = &w->streams[i].times;
    for (size_t run = 0; run < times->n; run++) {
      timing_add(&w->times, times->ms[run]);
    }
  }
  timing_sort(&w->times);
  return TARE_OK;
}

static char *bench_point_text(const bench_session *const w) {
  const tare_profiles *const built = tare_plan_profiles(w->side.plan);
  char *text = cli_format("%s", "");
  for (int s = 0; s < tare_profiles_n_symbols(built); s++) {
    char *const longer = cli_format("%s%s%s=%" PRId64, text, s ? "," : "",
                                    tare_profiles_symbol(built, s), w->values[s]);
    free(text);
    text = longer;
  }
  return text;
}

static layer_times times_of(const bench_session *const w) {
  return (layer_times){w->side.plan, w->streams->context, w->layer_operations, (int64_t)w->times.n};
}

/* Threads that can run at a time. */
static int bench_threads(const bench_arguments *const a) {
  const int cores = tare_cores(), threads = threads_of_stream(a);
  return threads < cores ? threads : cores;
}

/* Files and advice: what only some ask for. */
static tare_status bench_report(const bench_arguments *const a, bench_session *const w,
                                tare_error *const err) {
  if (w->trace.full) {
    say(&a->common,
        "warning: only the first %" PRId64 " runs are recorded (--duration 0 measures fewer)",
        w->trace.runs);
  }
  CLI_TRY(a->profile_file ? bench_trace_write_profile(&w->trace, a->profile_file, err) : TARE_OK);
  CLI_TRY(a->trace_file ? bench_trace_write(&w->trace, a->trace_file, err) : TARE_OK);
  const layer_times times = times_of(w);
  return a->advice ? bench_advice_new(&times, w->values, bench_threads(a), &w->advice, err)
                   : TARE_OK;
}

static void print_resources(const bench_session *const w) {
  char *const weights = report_bytes(tare_plan_weight_bytes(w->side.plan));
  char *const context = report_bytes(tare_plan_context_bytes(w->side.plan));
  char *const peak = report_bytes(peak_bytes());
  printf("Load: %g s, weights %s, context %s, peak memory %s\n", w->loaded, weights, context, peak);
  free(weights);
  free(context);
  free(peak);
}

static void bench_print_text(const bench_arguments *const a, const bench_session *const w) {
  const timing *const t = &w->times;
  char *const point = bench_point_text(w);
  printf("=== Performance summary ===\n");
  printf("Shape: %s (profile %d)\n", point, tare_context_profile(w->streams->context));
  if (w->n_streams > 1) {
    const int threads = threads_of_stream(a);
    printf("Streams: %d, of %d thread%s each\n", w->n_streams, threads, cli_s(threads));
  }
  printf("Throughput: %g qps\n", (double)t->n / w->wall);
  printf("Latency: min = %g ms, max = %g ms, mean = %g ms, median = %g ms", t->ms[0],
         t->ms[t->n - 1], timing_mean(t), timing_median(t));
  for (int i = 0; i < a->n_percentiles; i++) {
    printf(", percentile(%g%%) = %g ms", a->percentiles[i],
           timing_percentile(t, a->percentiles[i]));
  }
  printf("\nTotal Host Walltime: %g s\n", w->wall);
  print_resources(w);
  if (w->operations > 0) {
    printf("Products: %g GOP a run, %g GOP/s at the median\n", w->operations * 1e-9,
           w->operations * 1e-6 / timing_median(t));
  }
  free(point);
  if (a->dump_profile) {
    const layer_times times = times_of(w);
    layer_times_print(&times);
  }
  if (a->advice) {
    bench_advice_print(&w->advice);
  }
}

static void bench_print_json(const bench_arguments *const a, const bench_session *const w) {
  const timing *const t = &w->times;
  cJSON *const object = json_begin("bench");
  char *const point = bench_point_text(w);
  json_text(object, "shape", point);
  free(point);
  json_int(object, "profile", tare_context_profile(w->streams->context));
  json_int(object, "streams", w->n_streams);
  json_int(object, "threads", threads_of_stream(a));
  json_int(object, "iterations", (int64_t)t->n);
  json_real(object, "throughput_qps", (double)t->n / w->wall);
  cJSON *const latency = json_add(object, "latency_ms", json_object());
  json_real(latency, "min", t->ms[0]);
  json_real(latency, "max", t->ms[t->n - 1]);
  json_real(latency, "mean", timing_mean(t));
  json_real(latency, "median", timing_median(t));
  for (int i = 0; i < a->n_percentiles; i++) {
    char name[32];
    snprintf(name, sizeof name, "p%g", a->percentiles[i]);
    json_real(latency, name, timing_percentile(t, a->percentiles[i]));
  }
  json_real(object, "seconds", w->wall);
  json_real(object, "load_seconds", w->loaded);
  json_int(object, "weight_bytes", tare_plan_weight_bytes(w->side.plan));
  json_int(object, "context_bytes", tare_plan_context_bytes(w->side.plan));
  json_int(object, "peak_bytes", peak_bytes());
  json_real(object, "operations", w->operations);
  if (a->dump_profile) {
    const layer_times times = times_of(w);
    layer_times_json(object, &times);
  }
  if (a->advice) {
    bench_advice_json(object, &w->advice);
  }
  json_print(object);
}

static tare_status bench_check_outputs(const bench_arguments *const a, tare_error *const err) {
  const char *const files[] = {a->profile_file, a->trace_file};
  cli_list inputs = {0};
  tare_status status = TARE_OK;
  cli_list_add(&inputs, a->path);
  for (int i = 0; i < 2 && status == TARE_OK; i++) {
    const bool json = !files[i] || cli_ends_with(files[i], ".json");
    status = json ? TARE_OK : output_check_name(files[i], &OUTPUT_JSON, err);
  }
  status = status == TARE_OK ? output_check_all(files, 2, &inputs, err) : status;
  cli_list_fini(&inputs);
  return status;
}

int cmd_bench(const int argc, char **const argv) {
  bench_arguments a = {.iterations = 10,
                       .warm_up_ms = 200,
                       .duration_s = 3,
                       .percentiles = {90, 95, 99},
                       .n_percentiles = 3,
                       .use_profile = -1,
                       .streams = 1};
  bench_session w = {0};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  tare_status status = bench_check_outputs(&a, &err);
  status = status == TARE_OK ? bench_prepare(&a, &w, &err) : status;
  status = status == TARE_OK ? bench_measure(&a, &w, &err) : status;
  status = status == TARE_OK ? bench_report(&a, &w, &err) : status;
  if (status == TARE_OK) {
    (a.common.json ? bench_print_json : bench_print_text)(&a, &w);
  }
  bench_trace_fini(&w.trace);
  bench_advice_fini(&w.advice);
  free(w.layer_operations);
  timing_fini(&w.times);
  for (int i = 0; i < w.n_streams; i++) {
    stream_fini(&w.streams[i]);
  }
  free(w.streams);
  tare_profiles_free(&w.profiles);
  tare_profiles_free(&w.point);
  side_fini(&w.side);
  opt_profiles_fini(&a.profiles);
  opt_streaming_fini(&a.streaming);
  opt_model_fini(&a.model_options);
  return opt_end(argv[0], &a.common, status, &err);
}
