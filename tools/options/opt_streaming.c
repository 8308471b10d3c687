#include <string.h>

#include "tools/options/options.h"

enum { OPT_STATE = KEYS_STREAMING, OPT_CHUNK, OPT_HOP };

static const struct argp_option OPTIONS[] = {
    {"state", OPT_STATE, "OUT:IN", 0,
     "Feed output OUT of a run to input IN of the next, zeros at the start of each sample; repeat "
     "for more. Without it states are recognised by names and shapes (state and stateN, cache and "
     "cache_out, ...) with --chunk, or if the data have nothing for such inputs; \"none\" disables "
     "this",
     0},
    {"chunk", OPT_CHUNK, "NAME=SIZE", 0,
     "Feed samples in chunks: NAME is a symbol (samples=512), an input (its last axis) or "
     "input:axis. The last chunk is padded with zeros",
     0},
    {"hop", OPT_HOP, "N", 0, "Step between chunks (default: the chunk size)", 0},
    {0}};

static error_t streaming_parse(const int key, char *const arg, struct argp_state *const state) {
  opt_streaming *const o = state->input;
  switch (key) {
    case OPT_STATE:
      if (strcmp(arg, "none") == 0) {
        o->no_states = true;
      } else {
        cli_list_add(&o->states, arg);
      }
      return 0;
    case OPT_CHUNK:
      o->chunk = arg;
      return 0;
    case OPT_HOP:
      o->hop = cli_int(state, "--hop", arg, 1, INT64_MAX);
      return 0;
    case ARGP_KEY_END:
      if (o->hop && !o->chunk) {
        argp_error(state, "--hop needs --chunk");
      }
      if (o->no_states && o->states.n) {
        argp_error(state, "--state none and other states are mutually exclusive");
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp opt_streaming_argp = {.options = OPTIONS, .parser = streaming_parse};

void opt_streaming_fini(opt_streaming *const options) {
  cli_list_fini(&options->states);
  *options = (opt_streaming){0};
}
