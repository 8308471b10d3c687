#include <stdio.h>
#include <stdlib.h>

#include "tools/commands/export_show.h"
#include "tools/options/parse.h"
#include "tools/output.h"
#include "tools/table_in.h"
#include "tools/table_out.h"

enum { OPT_CALIB = OPT_COMMAND, OPT_PRECISIONS, OPT_COLUMN, OPT_FORCE };

typedef struct export_arguments {
  opt_common common;
  opt_export export;
  opt_model inputs;
  const char *model, *calib, *output;
} export_arguments;

typedef struct export_work {
  tare_model *model;
  tare_table *table;
  tare_export *out;
  bool external; /* constants are beside the model */
} export_work;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "Write the model to FILE", 0},
    {"calib", OPT_CALIB, "TABLE", 0, "Calibration table, of any format", 0},
    {"layer-precisions", OPT_PRECISIONS, "SPEC", 0,
     "Form by name, separated by commas: GLOB:fp32 (float), GLOB:int8 (one scale), "
     "GLOB:int8-rows (the form of row scales)",
     0},
    {"profile-index", OPT_COLUMN, "I", 0,
     "Use the thresholds of profile I, if the table has them for each profile (default: the "
     "largest "
     "of all)",
     0},
    {"force", OPT_FORCE, NULL, 0, "Accept a table that was made for another model", 0},
    {0}};

static void export_check(const export_arguments *const a, const struct argp_state *const state) {
  if (!a->model) {
    argp_error(state, "missing MODEL");
  }
  if (!a->calib) {
    argp_error(state, "missing --calib TABLE (tare calibrate MODEL DATA --all-tensors -o TABLE)");
  }
  if (!a->output) {
    argp_error(state, "missing -o FILE, e.g. -o model.int8.onnx");
  }
}

static error_t export_parse(const int key, char *const arg, struct argp_state *const state) {
  static char *precisions;
  export_arguments *const a = state->input;
  tare_export_options *const o = &a->export.options;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->export;
      state->child_inputs[1] = &a->inputs;
      state->child_inputs[2] = &a->common;
      return 0;
    case 'o':
      a->output = arg;
      return 0;
    case OPT_CALIB:
      a->calib = arg;
      return 0;
    case OPT_PRECISIONS:
      o->layer_precisions = opt_requests_add(&precisions, arg);
      return 0;
    case OPT_COLUMN:
      o->profile = (int)cli_int(state, "--profile-index", arg, 0, TARE_MAX_PROFILES - 1);
      return 0;
    case OPT_FORCE:
      o->any_table = true;
      return 0;
    case ARGP_KEY_ARG:
      opt_take_one(state, &a->model, arg, "one model");
      return 0;
    case ARGP_KEY_END:
      export_check(a, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {{&opt_export_argp, 0, "Quantized model:", 1},
                                             {&opt_model_argp, 0, "Model:", 2},
                                             {&opt_common_argp, 0, "Common:", 3},
                                             {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = export_parse,
    .args_doc = "MODEL",
    .doc =
        "Writes a quantized model for another engine: the float model with QuantizeLinear and "
        "DequantizeLinear where that engine fuses them. Names, metadata and dynamic axes "
        "stay.\vExamples:\n  tare calibrate model.onnx recordings --all-tensors -o "
        "model.calib.json\n  tare export model.onnx --calib model.calib.json -o model.int8.onnx",
    .children = CHILDREN};

static tare_status export_check_output(const export_arguments *const a, tare_error *const err) {
  cli_list inputs = {0};
  cli_list_add(&inputs, a->model);
  cli_list_add(&inputs, a->calib);
  const tare_status status = output_check_kind(&OUTPUT_ONNX, &a->output, 1, &inputs, err);
  cli_list_fini(&inputs);
  return status;
}

/* A table brings no data. */
static void export_print_hint(const export_arguments *const a) {
  char *const output = cli_quoted(a->output), *const model = cli_quoted(a->model);
  printf("accuracy   not measured: tare run %s DATA --against %s", output, model);
  for (int i = 0; i < a->inputs.n_sets; i++) {
    char *const set = cli_format("%s=%s", a->inputs.sets[i].input, a->inputs.sets[i].text);
    char *const quoted = cli_quoted(set);
    printf(" --set %s", quoted);
    free(quoted);
    free(set);
  }
  printf("\n");
  free(output);
  free(model);
}

static void export_show(const export_arguments *const a, const export_work *const w) {
  if (!a->common.json) {
    export_print_sets(&a->inputs);
    export_print(w->out, &a->export.options);
    export_print_written(a->output, w->external);
    export_print_hint(a);
    return;
  }
  cJSON *const object = json_begin("export");
  json_text(object, "model", a->model);
  json_text(object, "table", a->calib);
  export_json_sets(object, &a->inputs);
  export_json(object, w->out, &a->export.options);
  json_text(object, "output", a->output);
  json_bool(object, "external_data", w->external);
  warnings_json(object, w->table);
  json_print(object);
}

static tare_status export_run(const export_arguments *const a, export_work *const w,
                              tare_error *const err) {
  const tare_load_options load = opt_load(&a->common);
  tare_export_options o = a->export.options;
  CLI_TRY(export_check_output(a, err));
  CLI_TRY(opt_model_load(&a->inputs, &a->common, a->model, &w->model, err));
  CLI_TRY(table_load(&a->common, a->calib, a->model, w->model, o.any_table, &w->table, err));
  tare_model_free(&w->model);
  o.table = w->table;
  o.load = &load;
  tare_export_set *const sets = opt_model_sets(&a->inputs);
  o.sets = sets;
  o.n_sets = a->inputs.n_sets;
  const tare_status status = tare_export_new(a->model, &o, &w->out, err);
  free(sets);
  if (status != TARE_OK) {
    return status;
  }
  table_say_warnings(&a->common, a->calib, w->table);
  export_say(&a->common, w->out, a->output);
  CLI_TRY(tare_export_save(w->out, a->output, a->export.most, &w->external, err));
  export_show(a, w);
  return TARE_OK;
}

int cmd_export(const int argc, char **const argv) {
  export_arguments a = {0};
  export_work w = {0};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  const tare_status status = export_run(&a, &w, &err);
  tare_export_free(&w.out);
  tare_table_free(&w.table);
  tare_model_free(&w.model);
  opt_model_fini(&a.inputs);
  return opt_end(argv[0], &a.common, status, &err);
}
