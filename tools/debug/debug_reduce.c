#include <stdlib.h>
#include <string.h>

#include "tools/debug/debug.h"
#include "tools/debug/reduce_files.h"
#include "tools/debug/reduce_goal.h"
#include "tools/debug/scratch.h"
#include "tools/options/parse.h"
#include "tools/say.h"

enum { OPT_REDUCE_CALIB = OPT_COMMAND, OPT_REDUCE_SQNR, OPT_REDUCE_FORCE };
enum { REDUCE_SAMPLES = 8 };

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "PART.onnx", 0,
     "Write the part to PART.onnx, its data to PART.h5 and its table to PART.calib.json", 0},
    {"calib", OPT_REDUCE_CALIB, "TABLE", 0, "Calibration table, of any format", 0},
    {"force", OPT_REDUCE_FORCE, NULL, 0, "Accept a table that was made for another model", 0},
    {"min-sqnr", OPT_REDUCE_SQNR, "[TENSOR:]DB", 0,
     "An output (or TENSOR) with less SQNR has failed (default 20)", 0},
    {0}};

static void take_sqnr(reduce_arguments *const a, char *const arg,
                      const struct argp_state *const state) {
  char *const colon = strrchr(arg, ':');
  if (colon == arg) {
    argp_error(state, "--min-sqnr %s: expected DB or TENSOR:DB", arg);
  }
  a->min_sqnr = cli_real(state, "--min-sqnr", colon ? colon + 1 : arg, -1000, 1000);
  free(a->tensor);
  a->tensor = colon ? cli_format("%.*s", (int)(colon - arg), arg) : NULL;
}

static error_t reduce_parse(const int key, char *const arg, struct argp_state *const state) {
  reduce_arguments *const a = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->in;
      state->child_inputs[1] = &a->build;
      return 0;
    case 'o':
      a->output = arg;
      return 0;
    case OPT_REDUCE_CALIB:
      a->calib = arg;
      return 0;
    case OPT_REDUCE_FORCE:
      a->build.any_table = true;
      return 0;
    case OPT_REDUCE_SQNR:
      take_sqnr(a, arg, state);
      return 0;
    case ARGP_KEY_END:
      if (!a->output) {
        argp_error(state, "missing -o PART.onnx");
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {
    {&opt_inputs_argp, 0, NULL, 0}, {&opt_build_table_argp, 0, "Precision:", 5}, {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = reduce_parse,
    .args_doc = "MODEL [DATA...] -o PART.onnx",
    .doc =
        "Finds a small part of a model that fails as the whole does, and writes it with the data "
        "and the table that it needs. A model fails if tare refuses to load, build or run it, if "
        "an "
        "output of its plan has values that are not a number, or if the SQNR of an output against "
        "the float model is too low. Without --limit, the first 8 samples count. A model that "
        "cannot be loaded needs no DATA.\vExample:\n  tare debug reduce model.onnx eval/ --calib "
        "model.calib.json -o part.onnx",
    .children = CHILDREN};

static tare_status reduce_run(const reduce_arguments *const a, reduce_work *const w,
                              tare_error *const err) {
  reduce_files_name(a, &w->files);
  CLI_TRY(reduce_files_check(a, &w->files, err));
  CLI_TRY(scratch_make(err));
  w->r.all =
      (trials){.in = &a->in, .build = &a->build, .min_sqnr = a->min_sqnr, .whole = &w->whole};
  CLI_TRY(reduce_goal_find(a, w, err));
  CLI_TRY(reduce_part(&w->r, err));
  if (w->r.stopped) {
    say(&a->in.common,
        "warning: stopped after %d trials: a smaller part may fail too (try again with the part)",
        w->r.all.n);
  }
  return reduce_files_write(a, w, err);
}

static void reduce_report(const reduce_arguments *const a, const reduce_work *const w) {
  const reduce_results results = {
      .r = &w->r, .files = &w->files, .requests = &w->requests, .last = &w->last};
  if (!a->in.common.json) {
    reduce_print(&results);
    return;
  }
  cJSON *const object = json_begin("debug reduce");
  reduce_json(object, &results);
  json_print(object);
}

static void work_fini(reduce_work *const w) {
  trial_requests_fini(&w->requests);
  trial_fini(&w->last);
  reduction_fini(&w->r);
  tare_profiles_free(&w->profiles);
  length_inputs_fini(&w->lengths);
  tare_dataset_close(&w->dataset);
  tare_streaming_free(&w->streaming);
  tare_table_free(&w->table);
  whole_model_fini(&w->whole);
  reduce_files_fini(&w->files);
}

int debug_reduce(const int argc, char **const argv) {
  reduce_arguments a = {.in.no_data = true, .in.data.limit = REDUCE_SAMPLES, .min_sqnr = 20};
  reduce_work w = {0};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  const tare_status status = reduce_run(&a, &w, &err);
  if (status == TARE_OK) {
    reduce_report(&a, &w);
  }
  work_fini(&w);
  scratch_remove();
  free(a.tensor);
  return opt_inputs_end(argv[0], &a.in, status, &err);
}
