#include "tools/compare/options/compare_arguments.h"

#include <stdlib.h>
#include <string.h>

#include "tools/compare/compare_budget.h"
#include "tools/compare/compare_grid.h"
#include "tools/compare/options/compare_methods.h"
#include "tools/compare/options/compare_precisions.h"
#include "tools/compare/provenance.h"
#include "tools/compare/report/report_file.h"
#include "tools/options/families.h"
#include "tools/options/formats.h"
#include "tools/options/parse.h"

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "Write what ranks first: ", 0},
    {"also", OPT_ALSO, "FILE[,FILE]", 0,
     "Rank plans, quantized ONNX models and tables beside the strategies; repeat for more", 0},
    {"eval", OPT_EVAL, "DATA", 0, "Data to evaluate on; repeat for more", 0},
    {"fits", OPT_FITS, "LIST", 0, "Fits to try, separated by commas: ", 0},
    {"methods", OPT_METHODS, "LIST", 0, "Methods to try, separated by commas: ", 0},
    {"pad-stats", OPT_PAD_STATS, "LIST", 0, "Padding in the statistics of fits that pad: ", 0},
    {"precisions", OPT_PRECISIONS, "LIST", 0, "Precisions of the plans to try: ", 0},
    {"raise-layers", OPT_RAISE_FIRST, "WHEN", 0,
     "Find by trial which layers of what ranks first need more than 8 bits, as tare calibrate "
     "does, "
     "and rank it with them raised: ",
     0},
    {"report", OPT_REPORT, "FILE", 0, "Write a report: ", 0},
    {"require", OPT_REQUIRE, "LIST", 0,
     "Exit with 1 unless what ranks first fulfills this, e.g. accuracy>=fp32-0.5%,sqnr>=30; "
     "figures are that of --metric, sqnr (dB) and top-1 (%)",
     0},
    {"resume", OPT_COMPARE_RESUME, NULL, 0, "Go on with what --work has", 0},
    {"time-budget", OPT_TIME_BUDGET, "TIME", 0,
     "Leave strategies out that TIME is too short for, e.g. 90s, 10m or 2h; one is always tried",
     0},
    {"work", OPT_WORK, "FOLDER", 0,
     "Keep the statistics of each fit and the result of each strategy in FOLDER as soon as they "
     "are "
     "there, so that --resume can go on after an interruption or a time budget",
     0},
    {"worst", OPT_WORST, "N", 0,
     "List the N samples in which what ranks first differs most from float", 0},
    {0}};

bool compare_is_plan(const char *const path) {
  return cli_ends_with(path, ".plan");
}

