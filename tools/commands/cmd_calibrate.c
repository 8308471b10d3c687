#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/calibration.h"
#include "tools/heap.h"
#include "tools/options/families.h"
#include "tools/options/formats.h"
#include "tools/options/length_inputs.h"
#include "tools/options/choose_profiles.h"
#include "tools/options/lengths.h"
#include "tools/options/parse.h"
#include "tools/output.h"
#include "tools/parts/opt_choice.h"
#include "tools/parts/opt_parts.h"
#include "tools/ranks/ranks.h"
#include "tools/report.h"
#include "tools/score.h"
#include "tools/show/stats_evidence.h"
#include "tools/say.h"
#include "tools/source.h"
#include "tools/table_out.h"
#include "tools/tune/accuracy.h"
#include "tools/tune/raising.h"

enum { OPT_PAD_STATS = OPT_COMMAND, OPT_ALL_TENSORS, OPT_RAISE_LAYERS, OPT_GENERATE };

typedef struct calibrate_arguments {
  opt_inputs in;
  opt_table table;
  opt_parts parts;
  opt_choice choice;
  bool count_padding, all_tensors;
  bool raise_layers, keep_layers; /* auto and off of --raise-layers, where given */
  int64_t generate;               /* tokens behind each sample; 0: none */
  double search_limit;            /* 0: the default */
  opt_weight_methods weight_methods;
  const char *output;
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
  table_out out;     /* where it goes */
  double seconds;
  tare_calibrate_times times;
  tare_fit_counts fitted;
  int64_t n_bad;
  tare_left_out left_out;
  opened_parts parts;
  ranks *ranks; /* NULL: one process */
  accuracy accuracy;
} calibrate_work;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "Write to FILE: .stats or .h5 for statistics, or a table: ", 0},
    {"pad-stats", OPT_PAD_STATS, "HOW", 0, "Padding in the statistics: ", 0},
    {"all-tensors", OPT_ALL_TENSORS, NULL, 0,
     "Also observe tensors that the engine fuses away; tables for other engines always have them",
     0},
    {"raise-layers", OPT_RAISE_LAYERS, "WHEN", 0,
     "Find by trial which layers need more than 8 bits; builds of the table give them row scales, "
     "16-bit rows or float: ",
     0},
    {"generate", OPT_GENERATE, "N", 0,
     "With --chunk SYMBOL=1: let the model go on behind each sample by N tokens, those with the "
     "largest logits",
     0},
    {0}};

static bool is_stats_name(const char *const path) {
  return cli_ends_with(path, ".stats") || cli_ends_with(path, ".h5");
}

static void check_padding(const calibrate_arguments *const a,
                          const struct argp_state *const state) {
  const opt_fit *const fit = &a->in.fit;
  if (a->count_padding && a->in.streaming.chunk) {
    argp_error(state, "--pad-stats count has no effect with --chunk: nothing is padded");
  } else if (a->count_padding && !tare_fit_pads(fit->fit) && fit->outside != TARE_OUTSIDE_NEAREST) {
    argp_error(
        state,
        "--pad-stats count has no effect with --fit %s, which pads no sample: use --fit pad, "
        "--fit opt or --outside nearest",
        tare_fit_name(fit->fit));
  }
}

static void calibrate_check(const calibrate_arguments *const a,
                            const struct argp_state *const state) {
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
  if (is_stats_name(a->output) && a->raise_layers) {
    argp_error(state,
               "--raise-layers auto is for tables, but '%s' names statistics: write a table, e.g. "
               "-o model.calib.json",
               a->output);
  }
  opt_weight_methods_check(state, &a->weight_methods, a->output, ".stats or .json");
  if (a->parts.shard && !is_stats_name(a->output)) {
    argp_error(state, "--shard: a table of one shard has no use: write statistics for tare merge");
  }
  if (a->in.data.labels) {
    argp_error(state, "--labels: calibration does not read labels");
  }
  if (a->generate && !a->in.streaming.chunk) {
    argp_error(state, "--generate needs --chunk SYMBOL=1, the symbol of the tokens");
  }
  check_padding(a, state);
  opt_table_check(state, &a->table, tare_table_format_of(a->output));
}

