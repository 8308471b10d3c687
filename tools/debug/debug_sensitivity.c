#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/debug/debug.h"
#include "tools/debug/sensitivity.h"
#include "tools/json_out.h"
#include "tools/options/length_inputs.h"
#include "tools/options/choose_profiles.h"
#include "tools/options/lengths.h"
#include "tools/options/parse.h"
#include "tools/report.h"
#include "tools/say.h"
#include "tools/score.h"
#include "tools/source.h"
#include "tools/table_in.h"

enum {
  OPT_SENSITIVITY_CALIB = OPT_COMMAND,
  OPT_ALL_BUT_ONE,
  OPT_TARGET,
  OPT_KEEP,
  OPT_SENSITIVITY_FORCE
};
enum { MOST_SAMPLES = 8 };

typedef struct sensitivity_arguments {
  opt_inputs in;
  tare_build_options build;
  const char *calib, *keep;
  bool all_but_one;
  double target_db;
} sensitivity_arguments;

typedef struct sensitivity_work {
  tare_model *model, *judged; /* whose outputs are compared; NULL: those of the model */
  tare_table *table;
  tare_dataset *dataset;
  tare_streaming *streaming; /* NULL: samples are runs */
  tare_profiles *profiles;
  length_inputs lengths;
  sensitivity found;
} sensitivity_work;

static const struct argp_option OPTIONS[] = {
    {"calib", OPT_SENSITIVITY_CALIB, "TABLE", 0, "Calibration table, of any format", 0},
    {"force", OPT_SENSITIVITY_FORCE, NULL, 0, "Accept a table that was made for another model", 0},
    {"all-but-one", OPT_ALL_BUT_ONE, NULL, 0,
     "Quantize all layers but one at a time, instead of one", 0},
    {"target", OPT_TARGET, "DB", 0, "SQNR to reach by keeping layers (default 20)", 0},
    {"keep", OPT_KEEP, "PRECISION", 0, "Precision of kept layers: fp32 (default) or bf16", 0},
    {0}};

static const char *kept_precision(const int i) {
  static const tare_precision precisions[] = {TARE_PRECISION_FP32, TARE_PRECISION_BF16};
  return tare_precision_name(precisions[i]);
}

