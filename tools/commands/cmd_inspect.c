#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/options/parse.h"
#include "tools/say.h"
#include "tools/show/show.h"

enum {
  OPT_GRAPH = OPT_COMMAND,
  OPT_OPTIMIZED,
  OPT_LAYERS,
  OPT_DOT,
  OPT_LAYER_INFO,
  OPT_TIMES_OF,
  OPT_MODEL,
  OPT_FIND_SAMPLES
};

typedef struct inspect_arguments {
  show_options show;
  cli_list paths;
} inspect_arguments;

static const struct argp_option OPTIONS[] = {
    {"graph", OPT_GRAPH, NULL, 0, "Print the nodes of a model, with symbolic shapes", 0},
    {"optimized", OPT_OPTIMIZED, NULL, 0, "Print the nodes after the engine's optimizations", 0},
    {"layers", OPT_LAYERS, "GLOB", 0,
     "For a plan: describe the layers whose names match in full; '*': all", 0},
    {"times", OPT_TIMES_OF, "FILE", 0,
     "For a plan: add the times of its layers, from a profile that tare bench exported", 0},
    {"dot", OPT_DOT, NULL, 0, "For a plan: print a Graphviz drawing", 0},
    {"layer-info", OPT_LAYER_INFO, NULL, 0,
     "For a plan: print JSON with the keys of TensorRT's engine inspector", 0},
    {"model", OPT_MODEL, "MODEL", 0, "For data: the model that it feeds", 0},
    {"find-samples", OPT_FIND_SAMPLES, "DATA", 0,
     "For statistics: name the samples of DATA that set the ranges of tensors; needs --model and "
     "the options for data of the calibration; repeat for more",
     0},
    {0}};

/* Only one thing can be printed: a drawing, a text or JSON of one kind. */
static void take_form(inspect_arguments *const a, const struct argp_state *const state,
                      const show_form form) {
  if (a->show.form != SHOW_PLAIN && a->show.form != form) {
    argp_error(state, "--dot and --layer-info are mutually exclusive");
  }
  a->show.form = form;
}

static void inspect_check(const inspect_arguments *const a, const struct argp_state *const state) {
  const char *const form = a->show.form == SHOW_DOT ? "--dot" : "--layer-info";
  if (a->paths.n == 0) {
    argp_error(state, "missing FILE");
  }
  if (a->show.find_samples.n && !a->show.model) {
    argp_error(state, "--find-samples needs --model MODEL, whose inputs the data feeds");
  }
  if (a->show.times && a->paths.n > 1) {
    argp_error(state, "--times needs one plan, got %d files", a->paths.n);
  }
  if (a->show.form == SHOW_PLAIN) {
    return;
  }
  if (a->show.common.json || a->show.layers || a->show.times) {
    argp_error(state, "%s and %s are mutually exclusive", form,
               a->show.common.json ? "--json"
               : a->show.layers    ? "--layers"
                                   : "--times");
  }
  if (a->paths.n > 1) {
    argp_error(state, "%s needs one plan, got %d files", form, a->paths.n);
  }
}

