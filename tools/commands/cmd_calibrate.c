#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/options/formats.h"
#include "tools/options/length_inputs.h"
#include "tools/options/lengths.h"
#include "tools/output.h"
#include "tools/progress.h"
#include "tools/report.h"
#include "tools/score.h"
#include "tools/say.h"
#include "tools/source.h"
#include "tools/table_out.h"

enum { OPT_PAD_STATS = OPT_COMMAND, OPT_ALL_TENSORS };

typedef struct calibrate_arguments {
  opt_common common;
  opt_profiles profiles;
  opt_data data;
  opt_fit fit;
  opt_table table;
  opt_streaming streaming;
  opt_model model_options;
  bool count_padding, all_tensors;
  const char *model, *output;
  cli_list paths;
} calibrate_arguments;

/* What a run of the command holds. */
typedef struct calibrate_work {
  tare_model *model;
  tare_dataset *dataset;
  tare_streaming *streaming; /* NULL: samples are runs */
  tare_profiles *profiles;
  length_inputs lengths;
  tare_stats *stats;
  tare_table *table; /* NULL when statistics are written */
  double seconds;
  tare_calibrate_times times;
  tare_fit_counts fitted;
} calibrate_work;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "Write to FILE: .stats or .h5 for statistics, or a table: ", 0},
    {"pad-stats", OPT_PAD_STATS, "HOW", 0,
     "Padding in the statistics: exclude (default), or count, as a fixed-shape calibrator does", 0},
    {"all-tensors", OPT_ALL_TENSORS, NULL, 0,
     "Also observe tensors that the engine fuses away; tables for other engines always have them",
     0},
    {0}};

static bool is_stats_name(const char *const path) {
  return cli_ends_with(path, ".stats") || cli_ends_with(path, ".h5");
}

static void calibrate_check(const calibrate_arguments *const a,
                            const struct argp_state *const state) {
  if (!a->model || a->paths.n == 0) {
    argp_error(state, "missing MODEL or DATA");
  }
  if (!a->output) {
    argp_error(state, "missing -o FILE: model.stats for statistics, model.calib.json for a table");
  }
  if (!is_stats_name(a->output) && tare_table_format_of(a->output) < 0) {
    char *const tables = format_extensions(format_is_any, "");
    argp_error(state, "cannot tell the format from the name '%s': use .stats, .h5, %s", a->output,
               tables);
    free(tables);
  }
  if (is_stats_name(a->output) && (a->table.method || a->table.per_profile)) {
    argp_error(state,
               "%s is for tables, but '%s' names statistics, which serve every method: give it to "
               "tare table",
               a->table.method ? "--method" : "--per-profile", a->output);
  }
  if (a->data.labels) {
    argp_error(state, "--labels: calibration does not read labels");
  }
  opt_table_check(state, &a->table, tare_table_format_of(a->output));
}

/* Names the formats of tables behind the text of -o. */
static char *calibrate_help(const int key, const char *const text, void *const input) {
  (void)input;
  if (key != 'o') {
    return (char *)text; /* as it is */
  }
  char *const tables = format_list();
  char *const all = cli_format("%s%s", text, tables);
  free(tables);
  return all;
}

static bool take_pad_stats(const char *const arg, const struct argp_state *const state) {
  static const char *const NAMES[] = {"exclude", "count"};
  return cli_pick_text(state, "value of --pad-stats", arg, NAMES, 2) == 1;
}

