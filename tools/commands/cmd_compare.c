#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/calibration.h"
#include "tools/compare/compare_commands.h"
#include "tools/compare/compare_eval.h"
#include "tools/compare/compare_lengths.h"
#include "tools/compare/details/details.h"
#include "tools/compare/provenance.h"
#include "tools/compare/report/report_file.h"
#include "tools/compare/requirement.h"
#include "tools/compare/verdict.h"
#include "tools/options/families.h"
#include "tools/options/formats.h"
#include "tools/options/length_inputs.h"
#include "tools/options/lengths.h"
#include "tools/options/parse.h"
#include "tools/output.h"
#include "tools/peak.h"
#include "tools/say.h"
#include "tools/source.h"
#include "tools/compare/worst.h"
#include "tools/tune/accuracy.h"
#include "tools/table_out.h"

enum {
  OPT_EVAL = OPT_COMMAND,
  OPT_FITS,
  OPT_METHODS,
  OPT_PAD_STATS,
  OPT_REPORT,
  OPT_REQUIRE,
  OPT_WORST
};
enum { UNFULFILLED = 1 }; /* exit code */

typedef struct compare_arguments {
  opt_inputs in; /* data of the calibration; the fit is that of the evaluation */
  opt_metric metric;
  opt_weight_methods weight_methods;
  tare_build_options build; /* as given */
  double percentile;
  char *command; /* as it was called */
  cli_list eval, fits, methods, paddings, outputs, reports;
  cli_list requires;         /* as given */
  requirement *requirements; /* [requires.n] */
  recorded given;            /* options, for the commands that repeat a strategy */
} compare_arguments;

typedef struct compare_work {
  tare_model *model;
  tare_dataset *calib, *eval;
  tare_streaming *streaming; /* NULL: samples are runs */
  tare_profiles *profiles;
  length_inputs lengths;
  grid grid;
  verdict verdict;
  bool peaks_by_row;
  worst worst; /* samples of the strategy that ranks first */
  compare_details details; /* for reports */
} compare_work;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "Write what ranks first: ", 0},
    {"eval", OPT_EVAL, "DATA", 0, "Data to evaluate on; repeat for more", 0},
    {"fits", OPT_FITS, "LIST", 0, "Fits to try, separated by commas: ", 0},
    {"methods", OPT_METHODS, "LIST", 0, "Methods to try, separated by commas: ", 0},
    {"pad-stats", OPT_PAD_STATS, "LIST", 0, "Padding in the statistics of fits that pad: ", 0},
    {"report", OPT_REPORT, "FILE", 0, "Write a report: ", 0},
    {"require", OPT_REQUIRE, "LIST", 0,
     "Exit with 1 unless what ranks first fulfills this, e.g. accuracy>=fp32-0.5%,sqnr>=30; "
     "figures are that of --metric, sqnr (dB) and top-1 (%)",
     0},
    {"worst", OPT_WORST, "N", 0,
     "List the N samples in which what ranks first differs most from float", 0},
    {0}};

/* The family of an option that takes a list; of kind NULL for others. */
static cli_family list_family(const int key) {
  return key == OPT_FITS        ? grid_fits()
         : key == OPT_METHODS   ? family_methods()
         : key == OPT_PAD_STATS ? family_paddings()
                                : (cli_family){0};
}

static char *compare_help_report(const char *const text) {
  char *const formats = report_format_list();
  char *const all = cli_format("%s%s; repeat for more", text, formats);
  free(formats);
  return all;
}

static char *compare_help_output(const char *const text) {
  char *const tables = format_extensions(format_is_own, "NAME");
  char *const all =
      cli_format("%s%s for its table, NAME.plan for its plan; repeat for both", text, tables);
  free(tables);
  return all;
}

/* What stands in a list unless one is given; NULL where a member says so itself. The caller frees
 * it. */
static char *list_default(const int key) {
  cli_list fits = {0};
  if (key != OPT_FITS) {
    return key == OPT_METHODS ? cli_format("all") : NULL;
  }
  grid_add_default_fits(&fits);
  char *const text = cli_join(fits.items, fits.n, " and ");
  cli_list_fini(&fits);
  return text;
}