/* Names the formats of tables behind the text of -o, and the members of families. */
static char *calibrate_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family paddings = family_paddings(), raisings = family_raisings();
  if (key == OPT_PAD_STATS || key == OPT_RAISE_LAYERS) {
    return family_help(text, key == OPT_PAD_STATS ? &paddings : &raisings);
  }
  if (key != 'o') {
    return (char *)text; /* as it is */
  }
  char *const tables = format_list();
  char *const all = cli_format("%s%s", text, tables);
  free(tables);
  return all;
}

static error_t calibrate_parse(const int key, char *const arg, struct argp_state *const state) {
  calibrate_arguments *const a = state->input;
  const cli_family paddings = family_paddings(), raisings = family_raisings();
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->in;
      state->child_inputs[1] = &a->weight_methods;
      state->child_inputs[2] = &a->table;
      state->child_inputs[3] = &a->parts;
      state->child_inputs[4] = &a->choice;
      state->child_inputs[5] = &a->search_limit;
      state->child_inputs[6] = &a->in.agreement;
      return 0;
    case 'o':
      a->output = arg;
      return 0;
    case OPT_PAD_STATS:
      a->count_padding = cli_pick(state, &paddings, arg) == 1;
      return 0;
    case OPT_ALL_TENSORS:
      a->all_tensors = true;
      return 0;
    case OPT_RAISE_LAYERS:
      a->keep_layers = cli_pick(state, &raisings, arg) == 1;
      a->raise_layers = !a->keep_layers;
      return 0;
    case OPT_GENERATE:
      a->generate = cli_int(state, "--generate", arg, 1, INT32_MAX);
      return 0;
    case ARGP_KEY_END:
      calibrate_check(a, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {{&opt_inputs_argp, 0, NULL, 0},
                                             {&opt_weight_methods_argp, 0, NULL, 0},
                                             {&opt_table_argp, 0, "When a table is written:", 4},
                                             {&opt_parts_argp, 0, "Parts of the data:", 6},
                                             {&opt_choice_argp, 0, "Choice of samples:", 5},
                                             {&opt_search_limit_argp, 0, NULL, 0},
                                             {&opt_agreement_argp, 0, NULL, 0},
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
        " tare calibrate vad.onnx recordings/ --chunk samples=512 --set sr=16000 \\\n      -o "
        "vad.stats\n  tare calibrate model.onnx recordings/ --shard 0/8 -o 0.stats",
    .children = CHILDREN,
    .help_filter = calibrate_help};

/* By this process, or by all ranks. */
static tare_status calibrate_gather(calibrate_work *const w, tare_calibrate_options *const o,
                                    tare_error *const err) {
  if (!w->ranks) {
    o->times = &w->times;
    o->fitted = &w->fitted;
    return tare_calibrate(w->model, w->dataset, w->profiles, o, &w->stats, err);
  }
  ranks_work all = {
      .model = w->model, .dataset = w->dataset, .profiles = w->profiles, .options = o};
  const tare_status status = ranks_calibrate(w->ranks, &all, &w->stats, err);
  w->times = all.times;
  w->fitted = all.fitted;
  return status;
}

static tare_status calibrate_collect(const calibrate_arguments *const a, calibrate_work *const w,
                                     tare_error *const err) {
  calibration_progress p;
  tare_calibrate_options o = source_calibrate_options(&a->in, &w->lengths, w->streaming);
  o.count_padding = a->count_padding;
  o.weight = a->choice.weight;
  const tare_table_format *const format = tare_table_format_at(tare_table_format_of(a->output));
  const bool for_others = format && format->engine;
  o.all_tensors = a->all_tensors || for_others;
  opt_weight_methods_apply(&a->weight_methods, &o);
  o.round_to_nearest |= for_others;
  tare_nan_samples nans = {0};
  o.nans = &nans;
  CLI_TRY(parts_open(&a->parts, &a->in.common, &o, &w->parts, err));
  calibration_progress_start(&p, &a->in.common, &o);
  const double start = cli_now();
  const tare_status status = calibrate_gather(w, &o, err);
  w->seconds = cli_now() - start;
  calibration_progress_end(&p);
  say_nans(&a->in.common, &nans);
  if (status != TARE_OK) {
    parts_end(&a->parts, &a->in.common, status);
  }
  return status;
}

static table_out calibrate_out(const calibrate_arguments *const a, const tare_model *const model) {
  return (table_out){.common = &a->in.common,
                     .options = &a->table,
                     .format = tare_table_format_of(a->output),
                     .path = a->output,
                     .model = model};
}

static tare_status calibrate_make_table(const calibrate_arguments *const a, calibrate_work *const w,
                                        tare_error *const err) {
  tare_table_options o;
  tare_table_options_init(&o);
  o.method = a->table.method;
  o.percentile = a->table.percentile;
  o.per_profile = a->table.per_profile;
  return is_stats_name(a->output) ? TARE_OK : tare_table_from_stats(w->stats, &o, &w->table, err);
}

static tare_status write_output(const calibrate_arguments *const a, calibrate_work *const w,
                                tare_error *const err) {
  return w->table ? table_write(&w->out, w->table, err) : tare_stats_save(w->stats, a->output, err);
}

/* Whether the table is one that can say which layers are raised. */
static bool may_raise(const calibrate_arguments *const a, const calibrate_work *const w) {
  return w->table && !a->keep_layers && !tare_table_format_at(w->out.format)->engine;
}

/* Statistics serve every method: they are checked by the default one. Those of a shard are not: a
 * part says nothing about the whole. */
static tare_status check_accuracy(const calibrate_arguments *const a, calibrate_work *const w,
                                  tare_error *const err) {
  tare_table *table = NULL;
  if (a->parts.count) {
    return TARE_OK;
  }
  if (!w->table) {
    tare_table_options o;
    tare_table_options_init(&o);
    CLI_TRY(tare_table_from_stats(w->stats, &o, &table, err));
  }
  const accuracy_case c = {.in = &a->in,
                           .model = w->model,
                           .table = w->table ? w->table : table,
                           .kept = w->table,
                           .raises = may_raise(a, w),
                           .processor_seconds = a->search_limit,
                           .time_option = "--time-limit",
                           .profiles = w->profiles,
                           .lengths = &w->lengths,
                           .streaming = w->streaming};
  const tare_status status = accuracy_check(&c, &w->accuracy, err);
  if (!w->table && w->accuracy.sqnr_db < raising_below(false /* written */)) {
    say(&a->in.common,
        "%s are statistics, whose tables have no raised layers: a table that calibrate writes "
        "itself has them (-o model.calib.json)",
        a->output);
  }
  tare_table_free(&table);
  return status;
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

/* "gain range -20:+20:10dB: each sample at -20, -10, 0, +10, +20 dB" */
static void calibrate_print_levels(const tare_dataset *const data) {
  const int n = tare_dataset_n_levels(data);
  if (n < 2) {
    return;
  }
  printf("gain range %s: each sample at", tare_dataset_gain_range(data));
  for (int i = 0; i < n; i++) {
    char *const gain = gain_text(tare_dataset_level_db(data, i));
    printf("%s %s", i ? "," : "", gain);
    free(gain);
  }
  printf(" dB\n");
}

/* A part of the data says nothing about the whole. */
static bool has_evidence(const calibrate_arguments *const a, const calibrate_work *const w) {
  return !w->table && !a->parts.count;
}

static tare_status calibrate_print_text(const calibrate_arguments *const a,
                                        const calibrate_work *const w, tare_error *const err) {
  printf("%" PRId64 " sample%s, %d tensors, fit %s, padding %s, %.1f s\n", n_samples(w->stats),
         cli_s(n_samples(w->stats)), tare_stats_n_tensors(w->stats), tare_stats_fit(w->stats),
         tare_stats_counts_padding(w->stats) ? "counted" : "excluded", w->seconds);
  if (a->parts.count) {
    printf("shard      %" PRId64 "/%" PRId64 "\n", a->parts.index, a->parts.count);
  }
  calibrate_print_levels(w->dataset);
  calibrate_print_times(&w->times);
  ranks_print(w->ranks);
  report *const r = report_new("profile~,samples>");
  for (int p = 0; p < tare_stats_n_profiles(w->stats); p++) {
    report_cell(r, "%s", tare_stats_profile(w->stats, p));
    report_cell(r, "%" PRId64, tare_stats_profile_samples(w->stats, p));
  }
  report_print(r, stdout);
  accuracy_print(&w->accuracy);
  if (w->table) {
    table_print(w->table);
    table_print_written(&w->out, w->table);
  } else {
    table_print_methods(tare_stats_n_clipped(w->stats), tare_stats_n_corrected(w->stats),
                        tare_stats_n_smoothed(w->stats));
    if (tare_stats_is_undecided(w->stats)) {
      printf("weights    not decided yet: tare merge --model does it\n");
    }
    if (has_evidence(a, w)) {
      convergence_print_line(w->stats);
      CLI_TRY(stats_warnings_count(w->stats, a->output, err));
    }
    printf("written    %s\n", a->output);
  }
  return TARE_OK;
}

static tare_status calibrate_fill_evidence(cJSON *const object, const tare_stats *const stats,
                                           tare_error *const err) {
  convergence_json(object, stats);
  return stats_warnings_json(object, stats, err);
}

static tare_status calibrate_print_json(const calibrate_arguments *const a,
                                        const calibrate_work *const w, tare_error *const err) {
  cJSON *const object = json_begin("calibrate");
  json_text(object, "model", a->in.path);
  json_int(object, "samples", n_samples(w->stats));
  json_int(object, "skipped", w->n_bad);
  json_left_out(object, &w->left_out);
  json_text(object, "fit", tare_stats_fit(w->stats));
  json_bool(object, "padding_counted", tare_stats_counts_padding(w->stats));
  if (*tare_stats_gain_range(w->stats)) {
    json_text(object, "gain_range", tare_stats_gain_range(w->stats));
  }
  if (a->parts.count) {
    json_int(object, "shard", a->parts.index);
    json_int(object, "shards", a->parts.count);
  }
  json_int(object, "counted", tare_stats_n_counted(w->stats));
  json_bool(object, "undecided", tare_stats_is_undecided(w->stats));
  fitted_json(object, &w->fitted);
  json_int(object, "tensors", tare_stats_n_tensors(w->stats));
  json_int(object, "clipped", tare_stats_n_clipped(w->stats));
  json_int(object, "corrected", tare_stats_n_corrected(w->stats));
  json_int(object, "smoothed", tare_stats_n_smoothed(w->stats));
  cJSON *const profiles = json_add(object, "profiles", json_array());
  for (int p = 0; p < tare_stats_n_profiles(w->stats); p++) {
    cJSON *const profile = json_add(profiles, NULL, json_object());
    json_text(profile, "profile", tare_stats_profile(w->stats, p));
    json_int(profile, "samples", tare_stats_profile_samples(w->stats, p));
  }
  if (w->table) {
    cJSON *const table = json_add(object, "table", json_object());
    table_json(table, w->table);
    table_written_json(table, &w->out, w->table);
  }
  ranks_json(w->ranks, object);
  const tare_status status =
      has_evidence(a, w) ? calibrate_fill_evidence(object, w->stats, err) : TARE_OK;
  accuracy_json(object, &w->accuracy);
  json_real(object, "seconds", w->seconds);
  json_real(object, "reading_seconds", w->times.reading);
  json_real(object, "running_seconds", w->times.running);
  json_real(object, "observing_seconds", w->times.observing);
  json_text(object, "output", a->output);
  if (status == TARE_OK) {
    json_print(object);
  } else {
    cJSON_Delete(object);
  }
  return status;
}

static tare_status calibrate_check_output(const calibrate_arguments *const a,
                                          tare_error *const err) {
  const char *const outputs[] = {a->output, a->parts.checkpoint};
  cli_list inputs = {0};
  opt_inputs_files(&a->in, &inputs);
  cli_list_join(&inputs, &a->parts.counted);
  const tare_status status = output_check_all(outputs, 2, &inputs, err);
  cli_list_fini(&inputs);
  return status;
}

/* One rank cannot go on where others were: what they have counted depends on their number. */
static tare_status calibrate_join(calibrate_arguments *const a, calibrate_work *const w,
                                  tare_error *const err) {
  if (a->parts.shard) {
    return opt_parts_place(&a->parts, &a->in.common, &a->in.data, err);
  }
  CLI_TRY(ranks_open(&a->in.common, a->parts.silence, &w->ranks, err));
  ranks_set_data(w->ranks, &a->in.data);
  return !w->ranks || (!a->parts.checkpoint && !a->parts.counted.n)
             ? TARE_OK
             : cli_fail(err, TARE_E_USAGE,
                        "%s is for one process, not for several ranks: divide the data with "
                        "--shard auto and add the parts up with tare merge",
                        a->parts.checkpoint ? "--checkpoint" : "--skip-counted");
}

static tare_status calibrate_prepare(calibrate_arguments *const a, calibrate_work *const w,
                                     tare_error *const err) {
  CLI_TRY(calibrate_check_output(a, err));
  CLI_TRY(opt_model_load(&a->in.model, &a->in.common, a->in.path, &w->model, err));
  CLI_TRY(tare_calibrate_check(w->model, err));
  const ports p = ports_of_model(w->model);
  a->in.data.chooses = a->choice.choice.samples || a->choice.choice.quota;
  CLI_TRY(source_open(&a->in, &p, &w->streaming, &w->dataset, err));
  CLI_TRY(a->generate ? tare_streaming_set_generation(w->streaming, a->generate, err) : TARE_OK);
  CLI_TRY(profiles_choose_for(&a->in, w->model, p.inputs, p.n_inputs, NULL, &w->dataset, 1,
                              w->streaming, &w->profiles, err));
  const int columns = a->table.per_profile ? tare_profiles_count(w->profiles) : 1;
  w->out = calibrate_out(a, w->model);
  CLI_TRY(table_check_column(&w->out, columns, err));
  CLI_TRY(length_inputs_choose(&a->in, opt_fit_changes(&a->in.fit), p.inputs, p.n_inputs,
                               &w->dataset, 1, w->streaming, &w->lengths, err));
  ranks_set_total(w->ranks, tare_dataset_count(w->dataset));
  opt_choice choice = a->choice;
  choice.choice.seed = a->in.data.seed;
  return opt_choice_apply(&choice, &a->in.common, w->profiles, a->in.fit.outside,
                          w->streaming != NULL, w->dataset, err);
}

/* What the statistics are for. */
static tare_status calibrate_use(const calibrate_arguments *const a, calibrate_work *const w,
                                 tare_error *const err) {
  if (w->ranks) {
    w->n_bad = ranks_say_data(w->ranks, w->dataset, &w->left_out);
  } else {
    say_data(&a->in.common, w->dataset);
    w->n_bad = tare_dataset_n_bad(w->dataset);
    w->left_out = tare_dataset_left_out(w->dataset);
  }
  say_fitted(&a->in.common, "calibration", &w->fitted);
  CLI_TRY(calibrate_make_table(a, w, err));
  CLI_TRY(w->table ? check_accuracy(a, w, err) : TARE_OK);
  CLI_TRY(write_output(a, w, err));
  parts_end(&a->parts, &a->in.common, TARE_OK);
  CLI_TRY(w->table ? TARE_OK : check_accuracy(a, w, err));
  return (a->in.common.json ? calibrate_print_json : calibrate_print_text)(a, w, err);
}

static tare_status calibrate_run(calibrate_arguments *const a, calibrate_work *const w,
                                 tare_error *const err) {
  CLI_TRY(calibrate_join(a, w, err));
  CLI_TRY(calibrate_prepare(a, w, err));
  CLI_TRY(calibrate_collect(a, w, err));
  ranks_free_data(w->ranks, &a->in.data);
  return w->stats ? calibrate_use(a, w, err) : TARE_OK; /* other ranks have none */
}

int cmd_calibrate(const int argc, char **const argv) {
  calibrate_arguments a = {0};
  calibrate_work w = {0};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  heap_for_many_samples();
  tare_status status = calibrate_run(&a, &w, &err);
  status = ranks_leave(w.ranks, status, &err);
  tare_table_free(&w.table);
  tare_stats_free(&w.stats);
  parts_close(&w.parts);
  opt_parts_fini(&a.parts);
  tare_profiles_free(&w.profiles);
  length_inputs_fini(&w.lengths);
  tare_dataset_close(&w.dataset);
  tare_streaming_free(&w.streaming);
  tare_model_free(&w.model);
  ranks_free(&w.ranks);
  return opt_inputs_end(argv[0], &a.in, status, &err);
}
