#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/debug/debug.h"
#include "tools/debug/reduce.h"
#include "tools/debug/reduce_show.h"
#include "tools/debug/scratch.h"
#include "tools/debug/trial_files.h"
#include "tools/options/length_inputs.h"
#include "tools/options/lengths.h"
#include "tools/options/parse.h"
#include "tools/output.h"
#include "tools/progress.h"
#include "tools/say.h"
#include "tools/source.h"
#include "tools/table_in.h"

enum { OPT_REDUCE_CALIB = OPT_COMMAND, OPT_REDUCE_SQNR, OPT_REDUCE_FORCE };
enum { REDUCE_SAMPLES = 8 };

typedef struct reduce_arguments {
  opt_inputs in;
  tare_build_options build;
  const char *calib, *output;
  char *tensor; /* NULL: the outputs; owned */
  double min_sqnr;
} reduce_arguments;

typedef struct reduce_work {
  whole_model whole;
  tare_table *table;
  tare_dataset *dataset;
  tare_streaming *streaming; /* NULL: samples are runs */
  tare_profiles *profiles;
  length_inputs lengths;
  reduction r;
  tare_build_options requests; /* of the part */
  trial last;                  /* of the part */
  reduced_files files;
} reduce_work;

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

/* --- files ------------------------------------------------------------------------------------ */

static void name_outputs(const reduce_arguments *const a, reduced_files *const files) {
  const size_t n = strlen(a->output);
  const size_t end = cli_ends_with(a->output, ".onnx") ? n - strlen(".onnx") : n;
  files->model = cli_format("%s", a->output);
  files->data = cli_format("%.*s.h5", (int)end, a->output);
  files->table = cli_format("%.*s.calib.json", (int)end, a->output);
}

static tare_status check_files(const reduce_arguments *const a, const reduced_files *const files,
                               tare_error *const err) {
  const char *const all[] = {files->model, files->data, files->table};
  cli_list inputs = {0};
  cli_list_add(&inputs, a->calib);
  opt_inputs_files(&a->in, &inputs);
  tare_status status = output_check_name(a->output, "an ONNX model", ".onnx", err);
  for (int i = 0; status == TARE_OK && i < 3; i++) {
    status = output_check(all[i], &inputs, err);
  }
  cli_list_fini(&inputs);
  return status;
}

static void forget_file(char **const file) {
  free(*file);
  *file = NULL;
}

static void forget_files(reduced_files *const files) {
  forget_file(&files->model);
  forget_file(&files->data);
  forget_file(&files->table);
}

/* The data of the part alone: its inputs, and its outputs in float. */
static tare_status write_data(reduce_work *const w, tare_error *const err) {
  tare_eval_options plain;
  tare_eval_options_init(&plain);
  if (!w->last.reference || w->r.goal.kind == FAILS_RUN) {
    forget_file(&w->files.data); /* nothing runs */
    return TARE_OK;
  }
  return trial_record(&w->r.all, w->last.reference, w->last.data, &plain, w->files.data, err);
}

static tare_status write_table(reduce_work *const w, const tare_model *const written,
                               tare_error *const err) {
  tare_table *table = NULL;
  if (!w->table) {
    forget_file(&w->files.table);
    return TARE_OK;
  }
  CLI_TRY(tare_table_restrict(w->table, written, &table, err));
  const tare_status status = tare_table_write_json(table, w->files.table, err);
  tare_table_free(&table);
  return status;
}

/* What it needed may have become unreadable meanwhile. */
static tare_status check_again(const reduce_work *const w, tare_error *const err) {
  const failure *const found = &w->last.found;
  if (failure_is_like(&w->r.goal, found)) {
    return TARE_OK;
  }
  return *found->error.message
             ? cli_fail(err, found->error.status, "%s", found->error.message)
             : cli_fail(err, TARE_E_INPUT,
                        "the part failed like the model, but not when it was tried once more: the "
                        "model or its data changed meanwhile (try again)");
}

/* The part once more: the files of the last trial are those of another. */
static tare_status write_files(reduce_work *const w, tare_error *const err) {
  trials *const all = &w->r.all;
  tare_model *written = NULL;
  CLI_TRY(trial_of_part(all, &w->r.part, &w->last, err));
  CLI_TRY(check_again(w, err));
  CLI_TRY(trial_requests(all, &w->r.part, &w->requests, err));
  CLI_TRY(trial_write_model(all, &w->r.part, w->last.model, w->files.model, err));
  if (!w->last.model) {
    forget_file(&w->files.data);
    forget_file(&w->files.table);
    return TARE_OK;
  }
  CLI_TRY(write_data(w, err));
  CLI_TRY(trial_load(all, w->files.model, &written, err));
  const tare_status status = write_table(w, written, err);
  tare_model_free(&written);
  return status;
}

