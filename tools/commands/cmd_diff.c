#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/commands/diff_times.h"
#include "tools/options/lengths.h"
#include "tools/options/parse.h"
#include "tools/output.h"
#include "tools/parts/stats_diff.h"
#include "tools/parts/table_diff.h"
#include "tools/report.h"
#include "tools/say.h"
#include "tools/show/layer_diff.h"
#include "tools/show/layers.h"
#include "tools/side.h"

enum { OPT_TIMES = OPT_COMMAND, OPT_DIFF_SYMBOLS, OPT_DIFF_DURATION };
enum { DIFFERENT = 1 }; /* exit code */

typedef struct diff_arguments {
  opt_common common;
  opt_data data;
  cli_list data_paths; /* to measure on; none: generated inputs */
  const char *paths[2];
  int n_paths;
  bool times;
  const char *symbols;
  double seconds;
} diff_arguments;

typedef struct diff_work {
  tare_plan *plans[2];
  layer_pair *pairs;
  layer_diff layers;
  samples samples[2]; /* of the data, for each plan */
  diff_times times;
  bool profiles_differ;
  int n_different; /* layers */
} diff_work;

static const struct argp_option OPTIONS[] = {
    {"times", OPT_TIMES, NULL, 0,
     "Also measure the layers of both plans, run in turns on DATA, or without on made-up inputs",
     0},
    {"symbols", OPT_DIFF_SYMBOLS, "SPEC", 0,
     "Lengths of made-up inputs, e.g. samples=16000 (default: opt of profile 0 of A)", 0},
    {"duration", OPT_DIFF_DURATION, "S", 0, "Measure for at least S seconds (default 3)", 0},
    {0}};

static void diff_check(const diff_arguments *const a, const struct argp_state *const state) {
  if (a->n_paths < 2) {
    argp_error(state, "missing %s to compare: plans, statistics or tables",
               a->n_paths ? "the second file" : "two files");
  }
  if (!a->times && (a->symbols || a->seconds >= 0)) {
    argp_error(state, "%s needs --times", a->symbols ? "--symbols" : "--duration");
  }
  if (!a->times && a->data_paths.n) {
    argp_error(state, "unexpected argument '%s' (two files are enough; data need --times)",
               a->data_paths.items[0]);
  }
  if (a->data.labels) {
    argp_error(state, "--labels: a comparison of plans does not read labels");
  }
  if (a->data.given && !a->data_paths.n) {
    argp_error(state, "--%s needs data, which --times measures", a->data.given);
  }
  if (a->symbols && a->data_paths.n) {
    argp_error(state, "--symbols and data are mutually exclusive: samples have their own lengths");
  }
}

