#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/commands/compare_eval.h"
#include "tools/commands/compare_grid.h"
#include "tools/options/formats.h"
#include "tools/options/length_inputs.h"
#include "tools/options/lengths.h"
#include "tools/output.h"
#include "tools/peak.h"
#include "tools/progress.h"
#include "tools/say.h"
#include "tools/source.h"
#include "tools/table_out.h"

enum { OPT_EVAL = OPT_COMMAND, OPT_FITS, OPT_METHODS, OPT_PAD_STATS };

typedef struct compare_arguments {
  opt_common common;
  opt_profiles profiles;
  opt_data data;
  opt_fit fit; /* of the evaluation, and what lies outside */
  opt_metric metric;
  tare_build_options build; /* without a table */
  opt_streaming streaming;
  opt_model model_options;
  double percentile;
  bool all_methods;
  const char *model;
  cli_list calib, eval, fits, methods, paddings, outputs;
} compare_arguments;

typedef struct compare_work {
  tare_model *model;
  tare_dataset *calib, *eval;
  tare_streaming *streaming; /* NULL: samples are runs */
  tare_profiles *profiles;
  length_inputs lengths;
  grid grid;
  bool peaks_by_row;
} compare_work;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0,
     "Write what ranks first: NAME.json for its table, NAME.plan for its plan; repeat for both", 0},
    {"eval", OPT_EVAL, "DATA", 0, "Data to evaluate on; repeat for more", 0},
    {"fits", OPT_FITS, "LIST", 0,
     "Among native, pad, truncate, opt, per-profile (native, with thresholds per profile), or all "
     "(default native,opt,per-profile)",
     0},
    {"methods", OPT_METHODS, "LIST", 0, "All (default), or among ", 0},
    {"pad-stats", OPT_PAD_STATS, "LIST", 0,
     "Padding in the statistics of fits that pad: exclude (default), count, or all", 0},
    {"percentile", OPT_PERCENTILE, "P", 0, "For percentile: keep P percent (default 99.99)", 0},
    {0}};

/* Names the methods behind the text of --methods. */
static char *compare_help(const int key, const char *const text, void *const input) {
  (void)input;
  if (key != OPT_METHODS) {
    return (char *)text; /* as it is */
  }
  char *const methods = opt_methods();
  char *const all = cli_format("%s%s", text, methods);
  free(methods);
  return all;
}

static bool is_plan_name(const char *const path) {
  return cli_ends_with(path, ".plan");
}

static void compare_take_output(compare_arguments *const a, const char *const arg,
                                const struct argp_state *const state) {
  const tare_table_format *const format = tare_table_format_at(tare_table_format_of(arg));
  if (!is_plan_name(arg) && !(format && format_is_own(format))) {
    char *const tables = format_extensions(format_is_own, "");
    argp_error(state, "cannot tell the format from the name '%s': use %s for a table, .plan", arg,
               tables);
    free(tables);
  }
  cli_list_add(&a->outputs, arg);
}

static void take_methods(compare_arguments *const a, char *const arg,
                         const struct argp_state *const state) {
  a->methods.n = 0;
  a->all_methods = strcmp(arg, "all") == 0;
  if (a->all_methods) {
    return;
  }
  cli_list_split(&a->methods, arg);
  for (int i = 0; i < a->methods.n; i++) {
    (void)opt_method(state, a->methods.items[i]);
  }
}

/* The words of arg, or all that there are. */
static void compare_take_list(cli_list *const list, void (*const add_all)(cli_list *),
                              char *const arg) {
  list->n = 0;
  if (strcmp(arg, "all") == 0) {
    add_all(list);
  } else {
    cli_list_split(list, arg);
  }
}

static bool compare_takes_percentile(const compare_arguments *const a,
                                     const struct argp_state *const state) {
  for (int i = 0; i < a->methods.n; i++) {
    if (tare_method_takes_percentile(opt_method(state, a->methods.items[i]))) {
      return true;
    }
  }
  return false;
}

