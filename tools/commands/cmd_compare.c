#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/calibration.h"
#include "tools/compare/options/compare_arguments.h"
#include "tools/compare/compare_commands.h"
#include "tools/compare/compare_eval.h"
#include "tools/compare/compare_keep.h"
#include "tools/compare/compare_lengths.h"
#include "tools/compare/compare_own.h"
#include "tools/compare/compare_raise.h"
#include "tools/compare/details/details.h"
#include "tools/compare/provenance.h"
#include "tools/compare/report/report_file.h"
#include "tools/compare/requirement.h"
#include "tools/compare/resume/kept_settings.h"
#include "tools/compare/compare_work.h"
#include "tools/options/length_inputs.h"
#include "tools/options/choose_profiles.h"
#include "tools/show/agreement.h"
#include "tools/options/lengths.h"
#include "tools/peak.h"
#include "tools/say.h"
#include "tools/score.h"
#include "tools/signals.h"
#include "tools/source.h"
#include "tools/compare/worst.h"

enum { UNFULFILLED = 1 }; /* exit code */

static tare_status open_data(const compare_arguments *const a, compare_work *const w,
                             const ports *const p, tare_error *const err) {
  opt_inputs calib = a->in, eval = a->in;
  calib.data.labels = NULL; /* calibration needs none */
  eval.paths = a->eval;
  CLI_TRY(source_open(&calib, p, &w->streaming, &w->calib, err));
  return source_open(&eval, p, &w->streaming, &w->eval, err);
}

/* Results that are kept have answers, for a --worst of later. */
static tare_eval_options eval_options(const compare_arguments *const a,
                                      const compare_work *const w) {
  tare_eval_options o = source_eval_options(&a->in, &a->metric, &w->lengths, w->streaming);
  o.answers |= a->work != NULL;
  return o;
}

