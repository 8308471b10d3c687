#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/json_out.h"
#include "tools/options/parse.h"
#include "tools/output.h"
#include "tools/report.h"
#include "tools/say.h"
#include "tools/show/show.h"
#include "tools/table_out.h"

enum { OPT_TABLE = OPT_COMMAND, OPT_BESIDE };

typedef struct import_arguments {
  opt_common common;
  opt_table format; /* as nobody gave its options */
  const char *model, *output, *table;
  int64_t most; /* bytes of the model */
} import_arguments;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "Write the float model to FILE", 0},
    {"table", OPT_TABLE, "TABLE", 0,
     "Write the thresholds to TABLE, in the format of its name, e.g. .json or .cache", 0},
    {"external-data", OPT_BESIDE, NULL, 0,
     "Write constants to FILE.data (default: only if the model would exceed 2 GiB)", 0},
    {0}};

static void import_check(const import_arguments *const a, const struct argp_state *const state) {
  if (!a->model) {
    argp_error(state, "missing MODEL");
  }
  if (!a->output) {
    argp_error(state, "missing -o FILE, e.g. -o model.onnx");
  }
  if (!a->table) {
    argp_error(state, "missing --table TABLE, e.g. --table model.calib.json");
  }
  if (tare_table_format_of(a->table) < 0) {
    argp_error(state, "--table %s: expected a name of a table, e.g. model.calib.json", a->table);
  }
}