static error_t sensitivity_parse(const int key, char *const arg, struct argp_state *const state) {
  const cli_family keeps = {.kind = "precision", .n = 2, .name = kept_precision};
  sensitivity_arguments *const a = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->in;
      state->child_inputs[1] = &a->build;
      return 0;
    case OPT_SENSITIVITY_CALIB:
      a->calib = arg;
      return 0;
    case OPT_SENSITIVITY_FORCE:
      a->build.any_table = true;
      return 0;
    case OPT_ALL_BUT_ONE:
      a->all_but_one = true;
      return 0;
    case OPT_TARGET:
      a->target_db = cli_real(state, "--target", arg, -1000, 1000);
      return 0;
    case OPT_KEEP:
      a->keep = kept_precision(cli_pick(state, &keeps, arg));
      return 0;
    case ARGP_KEY_END:
      if (!a->calib) {
        argp_error(state, "missing --calib TABLE");
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
    .parser = sensitivity_parse,
    .args_doc = "MODEL DATA... --calib TABLE",
    .doc =
        "Quantizes one layer at a time, the others in float, and ranks the layers by the SQNR of "
        "the outputs against the float model. Keeps the first ones in float, one more at a time, "
        "until the target is met, and prints the requests for that. Without --limit, the first 8 "
        "samples count.\vExample:\n  tare debug "
        "sensitivity model.onnx eval/ --calib model.calib.json \\\n      --layer-precisions "
        "'*:int8'",
    .children = CHILDREN};

static tare_status sensitivity_run(const sensitivity_arguments *const a, sensitivity_work *const w,
                                   tare_error *const err) {
  const opt_metric none = {.metric = -1};
  CLI_TRY(opt_model_load(&a->in.model, &a->in.common, a->in.path, &w->model, err));
  CLI_TRY(table_load(&a->in.common, a->calib, a->in.path, w->model, a->build.any_table, &w->table,
                     err));
  CLI_TRY(tare_model_judged(w->model, &w->judged, err));
  const ports p = ports_of_model(w->model);
  CLI_TRY(source_open(&a->in, &p, &w->streaming, &w->dataset, err));
  CLI_TRY(profiles_choose_for(&a->in, w->model, p.inputs, p.n_inputs, NULL, &w->dataset, 1,
                              w->streaming, &w->profiles, err));
  CLI_TRY(length_inputs_choose(&a->in, opt_fit_changes(&a->in.fit), p.inputs, p.n_inputs,
                               &w->dataset, 1, w->streaming, &w->lengths, err));
  w->found = (sensitivity){.common = &a->in.common,
                           .model = w->judged ? w->judged : w->model,
                           .table = w->table,
                           .profiles = w->profiles,
                           .build = &a->build,
                           .data = w->dataset,
                           .eval = source_eval_options(&a->in, &none, &w->lengths, w->streaming),
                           .all_but_one = a->all_but_one,
                           .keep = a->keep,
                           .target_db = a->target_db};
  CLI_TRY(sensitivity_measure(&w->found, err));
  say_data(&a->in.common, w->dataset);
  return TARE_OK;
}

static void report_interval(report *const r, const tare_interval *const interval) {
  if (isfinite(interval->low) && isfinite(interval->high)) {
    report_cell(r, "%.2f to %.2f", interval->low, interval->high);
  } else {
    report_cell(r, "-");
  }
}

/* Layers that share their rank with another. */
static int count_ties(const sensitivity *const s) {
  int n = 0;
  for (int i = 0; i < s->n; i++) {
    n += (i > 0 && s->layers[i].rank == s->layers[i - 1].rank) ||
         (i + 1 < s->n && s->layers[i].rank == s->layers[i + 1].rank);
  }
  return n;
}

/* The first result has the levels of all. */
static report *begin_sensitivity(const sensitivity *const s) {
  const tare_eval_result levels = {.n_levels = s->n_levels,
                                   .levels = s->n ? s->layers[0].levels : NULL};
  char *columns = level_columns(cli_format("%s", "rank>,SQNR dB>,95 %>"), &levels);
  columns = cli_append(columns, ",kept<,precision<,layer~");
  report *const r = report_new(columns);
  free(columns);
  return r;
}

static void sensitivity_print(const sensitivity *const s) {
  if (s->n == 0) {
    printf("layers     0 would be quantized: there are none to rank\nsamples    %" PRId64 "\n",
           s->samples);
    return;
  }
  report *const r = begin_sensitivity(s);
  for (int i = 0; i < s->n; i++) {
    report_cell(r, "%d", s->layers[i].rank);
    report_sqnr(r, s->layers[i].sqnr_db);
    report_interval(r, &s->layers[i].interval_db);
    for (int l = 0; l < s->n_levels; l++) {
      report_sqnr(r, s->layers[i].levels[l].score.sqnr_db);
    }
    report_cell(r, "%s", i < s->n_kept ? s->keep : "");
    report_cell(r, "%s", s->layers[i].precision);
    report_cell(r, "%s", s->layers[i].name);
  }
  report_print(r, stdout);
  printf("\nsamples    %" PRId64 "\n", s->samples);
  if (count_ties(s)) {
    printf("ranks      %d layers share theirs: they differ by no more than the choice of samples\n",
           count_ties(s));
  }
  printf("SQNR       %.2f dB with all %d layers quantized%s\n", s->quantized_db, s->n,
         s->n_levels ? ", at the level where it is lowest" : "");
  if (s->n_kept) {
    printf("           %.2f dB with the first %d in %s\n", s->kept_db, s->n_kept, s->keep);
    char *const quoted = cli_quoted(s->line);
    printf("requests   --layer-precisions %s\n", quoted);
    free(quoted);
  }
}

static void sensitivity_levels_json(cJSON *const item, const sensitivity *const s,
                                    const sensitive_layer *const layer) {
  cJSON *const list = s->n_levels ? json_add(item, "levels", json_array()) : NULL;
  for (int l = 0; l < s->n_levels; l++) {
    cJSON *const level = json_add(list, NULL, json_object());
    json_real(level, "gain_db", layer->levels[l].gain_db);
    json_real(level, "sqnr_db", layer->levels[l].score.sqnr_db);
  }
}

static void sensitivity_json(const sensitivity *const s) {
  cJSON *const object = json_begin("debug sensitivity");
  json_int(object, "samples", s->samples);
  json_bool(object, "all_but_one", s->all_but_one);
  json_real(object, "quantized_sqnr_db", s->quantized_db);
  json_real(object, "kept_sqnr_db", s->kept_db);
  json_int(object, "kept", s->n_kept);
  json_text(object, "keep", s->keep);
  json_text(object, "layer_precisions", s->line);
  cJSON *const list = json_add(object, "layers", json_array());
  for (int i = 0; i < s->n; i++) {
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "name", s->layers[i].name);
    json_text(item, "precision", s->layers[i].precision);
    json_int(item, "rank", s->layers[i].rank);
    json_real(item, "sqnr_db", s->layers[i].sqnr_db);
    json_real(item, "sqnr_low_db", s->layers[i].interval_db.low);
    json_real(item, "sqnr_high_db", s->layers[i].interval_db.high);
    json_bool(item, "kept", i < s->n_kept);
    sensitivity_levels_json(item, s, &s->layers[i]);
  }
  json_print(object);
}

int debug_sensitivity(const int argc, char **const argv) {
  sensitivity_arguments a = {.keep = tare_precision_name(TARE_PRECISION_FP32), .target_db = 20};
  sensitivity_work w = {0};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  a.in.data.limit = a.in.data.limit ? a.in.data.limit : MOST_SAMPLES;
  const tare_status status = sensitivity_run(&a, &w, &err);
  if (status == TARE_OK) {
    if (w.found.n == 0) {
      say(&a.in.common,
          "warning: no layer of the model would be quantized (tare inspect PLAN "
          "--layers says why)");
    }
    (a.in.common.json ? sensitivity_json : sensitivity_print)(&w.found);
  }
  sensitivity_fini(&w.found);
  tare_profiles_free(&w.profiles);
  length_inputs_fini(&w.lengths);
  tare_dataset_close(&w.dataset);
  tare_streaming_free(&w.streaming);
  tare_table_free(&w.table);
  tare_model_free(&w.model);
  tare_model_free(&w.judged);
  return opt_inputs_end(argv[0], &a.in, status, &err);
}
