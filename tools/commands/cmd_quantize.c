#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/calibration.h"
#include "tools/commands/export_show.h"
#include "tools/quantize/quantize_choose.h"
#include "tools/quantize/quantize_files.h"
#include "tools/quantize/quantize_judge.h"
#include "tools/quantize/quantize_raise.h"
#include "tools/options/families.h"
#include "tools/options/formats.h"
#include "tools/options/length_inputs.h"
#include "tools/options/choose_profiles.h"
#include "tools/options/lengths.h"
#include "tools/options/parse.h"
#include "tools/output.h"
#include "tools/progress.h"
#include "tools/say.h"
#include "tools/score.h"
#include "tools/source.h"
#include "tools/table_out.h"

enum {
  OPT_METHOD = OPT_COMMAND,
  OPT_EVAL,
  OPT_TABLE,
  OPT_PRECISIONS,
  OPT_PER_PROFILE_FILES,
  OPT_RAISE_WRITTEN
};

typedef struct quantize_arguments {
  opt_inputs in; /* data of the calibration */
  opt_export export;
  opt_metric metric;
  const char *output, *table, *method; /* method NULL: the best one */
  bool per_profile, keep_layers;       /* keep_layers: raise none */
  opt_weight_methods weight_methods;
  double percentile, search_limit; /* 0: the defaults */
  cli_list eval;
} quantize_arguments;

typedef struct quantize_work {
  tare_model *model;
  tare_dataset *data, *eval;
  tare_streaming *streaming; /* NULL: samples are runs */
  tare_profiles *profiles;
  length_inputs lengths;
  tare_stats *stats;
  quantize_choice choice;
  quantize_files files;
} quantize_work;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "Write the quantized model to FILE", 0},
    {"method", OPT_METHOD, "METHOD", 0,
     "Calibration method (default: the one whose model has the highest SQNR on DATA): ", 0},
    {"layer-precisions", OPT_PRECISIONS, "SPEC", 0,
     "Form by name, separated by commas: GLOB:fp32 (float), GLOB:int8 (one scale), "
     "GLOB:int8-rows (the form of row scales)",
     0},
    {"per-profile", OPT_PER_PROFILE_FILES, NULL, 0,
     "Write a model for each profile, with its own scales: FILE with the number of the profile "
     "before .onnx",
     0},
    {"raise-layers", OPT_RAISE_WRITTEN, "WHEN", 0,
     "Find by trial which layers need more than 8 bits, and write them in float or in the form of "
     "row scales: ",
     0},
    {"table", OPT_TABLE, "TABLE", 0, "Also write the calibration table", 0},
    {"eval", OPT_EVAL, "DATA", 0,
     "Run the written model over DATA and measure its accuracy; repeat for more", 0},
    {0}};

/* --- arguments ------------------------------------------------------------------------------- */

static void quantize_check(const quantize_arguments *const a,
                           const struct argp_state *const state) {
  if (!a->output) {
    argp_error(state, "missing -o FILE, e.g. -o model.int8.onnx");
  }
  format_check_name(state, a->table);
  opt_weight_methods_check(state, &a->weight_methods, a->table, ".json");
  opt_metric_check_eval(state, &a->metric, &a->in.data, a->eval.n);
}

static char *quantize_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family methods = family_methods(), raisings = family_written_raisings();
  return key == OPT_METHOD          ? family_help(text, &methods)
         : key == OPT_RAISE_WRITTEN ? family_help(text, &raisings)
                                    : (char *)text;
}