static error_t calibrate_parse(const int key, char *const arg, struct argp_state *const state) {
  calibrate_arguments *const a = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->profiles;
      state->child_inputs[1] = &a->data;
      state->child_inputs[2] = &a->fit;
      state->child_inputs[3] = &a->table;
      state->child_inputs[4] = &a->streaming;
      state->child_inputs[5] = &a->model_options;
      state->child_inputs[6] = &a->common;
      return 0;
    case 'o':
      a->output = arg;
      return 0;
    case OPT_PAD_STATS:
      a->count_padding = take_pad_stats(arg, state);
      return 0;
    case OPT_ALL_TENSORS:
      a->all_tensors = true;
      return 0;
    case ARGP_KEY_ARG:
      if (state->arg_num == 0) {
        a->model = arg;
      } else {
        cli_list_add(&a->paths, arg);
      }
      return 0;
    case ARGP_KEY_END:
      calibrate_check(a, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {{&opt_profiles_argp, 0, "Lengths:", 1},
                                             {&opt_data_argp, 0, "Data:", 2},
                                             {&opt_fit_argp, 0, "Fitting samples to profiles:", 3},
                                             {&opt_table_argp, 0, "When a table is written:", 4},
                                             {&opt_streaming_argp, 0, "Streaming models:", 5},
                                             {&opt_model_argp, 0, "Model:", 6},
                                             {&opt_common_argp, 0, "Common:", 7},
                                             {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = calibrate_parse,
    .args_doc = "MODEL DATA...",
    .doc =
        "Runs a float model over data once and collects the statistics that all calibration "
        "methods need. DATA: audio, HDF5 or NumPy files, folders of them, or "
        "manifests.\vExamples:\n  tare calibrate model.onnx recordings/ -o model.stats\n  tare "
        "calibrate model.onnx calib.h5 --profile sequence=8:64:512 \\\n      -o model.calib.json\n "
        " tare calibrate vad.onnx recordings/ --chunk samples=512 --set sr=16000 -o vad.stats",
    .children = CHILDREN,
    .help_filter = calibrate_help};

static tare_status commands_calibrate(const calibrate_arguments *const a, calibrate_work *const w,
                                      tare_error *const err) {
  progress p = progress_start("calibrate", &a->common);
  tare_calibrate_options o;
  tare_calibrate_options_init(&o);
  o.fit = a->fit.fit;
  o.outside = a->fit.outside;
  o.pad_values = a->fit.pads;
  o.n_pad_values = a->fit.n_pads;
  o.length_inputs = w->lengths.items;
  o.n_length_inputs = w->lengths.n;
  o.count_padding = a->count_padding;
  const tare_table_format *const format = tare_table_format_at(tare_table_format_of(a->output));
  o.all_tensors = a->all_tensors || (format && format->engine);
  o.streaming = w->streaming;
  o.threads = a->common.threads;
  o.isa = a->common.isa;
  o.progress = progress_tick;
  o.progress_user = &p;
  o.times = &w->times;
  o.fitted = &w->fitted;
  const double start = cli_now();
  const tare_status status = tare_calibrate(w->model, w->dataset, w->profiles, &o, &w->stats, err);
  w->seconds = cli_now() - start;
  progress_end(&p);
  return status;
}

static table_out calibrate_out(const calibrate_arguments *const a) {
  return (table_out){&a->common, &a->table, tare_table_format_of(a->output), a->output};
}

static tare_status write_output(const calibrate_arguments *const a, calibrate_work *const w,
                                tare_error *const err) {
  if (is_stats_name(a->output)) {
    return tare_stats_save(w->stats, a->output, err);
  }
  tare_table_options o;
  tare_table_options_init(&o);
  o.method = a->table.method;
  o.percentile = a->table.percentile;
  o.per_profile = a->table.per_profile;
  CLI_TRY(tare_table_from_stats(w->stats, &o, &w->table, err));
  const table_out out = calibrate_out(a);
  return table_write(&out, w->table, err);
}

static int64_t n_samples(const tare_stats *const stats) {
  int64_t n = 0;
  for (int p = 0; p < tare_stats_n_profiles(stats); p++) {
    n += tare_stats_profile_samples(stats, p);
  }
  return n;
}

/* Shares of the threads' time. */
static void calibrate_print_times(const tare_calibrate_times *const t) {
  const double all = t->reading + t->running + t->observing;
  const double percent = all > 0 ? 100 / all : 0;
  printf("time: reading %.1f %%, running %.1f %%, observing %.1f %%\n", t->reading * percent,
         t->running * percent, t->observing * percent);
}

static void calibrate_print_text(const calibrate_arguments *const a,
                                 const calibrate_work *const w) {
  printf("%" PRId64 " sample%s, %d tensors, fit %s, padding %s, %.1f s\n", n_samples(w->stats),
         cli_s(n_samples(w->stats)), tare_stats_n_tensors(w->stats), tare_stats_fit(w->stats),
         tare_stats_counts_padding(w->stats) ? "counted" : "excluded", w->seconds);
  calibrate_print_times(&w->times);
  report *const r = report_new("profile~,samples>");
  for (int p = 0; p < tare_stats_n_profiles(w->stats); p++) {
    report_cell(r, "%s", tare_stats_profile(w->stats, p));
    report_cell(r, "%" PRId64, tare_stats_profile_samples(w->stats, p));
  }
  report_print(r, stdout);
  if (w->table) {
    table_print(w->table);
    const table_out out = calibrate_out(a);
    table_print_written(&out);
  } else {
    printf("written    %s\n", a->output);
  }
}

static void calibrate_print_json(const calibrate_arguments *const a,
                                 const calibrate_work *const w) {
  cJSON *const object = json_begin("calibrate");
  json_text(object, "model", a->model);
  json_int(object, "samples", n_samples(w->stats));
  json_int(object, "skipped", tare_dataset_n_bad(w->dataset));
  json_text(object, "fit", tare_stats_fit(w->stats));
  json_bool(object, "padding_counted", tare_stats_counts_padding(w->stats));
  fitted_json(object, &w->fitted);
  json_int(object, "tensors", tare_stats_n_tensors(w->stats));
  cJSON *const profiles = json_add(object, "profiles", json_array());
  for (int p = 0; p < tare_stats_n_profiles(w->stats); p++) {
    cJSON *const profile = json_add(profiles, NULL, json_object());
    json_text(profile, "profile", tare_stats_profile(w->stats, p));
    json_int(profile, "samples", tare_stats_profile_samples(w->stats, p));
  }
  if (w->table) {
    cJSON *const table = json_add(object, "table", json_object());
    const table_out out = calibrate_out(a);
    table_json(table, w->table);
    table_lost_json(table, &out, w->table);
  }
  json_real(object, "seconds", w->seconds);
  json_real(object, "reading_seconds", w->times.reading);
  json_real(object, "running_seconds", w->times.running);
  json_real(object, "observing_seconds", w->times.observing);
  json_text(object, "output", a->output);
  json_print(object);
}

static tare_status calibrate_check_output(const calibrate_arguments *const a,
                                          tare_error *const err) {
  cli_list inputs = {0};
  cli_list_add(&inputs, a->model);
  cli_list_join(&inputs, &a->paths);
  opt_profiles_files(&a->profiles, &inputs);
  const tare_status status = output_check(a->output, &inputs, err);
  cli_list_fini(&inputs);
  return status;
}

static tare_status calibrate_run(const calibrate_arguments *const a, calibrate_work *const w,
                                 tare_error *const err) {
  CLI_TRY(calibrate_check_output(a, err));
  CLI_TRY(opt_model_load(&a->model_options, &a->common, a->model, &w->model, err));
  CLI_TRY(tare_calibrate_check(w->model, err));
  const ports p = ports_of_model(w->model);
  CLI_TRY(source_open(&a->streaming, &a->data, &a->paths, &a->common, &p, &w->streaming,
                      &w->dataset, err));
  CLI_TRY(profiles_choose(&a->profiles, &a->common, p.inputs, p.n_inputs, NULL, &w->dataset, 1,
                          w->streaming, &w->profiles, err));
  const int columns = a->table.per_profile ? tare_profiles_count(w->profiles) : 1;
  const table_out out = calibrate_out(a);
  CLI_TRY(table_check_column(&out, columns, err));
  CLI_TRY(length_inputs_choose(&a->fit, &a->common, opt_fit_changes(&a->fit), p.inputs, p.n_inputs,
                               &w->dataset, 1, w->streaming, &w->lengths, err));
  CLI_TRY(commands_calibrate(a, w, err));
  say_data(&a->common, w->dataset);
  say_fitted(&a->common, "calibration", &w->fitted);
  CLI_TRY(write_output(a, w, err));
  (a->common.json ? calibrate_print_json : calibrate_print_text)(a, w);
  return TARE_OK;
}

int cmd_calibrate(const int argc, char **const argv) {
  calibrate_arguments a = {.table = OPT_TABLE_NONE};
  calibrate_work w = {0};
  tare_error err = {0};
  cli_parse(&ARGP, argc, argv, &a);
  const tare_status status = calibrate_run(&a, &w, &err);
  tare_table_free(&w.table);
  tare_stats_free(&w.stats);
  tare_profiles_free(&w.profiles);
  length_inputs_fini(&w.lengths);
  tare_dataset_close(&w.dataset);
  tare_streaming_free(&w.streaming);
  tare_model_free(&w.model);
  const int code = opt_end(argv[0], &a.common, status, &err);
  opt_fit_hint(&a.fit, &err);
  opt_profiles_fini(&a.profiles);
  opt_data_fini(&a.data);
  opt_fit_fini(&a.fit);
  opt_streaming_fini(&a.streaming);
  opt_model_fini(&a.model_options);
  cli_list_fini(&a.paths);
  return code;
}
