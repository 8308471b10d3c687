#include <stdlib.h>

#include "tools/options/options.h"

enum { OPT_SEED = KEYS_SEED };

static const struct argp_option SEED_OPTIONS[] = {
    {"seed", OPT_SEED, "S", 0,
     "Seed of the numbers that nodes of the model draw, and of a choice of samples (default 0)", 0},
    {0}};

static error_t seed_parse(const int key, char *const arg, struct argp_state *const state) {
  opt_data *const o = state->input;
  if (key != OPT_SEED) {
    return ARGP_ERR_UNKNOWN;
  }
  o->seed = (uint64_t)cli_int(state, "--seed", arg, 0, INT64_MAX);
  o->seeded = true;
  return 0;
}

const struct argp opt_seed_argp = {.options = SEED_OPTIONS, .parser = seed_parse};

/* Of the command: argp parses below a root of its own. */
static const char *args_doc(const struct argp *const argp) {
  return argp->args_doc || !argp->children ? argp->args_doc : args_doc(argp->children->argp);
}

static error_t inputs_parse(const int key, char *const arg, struct argp_state *const state) {
  opt_inputs *const o = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &o->profiles;
      state->child_inputs[1] = &o->data;
      state->child_inputs[2] = &o->fit;
      state->child_inputs[3] = &o->streaming;
      state->child_inputs[4] = &o->model;
      state->child_inputs[5] = &o->data;
      state->child_inputs[6] = &o->common;
      return 0;
    case ARGP_KEY_ARG:
      if (!o->path) {
        o->path = arg;
      } else {
        cli_list_add(&o->paths, arg);
      }
      return 0;
    case ARGP_KEY_END:
      if (!o->path || (o->paths.n == 0 && !o->no_data)) {
        argp_error(state, "missing argument: expected %s", args_doc(state->root_argp));
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

/* Groups 4 and 5 are the command's own. */
static const struct argp_child CHILDREN[] = {{&opt_profiles_argp, 0, "Lengths:", 1},
                                             {&opt_data_argp, 0, "Data:", 2},
                                             {&opt_fit_argp, 0, "Fitting samples to profiles:", 3},
                                             {&opt_streaming_argp, 0, "Streaming models:", 7},
                                             {&opt_model_argp, 0, "Model:", 8},
                                             {&opt_seed_argp, 0, "Random numbers:", 9},
                                             {&opt_common_argp, 0, "Common:", 10},
                                             {0}};

const struct argp opt_inputs_argp = {.parser = inputs_parse, .children = CHILDREN};

void opt_inputs_files(const opt_inputs *const options, cli_list *const files) {
  cli_list_add(files, options->path);
  cli_list_join(files, &options->paths);
  cli_list_add(files, options->data.tokenizer);
  opt_profiles_files(&options->profiles, files);
}

static void opt_inputs_fini(opt_inputs *const options) {
  opt_profiles_fini(&options->profiles);
  opt_data_fini(&options->data);
  opt_fit_fini(&options->fit);
  opt_streaming_fini(&options->streaming);
  opt_model_fini(&options->model);
  cli_list_fini(&options->paths);
}

int opt_inputs_end(const char *const command, opt_inputs *const options, const tare_status status,
                   const tare_error *const err) {
  const int code = opt_end(command, &options->common, status, err);
  opt_fit_hint(&options->fit, err);
  opt_data_hint(&options->data, err);
  opt_inputs_fini(options);
  return code;
}
