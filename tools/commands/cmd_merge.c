#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/calibration.h"
#include "tools/json_out.h"
#include "tools/options/options.h"
#include "tools/options/parse.h"
#include "tools/output.h"
#include "tools/parts/stats_parts.h"
#include "tools/report.h"
#include "tools/say.h"
#include "tools/show/show.h"

enum { OPT_PARTIAL = OPT_COMMAND, OPT_COUNT_EQUAL, OPT_MODEL_FILE };

typedef struct merge_arguments {
  opt_common common;
  opt_model sets;
  cli_list paths;
  const char *output, *model;
  bool partial, count_equal;
} merge_arguments;

/* What became of a file. */
typedef struct merge_input {
  int64_t counted;
  tare_merged merged;
} merge_input;

typedef struct merge_work {
  tare_stats *stats;
  merge_input *inputs; /* as many as there are paths */
  tare_model *model;
} merge_work;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "Write statistics to FILE (.stats or .h5)", 0},
    {"model", OPT_MODEL_FILE, "MODEL", 0,
     "Also decide how weights are rounded, as calibration of all data does; needed if inputs are "
     "shards of a calibration that does so",
     0},
    {"partial", OPT_PARTIAL, NULL, 0, "Accept that shards are missing, and checkpoints", 0},
    {"count-equal", OPT_COUNT_EQUAL, NULL, 0,
     "Samples with equal contents in several files are different samples (in shards of the same "
     "data they always are)",
     0},
    {0}};

static void merge_check(const merge_arguments *const a, const struct argp_state *const state) {
  if (!a->paths.n) {
    argp_error(state, "missing argument: expected %s", "STATS...");
  }
  if (!a->output) {
    argp_error(state, "missing -o FILE");
  }
  if (!a->model && a->sets.n_sets) {
    argp_error(state, "--set needs --model");
  }
}