static void set_defaults(compare_arguments *const a, const struct argp_state *const state) {
  opt_metric_check(state, &a->metric, &a->data);
  if (!a->model || a->calib.n == 0) {
    argp_error(state, "missing MODEL or calibration DATA");
  }
  if (a->eval.n == 0) {
    argp_error(state, "missing --eval DATA, on which the strategies are measured");
  }
  for (int i = 0; a->all_methods && i < tare_n_methods(); i++) {
    cli_list_add(&a->methods, tare_method_name(i));
  }
  if (a->methods.n == 0 || a->fits.n == 0 || a->paddings.n == 0) {
    argp_error(state, "a list of --methods, --fits or --pad-stats is empty");
  }
  if (a->percentile > 0 && !compare_takes_percentile(a, state)) {
    argp_error(state, "--percentile needs percentile in --methods");
  }
}

static error_t compare_parse(const int key, char *const arg, struct argp_state *const state) {
  compare_arguments *const a = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->profiles;
      state->child_inputs[1] = &a->data;
      state->child_inputs[2] = &a->fit;
      state->child_inputs[3] = &a->metric;
      state->child_inputs[4] = &a->build;
      state->child_inputs[5] = &a->streaming;
      state->child_inputs[6] = &a->model_options;
      state->child_inputs[7] = &a->common;
      return 0;
    case 'o':
      compare_take_output(a, arg, state);
      return 0;
    case OPT_EVAL:
      cli_list_add(&a->eval, arg);
      return 0;
    case OPT_FITS:
      compare_take_list(&a->fits, grid_add_fits, arg);
      return 0;
    case OPT_METHODS:
      take_methods(a, arg, state);
      return 0;
    case OPT_PAD_STATS:
      compare_take_list(&a->paddings, grid_add_paddings, arg);
      return 0;
    case OPT_PERCENTILE:
      a->percentile = cli_real(state, "--percentile", arg, 1e-6, 100);
      return 0;
    case ARGP_KEY_ARG:
      if (state->arg_num == 0) {
        a->model = arg;
      } else {
        cli_list_add(&a->calib, arg);
      }
      return 0;
    case ARGP_KEY_END:
      set_defaults(a, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {
    {&opt_profiles_argp, 0, "Lengths (default: one profile that covers both data sets):", 1},
    {&opt_data_argp, 0, "Data:", 2},
    {&opt_fit_argp, 0, "Fitting samples to profiles when evaluating:", 3},
    {&opt_metric_argp, 0, "Metric:", 4},
    {&opt_build_argp, 0, "Precision:", 5},
    {&opt_streaming_argp, 0, "Streaming models:", 6},
    {&opt_model_argp, 0, "Model:", 7},
    {&opt_common_argp, 0, "Common:", 8},
    {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = compare_parse,
    .args_doc = "MODEL DATA... --eval DATA",
    .doc =
        "Calibrates with each strategy, builds each plan, and measures it against the float model. "
        "One pass over the calibration data serves all methods of a fit, and one over the "
        "evaluation data serves all plans. With a metric, a strategy is marked best only if the "
        "difference is significant.\vExample:\n  tare compare model.onnx calib/ --eval eval/ "
        "--methods minmax,entropy \\\n      --labels digits --metric ctc-error --alphabet "
        "0123456789 -o best.json",
    .children = CHILDREN,
    .help_filter = compare_help};

static tare_status open_data(const compare_arguments *const a, compare_work *const w,
                             const ports *const p, tare_error *const err) {
  opt_data unlabelled = a->data;
  unlabelled.labels = NULL; /* calibration needs none */
  CLI_TRY(source_open(&a->streaming, &unlabelled, &a->calib, &a->common, p, &w->streaming,
                      &w->calib, err));
  return source_open(&a->streaming, &a->data, &a->eval, &a->common, p, &w->streaming, &w->eval,
                     err);
}

static tare_status compare_calibrate(const compare_arguments *const a, const compare_work *const w,
                                     grid_pass *const pass, tare_stats **const stats,
                                     tare_error *const err) {
  progress p = progress_start("calibrate", &a->common);
  tare_calibrate_options o;
  tare_calibrate_options_init(&o);
  o.fit = pass->fit;
  o.outside = a->fit.outside;
  o.pad_values = a->fit.pads;
  o.n_pad_values = a->fit.n_pads;
  o.length_inputs = w->lengths.items;
  o.n_length_inputs = w->lengths.n;
  o.count_padding = pass->count_padding;
  o.streaming = w->streaming;
  o.threads = a->common.threads;
  o.isa = a->common.isa;
  o.fitted = &pass->fitted;
  o.progress = progress_tick;
  o.progress_user = &p;
  CLI_TRY(tare_dataset_rewind(w->calib, err));
  (void)peak_restart(); /* said once, for all rows */
  const double start = cli_now();
  const tare_status status = tare_calibrate(w->model, w->calib, w->profiles, &o, stats, err);
  progress_end(&p);
  CLI_TRY(status);
  pass->seconds = cli_now() - start;
  pass->peak = peak_bytes();
  for (int i = 0; i < tare_stats_n_profiles(*stats); i++) {
    pass->samples += tare_stats_profile_samples(*stats, i);
  }
  return TARE_OK;
}

/* A table that cannot be made is noted and the others go on: the pass may have taken hours. */
static void compare_make_table(const compare_arguments *const a, const tare_stats *const stats,
                               grid_strategy *const s) {
  tare_table_options o;
  tare_table_options_init(&o);
  o.method = s->method;
  o.percentile = a->percentile;
  o.per_profile = s->per_profile;
  (void)tare_table_from_stats(stats, &o, &s->table, &s->error);
}

static tare_status run_pass(const compare_arguments *const a, compare_work *const w, const int pass,
                            tare_error *const err) {
  tare_stats *stats = NULL;
  CLI_TRY(compare_calibrate(a, w, &w->grid.passes[pass], &stats, err));
  for (int i = 0; i < w->grid.n; i++) {
    if (w->grid.items[i].pass == pass) {
      compare_make_table(a, stats, &w->grid.items[i]);
    }
  }
  tare_stats_free(&stats);
  char *const what = cli_format("calibration %s", tare_fit_name(w->grid.passes[pass].fit));
  say_fitted(&a->common, what, &w->grid.passes[pass].fitted);
  free(what);
  return TARE_OK;
}

static compare_eval setup(const compare_arguments *const a, const compare_work *const w) {
  compare_eval e = {.common = &a->common,
                    .build = a->build,
                    .model = w->model,
                    .profiles = w->profiles,
                    .data = w->eval};
  e.build.isa = a->common.isa;
  tare_eval_options_init(&e.eval);
  e.eval.metric = tare_metric_name(a->metric.metric);
  e.eval.alphabet = a->metric.alphabet;
  e.eval.output = a->metric.output;
  e.eval.fit = a->fit.fit;
  e.eval.outside = a->fit.outside;
  e.eval.pad_values = a->fit.pads;
  e.eval.n_pad_values = a->fit.n_pads;
  e.eval.length_inputs = w->lengths.items;
  e.eval.n_length_inputs = w->lengths.n;
  e.eval.streaming = w->streaming;
  e.eval.threads = a->common.threads;
  return e;
}

static tare_status compare_first_failure(const grid *const g, tare_error *const err) {
  for (int i = 0; i < g->n; i++) {
    if (g->items[i].error.status != TARE_OK) {
      *err = g->items[i].error;
      return err->status;
    }
  }
  return TARE_OK;
}

static tare_status check_outputs(const compare_arguments *const a, tare_error *const err) {
  cli_list inputs = {0};
  cli_list_add(&inputs, a->model);
  cli_list_join(&inputs, &a->calib);
  cli_list_join(&inputs, &a->eval);
  opt_profiles_files(&a->profiles, &inputs);
  tare_status status = TARE_OK;
  for (int i = 0; status == TARE_OK && i < a->outputs.n; i++) {
    status = output_check(a->outputs.items[i], &inputs, err);
  }
  cli_list_fini(&inputs);
  return status;
}

static tare_status keep_plan(const compare_eval *const e, const tare_table *const table,
                             const char *const path, tare_error *const err) {
  tare_plan *plan = NULL;
  CLI_TRY(compare_build(e, table, &plan, err));
  const tare_status status = tare_plan_save(plan, path, err);
  tare_plan_free(&plan);
  return status;
}

static tare_status keep_table(const compare_arguments *const a, const tare_table *const table,
                              const char *const path, tare_error *const err) {
  const opt_table defaults = OPT_TABLE_NONE;
  const table_out out = {&a->common, &defaults, tare_table_format_of(path), path};
  return table_write(&out, table, err);
}

static tare_status keep_first(const compare_arguments *const a, const compare_eval *const e,
                              const grid *const g, tare_error *const err) {
  for (int i = 0; i < a->outputs.n && g->n_ranked > 0; i++) {
    const char *const path = a->outputs.items[i];
    const tare_table *const table = g->items[g->order[0]].table;
    CLI_TRY(is_plan_name(path) ? keep_plan(e, table, path, err) : keep_table(a, table, path, err));
  }
  return TARE_OK;
}

static void report_grid(const compare_arguments *const a, const compare_work *const w) {
  const grid_context c = {.profiles = w->profiles,
                          .metric = a->metric.metric,
                          .peaks_by_row = w->peaks_by_row,
                          .model = a->model,
                          .written = &a->outputs};
  (a->common.json ? grid_json : grid_print)(&w->grid, &c);
}

/* Whether samples are fitted, by the evaluation or by any pass. */
static bool compare_fits(const compare_arguments *const a, const compare_work *const w) {
  bool any = opt_fit_changes(&a->fit);
  for (int i = 0; i < w->grid.n_passes; i++) {
    any |= w->grid.passes[i].fit != TARE_FIT_NATIVE;
  }
  return any;
}

static tare_status compare_run(const compare_arguments *const a, compare_work *const w,
                               tare_error *const err) {
  CLI_TRY(check_outputs(a, err));
  CLI_TRY(grid_make(&a->fits, &a->paddings, &a->methods, &w->grid, err));
  CLI_TRY(opt_model_load(&a->model_options, &a->common, a->model, &w->model, err));
  const ports p = ports_of_model(w->model);
  CLI_TRY(open_data(a, w, &p, err));
  tare_dataset *const both[] = {w->calib, w->eval};
  CLI_TRY(profiles_choose(&a->profiles, &a->common, p.inputs, p.n_inputs, NULL, both, 2,
                          w->streaming, &w->profiles, err));
  CLI_TRY(length_inputs_choose(&a->fit, &a->common, compare_fits(a, w), p.inputs, p.n_inputs, both,
                               2, w->streaming, &w->lengths, err));
  w->peaks_by_row = peak_restart();
  for (int i = 0; i < w->grid.n_passes; i++) {
    CLI_TRY(run_pass(a, w, i, err));
  }
  say_data(&a->common, w->calib);
  const compare_eval e = setup(a, w);
  CLI_TRY(compare_evaluate(&e, &w->grid, err));
  say_data(&a->common, w->eval);
  say_fitted(&a->common, "evaluation", &w->grid.fp32.fitted);
  CLI_TRY(grid_rank(&w->grid, a->metric.metric, err));
  CLI_TRY(keep_first(a, &e, &w->grid, err));
  report_grid(a, w);
  return compare_first_failure(&w->grid, err);
}

int cmd_compare(const int argc, char **const argv) {
  compare_arguments a = {.all_methods = true, .metric = OPT_METRIC_NONE};
  tare_build_options_init(&a.build);
  compare_work w = {0};
  tare_error err = {0};
  char fits[] = "native,opt,per-profile", paddings[] = "exclude";
  cli_list_split(&a.fits, fits);
  cli_list_split(&a.paddings, paddings);
  cli_parse(&ARGP, argc, argv, &a);
  const tare_status status = compare_run(&a, &w, &err);
  grid_fini(&w.grid);
  tare_profiles_free(&w.profiles);
  length_inputs_fini(&w.lengths);
  tare_dataset_close(&w.calib);
  tare_dataset_close(&w.eval);
  tare_streaming_free(&w.streaming);
  tare_model_free(&w.model);
  const int code = opt_end(argv[0], &a.common, status, &err);
  opt_fit_hint(&a.fit, &err);
  opt_profiles_fini(&a.profiles);
  opt_data_fini(&a.data);
  opt_fit_fini(&a.fit);
  opt_streaming_fini(&a.streaming);
  opt_model_fini(&a.model_options);
  cli_list_fini(&a.calib);
  cli_list_fini(&a.eval);
  cli_list_fini(&a.fits);
  cli_list_fini(&a.methods);
  cli_list_fini(&a.paddings);
  cli_list_fini(&a.outputs);
  return code;
}
