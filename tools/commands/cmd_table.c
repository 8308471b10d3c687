#include <stdio.h>
#include <stdlib.h>

#include "tools/commands/table_coverage.h"
#include "tools/commands/table_model.h"
#include "tools/json_out.h"
#include "tools/options/formats.h"
#include "tools/options/parse.h"
#include "tools/output.h"
#include "tools/parts/stats_parts.h"
#include "tools/say.h"
#include "tools/show/show.h"
#include "tools/table_out.h"

enum { OPT_FORMAT = OPT_COMMAND, OPT_COVERAGE, OPT_LAYERS, OPT_UNIFY };

enum { GAPS = 1 }; /* exit code: the table does not fit the model */

typedef struct table_arguments {
  opt_common common;
  opt_table table;
  const char *input, *output, *format_name;
  const char *model;             /* of --coverage; or NULL */
  const char *layers_of, *unify; /* models; or NULL */
  int format;                    /* of the output; -1 without one */
} table_arguments;

typedef struct table_work {
  tare_table *table;
  tare_coverage *coverage; /* NULL: not asked for */
  table_model model;
  table_out out;
} table_work;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "Write the table to FILE", 0},
    {"format", OPT_FORMAT, "FORMAT", 0, "Format; default: by the extension of FILE:", 0},
    {"coverage", OPT_COVERAGE, "MODEL", 0,
     "Compare the table with MODEL: which tensors have a threshold; -o is then optional. The exit "
     "code is 1 if there are missing or stale ones",
     0},
    {"model", OPT_LAYERS, "MODEL", 0,
     "Model whose layers an ncnn table names: needed to write one, and to find the tensors of one",
     0},
    {"unify", OPT_UNIFY, "MODEL", 0,
     "Give tensors of MODEL one scale where TensorRT's calibrators do: around Concat, pooling and "
     "moves",
     0},
    {0}};

static const char *table_format_name(const int format) {
  return tare_table_format_at(format)->name;
}

static int table_format_choose(const table_arguments *const a,
                               const struct argp_state *const state) {
  if (a->format_name) {
    return a->format;
  }
  const int format = tare_table_format_of(a->output);
  if (format < 0) {
    char *const known = format_extensions(format_is_any, "");
    argp_error(state, "cannot tell the format from the name '%s': use %s, or give --format",
               a->output, known);
    free(known);
  }
  return format;
}

/* Names the formats behind the text of --format. */
static char *table_help(const int key, const char *const text, void *const input) {
  (void)input;
  if (key != OPT_FORMAT) {
    return (char *)text; /* as it is */
  }
  char *all = cli_format("%s", text);
  for (int i = 0; i < tare_n_table_formats(); i++) {
    const tare_table_format *const f = tare_table_format_at(i);
    all = cli_append(all, "%s %s (%s, %s)", i ? "," : "", f->name, f->noun, f->extension);
  }
  return all;
}

static void table_check(table_arguments *const a, const struct argp_state *const state) {
  if (!a->input) {
    argp_error(state, "missing STATS or TABLE");
  }
  if (!a->output && !a->model) {
    argp_error(state, "missing -o FILE, e.g. -o model.calib.json");
  }
  if (!a->output && a->format_name) {
    argp_error(state, "--format needs -o FILE");
  }
  a->format = a->output ? table_format_choose(a, state) : -1;
  if (a->unify && (a->format < 0 || !tare_table_format_at(a->format)->engine)) {
    argp_error(state,
               "--unify needs a table for another engine as output, e.g. -o model.cache: "
               "tare's plans use the scale of each tensor");
  }
  opt_table_check(state, &a->table, a->format);
}

