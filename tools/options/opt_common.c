#include <stdlib.h>

#include "tools/json_out.h"
#include "tools/options/families.h"
#include "tools/options/options.h"

enum { OPT_THREADS = KEYS_COMMON, OPT_ISA, OPT_JSON, OPT_PROGRESS };

static const struct argp_option OPTIONS[] = {
    {"threads", OPT_THREADS, "N", 0, "Use N threads (default: all cores)", 0},
    {"isa", OPT_ISA, "LIST", 0,
     "Use only these CPU features: scalar, avx2, avx512, ... (see tare doctor)", 0},
    {"json", OPT_JSON, NULL, 0, "Print one JSON object instead of text", 0},
    {"quiet", 'q', NULL, 0, "Print only errors to stderr", 0},
    {"verbose", 'v', NULL, 0, "Print details to stderr: the data found, the profiles used", 0},
    {"progress", OPT_PROGRESS, NULL, 0, "Show progress even when stderr is not a terminal", 0},
    {0}};

/* What the library reads as it was given. */
static void common_check_isa(const struct argp_state *const state, const char *const arg) {
  const cli_family isas = family_isas();
  char *const copy = cli_format("%s", arg);
  cli_list names = {0};
  cli_list_split(&names, copy);
  for (int i = 0; i < names.n; i++) {
    (void)cli_pick(state, &isas, names.items[i]);
  }
  cli_list_fini(&names);
  free(copy);
}

static error_t common_parse(const int key, char *const arg, struct argp_state *const state) {
  opt_common *const o = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &o->files;
      return 0;
    case OPT_THREADS:
      o->threads = (int)cli_int(state, "--threads", arg, 1, 4096);
      return 0;
    case OPT_ISA:
      common_check_isa(state, arg);
      o->isa = arg;
      return 0;
    case OPT_JSON:
      o->json = true;
      return 0;
    case 'q':
      o->quiet = true;
      return 0;
    case 'v':
      o->verbose = true;
      return 0;
    case ARGP_KEY_END:
      if (o->verbose && o->quiet) {
        argp_error(state, "--verbose and --quiet are mutually exclusive");
      }
      return 0;
    case OPT_PROGRESS:
      o->progress = true;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {{&opt_limits_argp, 0, "Limits on input files:", 0},
                                             {0}};

const struct argp opt_common_argp = {
    .options = OPTIONS, .parser = common_parse, .children = CHILDREN};

void opt_prepare(void) {
  opt_limits_prepare();
  opt_table_prepare();
  opt_metric_prepare();
}

tare_load_options opt_load(const opt_common *const options) {
  tare_load_options o;
  tare_load_options_init(&o);
  o.limits = &options->files.limits;
  o.external_folder = options->files.external_folder;
  return o;
}

int opt_end(const char *const command, const opt_common *const options, const tare_status status,
            const tare_error *const err) {
  if (status != TARE_OK && options->json) {
    json_print_error(command + sizeof "tare", err);
  }
  return cli_end(command, status, err);
}
