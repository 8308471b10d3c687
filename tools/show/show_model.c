#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/report.h"
#include "tools/show/closed.h"
#include "tools/show/show.h"

static bool show_model_probe(const char *const path) {
  (void)path;
  return true; /* loading it says whether it is one */
}

static void show_model_print_text(const tare_model *const model) {
  const tare_model_info info = tare_model_get_info(model);
  const tare_port *inputs = NULL, *outputs = NULL;
  const int n_inputs = tare_model_inputs(model, &inputs);
  const int n_outputs = tare_model_outputs(model, &outputs);
  char *const bytes = report_bytes(info.parameter_bytes);
  printf("producer   %s\n", *info.producer ? info.producer : "-");
  printf("version    IR %" PRId64 ", opset %d\n", info.ir_version, info.opset);
  printf("hash       %016" PRIx64 "\n", info.hash);
  printf("nodes      %d\nparameters %d, %s\n", info.n_nodes, info.n_parameters, bytes);
  free(bytes);
  if (info.n_stated > 0) {
    printf("scales     quantized model (Q/DQ): scales for %d activations\n", info.n_stated);
  }
  if (*info.undecided) {
    printf("undecided  %s\n", info.undecided);
  }
  show_print_random(tare_model_n_random(model));
  show_print_ports("inputs", inputs, n_inputs);
  show_print_ports("outputs", outputs, n_outputs);
  show_print_symbols(inputs, n_inputs);
  closed_print_model(model);
  for (int i = 0; i < tare_model_n_operators(model); i++) {
    const char *name = NULL;
    int count = 0;
    tare_model_operator(model, i, &name, &count);
    printf("%-10s %s %d\n", i ? "" : "operators", name, count);
  }
}

static void show_model_fill_json(const tare_model *const model, cJSON *const object) {
  const tare_model_info info = tare_model_get_info(model);
  const tare_port *inputs = NULL, *outputs = NULL;
  const int n_inputs = tare_model_inputs(model, &inputs);
  const int n_outputs = tare_model_outputs(model, &outputs);
  json_text(object, "producer", info.producer);
  json_int(object, "ir_version", info.ir_version);
  json_int(object, "opset", info.opset);
  json_int(object, "stated_scales", info.n_stated);
  json_hash(object, "hash", info.hash);
  json_text(object, "undecided", info.undecided);
  json_int(object, "nodes", info.n_nodes);
  json_int(object, "parameters", info.n_parameters);
  json_int(object, "parameter_bytes", info.parameter_bytes);
  show_json_random(object, tare_model_n_random(model));
  show_json_ports(object, "inputs", inputs, n_inputs);
  show_json_ports(object, "outputs", outputs, n_outputs);
  closed_json_model(object, model);
  cJSON *const operators = json_add(object, "operators", json_object());
  for (int i = 0; i < tare_model_n_operators(model); i++) {
    const char *name = NULL;
    int count = 0;
    tare_model_operator(model, i, &name, &count);
    json_int(operators, name, count);
  }
}

static tare_status add_graph(const tare_model *const model, const show_options *const options,
                             cJSON *const object, tare_error *const err) {
  if (!options->graph && !options->optimized) {
    return TARE_OK;
  }
  char *text = NULL;
  CLI_TRY(tare_model_print(model, options->optimized, &text, err));
  if (object) {
    json_text(object, "graph", text);
  } else {
    printf("%s", text);
  }
  tare_free(text);
  return TARE_OK;
}

static tare_status show_model_print(const char *const path, const show_options *const options,
                                    cJSON *const object, tare_error *const err) {
  const tare_load_options load = opt_load(&options->common);
  tare_model *model = NULL;
  CLI_TRY(tare_model_load_with(path, &load, &model, err));
  if (object) {
    show_model_fill_json(model, object);
  } else {
    show_title(&show_model, path);
    show_model_print_text(model);
  }
  const tare_status status = add_graph(model, options, object, err);
  tare_model_free(&model);
  return status;
}

static const char *show_model_noun(const char *const path) {
  return cli_ends_with(path, ".onnx") ? "an ONNX model" : NULL;
}

const show_kind show_model = {
    .name = "model", .probe = show_model_probe, .noun = show_model_noun, .show = show_model_print};