static error_t merge_parse(const int key, char *const arg, struct argp_state *const state) {
  merge_arguments *const a = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->sets;
      state->child_inputs[1] = &a->common;
      return 0;
    case 'o':
      a->output = arg;
      return 0;
    case OPT_MODEL_FILE:
      a->model = arg;
      return 0;
    case OPT_PARTIAL:
      a->partial = true;
      return 0;
    case OPT_COUNT_EQUAL:
      a->count_equal = true;
      return 0;
    case ARGP_KEY_ARG:
      cli_list_add(&a->paths, arg);
      return 0;
    case ARGP_KEY_END:
      merge_check(a, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {
    {&opt_model_argp, 0, "Model:", 1}, {&opt_common_argp, 0, "Common:", 2}, {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = merge_parse,
    .args_doc = "STATS...",
    .doc =
        "Adds up the statistics of parts of data, exactly: the result has the bytes that one "
        "calibration of all data writes, for any order and number of parts. Each sample counts "
        "once.\vExamples:\n  tare calibrate model.onnx recordings/ --shard 0/2 -o 0.stats\n  tare "
        "calibrate model.onnx recordings/ --shard 1/2 -o 1.stats\n  tare merge 0.stats 1.stats "
        "--model model.onnx -o model.stats",
    .children = CHILDREN};

static tare_status merge_load(const merge_arguments *const a, const int i, merge_work *const w,
                              tare_stats **const out, tare_error *const err) {
  CLI_TRY(input_check(a->paths.items[i], err));
  CLI_TRY(show_want(a->paths.items[i], &show_stats, "statistics", err));
  CLI_TRY(tare_stats_load(a->paths.items[i], out, err));
  w->inputs[i].counted = tare_stats_n_counted(*out);
  return !tare_stats_is_partial(*out) || a->partial
             ? TARE_OK
             : cli_fail(err, TARE_E_INPUT,
                        "%s is a checkpoint of a calibration that did not end: continue it with "
                        "--resume, or accept it with --partial",
                        a->paths.items[i]);
}

static tare_status merge_add(const merge_arguments *const a, const int i, merge_work *const w,
                             tare_error *const err) {
  tare_stats *more = NULL;
  tare_status status = merge_load(a, i, w, &more, err);
  if (status == TARE_OK) {
    status = tare_stats_merge(w->stats, more, a->count_equal, &w->inputs[i].merged, err);
    status = status == TARE_OK ? TARE_OK : cli_fail_in(err, status, a->paths.items[i]);
  }
  if (status == TARE_OK && w->inputs[i].merged == TARE_MERGED_CONTAINED) {
    say(&a->common, "%s adds nothing: its samples were counted already", a->paths.items[i]);
  }
  tare_stats_free(&more);
  return status;
}

static tare_status merge_check_shards(const merge_arguments *const a, const merge_work *const w,
                                      tare_error *const err) {
  if (!tare_stats_n_shards(w->stats) || a->partial) {
    return TARE_OK;
  }
  char *const why = stats_why_partial(w->stats);
  (void)cli_fail(err, TARE_E_INPUT, "%s: calibrate with --shard, or accept it with --partial", why);
  free(why);
  return TARE_E_INPUT;
}

static tare_status merge_decide(const merge_arguments *const a, merge_work *const w,
                                tare_error *const err) {
  if (!a->model) {
    if (tare_stats_is_undecided(w->stats)) {
      say(&a->common,
          "the weights are not decided yet: tare merge %s --model MODEL -o FILE does it",
          a->output);
    }
    return TARE_OK;
  }
  CLI_TRY(opt_model_load(&a->sets, &a->common, a->model, &w->model, err));
  tare_calibrate_options o;
  calibration_progress p;
  tare_stats *decided = NULL;
  tare_calibrate_options_init(&o);
  o.threads = a->common.threads;
  o.isa = a->common.isa;
  calibration_progress_start(&p, &a->common, &o);
  const tare_status status = tare_stats_decide(w->model, w->stats, &o, &decided, err);
  calibration_progress_end(&p);
  if (status == TARE_OK) {
    tare_stats_free(&w->stats);
    w->stats = decided;
  }
  return status;
}

static tare_status merge_run(const merge_arguments *const a, merge_work *const w,
                             tare_error *const err) {
  cli_list inputs = {0};
  cli_list_join(&inputs, &a->paths);
  if (a->model) {
    cli_list_add(&inputs, a->model);
  }
  const tare_status status = output_check(a->output, &inputs, err);
  cli_list_fini(&inputs);
  CLI_TRY(status);
  w->inputs = cli_realloc(NULL, (size_t)a->paths.n, sizeof *w->inputs);
  CLI_TRY(merge_load(a, 0, w, &w->stats, err));
  w->inputs[0].merged = TARE_MERGED_ADDED;
  for (int i = 1; i < a->paths.n; i++) {
    CLI_TRY(merge_add(a, i, w, err));
  }
  CLI_TRY(merge_check_shards(a, w, err));
  CLI_TRY(merge_decide(a, w, err));
  return tare_stats_save(w->stats, a->output, err);
}

static void merge_print_text(const merge_arguments *const a, const merge_work *const w) {
  report *const r = report_new("statistics~,samples>,result<");
  for (int i = 0; i < a->paths.n; i++) {
    report_cell(r, "%s", a->paths.items[i]);
    report_cell(r, "%" PRId64, w->inputs[i].counted);
    report_cell(r, "%s", w->inputs[i].merged == TARE_MERGED_ADDED ? "added" : "counted already");
  }
  report_print(r, stdout);
  char *const why = stats_why_partial(w->stats);
  printf("samples    %" PRId64 "%s%s\n", tare_stats_n_counted(w->stats), why ? ", " : "",
         why ? why : "");
  printf("weights    %s\n", tare_stats_is_undecided(w->stats) ? "not decided yet" : "decided");
  printf("written    %s\n", a->output);
  free(why);
}

static void merge_print_json(const merge_arguments *const a, const merge_work *const w) {
  cJSON *const object = json_begin("merge");
  cJSON *const inputs = json_add(object, "inputs", json_array());
  for (int i = 0; i < a->paths.n; i++) {
    cJSON *const input = json_add(inputs, NULL, json_object());
    json_text(input, "file", a->paths.items[i]);
    json_int(input, "counted", w->inputs[i].counted);
    json_bool(input, "added", w->inputs[i].merged == TARE_MERGED_ADDED);
  }
  stats_parts_json(object, w->stats);
  json_text(object, "output", a->output);
  json_print(object);
}

int cmd_merge(const int argc, char **const argv) {
  merge_arguments a = {0};
  merge_work w = {0};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  const tare_status status = merge_run(&a, &w, &err);
  if (status == TARE_OK) {
    (a.common.json ? merge_print_json : merge_print_text)(&a, &w);
  }
  tare_stats_free(&w.stats);
  tare_model_free(&w.model);
  free(w.inputs);
  opt_model_fini(&a.sets);
  cli_list_fini(&a.paths);
  return opt_end(argv[0], &a.common, status, &err);
}