static error_t quantize_parse(const int key, char *const arg, struct argp_state *const state) {
  static char *precisions;
  quantize_arguments *const a = state->input;
  const cli_family methods = family_methods(), raisings = family_written_raisings();
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->in;
      state->child_inputs[1] = &a->percentile;
      state->child_inputs[2] = &a->export;
      state->child_inputs[3] = &a->metric;
      state->child_inputs[4] = &a->weight_methods;
      state->child_inputs[5] = &a->search_limit;
      state->child_inputs[6] = &a->in.agreement;
      return 0;
    case 'o':
      a->output = arg;
      return 0;
    case OPT_METHOD:
      a->method = methods.name(cli_pick(state, &methods, arg));
      return 0;
    case OPT_PRECISIONS:
      a->export.options.layer_precisions = opt_requests_add(&precisions, arg);
      return 0;
    case OPT_PER_PROFILE_FILES:
      a->per_profile = true;
      return 0;
    case OPT_RAISE_WRITTEN:
      a->keep_layers = cli_pick(state, &raisings, arg) == 1;
      return 0;
    case OPT_TABLE:
      a->table = arg;
      return 0;
    case OPT_EVAL:
      cli_list_add(&a->eval, arg);
      return 0;
    case ARGP_KEY_END:
      quantize_check(a, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {{&opt_inputs_argp, 0, NULL, 0},
                                             {&opt_percentile_argp, 0, NULL, 0},
                                             {&opt_export_argp, 0, "Quantized model:", 4},
                                             {&opt_metric_argp, 0, "Metric, with --eval:", 5},
                                             {&opt_weight_methods_argp, 0, NULL, 0},
                                             {&opt_search_limit_argp, 0, NULL, 0},
                                             {&opt_agreement_argp, 0, NULL, 0},
                                             {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = quantize_parse,
    .args_doc = "MODEL DATA...",
    .doc =
        "Calibrates a model with data, chooses the calibration method and writes a quantized model "
        "(Q/DQ) for another engine, in one command.\vExamples:\n  tare quantize model.onnx "
        "recordings/ -o model.int8.onnx\n  tare quantize model.onnx calib.h5 --target tensorrt "
        "--eval eval.h5 \\\n      --labels labels --metric accuracy -o model.trt.onnx",
    .children = CHILDREN,
    .help_filter = quantize_help};

/* --- work ------------------------------------------------------------------------------------ */

static void list_inputs(const quantize_arguments *const a, cli_list *const inputs) {
  opt_inputs_files(&a->in, inputs);
  cli_list_join(inputs, &a->eval);
}

static tare_status quantize_check_outputs(const quantize_arguments *const a,
                                          tare_error *const err) {
  const char *const outputs[] = {a->output, a->table};
  cli_list inputs = {0};
  list_inputs(a, &inputs);
  const tare_status status = output_check_kind(&OUTPUT_ONNX, outputs, 2, &inputs, err);
  cli_list_fini(&inputs);
  return status;
}

static tare_status open_quantize_data(const quantize_arguments *const a, quantize_work *const w,
                                      tare_error *const err) {
  const ports p = ports_of_model(w->model);
  opt_inputs calib = a->in, eval = a->in;
  calib.data.labels = NULL;
  eval.paths = a->eval;
  CLI_TRY(source_open(&calib, &p, &w->streaming, &w->data, err));
  CLI_TRY(a->eval.n ? source_open(&eval, &p, &w->streaming, &w->eval, err) : TARE_OK);
  tare_dataset *sets[] = {w->data, w->eval};
  const int n = a->eval.n ? 2 : 1;
  CLI_TRY(profiles_choose_for(&a->in, w->model, p.inputs, p.n_inputs, NULL, sets, n, w->streaming,
                              &w->profiles, err));
  return length_inputs_choose(&a->in, opt_fit_changes(&a->in.fit), p.inputs, p.n_inputs, sets, n,
                              w->streaming, &w->lengths, err);
}

static tare_status quantize_collect(const quantize_arguments *const a, quantize_work *const w,
                                    tare_error *const err) {
  const calibration c = {.in = &a->in,
                         .model = w->model,
                         .data = w->data,
                         .profiles = w->profiles,
                         .lengths = &w->lengths,
                         .streaming = w->streaming,
                         .for_export = true,
                         .weight_methods = &a->weight_methods};
  return calibration_run(&c, &w->stats, err);
}

static quantize_writing writing_of(const quantize_arguments *const a,
                                   const quantize_work *const w) {
  return (quantize_writing){.model = a->in.path,
                            .common = &a->in.common,
                            .export = &a->export,
                            .model_options = &a->in.model,
                            .table = w->choice.table,
                            .profiles = w->profiles};
}

static tare_status quantize_try(const quantize_arguments *const a, quantize_work *const w,
                                tare_error *const err) {
  const opt_metric none = {.metric = -1};
  const opt_common *const common = &a->in.common;
  const quantize_writing writing = writing_of(a, w);
  const quantize_trial trial = {
      .model = w->model,
      .profiles = w->profiles,
      .stats = w->stats,
      .data = w->data,
      .common = common,
      .method = a->method,
      .per_profile = a->per_profile,
      .reference = w->eval || !a->keep_layers || !common->quiet || common->json,
      .writing = &writing,
      .percentile = a->percentile,
      .eval = source_eval_options(&a->in, &none, &w->lengths, w->streaming)};
  return quantize_choose(&trial, &w->choice, err);
}

static tare_status name_files(const quantize_arguments *const a, quantize_work *const w,
                              tare_error *const err) {
  cli_list inputs = {0};
  list_inputs(a, &inputs);
  const tare_status status = quantize_files_name(
      a->output, a->per_profile, tare_profiles_count(w->profiles), &inputs, &w->files, err);
  cli_list_fini(&inputs);
  return status;
}

static tare_status quantize_write(const quantize_arguments *const a, quantize_work *const w,
                                  tare_error *const err) {
  const quantize_writing how = writing_of(a, w);
  CLI_TRY(quantize_files_write(&how, &w->files, err));
  return a->table ? table_write_named(a->table, &a->in.common, w->model, w->choice.table, err)
                  : TARE_OK;
}

static quantize_judged judged_of(const quantize_arguments *const a, const quantize_work *const w) {
  return (quantize_judged){.in = &a->in,
                           .model = w->model,
                           .fp32 = w->choice.fp32,
                           .lengths = &w->lengths,
                           .streaming = w->streaming,
                           .processor_seconds = a->search_limit,
                           .evaluated = w->eval != NULL};
}

static tare_status raise_written(const quantize_arguments *const a, quantize_work *const w,
                                 tare_error *const err) {
  const quantize_writing how = writing_of(a, w);
  const quantize_judged what = judged_of(a, w);
  return a->keep_layers ? TARE_OK : quantize_raise(&what, &how, w->choice.table, &w->files, err);
}

static void judge_written(const quantize_arguments *const a, quantize_work *const w) {
  const quantize_writing how = writing_of(a, w);
  const quantize_judged what = judged_of(a, w);
  quantize_judge(&what, &how, &w->files);
}

/* Runs what is in the files, beside the float model. */
static tare_status quantize_evaluate(const quantize_arguments *const a, quantize_work *const w,
                                     tare_error *const err) {
  const quantize_writing how = writing_of(a, w);
  progress p = progress_start("evaluate", &a->in.common);
  tare_eval_options o = source_eval_options(&a->in, &a->metric, &w->lengths, w->streaming);
  o.against = w->choice.fp32;
  o.progress = progress_tick;
  o.progress_user = &p;
  tare_eval_result *const results = cli_realloc(NULL, (size_t)w->files.n, sizeof *results);
  memset(results, 0, (size_t)w->files.n * sizeof *results);
  w->files.results = results;
  const tare_status status = quantize_files_run(&how, w->eval, &o, &w->files, results, err);
  progress_end(&p);
  CLI_TRY(status);
  say_data(&a->in.common, w->eval);
  say_fitted(&a->in.common, "evaluation", &w->files.results[0].fitted);
  quantize_judge_evaluation(&a->in.common, &w->files);
  return TARE_OK;
}

/* --- output ---------------------------------------------------------------------------------- */

/* "entropy 35.1 with 12 % of the products in integers" */
static void print_other(const quantize_choice *const choice, const int i) {
  const quantize_method *const m = &choice->tried[i];
  printf("%s %.1f", tare_method_name(m->method), m->sqnr_db);
  if (quantize_leaves_more(choice, i)) {
    printf(" with %.0f %% of the products in integers", 100 * m->integer_share);
  }
}

/* "mse, 33.2 dB on the calibration data (minmax 31.0, ...)" */
static void print_choice(const quantize_choice *const choice, const char *const when) {
  const quantize_method *const best = &choice->tried[choice->best];
  const bool judged = choice->n_tried > 1 && !isnan(best->sqnr_db);
  printf("method     %s", tare_method_name(best->method));
  if (judged) {
    printf(": SQNR %.1f dB on the calibration data%s (", best->sqnr_db, when);
  }
  const char *between = "";
  for (int i = 0; i < choice->n_tried && judged; i++) {
    if (i != choice->best) {
      printf("%s", between);
      print_other(choice, i);
      between = ", ";
    }
  }
  printf("%s\n", judged ? ")" : "");
}

static void print_files(const quantize_arguments *const a, const quantize_work *const w) {
  for (int i = 0; i < w->files.n; i++) {
    const quantize_file *const file = &w->files.items[i];
    if (file->profile >= 0) {
      char *const text = profile_text(w->profiles, file->profile);
      printf("profile %-2d %s\n", file->profile, text);
      free(text);
    }
    export_print_sets(&a->in.model);
    export_print(file->out, &a->export.options);
    accuracy_print(&file->checked);
    export_print_written(file->path, file->external);
  }
}

static void print_evaluation(const quantize_arguments *const a, const quantize_work *const w) {
  if (!a->per_profile) {
    printf("evaluation of %s, compared with float\n", a->output);
    score_print(&w->files.results[0], w->profiles, a->metric.metric, true, NULL);
    return;
  }
  const tare_eval_score *scores[TARE_MAX_PROFILES];
  for (int i = 0; i < w->files.n; i++) {
    scores[i] = quantize_score(&w->files.results[i], w->files.items[i].profile);
  }
  printf("evaluation of each model on the samples of its profile, compared with float\n");
  score_print_profiles(scores, w->profiles, a->metric.metric);
}

static void quantize_print_text(const quantize_arguments *const a, const quantize_work *const w) {
  const bool raised = tare_table_n_raised(w->choice.table) > 0;
  print_choice(&w->choice, raised ? " before layers are raised" : "");
  print_files(a, w);
  if (a->table) {
    printf("table      %s\n", a->table);
  }
  if (w->eval) {
    print_evaluation(a, w);
  }
}

static void file_json(cJSON *const object, const quantize_arguments *const a,
                      const quantize_work *const w, const int i) {
  const quantize_file *const file = &w->files.items[i];
  export_json(object, file->out, &a->export.options);
  json_text(object, "output", file->path);
  json_bool(object, "external_data", file->external);
  accuracy_json(object, &file->checked);
  if (w->eval) {
    cJSON *const score = json_add(object, "evaluation", json_object());
    score_json(score, quantize_score(&w->files.results[i], w->files.items[i].profile),
               a->metric.metric, true);
    score_worst_json(score, &w->files.results[i],
                     quantize_score(&w->files.results[i], w->files.items[i].profile));
    levels_json(score, &w->files.results[i], a->metric.metric, true);
  }
}

static void files_json(cJSON *const object, const quantize_arguments *const a,
                       const quantize_work *const w) {
  cJSON *const models = json_add(object, "models", json_array());
  for (int i = 0; i < w->files.n; i++) {
    cJSON *const model = json_add(models, NULL, json_object());
    char *const text = profile_text(w->profiles, i);
    json_text(model, "profile", text);
    free(text);
    file_json(model, a, w, i);
  }
}

static void quantize_print_json(const quantize_arguments *const a, const quantize_work *const w) {
  cJSON *const object = json_begin("quantize");
  json_text(object, "model", a->in.path);
  export_json_sets(object, &a->in.model);
  json_text(object, "method", tare_method_name(w->choice.tried[w->choice.best].method));
  cJSON *const list = json_add(object, "methods", json_array());
  for (int i = 0; i < w->choice.n_tried; i++) {
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "method", tare_method_name(w->choice.tried[i].method));
    json_real(item, "sqnr_db", w->choice.tried[i].sqnr_db);
    json_real(item, "integer_share", w->choice.tried[i].integer_share);
  }
  if (a->per_profile) {
    files_json(object, a, w);
  } else {
    file_json(object, a, w, 0);
  }
  json_print(object);
}

/* --- the command ----------------------------------------------------------------------------- */

static tare_status quantize_all(const quantize_arguments *const a, quantize_work *const w,
                                tare_error *const err) {
  CLI_TRY(quantize_check_outputs(a, err));
  CLI_TRY(opt_model_load(&a->in.model, &a->in.common, a->in.path, &w->model, err));
  CLI_TRY(tare_calibrate_check(w->model, err));
  CLI_TRY(open_quantize_data(a, w, err));
  CLI_TRY(name_files(a, w, err));
  CLI_TRY(quantize_collect(a, w, err));
  CLI_TRY(quantize_try(a, w, err));
  CLI_TRY(raise_written(a, w, err));
  CLI_TRY(quantize_write(a, w, err));
  judge_written(a, w);
  CLI_TRY(w->eval ? quantize_evaluate(a, w, err) : TARE_OK);
  (a->in.common.json ? quantize_print_json : quantize_print_text)(a, w);
  return TARE_OK;
}

int cmd_quantize(const int argc, char **const argv) {
  quantize_arguments a = {0};
  quantize_work w = {0};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  const bool had_table = a.table && output_is_there(a.table);
  const tare_status status = quantize_all(&a, &w, &err);
  if (status != TARE_OK) {
    quantize_files_remove(&w.files);
  }
  if (status != TARE_OK && w.files.n && a.table && !had_table) {
    (void)unlink(a.table); /* it may not have come so far */
  }
  quantize_files_fini(&w.files);
  quantize_choice_fini(&w.choice);
  tare_stats_free(&w.stats);
  tare_profiles_free(&w.profiles);
  length_inputs_fini(&w.lengths);
  tare_dataset_close(&w.data);
  tare_dataset_close(&w.eval);
  tare_streaming_free(&w.streaming);
  tare_model_free(&w.model);
  cli_list_fini(&a.eval);
  return opt_inputs_end(argv[0], &a.in, status, &err);
}