static void compare_take_output(compare_arguments *const a, const char *const arg,
                                const struct argp_state *const state) {
  const tare_table_format *const format = tare_table_format_at(tare_table_format_of(arg));
  if (!compare_is_plan(arg) && !(format && format_is_own(format))) {
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

/* One name of a list, or for "all" those of its family. */
static void compare_add_name(const struct argp_state *const state, const int key,
                             const char *const name, cli_list *const list) {
  const cli_family family = compare_list_family(key);
  const bool all = strcmp(name, "all") == 0;
  for (int i = 0; all && i < family.n; i++) {
    cli_list_add(list, family.name(i));
  }
  if (all) {
    return;
  }
  if (key == OPT_METHODS) {
    (void)compare_method_of(state, name);
  } else {
    (void)cli_pick(state, &family, name);
  }
  cli_list_add(list, name);
}

static void compare_take_list(const struct argp_state *const state, const int key,
                              cli_list *const list, char *const arg) {
  cli_list names = {0};
  list->n = 0;
  cli_list_split(&names, arg);
  for (int i = 0; i < names.n; i++) {
    compare_add_name(state, key, names.items[i], list);
  }
  cli_list_fini(&names);
}

static void compare_defaults(compare_arguments *const a) {
  const cli_family methods = family_methods(), paddings = family_paddings();
  grid_add_default_fits(&a->fits);
  cli_list_add(&a->paddings, paddings.name(0));
  cli_list_add(&a->precisions, compare_precisions().name(0));
  for (int i = 0; i < methods.n; i++) {
    cli_list_add(&a->methods, methods.name(i));
  }
}

static void parse_requirements(compare_arguments *const a, const struct argp_state *const state) {
  a->requirements = cli_realloc(NULL, (size_t)a->requires.n + 1, sizeof *a->requirements);
  for (int i = 0; i < a->requires.n; i++) {
    a->requirements[i] = requirement_parse(state, a->requires.items[i], a->metric.metric);
  }
}

static bool compare_asks_precision(const compare_arguments *const a) {
  return a->precisions.n > 1 || !cli_list_has(&a->precisions, compare_precisions().name(0));
}

static bool compare_pads(const cli_list *const fits) {
  bool pads = false;
  for (int i = 0; i < fits->n; i++) {
    tare_fit fit;
    pads |= tare_fit_parse(fits->items[i], &fit, NULL) == TARE_OK && tare_fit_pads(fit);
  }
  return pads;
}

static void compare_check(const compare_arguments *const a, const struct argp_state *const state) {
  opt_metric_check(state, &a->metric, &a->in.data);
  if (a->eval.n == 0) {
    argp_error(state, "missing --eval DATA, on which the strategies are measured");
  }
  if (a->methods.n == 0 || a->fits.n == 0 || a->paddings.n == 0 || a->precisions.n == 0) {
    argp_error(state, "a list of --methods, --fits, --pad-stats or --precisions is empty");
  }
  if (cli_list_has(&a->paddings, family_paddings().name(1)) && !compare_pads(&a->fits)) {
    argp_error(state,
               "--pad-stats %s has no effect: none of --fits pads samples, as pad and opt do",
               family_paddings().name(1));
  }
  if (a->resume && !a->work) {
    argp_error(state, "--resume needs --work FOLDER");
  }
  if (compare_asks_precision(a) && a->build.constraints == TARE_CONSTRAINTS_NONE) {
    argp_error(state, "--precisions has no effect with --precision-constraints none");
  }
  if (a->percentile > 0 && !compare_methods_take_percentile(state, &a->methods)) {
    char *const methods = family_percentile_methods(" or ");
    argp_error(state, "--percentile needs %s in --methods without a percentile behind it", methods);
    free(methods);
  }
}

/* What strategies are made of: a list of names each. */
static error_t compare_parse_axis(compare_arguments *const a, const int key, char *const arg,
                                  const struct argp_state *const state) {
  switch (key) {
    case OPT_PRECISIONS:
      compare_take_list(state, key, &a->precisions, arg);
      return 0;
    case OPT_FITS:
      a->own_fits = true;
      compare_take_list(state, key, &a->fits, arg);
      return 0;
    case OPT_METHODS:
      compare_take_list(state, key, &a->methods, arg);
      return 0;
    case OPT_PAD_STATS:
      compare_take_list(state, key, &a->paddings, arg);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static error_t compare_parse_option(compare_arguments *const a, const int key, char *const arg,
                                    const struct argp_state *const state) {
  const cli_family raisings = family_raisings();
  switch (key) {
    case 'o':
      compare_take_output(a, arg, state);
      return 0;
    case OPT_RAISE_FIRST:
      a->keep_layers = cli_pick(state, &raisings, arg) == 1;
      return 0;
    case OPT_REPORT:
      compare_take_report(a, arg, state);
      return 0;
    case OPT_ALSO:
      cli_list_split(&a->also, arg);
      return 0;
    case OPT_EVAL:
      cli_list_add(&a->eval, arg);
      return 0;
    case OPT_TIME_BUDGET:
      a->time_budget = compare_budget_parse(state, arg);
      return 0;
    case OPT_WORK:
      a->work = arg;
      return 0;
    case OPT_COMPARE_RESUME:
      a->resume = true;
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
    default:
      return compare_parse_axis(a, key, arg, state);
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
      state->child_inputs[5] = &a->in.agreement;
      compare_defaults(a);
      return 0;
    case ARGP_KEY_END:
      compare_check(a, state);
      a->in.data.several = true; /* of calibration and evaluation */
      parse_requirements(a, state);
      return 0;
    default:
      return compare_parse_option(a, key, arg, state);
  }
}

static const struct argp_child CHILDREN[] = {{&opt_inputs_argp, 0, NULL, 0},
                                             {&opt_metric_argp, 0, "Metric:", 4},
                                             {&opt_build_argp, 0, "Precision:", 5},
                                             {&opt_percentile_argp, 0, NULL, 0},
                                             {&opt_weight_methods_argp, 0, NULL, 0},
                                             {&opt_agreement_argp, 0, NULL, 0},
                                             {0}};

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

void compare_arguments_take(compare_arguments *const a, const int argc, char **const argv) {
  recorded_take(&ARGP, argc, argv, &a->given);
  a->command = provenance_command(argc, argv);
  opt_parse(&ARGP, argc, argv, a);
}

void compare_arguments_fini(compare_arguments *const a) {
  cli_list *const lists[] = {&a->eval,    &a->fits,     &a->methods, &a->paddings,  &a->outputs,
                             &a->reports, &a->requires, &a->also,    &a->precisions};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    cli_list_fini(lists[i]);
  }
  recorded_fini(&a->given);
  free(a->requirements);
  free(a->command);
}