/* Names the members of families behind the texts of lists. */
static char *compare_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family family = list_family(key);
  if (key == 'o') {
    return compare_help_output(text);
  }
  if (key == OPT_REPORT) {
    return compare_help_report(text);
  }
  if (!family.kind) {
    return (char *)text; /* as it is */
  }
  char *const names = cli_names(&family, true, ", ");
  char *const normal = list_default(key);
  char *const all = cli_format("%s%s, or all%s%s%s", text, names, normal ? " (default: " : "",
                               normal ? normal : "", normal ? ")" : "");
  free(names);
  free(normal);
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

static void compare_take_report(compare_arguments *const a, const char *const arg,
                                const struct argp_state *const state) {
  if (report_format_of(arg) < 0) {
    char *const extensions = report_extensions();
    argp_error(state, "cannot tell the format from the name '%s': use %s for a report", arg,
               extensions);
    free(extensions);
  }
  cli_list_add(&a->reports, arg);
}

/* The names in arg, or all that there are. */
static void compare_take_list(const struct argp_state *const state, const int key,
                              cli_list *const list, char *const arg) {
  const cli_family family = list_family(key);
  list->n = 0;
  if (strcmp(arg, "all") != 0) {
    cli_list_split(list, arg);
    for (int i = 0; i < list->n; i++) {
      (void)cli_pick(state, &family, list->items[i]);
    }
  }
  for (int i = 0; strcmp(arg, "all") == 0 && i < family.n; i++) {
    cli_list_add(list, family.name(i));
  }
}

static void compare_defaults(compare_arguments *const a) {
  const cli_family methods = family_methods(), paddings = family_paddings();
  grid_add_default_fits(&a->fits);
  cli_list_add(&a->paddings, paddings.name(0));
  for (int i = 0; i < methods.n; i++) {
    cli_list_add(&a->methods, methods.name(i));
  }
}

static bool compare_takes_percentile(const compare_arguments *const a,
                                     const struct argp_state *const state) {
  const cli_family methods = family_methods();
  for (int i = 0; i < a->methods.n; i++) {
    if (tare_method_takes_percentile(cli_pick(state, &methods, a->methods.items[i]))) {
      return true;
    }
  }
  return false;
}

static void parse_requirements(compare_arguments *const a, const struct argp_state *const state) {
  a->requirements = cli_realloc(NULL, (size_t)a->requires.n + 1, sizeof *a->requirements);
  for (int i = 0; i < a->requires.n; i++) {
    a->requirements[i] = requirement_parse(state, a->requires.items[i], a->metric.metric);
  }
}

static void compare_check(const compare_arguments *const a, const struct argp_state *const state) {
  opt_metric_check(state, &a->metric, &a->in.data);
  if (a->eval.n == 0) {
    argp_error(state, "missing --eval DATA, on which the strategies are measured");
  }
  if (a->methods.n == 0 || a->fits.n == 0 || a->paddings.n == 0) {
    argp_error(state, "a list of --methods, --fits or --pad-stats is empty");
  }
  if (a->percentile > 0 && !compare_takes_percentile(a, state)) {
    char *const methods = family_percentile_methods(" or ");
    argp_error(state, "--percentile needs %s in --methods", methods);
    free(methods);
  }
}