static error_t table_parse(const int key, char *const arg, struct argp_state *const state) {
  const cli_family formats = {"value of --format", tare_n_table_formats(), table_format_name, NULL};
  table_arguments *const a = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->table;
      state->child_inputs[1] = &a->common;
      return 0;
    case 'o':
      a->output = arg;
      return 0;
    case OPT_FORMAT:
      a->format_name = arg;
      a->format = cli_pick(state, &formats, arg);
      return 0;
    case OPT_COVERAGE:
      a->model = arg;
      return 0;
    case OPT_LAYERS:
      a->layers_of = arg;
      return 0;
    case OPT_UNIFY:
      a->unify = arg;
      return 0;
    case ARGP_KEY_ARG:
      opt_take_one(state, &a->input, arg, "one file");
      return 0;
    case ARGP_KEY_END:
      table_check(a, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {
    {&opt_table_argp, 0, "Table:", 1}, {&opt_common_argp, 0, "Common:", 2}, {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = table_parse,
    .args_doc = "STATS|TABLE",
    .doc =
        "Computes a calibration table from statistics, without another pass over the data. A table "
        "is converted between the native format and those of other engines. No plan is run, so "
        "layers that need more than 8 bits are not found: tare calibrate -o model.calib.json finds "
        "them.\vExamples:\n  tare "
        "table model.stats -o model.calib.json\n  tare table model.calib.json -o model.cache\n  "
        "tare table "
        "model.cache --coverage model.onnx\n  tare table model.stats -o model.cache --unify "
        "model.onnx\n  tare table model.calib.json -o ncnn.table --model model.onnx",
    .children = CHILDREN,
    .help_filter = table_help};

/* A table of a part of the data is one; it is only not that of the whole. Decisions about weights
 * that are still to be made would be missing from it. */
static tare_status check_complete(const table_arguments *const a, const tare_stats *const stats,
                                  tare_error *const err) {
  const tare_table_format *const format = a->output ? tare_table_format_at(a->format) : NULL;
  char *const why = stats_why_partial(stats);
  if (why) {
    say(&a->common, "warning: %s has only a part of the data: %s", a->input, why);
  }
  free(why);
  return format && !format->engine && tare_stats_is_undecided(stats)
             ? cli_fail(err, TARE_E_USAGE,
                        "%s does not say yet how weights are rounded: tare merge %s --model MODEL "
                        "-o FILE decides it",
                        a->input, a->input)
             : TARE_OK;
}

static tare_status from_stats(const table_arguments *const a, tare_table **const table,
                              tare_error *const err) {
  tare_stats *stats = NULL;
  CLI_TRY(tare_stats_load(a->input, &stats, err));
  const bool all_tensors = tare_stats_all_tensors(stats);
  tare_table_options o;
  tare_table_options_init(&o);
  o.method = a->table.method;
  o.percentile = a->table.percentile;
  o.per_profile = a->table.per_profile;
  tare_status status = check_complete(a, stats, err);
  if (status == TARE_OK) {
    status = tare_table_from_stats(stats, &o, table, err);
  }
  tare_stats_free(&stats);
  CLI_TRY(status);
  const char *const engine = a->output ? tare_table_format_at(a->format)->engine : NULL;
  if (engine && !all_tensors) {
    say(&a->common,
        "warning: %s has only the %d tensors that tare's int8 layers read; %s fuses differently "
        "and keeps layers around other tensors in float: calibrate with --all-tensors",
        a->output, tare_table_n_tensors(*table), engine);
  }
  return TARE_OK;
}

/* The file is read first: what cannot be read is not called a table. */
static tare_status from_table(const table_arguments *const a, tare_table **const table,
                              tare_error *const err) {
  CLI_TRY(show_want(a->input, &show_table, "statistics or a calibration table", err));
  CLI_TRY(tare_table_read(a->input, table, err));
  if (a->table.method || a->table.percentile > 0 || a->table.per_profile) {
    tare_table_free(table);
    return cli_fail(err, TARE_E_USAGE,
                    "%s is a calibration table, not statistics: %s needs statistics", a->input,
                    a->table.per_profile && !a->table.method ? "--per-profile" : "--method");
  }
  return TARE_OK;
}

static void table_show_json(const table_arguments *const a, const table_work *const w) {
  cJSON *const object = json_begin("table");
  json_text(object, "input", a->input);
  table_json(object, w->table);
  if (a->output) {
    table_written_json(object, &w->out, w->table);
    json_text(object, "format", tare_table_format_at(a->format)->name);
    json_text(object, "output", a->output);
  }
  table_model_json(object, &w->model);
  if (w->coverage) {
    table_coverage_json(object, w->coverage, a->model);
  }
  json_print(object);
}

static void table_show_text(const table_arguments *const a, const table_work *const w) {
  table_print(w->table);
  table_model_print(&w->model);
  if (a->output) {
    table_print_written(&w->out, w->table);
  }
  if (w->coverage) {
    table_coverage_print(w->coverage, a->model);
  }
}

static tare_status table_check_output(const table_arguments *const a, tare_error *const err) {
  const char *const inputs[] = {a->input, a->model, a->layers_of, a->unify};
  const cli_list list = {.items = (const char **)inputs, .n = sizeof inputs / sizeof *inputs};
  const tare_table_format *const format = tare_table_format_at(a->format);
  const output_kind kind = {format->noun, format->extension};
  return output_check_kind(&kind, &a->output, 1, &list, err);
}

static tare_status table_run(const table_arguments *const a, table_work *const w,
                             tare_error *const err) {
  w->out = (table_out){
      .common = &a->common, .options = &a->table, .format = a->format, .path = a->output};
  CLI_TRY(input_check(a->input, err));
  if (a->output) {
    CLI_TRY(table_check_output(a, err));
  }
  CLI_TRY(tare_stats_is_stats_file(a->input) ? from_stats(a, &w->table, err)
                                             : from_table(a, &w->table, err));
  w->model = (table_model){.common = &a->common,
                           .layers_of = a->layers_of,
                           .unify = a->unify,
                           .needs_tensors = a->model != NULL};
  CLI_TRY(table_model_apply(&w->model, a->input, tare_table_format_at(a->format), &w->table, err));
  w->out.model = w->model.model;
  if (a->model) {
    CLI_TRY(table_coverage_take(&a->common, a->model, a->input, w->table, &w->coverage, err));
  }
  if (a->output) {
    CLI_TRY(table_write(&w->out, w->table, err));
  }
  (a->common.json ? table_show_json : table_show_text)(a, w);
  return TARE_OK;
}

int cmd_table(const int argc, char **const argv) {
  table_arguments a = {0};
  table_work w = {0};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  const tare_status status = table_run(&a, &w, &err);
  const bool gaps = w.coverage && table_coverage_has_gaps(w.coverage);
  tare_coverage_free(&w.coverage);
  tare_model_free(&w.model.model);
  tare_table_free(&w.table);
  const int code = opt_end(argv[0], &a.common, status, &err);
  return code == 0 && gaps ? GAPS : code;
}