static error_t inspect_parse(const int key, char *const arg, struct argp_state *const state) {
  inspect_arguments *const a = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->show.data;
      state->child_inputs[1] = &a->show.common;
      return 0;
    case OPT_GRAPH:
      a->show.graph = true;
      return 0;
    case OPT_OPTIMIZED:
      a->show.optimized = true;
      return 0;
    case OPT_LAYERS:
      a->show.layers = arg;
      return 0;
    case OPT_TIMES_OF:
      a->show.times = arg;
      return 0;
    case OPT_DOT:
      take_form(a, state, SHOW_DOT);
      return 0;
    case OPT_LAYER_INFO:
      take_form(a, state, SHOW_LAYER_INFO);
      return 0;
    case OPT_MODEL:
      a->show.model = arg;
      return 0;
    case OPT_FIND_SAMPLES:
      cli_list_add(&a->show.find_samples, arg);
      return 0;
    case ARGP_KEY_ARG:
      cli_list_add(&a->paths, arg);
      return 0;
    case ARGP_KEY_END:
      inspect_check(a, state);
      a->show.data.several = a->paths.n > 1;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {
    {&opt_data_argp, 0, "Data:", 1}, {&opt_common_argp, 0, "Common:", 2}, {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = inspect_parse,
    .args_doc = "FILE...",
    .doc =
        "Shows the contents of a model, plan, statistics file, calibration table or data; the kind "
        "is detected by content.\vWith --json, one object for one file, an array for "
        "more.\n\nExamples:\n  tare inspect model.onnx model.plan\n  tare inspect model.plan "
        "--layers '*conv*'\n  tare inspect model.plan --dot | dot -Tsvg -o model.svg\n  tare "
        "inspect "
        "calib.h5 --model model.onnx",
    .children = CHILDREN};

static tare_status show_file(const inspect_arguments *const a, const char *const path,
                             cJSON *const object, tare_error *const err) {
  if (access(path, R_OK) != 0) {
    return cli_fail(err, TARE_E_INPUT, "%s: cannot open: %s", path, strerror(errno));
  }
  const show_kind *const kind = show_kind_of(path);
  if (a->show.form != SHOW_PLAIN && kind != &show_plan) {
    return cli_fail(err, TARE_E_USAGE, "%s: --%s needs a plan, got a %s file", path,
                    a->show.form == SHOW_DOT ? "dot" : "layer-info", kind->name);
  }
  if (object) {
    json_text(object, "file", path);
    json_text(object, "kind", kind->name);
  }
  return kind->show(path, &a->show, object, err);
}

/* Options that none of the files can follow. */
static void warn_ignored_options(const inspect_arguments *const a) {
  bool model = false, data = false, plan = false, stats = false;
  for (int i = 0; i < a->paths.n; i++) {
    const show_kind *const kind = show_kind_of(a->paths.items[i]);
    model |= kind == &show_model;
    data |= kind == &show_data;
    plan |= kind == &show_plan;
    stats |= kind == &show_stats;
  }
  if (!model && (a->show.graph || a->show.optimized)) {
    say(&a->show.common, "warning: --%s has no effect: no file is a model",
        a->show.graph ? "graph" : "optimized");
  }
  if (!plan && (a->show.layers || a->show.times)) {
    say(&a->show.common, "warning: --%s has no effect: no file is a plan",
        a->show.layers ? "layers" : "times");
  }
  if (plan && a->show.layers && a->show.common.json) {
    say(&a->show.common, "warning: --layers has no effect: --json describes all layers in full");
  }
  if (!data && a->show.model && !(stats && a->show.find_samples.n)) {
    say(&a->show.common, "warning: --model has no effect: no file holds data");
  }
  if (!data && a->show.data.given && !a->show.find_samples.n) {
    say(&a->show.common, "warning: --%s has no effect: no file holds data", a->show.data.given);
  }
  if (!stats && a->show.find_samples.n) {
    say(&a->show.common, "warning: --find-samples has no effect: no file is statistics");
  }
}

static tare_status show_json(const inspect_arguments *const a, tare_error *const err) {
  cJSON *const list = json_array();
  for (int i = 0; i < a->paths.n; i++) {
    cJSON *const object = json_add(list, NULL, json_begin("inspect"));
    const tare_status status = show_file(a, a->paths.items[i], object, err);
    if (status != TARE_OK) {
      cJSON_Delete(list);
      return status;
    }
  }
  if (a->paths.n > 1) {
    json_print(list);
    return TARE_OK;
  }
  json_print(cJSON_DetachItemFromArray(list, 0));
  cJSON_Delete(list);
  return TARE_OK;
}

static tare_status show_text(const inspect_arguments *const a, tare_error *const err) {
  for (int i = 0; i < a->paths.n; i++) {
    if (i > 0) {
      putchar('\n');
    }
    CLI_TRY(show_file(a, a->paths.items[i], NULL, err));
  }
  return TARE_OK;
}

int cmd_inspect(const int argc, char **const argv) {
  inspect_arguments a = {0};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  warn_ignored_options(&a);
  const tare_status status = (a.show.common.json ? show_json : show_text)(&a, &err);
  cli_list_fini(&a.paths);
  cli_list_fini(&a.show.find_samples);
  opt_data_fini(&a.show.data);
  return opt_end(argv[0], &a.show.common, status, &err);
}
