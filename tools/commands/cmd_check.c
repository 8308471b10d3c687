#include <stdio.h>
#include <stdlib.h>
#include <tare/check.h>

#include "tools/commands/check_show.h"
#include "tools/options/families.h"
#include "tools/options/options.h"
#include "tools/options/parse.h"
#include "tools/say.h"
#include "tools/show/show.h"

enum { OPT_TARGET = OPT_COMMAND };
enum { FOUND = 1 }; /* exit code where something is wrong */

typedef struct check_arguments {
  opt_common common;
  const char *model;
  int target;
} check_arguments;

static const struct argp_option OPTIONS[] = {
    {"target", OPT_TARGET, "TARGET", 0, "Engine to check for, by default the first: ", 0}, {0}};

static error_t check_parse(const int key, char *const arg, struct argp_state *const state) {
  check_arguments *const a = state->input;
  const cli_family targets = family_targets();
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->common;
      return 0;
    case OPT_TARGET:
      a->target = cli_pick(state, &targets, arg);
      return 0;
    case ARGP_KEY_ARG:
      opt_take_one(state, &a->model, arg, "one model");
      return 0;
    case ARGP_KEY_END:
      if (!a->model) {
        argp_error(state, "missing MODEL");
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static char *check_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family targets = family_targets();
  return key == OPT_TARGET ? family_help(text, &targets) : (char *)text; /* as it is */
}

static const struct argp_child CHILDREN[] = {{&opt_common_argp, 0, "Common:", 1}, {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = check_parse,
    .args_doc = "MODEL",
    .doc =
        "Checks a quantized model (Q/DQ, of any tool) for an engine: which layers it will run "
        "in int8, why others stay float, and what is wrong with scales, zero points and pairs. "
        "The exit code is 1 if there are errors.\vExamples:\n  tare check model.int8.onnx\n  "
        "tare check model.qat.onnx --target tensorrt --json",
    .help_filter = check_help,
    .children = CHILDREN};

static int check_int8_layers(const tare_check *const check) {
  int n = 0;
  for (int i = 0; i < tare_check_n_layers(check); i++) {
    n += tare_check_layer(check, i).int8;
  }
  return n;
}

int cmd_check(const int argc, char **const argv) {
  check_arguments a = {0};
  tare_check *check = NULL;
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  const tare_load_options load = opt_load(&a.common);
  tare_status status = show_want(a.model, &show_model, "an ONNX model", &err);
  if (status == TARE_OK) {
    status = tare_check_new(a.model, a.target, &load, &check, &err);
  }
  if (status == TARE_OK && a.common.json) {
    check_json(check, a.model, a.target);
  } else if (status == TARE_OK) {
    check_print(check, a.model, a.target);
  }
  if (check && tare_check_n_quantizers(check) == 0 && check_int8_layers(check) == 0) {
    say(&a.common, "warning: %s has no QuantizeLinear or DequantizeLinear", a.model);
  }
  const bool found = check && tare_check_count(check, TARE_SEVERITY_ERROR) > 0;
  tare_check_free(&check);
  const int code = opt_end(argv[0], &a.common, status, &err);
  return code == 0 && found ? FOUND : code;
}