static compare_eval setup(const compare_arguments *const a, compare_work *const w) {
  return (compare_eval){.common = &a->in.common,
                        .build = &a->build,
                        .model = w->model,
                        .model_path = a->in.path,
                        .sets = &a->in.model,
                        .profiles = w->profiles,
                        .data = w->eval,
                        .budget = &w->budget,
                        .kept = &w->kept,
                        .eval = eval_options(a, w)};
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

static tare_status find_worst(const compare_arguments *const a, compare_work *const w,
                              tare_error *const err) {
  const grid *const g = &w->grid;
  return a->metric.worst && grid_first(g) >= 0
             ? worst_find(&g->items[grid_first(g)].result, &g->fp32, g->fp32.states,
                          a->metric.metric, a->metric.worst, &w->worst, err)
             : TARE_OK;
}

/* What ranks first is what is taken. */
static void compare_warn(const compare_arguments *const a, const compare_work *const w) {
  const int first = grid_first(&w->grid);
  if (first >= 0) {
    const ports p = ports_of_model(w->model);
    agreement_warn(&a->in.common, &w->grid.items[first].result, p.outputs, SCORE_LOW_SQNR);
  }
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
                          .budget = &w->budget,
                          .verdict = &w->verdict};
  compare_warn(a, w);
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

/* The commands that repeat what ranks first. */
static void add_commands(const compare_arguments *const a, compare_work *const w) {
  verdict *const v = &w->verdict;
  const int first = grid_first(&w->grid);
  if (first < 0) {
    return;
  }
  const compare_commands c = {.in = &a->in,
                              .options = &a->given,
                              .profiles = w->profiles,
                              .lengths = &w->lengths,
                              .keep_layers = w->leaves_layers,
                              .outputs = &a->outputs};
  v->commands[v->n_commands++] = compare_calibrate_command(&c, &w->grid, first);
  v->commands[v->n_commands++] = compare_build_command(&c, &w->grid.items[first]);
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

/* The command that goes on with this one. */
static char *next_command(const compare_arguments *const a) {
  return cli_format("%s%s", a->command, a->resume ? "" : " --resume");
}

static tare_status take_kept(const compare_arguments *const a, compare_work *const w,
                             tare_error *const err) {
  cJSON *settings = NULL;
  int n = 0;
  const tare_status status = kept_settings(a, w, &settings, err);
  if (signals_interrupted()) {
    cJSON_Delete(settings);
    return cli_fail(err, TARE_E_CHECK, "interrupted before anything was calibrated");
  }
  CLI_TRY(status);
  CLI_TRY(kept_open(a->work, &a->in.common, settings, &w->kept, err));
  CLI_TRY(kept_take_results(&w->kept, &w->grid, &n, err));
  if (a->resume) {
    const int n_passes = kept_n_passes(&w->kept, &w->grid);
    say(&a->in.common, "%s has %d of %d results, and the statistics of %d of %d calibrations",
        a->work, n, w->grid.n, n_passes, w->grid.n_passes);
  }
  return TARE_OK;
}

/* What is there is shown; files are only written of a comparison that ended. */
static tare_status end_interrupted(const compare_arguments *const a, compare_work *const w,
                                   tare_error *const err) {
  const grid *const g = &w->grid;
  compare_arguments shown = *a;
  shown.outputs = shown.reports = (cli_list){0};
  signals_release_interrupt();
  if (g->n > 0) {
    CLI_TRY(grid_rank(&w->grid, a->metric.metric, err));
    CLI_TRY(grid_measure_lengths(&w->grid, err));
    CLI_TRY(verdict_make(&w->grid, a->metric.metric, &w->verdict, err));
    add_commands(a, w);
    CLI_TRY(report_grid(&shown, w, err));
  }
  char *const left = compare_budget_left(g), *const next = next_command(a);
  const tare_status status =
      cli_fail(err, TARE_E_CHECK, "interrupted: %d of %d rows are evaluated%s%s; %s%s", g->n,
               g->n + g->n_left, left ? ", without " : "", left ? left : "",
               a->work ? "go on with: " : "nothing is kept: --work FOLDER lets a comparison go on",
               a->work ? next : "");
  free(left);
  free(next);
  return status;
}

/* Lengths that one axis joins cannot change, so that of the default fits only those stay that keep
 * them. Fits that the user asks for fail with the reason. */
static void make_grid(const compare_arguments *const a, compare_work *const w) {
  grid_axes axes = {&a->fits, &a->paddings, &a->methods, &a->precisions, a->percentile};
  const char *const joint = a->own_fits ? NULL : profiles_joint(w->profiles);
  cli_list keeping = {0};
  if (joint) {
    grid_add_keeping_fits(&keeping);
    axes.fits = &keeping;
    say(&a->in.common, "fits that change lengths are left out: an axis joins several ('%s')",
        joint);
  }
  grid_make(&axes, &w->grid);
  cli_list_fini(&keeping);
}

/* The model, the data, the profiles that cover both data sets, and what is to be tried. */
static tare_status compare_prepare(const compare_arguments *const a, compare_work *const w,
                                   tare_error *const err) {
  CLI_TRY(opt_model_load(&a->in.model, &a->in.common, a->in.path, &w->model, err));
  const ports p = ports_of_model(w->model);
  CLI_TRY(open_data(a, w, &p, err));
  tare_dataset *const both[] = {w->calib, w->eval};
  CLI_TRY(profiles_choose_for(&a->in, w->model, p.inputs, p.n_inputs, NULL, both, 2, w->streaming,
                              &w->profiles, err));
  make_grid(a, w);
  compare_own_add(&a->also, &w->grid);
  CLI_TRY(length_inputs_choose(&a->in, compare_fits(a, w), p.inputs, p.n_inputs, both, 2,
                               w->streaming, &w->lengths, err));
  return a->reports.n > 0 ? details_take_lengths(&w->details, &a->in.common, &p, w->streaming,
                                                 w->calib, w->eval, w->profiles, err)
                          : TARE_OK;
}

static void say_measured(const compare_arguments *const a, const compare_work *const w) {
  char *const next = next_command(a);
  compare_budget_complain(&w->budget, &w->grid, a->work ? next : NULL);
  free(next);
  say_data(&a->in.common, w->calib);
  say_data(&a->in.common, w->eval);
  say_fitted(&a->in.common, "evaluation", &w->grid.fp32.fitted);
}

/* What follows from the results. */
static tare_status compare_conclude(const compare_arguments *const a, compare_work *const w,
                                    const compare_eval *const e, tare_error *const err) {
  CLI_TRY(grid_rank(&w->grid, a->metric.metric, err));
  CLI_TRY(verdict_make(&w->grid, a->metric.metric, &w->verdict, err));
  CLI_TRY(compare_raise(a, w, e, err));
  CLI_TRY(grid_measure_lengths(&w->grid, err));
  add_commands(a, w);
  CLI_TRY(compare_keep_first(a, e, &w->grid, err));
  CLI_TRY(find_worst(a, w, err));
  if (a->reports.n > 0 && grid_first(&w->grid) >= 0) {
    const ports p = ports_of_model(w->model);
    CLI_TRY(take_plan(a, w, e, &p, err));
  }
  CLI_TRY(report_grid(a, w, err));
  return compare_first_failure(&w->grid, err);
}

static tare_status compare_run(const compare_arguments *const a, compare_work *const w,
                               tare_error *const err) {
  w->budget =
      (compare_budget){.seconds = a->time_budget, .slices = a->work != NULL, .start = cli_now()};
  CLI_TRY(compare_check_outputs(a, err));
  CLI_TRY(a->work ? kept_prepare(a->work, a->resume, err) : TARE_OK);
  say_ignored_requests(&a->in.common, &a->build);
  CLI_TRY(compare_prepare(a, w, err));
  const int n_strategies = w->grid.n - a->also.n;
  const compare_eval e = setup(a, w);
  CLI_TRY(compare_own_check(&e, &w->grid, err));
  w->peaks_by_row = peak_restart();
  signals_hold_interrupt();
  CLI_TRY(a->work ? take_kept(a, w, err) : TARE_OK);
  say(&a->in.common, "calibrating %d strateg%s in %d pass%s over the calibration data",
      n_strategies, n_strategies == 1 ? "y" : "ies", w->grid.n_passes,
      w->grid.n_passes == 1 ? "" : "es");
  CLI_TRY(compare_measure(a, w, &e, err));
  if (signals_interrupted()) {
    return end_interrupted(a, w, err);
  }
  signals_release_interrupt();
  say_measured(a, w);
  return compare_conclude(a, w, &e, err);
}

int cmd_compare(const int argc, char **const argv) {
  compare_arguments a = {0};
  compare_work w = {0};
  tare_error err = {0};
  compare_arguments_take(&a, argc, argv);
  const tare_status status = compare_run(&a, &w, &err);
  const int failed = signals_interrupted() ? 0
                                           : requirements_complain(a.requirements, a.requires.n,
                                                                   &w.grid, a.metric.metric);
  verdict_fini(&w.verdict);
  worst_fini(&w.worst);
  grid_fini(&w.grid);
  kept_fini(&w.kept);
  details_fini(&w.details);
  tare_profiles_free(&w.profiles);
  length_inputs_fini(&w.lengths);
  tare_dataset_close(&w.calib);
  tare_dataset_close(&w.eval);
  tare_streaming_free(&w.streaming);
  tare_model_free(&w.model);
  const int code = opt_inputs_end(argv[0], &a.in, status, &err);
  compare_arguments_fini(&a);
  return code == 0 && failed > 0 ? UNFULFILLED : code;
}