static error_t compare_parse(const int key, char *const arg, struct argp_state *const state) {
  compare_arguments *const a = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->in;
      state->child_inputs[1] = &a->metric;
      state->child_inputs[2] = &a->build;
      state->child_inputs[3] = &a->percentile;
      state->child_inputs[4] = &a->weight_methods;
      compare_defaults(a);
      return 0;
    case 'o':
      compare_take_output(a, arg, state);
      return 0;
    case OPT_REPORT:
      compare_take_report(a, arg, state);
      return 0;
    case OPT_EVAL:
      cli_list_add(&a->eval, arg);
      return 0;
    case OPT_FITS:
      compare_take_list(state, key, &a->fits, arg);
      return 0;
    case OPT_METHODS:
      compare_take_list(state, key, &a->methods, arg);
      return 0;
    case OPT_PAD_STATS:
      compare_take_list(state, key, &a->paddings, arg);
      return 0;
    case OPT_WORST:
      a->metric.worst = (int)cli_int(state, "--worst", arg, 1, INT32_MAX);
      return 0;
    case OPT_REQUIRE:
      cli_list_split(&a->requires, arg);
      if (a->requires.n == 0) {
        argp_error(state, "--require is empty: give a bound, such as sqnr>=30");
      }
      return 0;
    case ARGP_KEY_END:
      compare_check(a, state);
      parse_requirements(a, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {
    {&opt_inputs_argp, 0, NULL, 0},         {&opt_metric_argp, 0, "Metric:", 4},
    {&opt_build_argp, 0, "Precision:", 5},  {&opt_percentile_argp, 0, NULL, 0},
    {&opt_weight_methods_argp, 0, NULL, 0}, {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = compare_parse,
    .args_doc = "MODEL DATA... --eval DATA",
    .doc =
        "Calibrates with each strategy, builds each plan, and measures it against the float model. "
        "One pass over the calibration data serves all methods of a fit, and one over the "
        "evaluation data serves all plans. Profiles default to one that covers both data sets; "
        "--fit is "
        "that of the evaluation. With a metric, a strategy is marked best only if the "
        "difference is significant. A verdict says what decides (padding, lengths, the method, or "
        "nothing) and how to make what ranks first: the simplest of the strategies that are "
        "equal.\vExample:\n  tare compare model.onnx calib/ --eval eval/ "
        "--methods minmax,entropy \\\n      --labels digits --metric ctc-error --alphabet "
        "0123456789 -o best.json",
    .children = CHILDREN,
    .help_filter = compare_help};

static tare_status open_data(const compare_arguments *const a, compare_work *const w,
                             const ports *const p, tare_error *const err) {
  opt_inputs calib = a->in, eval = a->in;
  calib.data.labels = NULL; /* calibration needs none */
  eval.paths = a->eval;
  CLI_TRY(source_open(&calib, p, &w->streaming, &w->calib, err));
  return source_open(&eval, p, &w->streaming, &w->eval, err);
}

static tare_status compare_calibrate(const compare_arguments *const a, const compare_work *const w,
                                     grid_pass *const pass, tare_stats **const stats,
                                     tare_error *const err) {
  calibration_progress p;
  tare_calibrate_options o = source_calibrate_options(&a->in, &w->lengths, w->streaming);
  o.fit = pass->fit;
  o.count_padding = pass->count_padding;
  opt_weight_methods_apply(&a->weight_methods, &o);
  o.fitted = &pass->fitted;
  calibration_progress_start(&p, &a->in.common, &o);
  CLI_TRY(tare_dataset_rewind(w->calib, err));
  (void)peak_restart(); /* said once, for all rows */
  const double start = cli_now();
  const tare_status status = tare_calibrate(w->model, w->calib, w->profiles, &o, stats, err);
  calibration_progress_end(&p);
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
  w->grid.passes[pass].drift = range_drift_of(stats, w->profiles);
  for (int i = 0; i < w->grid.n; i++) {
    if (w->grid.items[i].pass == pass) {
      compare_make_table(a, stats, &w->grid.items[i]);
    }
  }
  const tare_status status = a->reports.n > 0 && pass == 0
                                 ? details_take_tensors(&w->details, stats, &w->grid, pass, err)
                                 : TARE_OK;
  tare_stats_free(&stats);
  CLI_TRY(status);
  char *const what = cli_format("calibration %s", tare_fit_name(w->grid.passes[pass].fit));
  say_fitted(&a->in.common, what, &w->grid.passes[pass].fitted);
  free(what);
  return TARE_OK;
}

static compare_eval setup(const compare_arguments *const a, const compare_work *const w) {
  return (compare_eval){.common = &a->in.common,
                        .build = &a->build,
                        .model = w->model,
                        .profiles = w->profiles,
                        .data = w->eval,
                        .eval = source_eval_options(&a->in, &a->metric, &w->lengths, w->streaming)};
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

static tare_status check_output(const char *const path, const cli_list *const inputs,
                                cli_list *const outputs, tare_error *const err) {
  if (cli_list_has(outputs, path)) {
    return cli_fail(err, TARE_E_USAGE, "duplicate output '%s': choose another name", path);
  }
  cli_list_add(outputs, path);
  return output_check(path, inputs, err);
}

static tare_status check_outputs(const compare_arguments *const a, tare_error *const err) {
  cli_list inputs = {0}, outputs = {0};
  cli_list_join(&inputs, &a->eval);
  opt_inputs_files(&a->in, &inputs);
  tare_status status = TARE_OK;
  for (int i = 0; status == TARE_OK && i < a->outputs.n; i++) {
    status = check_output(a->outputs.items[i], &inputs, &outputs, err);
  }
  for (int i = 0; status == TARE_OK && i < a->reports.n; i++) {
    status = check_output(a->reports.items[i], &inputs, &outputs, err);
  }
  cli_list_fini(&inputs);
  cli_list_fini(&outputs);
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

static tare_status keep_table(const compare_arguments *const a, const compare_eval *const e,
                              const tare_table *const table, const char *const path,
                              tare_error *const err) {
  const opt_table defaults = {.profile_index = -1};
  table_out out = {.common = &a->in.common,
                   .options = &defaults,
                   .format = tare_table_format_of(path),
                   .path = path,
                   .model = e->model};
  return table_write(&out, table, err);
}

static tare_status keep_first(const compare_arguments *const a, const compare_eval *const e,
                              const grid *const g, tare_error *const err) {
  for (int i = 0; i < a->outputs.n && g->n_ranked > 0; i++) {
    const char *const path = a->outputs.items[i];
    const tare_table *const table = g->items[g->order[0]].table;
    CLI_TRY(is_plan_name(path) ? keep_plan(e, table, path, err)
                               : keep_table(a, e, table, path, err));
  }
  return TARE_OK;
}

static tare_status find_worst(const compare_arguments *const a, compare_work *const w,
                              tare_error *const err) {
  const grid *const g = &w->grid;
  return a->metric.worst && g->n_ranked
             ? worst_find(&g->items[g->order[0]].result, &g->fp32, g->fp32.states, a->metric.metric,
                          a->metric.worst, &w->worst, err)
             : TARE_OK;
}

static tare_status report_grid(const compare_arguments *const a, compare_work *const w,
                               tare_error *const err) {
  const provenance origin = {
      .command = a->command, .isa = a->in.common.isa, .data = &a->in.paths, .evaluation = &a->eval};
  const grid_context c = {.profiles = w->profiles,
                          .metric = a->metric.metric,
                          .peaks_by_row = w->peaks_by_row,
                          .model = a->in.path,
                          .provenance = &origin,
                          .written = &a->outputs,
                          .reports = &a->reports,
                          .worst = &w->worst,
                          .requirements = a->requirements,
                          .n_requirements = a->requires.n,
                          .verdict = &w->verdict};
  cJSON *const document = grid_document(&w->grid, &c);
  details_json(document, &w->details);
  const tare_status status = report_files_write(document, &a->reports, err);
  if (status != TARE_OK || !a->in.common.json) {
    cJSON_Delete(document);
  } else {
    json_print(document);
  }
  if (status == TARE_OK && !a->in.common.json) {
    grid_print(&w->grid, &c);
  }
  return status;
}

/* With the commands that repeat what ranks first. */
static tare_status give_verdict(const compare_arguments *const a, compare_work *const w,
                                tare_error *const err) {
  verdict *const v = &w->verdict;
  CLI_TRY(verdict_make(&w->grid, a->metric.metric, v, err));
  if (w->grid.n_ranked > 0) {
    const compare_commands c = {.in = &a->in,
                                .options = &a->given,
                                .profiles = w->profiles,
                                .lengths = &w->lengths,
                                .outputs = &a->outputs};
    v->commands[v->n_commands++] = compare_calibrate_command(&c, &w->grid, w->grid.order[0]);
    v->commands[v->n_commands++] = compare_build_command(&c);
  }
  return TARE_OK;
}

/* Whether samples are fitted, by the evaluation or by any pass. */
static bool compare_fits(const compare_arguments *const a, const compare_work *const w) {
  bool any = opt_fit_changes(&a->in.fit);
  for (int i = 0; i < w->grid.n_passes; i++) {
    any |= w->grid.passes[i].fit != TARE_FIT_NATIVE;
  }
  return any;
}

/* A few samples show where errors begin. */
static tare_status take_plan(const compare_arguments *const a, compare_work *const w,
                             const compare_eval *const e, const ports *const p,
                             tare_error *const err) {
  enum { SAMPLES = 8 };
  opt_inputs inputs = a->in;
  inputs.paths = a->eval;
  tare_dataset *few = NULL;
  CLI_TRY(source_open_first(&inputs, p, w->streaming, SAMPLES, &few, err));
  const tare_status status = details_take_plan(&w->details, e, &w->grid, few, err);
  tare_dataset_close(&few);
  return status;
}

/* The best strategy may be bad all the same. */
static void check_first(const compare_arguments *const a, const compare_work *const w) {
  const grid *const g = &w->grid;
  if (g->n_ranked == 0 ||
      !(tare_eval_lowest_sqnr(&g->items[g->order[0]].result) < ACCURACY_LIMIT)) {
    return;
  }
  const accuracy_case c = {.in = &a->in,
                           .model = w->model,
                           .table = g->items[g->order[0]].table,
                           .build = &a->build,
                           .profiles = w->profiles,
                           .lengths = &w->lengths,
                           .streaming = w->streaming};
  (void)accuracy_check(&c);
}

static tare_status compare_run(const compare_arguments *const a, compare_work *const w,
                               tare_error *const err) {
  CLI_TRY(check_outputs(a, err));
  say_ignored_requests(&a->in.common, &a->build);
  grid_make(&a->fits, &a->paddings, &a->methods, &w->grid);
  CLI_TRY(opt_model_load(&a->in.model, &a->in.common, a->in.path, &w->model, err));
  const ports p = ports_of_model(w->model);
  CLI_TRY(open_data(a, w, &p, err));
  tare_dataset *const both[] = {w->calib, w->eval};
  CLI_TRY(profiles_choose(&a->in.profiles, &a->in.common, p.inputs, p.n_inputs, NULL, both, 2,
                          w->streaming, &w->profiles, err));
  CLI_TRY(length_inputs_choose(&a->in, compare_fits(a, w), p.inputs, p.n_inputs, both, 2,
                               w->streaming, &w->lengths, err));
  if (a->reports.n > 0) {
    CLI_TRY(details_take_lengths(&w->details, &a->in.common, &p, w->streaming, w->calib, w->eval,
                                 w->profiles, err));
  }
  w->peaks_by_row = peak_restart();
  for (int i = 0; i < w->grid.n_passes; i++) {
    CLI_TRY(run_pass(a, w, i, err));
  }
  say_data(&a->in.common, w->calib);
  const compare_eval e = setup(a, w);
  CLI_TRY(compare_evaluate(&e, &w->grid, err));
  say_data(&a->in.common, w->eval);
  say_fitted(&a->in.common, "evaluation", &w->grid.fp32.fitted);
  CLI_TRY(grid_rank(&w->grid, a->metric.metric, err));
  CLI_TRY(grid_measure_lengths(&w->grid, err));
  CLI_TRY(give_verdict(a, w, err));
  CLI_TRY(keep_first(a, &e, &w->grid, err));
  check_first(a, w);
  CLI_TRY(find_worst(a, w, err));
  if (a->reports.n > 0 && w->grid.n_ranked > 0) {
    CLI_TRY(take_plan(a, w, &e, &p, err));
  }
  CLI_TRY(report_grid(a, w, err));
  return compare_first_failure(&w->grid, err);
}

int cmd_compare(const int argc, char **const argv) {
  compare_arguments a = {0};
  compare_work w = {0};
  tare_error err = {0};
  recorded_take(&ARGP, argc, argv, &a.given);
  a.command = provenance_command(argc, argv);
  opt_parse(&ARGP, argc, argv, &a);
  const tare_status status = compare_run(&a, &w, &err);
  const int failed = requirements_complain(a.requirements, a.requires.n, &w.grid, a.metric.metric);
  verdict_fini(&w.verdict);
  worst_fini(&w.worst);
  grid_fini(&w.grid);
  recorded_fini(&a.given);
  details_fini(&w.details);
  tare_profiles_free(&w.profiles);
  length_inputs_fini(&w.lengths);
  tare_dataset_close(&w.calib);
  tare_dataset_close(&w.eval);
  tare_streaming_free(&w.streaming);
  tare_model_free(&w.model);
  const int code = opt_inputs_end(argv[0], &a.in, status, &err);
  cli_list *const lists[] = {&a.eval,    &a.fits,    &a.methods, &a.paddings,
                             &a.outputs, &a.reports, &a.requires};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    cli_list_fini(lists[i]);
  }
  free(a.requirements);
  free(a.command);
  return code == 0 && failed > 0 ? UNFULFILLED : code;
}