static error_t diff_parse(const int key, char *const arg, struct argp_state *const state) {
  diff_arguments *const a = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->data;
      state->child_inputs[1] = &a->common;
      return 0;
    case OPT_TIMES:
      a->times = true;
      return 0;
    case OPT_DIFF_SYMBOLS:
      a->symbols = arg;
      return 0;
    case OPT_DIFF_DURATION:
      a->seconds = cli_real(state, "--duration", arg, 0, 1e6);
      return 0;
    case ARGP_KEY_ARG:
      if (a->n_paths == 2) {
        cli_list_add(&a->data_paths, arg);
      } else {
        a->paths[a->n_paths++] = arg;
      }
      return 0;
    case ARGP_KEY_END:
      diff_check(a, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {
    {&opt_data_argp, 0, "Data:", 1}, {&opt_common_argp, 0, "Common:", 2}, {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = diff_parse,
    .args_doc = "A.plan B.plan [DATA...]\nA.stats B.stats\nA.json|A.cache B.json|B.cache",
    .doc =
        "Compares two plans layer by layer: precision, scales, weights, types, shapes, operators, "
        "kernels, fused nodes. Layers are matched by the nodes of the model that they compute. Of "
        "two statistics it compares the settings of the calibration, the samples, and the ranges "
        "of tensors, those that moved farthest first; of two calibration tables of any formats the "
        "methods, profiles and thresholds. The exit code is 1 if the files differ.\vExamples:\n  "
        "tare diff float.plan int8.plan "
        "--times\n  tare diff float.plan int8.plan --times recordings/\n  tare diff old.plan "
        "new.plan --json\n  tare diff monday.stats friday.stats\n  tare diff "
        "tensorrt.cache model.cache",
    .children = CHILDREN};

static tare_status diff_load(const diff_arguments *const a, diff_work *const w,
                             tare_error *const err) {
  tare_status status = TARE_OK;
  for (int i = 0; status == TARE_OK && i < 2; i++) {
    side one = {0};
    status = input_check(a->paths[i], err);
    status = status == TARE_OK ? side_load_plan(a->paths[i], &a->common, &one, err) : status;
    w->plans[i] = one.plan;
    one.plan = NULL;
    side_fini(&one);
  }
  return status;
}

static tare_status diff_read_data(const diff_arguments *const a, diff_work *const w, const int i,
                                  tare_error *const err) {
  const tare_port *inputs = NULL;
  tare_dataset *dataset = NULL;
  const int n = tare_plan_inputs(w->plans[i], &inputs);
  CLI_TRY(opt_data_open(&a->data, &a->common, &a->data_paths, inputs, n, &dataset, err));
  const tare_status status = samples_read(dataset, n, &w->samples[i], err);
  if (status == TARE_OK && i == 0) {
    say_data(&a->common, dataset);
  }
  tare_dataset_close(&dataset);
  return status;
}

static tare_status diff_measure(const diff_arguments *const a, diff_work *const w,
                                tare_error *const err) {
  const tare_plan *const plans[2] = {w->plans[0], w->plans[1]};
  const bool data = a->data_paths.n > 0;
  for (int i = 0; data && i < 2; i++) {
    CLI_TRY(diff_read_data(a, w, i, err));
  }
  if (w->samples[0].cut) {
    say(&a->common, "warning: only the first %d samples fit into memory, and are measured",
        w->samples[0].n);
  }
  const diff_times_options options = {
      .symbols = a->symbols,
      .data = {data ? &w->samples[0] : NULL, data ? &w->samples[1] : NULL},
      .threads = a->common.threads,
      .seconds = a->seconds < 0 ? 3 : a->seconds};
  return diff_times_measure(plans, &options, &w->times, err);
}

static bool same_profiles(const tare_profiles *const a, const tare_profiles *const b) {
  bool same = tare_profiles_count(a) == tare_profiles_count(b);
  for (int p = 0; same && p < tare_profiles_count(a); p++) {
    char *const x = profile_text(a, p), *const y = profile_text(b, p);
    same = strcmp(x, y) == 0;
    free(x);
    free(y);
  }
  return same;
}

static tare_status diff_run(const diff_arguments *const a, diff_work *const w,
                            tare_error *const err) {
  CLI_TRY(diff_load(a, w, err));
  CLI_TRY(a->times ? diff_measure(a, w, err) : TARE_OK);
  w->layers =
      (layer_diff){.a = w->plans[0], .b = w->plans[1], .times = {w->times.ms[0], w->times.ms[1]}};
  w->pairs = layers_match(w->plans[0], w->plans[1], &w->layers.n_pairs);
  w->layers.pairs = w->pairs;
  w->n_different = layer_diff_count(&w->layers);
  w->profiles_differ =
      !same_profiles(tare_plan_profiles(w->plans[0]), tare_plan_profiles(w->plans[1]));
  return TARE_OK;
}

/* --- text ------------------------------------------------------------------------------------- */

static void report_bytes_of(report *const r, const char *const what, const diff_work *const w,
                            int64_t (*const bytes)(const tare_plan *)) {
  report_cell(r, "%s", what);
  for (int i = 0; i < 2; i++) {
    char *const text = report_bytes(bytes(w->plans[i]));
    report_cell(r, "%s", text);
    free(text);
  }
}

static void diff_report_profiles(report *const r, const diff_work *const w) {
  const tare_profiles *const a = tare_plan_profiles(w->plans[0]);
  const tare_profiles *const b = tare_plan_profiles(w->plans[1]);
  const int n_a = tare_profiles_count(a), n_b = tare_profiles_count(b);
  for (int p = 0; w->profiles_differ && (p < n_a || p < n_b); p++) {
    char *const x = p < n_a ? profile_text(a, p) : cli_format("-");
    char *const y = p < n_b ? profile_text(b, p) : cli_format("-");
    report_cell(r, "profile %d", p);
    report_cell(r, "%s", x);
    report_cell(r, "%s", y);
    free(x);
    free(y);
  }
}

static tare_status report_layers(report *const r, const diff_work *const w, tare_error *const err) {
  report_cell(r, "layers");
  for (int i = 0; i < 2; i++) {
    char *text = NULL;
    CLI_TRY(layers_counts(w->plans[i], &text, err));
    report_cell(r, "%s", text);
    free(text);
  }
  return TARE_OK;
}

static tare_status report_summary(report *const r, const diff_arguments *const a,
                                  const diff_work *const w, tare_error *const err) {
  report_cell(r, "file");
  report_cell(r, "%s", a->paths[0]);
  report_cell(r, "%s", a->paths[1]);
  report_cell(r, "model");
  report_cell(r, "%s", tare_plan_model_name(w->plans[0]));
  report_cell(r, "%s", tare_plan_model_name(w->plans[1]));
  diff_report_profiles(r, w);
  report_bytes_of(r, "weights", w, tare_plan_weight_bytes);
  report_bytes_of(r, "context", w, tare_plan_context_bytes);
  if (a->times) {
    report_cell(r, "ms a run");
    report_number(r, 4, w->times.total[0]);
    report_number(r, 4, w->times.total[1]);
  }
  return report_layers(r, w, err);
}

static void diff_print_times(const diff_work *const w) {
  const diff_times *const t = &w->times;
  char *const inputs = w->samples[0].n
                           ? cli_format("%d sample%s", w->samples[0].n, cli_s(w->samples[0].n))
                           : cli_format("made-up inputs at %s", t->shape);
  printf("times      on %s, means of %" PRId64 " runs of each plan in turns\n", inputs, t->runs);
  printf("A/B        %.2f, 95 %% interval %.2f to %.2f\n", t->ratio, t->ratio_low, t->ratio_high);
  free(inputs);
}

static tare_status diff_print(const diff_arguments *const a, const diff_work *const w,
                              tare_error *const err) {
  report *const r = report_new("plan<,A<,B<");
  const tare_status status = report_summary(r, a, w, err);
  report_print(r, stdout);
  if (a->times) {
    diff_print_times(w);
  }
  printf("different  %d of %d layers\n", w->n_different, w->layers.n_pairs);
  layer_diff_print(&w->layers);
  return status;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void plan_json(cJSON *const item, const diff_arguments *const a, const diff_work *const w,
                      const int i) {
  const tare_profiles *const profiles = tare_plan_profiles(w->plans[i]);
  json_text(item, "file", a->paths[i]);
  json_text(item, "model", tare_plan_model_name(w->plans[i]));
  json_int(item, "layers", tare_plan_n_layers(w->plans[i]));
  json_int(item, "weight_bytes", tare_plan_weight_bytes(w->plans[i]));
  json_int(item, "context_bytes", tare_plan_context_bytes(w->plans[i]));
  cJSON *const list = json_add(item, "profiles", json_array());
  for (int p = 0; p < tare_profiles_count(profiles); p++) {
    char *const text = profile_text(profiles, p);
    json_text(list, NULL, text);
    free(text);
  }
  if (a->times) {
    json_real(item, "run_ms", w->times.total[i]);
  }
}

static bool plans_differ(const diff_work *const w) {
  return w->n_different > 0 || w->profiles_differ;
}

static void diff_json(const diff_arguments *const a, const diff_work *const w) {
  cJSON *const object = json_begin("diff");
  plan_json(json_add(object, "a", json_object()), a, w, 0);
  plan_json(json_add(object, "b", json_object()), a, w, 1);
  json_bool(object, "equal", !plans_differ(w));
  json_bool(object, "profiles_differ", w->profiles_differ);
  json_int(object, "different_layers", w->n_different);
  if (a->times) {
    json_text(object, "shape", w->times.shape);
    json_int(object, "samples", w->samples[0].n);
    json_int(object, "iterations", w->times.runs);
    json_real(object, "ratio", w->times.ratio);
    json_real(object, "ratio_low", w->times.ratio_low);
    json_real(object, "ratio_high", w->times.ratio_high);
  }
  layer_diff_json(object, &w->layers);
  json_print(object);
}

static tare_status diff_plans(const diff_arguments *const a, diff_work *const w, bool *const differ,
                              tare_error *const err) {
  CLI_TRY(diff_run(a, w, err));
  *differ = plans_differ(w);
  if (a->common.json) {
    diff_json(a, w);
    return TARE_OK;
  }
  return diff_print(a, w, err);
}

/* By the kind of the first file. */
static tare_status diff_files(const diff_arguments *const a, diff_work *const w, bool *const differ,
                              tare_error *const err) {
  const bool stats = tare_stats_is_stats_file(a->paths[0]);
  if (!stats && !tare_table_is_table_file(a->paths[0])) {
    return diff_plans(a, w, differ, err);
  }
  if (a->times) {
    return cli_fail(err, TARE_E_USAGE, "--times needs plans, %s is %s", a->paths[0],
                    stats ? "statistics" : "a calibration table");
  }
  return (stats ? stats_diff : table_diff)(&a->common, a->paths, differ, err);
}

int cmd_diff(const int argc, char **const argv) {
  diff_arguments a = {.seconds = -1};
  diff_work w = {0};
  tare_error err = {0};
  bool differ = false;
  opt_parse(&ARGP, argc, argv, &a);
  const tare_status status = diff_files(&a, &w, &differ, &err);
  diff_times_fini(&w.times);
  samples_fini(&w.samples[0]);
  samples_fini(&w.samples[1]);
  cli_list_fini(&a.data_paths);
  opt_data_fini(&a.data);
  free(w.pairs);
  tare_plan_free(&w.plans[0]);
  tare_plan_free(&w.plans[1]);
  const int code = opt_end(argv[0], &a.common, status, &err);
  return code == 0 && differ ? DIFFERENT : code;
}