static error_t import_parse(const int key, char *const arg, struct argp_state *const state) {
  import_arguments *const a = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->common;
      return 0;
    case 'o':
      a->output = arg;
      return 0;
    case OPT_TABLE:
      a->table = arg;
      return 0;
    case OPT_BESIDE:
      a->most = 1;
      return 0;
    case ARGP_KEY_ARG:
      opt_take_one(state, &a->model, arg, "one model");
      return 0;
    case ARGP_KEY_END:
      import_check(a, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {{&opt_common_argp, 0, "Common:", 1}, {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = import_parse,
    .args_doc = "MODEL",
    .doc =
        "Makes a float model and a calibration table of a quantized model: pairs of QuantizeLinear "
        "and DequantizeLinear become thresholds, stored weights become floats.\vExample:\n  tare "
        "import-qdq model.int8.onnx -o model.onnx --table model.calib.json",
    .children = CHILDREN};

static tare_status import_check_outputs(const import_arguments *const a, tare_error *const err) {
  const char *const outputs[] = {a->output, a->table};
  cli_list inputs = {0};
  cli_list_add(&inputs, a->model);
  const tare_status status = output_check_kind(&OUTPUT_ONNX, outputs, 2, &inputs, err);
  cli_list_fini(&inputs);
  const tare_table_format *const format = tare_table_format_at(tare_table_format_of(a->table));
  return status == TARE_OK && format && format->names_layers
             ? cli_fail(err, TARE_E_USAGE,
                        "%s: %s needs the float model: write a native table, and convert it with "
                        "'tare table --model %s'",
                        a->table, format->noun, a->output)
             : status;
}

static void import_say(const import_arguments *const a, const tare_import *const in) {
  const tare_import_counts counts = tare_import_count(in);
  if (counts.kept > 0) {
    say(&a->common, "warning: %s: %d nodes stay quantized", a->output, counts.kept);
  }
  if (counts.scales > 0) {
    say(&a->common,
        "warning: %s: the scales of %d weight channels are not max|w| / 127, so that another "
        "export "
        "changes them",
        a->output, counts.scales);
  }
  if (tare_table_n_tensors(tare_import_table(in)) == 0 && counts.dynamic == 0) {
    say(&a->common, "warning: %s has no thresholds: no activation of %s is quantized", a->table,
        a->model);
  }
}

static void print_kept(const tare_import *const in) {
  report *const r = report_new("node~,op<,why it stays<");
  for (int i = 0; i < tare_import_count(in).kept; i++) {
    const tare_kept_node node = tare_import_kept(in, i);
    report_cell(r, "%s", node.name);
    report_cell(r, "%s", node.op);
    report_cell(r, "%s", node.reason);
  }
  report_print(r, stdout);
}

static void import_print(const import_arguments *const a, const table_out *const out,
                         const tare_import *const in, const bool external) {
  const tare_import_counts counts = tare_import_count(in);
  const char *const precisions = tare_import_precisions(in);
  printf("undone     %d pairs of activations, %d constants\n", counts.activations,
         counts.constants);
  if (counts.relus > 0) {
    printf("relus      %d put in: zero points cut off negative values there\n", counts.relus);
  }
  if (counts.dynamic > 0) {
    printf(
        "dynamic    %d layers: their activations were quantized at run time and have no "
        "threshold\n",
        counts.dynamic);
  }
  if (counts.kept > 0) {
    print_kept(in);
  }
  table_print(tare_import_table(in));
  if (*precisions) {
    char *const quoted = cli_quoted(precisions);
    printf(
        "layers     some were float although the table has their thresholds, or were quantized at "
        "run time;\n           to keep them so:\n  --layer-precisions %s\n",
        quoted);
    free(quoted);
  }
  printf(external ? "written    %s, its constants to %s.data\n" : "written    %s\n", a->output,
         a->output);
  table_print_written(out, tare_import_table(in));
}

static void import_json(const import_arguments *const a, const table_out *const out,
                        const tare_import *const in, const bool external) {
  const tare_import_counts counts = tare_import_count(in);
  cJSON *const object = json_begin("import-qdq");
  json_text(object, "model", a->model);
  json_int(object, "activations", counts.activations);
  json_int(object, "constants", counts.constants);
  json_int(object, "relus", counts.relus);
  json_int(object, "dynamic", counts.dynamic);
  json_int(object, "changed_scales", counts.scales);
  cJSON *const kept = json_add(object, "kept", json_array());
  for (int i = 0; i < counts.kept; i++) {
    const tare_kept_node node = tare_import_kept(in, i);
    cJSON *const item = json_add(kept, NULL, json_object());
    json_text(item, "name", node.name);
    json_text(item, "op", node.op);
    json_text(item, "reason", node.reason);
  }
  table_json(object, tare_import_table(in));
  table_written_json(object, out, tare_import_table(in));
  json_text(object, "layer_precisions", tare_import_precisions(in));
  json_text(object, "output", a->output);
  json_bool(object, "external_data", external);
  json_text(object, "table", a->table);
  json_print(object);
}

/* Both files, or neither where there was none before. */
static tare_status import_write(const import_arguments *const a, table_out *const out,
                                tare_import *const in, bool *const external,
                                tare_error *const err) {
  char *const data = cli_format("%s.data", a->output);
  const bool had_model = output_is_there(a->output), had_data = output_is_there(data);
  tare_status status = tare_import_save(in, a->output, a->most, external, err);
  if (status == TARE_OK) {
    status = table_write(out, tare_import_table(in), err);
  }
  if (status != TARE_OK && !had_model) {
    (void)unlink(a->output); /* it may not have come so far */
  }
  if (status != TARE_OK && !had_data) {
    (void)unlink(data);
  }
  free(data);
  return status;
}

static tare_status import_run(const import_arguments *const a, tare_import **const in,
                              tare_error *const err) {
  const tare_load_options load = opt_load(&a->common);
  table_out out = {.common = &a->common,
                   .options = &a->format,
                   .format = tare_table_format_of(a->table),
                   .path = a->table};
  bool external = false;
  CLI_TRY(import_check_outputs(a, err));
  CLI_TRY(show_want(a->model, &show_model, "an ONNX model", err));
  CLI_TRY(tare_import_new(a->model, &load, in, err));
  CLI_TRY(import_write(a, &out, *in, &external, err));
  import_say(a, *in);
  if (a->common.json) {
    import_json(a, &out, *in, external);
  } else {
    import_print(a, &out, *in, external);
  }
  return TARE_OK;
}

int cmd_import_qdq(const int argc, char **const argv) {
  import_arguments a = {.format = {.profile_index = -1}};
  tare_import *in = NULL;
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  const tare_status status = import_run(&a, &in, &err);
  tare_import_free(&in);
  return opt_end(argv[0], &a.common, status, &err);
}