/* One of them alone is of no use: where one cannot be written, those that are new go. */
static tare_status write_reduced(const reduce_arguments *const a, reduce_work *const w,
                                 tare_error *const err) {
  reduced_files names;
  name_outputs(a, &names);
  const char *const all[] = {names.model, names.data, names.table};
  cli_list missing = {0};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (access(all[i], F_OK) != 0) {
      cli_list_add(&missing, all[i]);
    }
  }
  const tare_status status = write_files(w, err);
  for (int i = 0; status != TARE_OK && i < missing.n; i++) {
    (void)unlink(missing.items[i]); /* it may not have come so far */
  }
  cli_list_fini(&missing);
  forget_files(&names);
  return status;
}

/* --- the whole model -------------------------------------------------------------------------- */

static tare_status check_columns(const reduce_work *const w, tare_error *const err) {
  return !w->table || tare_table_n_profiles(w->table) == 1
             ? TARE_OK
             : cli_fail(err, TARE_E_USAGE,
                        "the table has thresholds for each of %d profiles, which a part of the "
                        "model has not: use a merged table",
                        tare_table_n_profiles(w->table));
}

static tare_status open_fitted_data(const reduce_arguments *const a, reduce_work *const w,
                                    tare_error *const err) {
  const ports p = ports_of_model(w->whole.types);
  if (a->in.paths.n == 0) {
    return cli_fail(err, TARE_E_USAGE,
                    "missing DATA: the model can be loaded, so that data must show how it fails");
  }
  CLI_TRY(source_open(&a->in, &p, &w->streaming, &w->dataset, err));
  CLI_TRY(profiles_choose(&a->in.profiles, &a->in.common, p.inputs, p.n_inputs, NULL, &w->dataset,
                          1, w->streaming, &w->profiles, err));
  return length_inputs_choose(&a->in, opt_fit_changes(&a->in.fit), p.inputs, p.n_inputs,
                              &w->dataset, 1, w->streaming, &w->lengths, err);
}

/* Every part, and the whole, runs over the inputs as the options fit them, which are recorded. */
static tare_status record_inputs(const reduce_arguments *const a, reduce_work *const w,
                                 tare_error *const err) {
  const opt_metric none = {.metric = -1};
  const tare_eval_options eval = source_eval_options(&a->in, &none, &w->lengths, w->streaming);
  tare_build_options o = opt_build_options(NULL, &a->in.common, NULL);
  tare_error refused = {0};
  tare_plan *plan = NULL;
  o.fp32 = true;
  if (tare_plan_build(w->whole.types, w->profiles, &o, &plan, &refused) != TARE_OK &&
      w->streaming) {
    *err = refused;
    return refused.status;
  }
  tare_status status = trial_record_inputs(&w->r.all, plan, w->profiles, w->dataset, &eval, err);
  if (plan && status != TARE_OK && !w->streaming) { /* it may be what fails */
    status = trial_record_inputs(&w->r.all, NULL, w->profiles, w->dataset, &eval, err);
  }
  tare_plan_free(&plan);
  say_data(&a->in.common, w->dataset);
  return status;
}

static tare_status tensor_missing(const reduce_arguments *const a, const reduce_work *const w,
                                  tare_error *const err) {
  cli_list names = {0};
  for (int i = 0; i < w->whole.n_nodes; i++) {
    const tare_extract_node node = tare_extract_node_at(w->whole.extract, i);
    for (int o = 0; o < node.n_outputs; o++) {
      cli_list_add(&names, node.outputs[o]);
    }
  }
  char *const meant = cli_meant(a->tensor, &names);
  const tare_status status =
      cli_fail(err, TARE_E_USAGE, "--min-sqnr: no node of the model writes a float tensor '%s'%s",
               a->tensor, meant);
  free(meant);
  cli_list_fini(&names);
  return status;
}

/* Nodes that no output needs are refused too. */
static void add_dead_ends(model_part *const part) {
  const whole_model *const whole = part->whole;
  bool *const read = whole_model_mark_reads(whole, NULL, 0);
  for (int i = 0; i < whole->n_nodes; i++) {
    const tare_extract_node node = tare_extract_node_at(whole->extract, i);
    if (!part->needed[i] && node.n_outputs && *node.outputs[0] && !read[whole->first_output[i]]) {
      cli_list_add(&part->outputs, node.outputs[0]);
    }
  }
  free(read);
}

