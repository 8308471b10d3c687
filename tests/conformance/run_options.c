#include "conformance/run_options.h"

#include <stdlib.h>

static const struct argp_option OPTIONS[] = {
    {"table", 't', "FILE", 0, "Committed results, which may only improve", 0},
    {"update", 'u', NULL, 0, "Write the table", 0},
    {"reload", 'R', NULL, 0, "Also run float and int8 plans from files, in processes of their own",
     0},
    {"filter", 'f', "GLOB", 0, "Those whose names match", 0},
    {"jobs", 'j', "N", 0, "So many at a time (2)", 0},
    {"seconds", 's', "N", 0, "Time that one may take (nodes 60, models 120)", 0},
    {0}};

static error_t parse(const int key, char *const arg, struct argp_state *const state) {
  run_options *const o = state->input;
  switch (key) {
    case 't':
      o->table = arg;
      return 0;
    case 'u':
      o->update = true;
      return 0;
    case 'R':
      o->reload = true;
      return 0;
    case 'f':
      o->filter = arg;
      return 0;
    case 'j':
      o->jobs = atoi(arg);
      return 0;
    case 's':
      o->seconds = atoi(arg);
      return 0;
    case ARGP_KEY_ARG:
      if (o->n_folders == MOST_FOLDERS) {
        argp_error(state, "too many folders");
      }
      o->folders[o->n_folders++] = arg;
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_usage(state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp run_options_argp = {.options = OPTIONS, .parser = parse};