static tare_status choose_outputs(const reduce_arguments *const a, reduce_work *const w,
                                  tare_error *const err) {
  model_part *const part = &w->r.part;
  part_init(part, &w->whole);
  if (a->tensor && !whole_model_may_cut(&w->whole, a->tensor)) {
    return tensor_missing(a, w, err);
  }
  for (int i = 0; !a->tensor && i < tare_extract_n_outputs(w->whole.extract); i++) {
    const char *const name = tare_extract_output(w->whole.extract, i);
    if (tare_extract_maker(w->whole.extract, name) >= 0) {
      cli_list_add(&part->outputs, name);
    }
  }
  if (a->tensor) {
    cli_list_add(&part->outputs, a->tensor);
  }
  part_settle(part);
  if (w->r.goal.kind == FAILS_LOAD) {
    add_dead_ends(part);
    part_settle(part);
  }
  return TARE_OK;
}

static tare_status say_sound(const reduce_arguments *const a, const reduce_work *const w,
                             const failure *const found, tare_error *const err) {
  if (found->kind == FAILS_BEFORE) {
    *err = found->error;
    return err->status;
  }
  return cli_fail(err, TARE_E_USAGE,
                  "%s does not fail over these samples: the SQNR of '%s' is %.2f dB, expected less "
                  "than %g%s (raise --min-sqnr, name a tensor in it, or give other data)",
                  a->in.path, found->tensor ? found->tensor : "", found->sqnr_db, a->min_sqnr,
                  w->table || tare_model_get_info(w->whole.types).n_stated
                      ? ""
                      : "; without --calib the plan is float");
}

/* How the whole fails as a part of itself, in the profiles that were asked for. */
static tare_status find_goal(const reduce_arguments *const a, reduce_work *const w,
                             tare_error *const err) {
  trial t = {.found.kind = FAILS_NOT};
  w->r.all.profiles = w->profiles;
  const tare_status status = trial_of_part(&w->r.all, &w->r.part, &t, err);
  w->r.found = t.found;
  t.found = (failure){.kind = FAILS_NOT};
  trial_fini(&t);
  CLI_TRY(status);
  const failure_kind kind = w->r.found.kind;
  if (w->r.goal.kind == FAILS_LOAD) {
    return failure_is_like(&w->r.goal, &w->r.found)
               ? TARE_OK
               : cli_fail(err, w->r.goal.error.status, "%s (no part of the graph is to blame)",
                          w->r.goal.error.message);
  }
  failure_copy(&w->r.goal, &w->r.found);
  if (kind != FAILS_BUILD) { /* the lengths of a part follow from its data */
    w->r.all.profiles = NULL;
  }
  return kind == FAILS_NOT || kind == FAILS_BEFORE ? say_sound(a, w, &w->r.found, err) : TARE_OK;
}

static tare_status load_whole(const reduce_arguments *const a, reduce_work *const w,
                              tare_error *const err) {
  const tare_load_options load = opt_load(&a->in.common);
  tare_error why = {0};
  CLI_TRY(whole_model_init(&w->whole, a->in.path, &load, err));
  if (opt_model_load(&a->in.model, &a->in.common, a->in.path, &w->whole.types, &why) == TARE_OK) {
    return TARE_OK;
  }
  tare_model_free(&w->whole.types);
  if (why.status != TARE_E_MODEL && why.status != TARE_E_UNSUPPORTED) {
    *err = why;
    return why.status;
  }
  w->r.goal = (failure){.kind = FAILS_LOAD, .error = why};
  return TARE_OK;
}

/* --- the command ------------------------------------------------------------------------------ */

static tare_status reduce_prepare(const reduce_arguments *const a, reduce_work *const w,
                                  tare_error *const err) {
  CLI_TRY(load_whole(a, w, err));
  if (w->whole.types) {
    if (a->calib) {
      CLI_TRY(table_load(&a->in.common, a->calib, a->in.path, w->whole.types, a->build.any_table,
                         &w->table, err));
    }
    CLI_TRY(check_columns(w, err));
    CLI_TRY(open_fitted_data(a, w, err));
    w->r.all.table = w->table;
    CLI_TRY(record_inputs(a, w, err));
  }
  CLI_TRY(choose_outputs(a, w, err));
  return find_goal(a, w, err);
}

static tare_status reduce_run(const reduce_arguments *const a, reduce_work *const w,
                              tare_error *const err) {
  name_outputs(a, &w->files);
  CLI_TRY(check_files(a, &w->files, err));
  CLI_TRY(scratch_make(err));
  w->r.all =
      (trials){.in = &a->in, .build = &a->build, .min_sqnr = a->min_sqnr, .whole = &w->whole};
  CLI_TRY(reduce_prepare(a, w, err));
  CLI_TRY(reduce_part(&w->r, err));
  if (w->r.stopped) {
    say(&a->in.common,
        "warning: stopped after %d trials: a smaller part may fail too (try again with the part)",
        w->r.all.n);
  }
  return write_reduced(a, w, err);
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
  forget_files(&w->files);
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
