#include "tools/options/parse.h"
#include "tools/profiles/profiles.h"

enum {
  OPT_PROFILES_COUNT = OPT_COMMAND,
  OPT_PROFILES_MOST,
  OPT_PROFILES_PADDING,
  OPT_PROFILES_SYMBOL,
  OPT_PROFILES_MIN,
  OPT_PROFILES_MAX,
  OPT_PROFILES_WITHIN,
  OPT_PROFILES_MODEL,
  OPT_PROFILES_PLAN
};

typedef struct profiles_arguments {
  profiles_options options;
  const char *of_data, *of_stats; /* the last option given that is for one of them alone */
} profiles_arguments;

static const struct argp_option OPTIONS[] = {
    {"model", OPT_PROFILES_MODEL, "MODEL", 0, "The model that the data feed; audio needs none", 0},
    {"plan", OPT_PROFILES_PLAN, "PLAN", 0,
     "Measure the latency of this plan, or of the float plan of this model, and cut where padding "
     "costs the least time",
     0},
    {"count", OPT_PROFILES_COUNT, "N", 0, "So many profiles (default: as few as --padding allows)",
     0},
    {"padding", OPT_PROFILES_PADDING, "PERCENT", 0,
     "Share of what runs, or with --plan of the time, that may be padding (default 10)", 0},
    {"most", OPT_PROFILES_MOST, "N", 0, "At most so many profiles (default 8)", 0},
    {"symbol", OPT_PROFILES_SYMBOL, "NAME", 0,
     "Cut the lengths of this symbol (default: that with the widest range); others have one range "
     "in all profiles",
     0},
    {"min", OPT_PROFILES_MIN, "N", 0, "The first profile begins at N, not at the shortest sample",
     0},
    {"max", OPT_PROFILES_MAX, "N", 0, "The last profile ends at N, not at the longest sample", 0},
    {"within", OPT_PROFILES_WITHIN, "PERCENT", 0,
     "For statistics: profiles share scales where the ranges of 95 % of the tensors differ by no "
     "more (default 25)",
     0},
    {0}};

/* A file that could not be looked at passes for statistics, which say why when they are loaded. */
static tare_status cmd_profiles_load(const char *const path, tare_error *const err) {
  tare_stats *stats = NULL;
  const tare_status status = tare_stats_load(path, &stats, err);
  tare_stats_free(&stats);
  return status;
}

static tare_status cmd_profiles_check(const profiles_arguments *const a, const bool stats,
                                      tare_error *const err) {
  const profiles_options *const o = &a->options;
  const char *const wrong = stats ? a->of_data : a->of_stats, *const path = o->paths.items[0];
  if (wrong) {
    CLI_TRY(stats ? cmd_profiles_load(path, err) : TARE_OK);
    return cli_fail(err, TARE_E_USAGE, "%s is for %s, and %s is %s", wrong,
                    stats ? "data" : "statistics", path, stats ? "a statistics file" : "data");
  }
  if (stats && o->paths.n > 1) {
    return cli_fail(err, TARE_E_USAGE, "one statistics file is enough, got %d", o->paths.n);
  }
  return o->count && o->most < o->count
             ? cli_fail(err, TARE_E_USAGE, "--count %d is more than --most %d", o->count, o->most)
             : TARE_OK;
}

/* How the lengths of data are cut. */
static error_t cmd_profiles_parse_cuts(profiles_arguments *const a, const int key, char *const arg,
                                       const struct argp_state *const state) {
  profiles_options *const o = &a->options;
  switch (key) {
    case OPT_PROFILES_MODEL:
      o->model = arg;
      a->of_data = "--model";
      return 0;
    case OPT_PROFILES_PLAN:
      o->plan = arg;
      a->of_data = "--plan";
      return 0;
    case OPT_PROFILES_COUNT:
      o->count = (int)cli_int(state, "--count", arg, 1, TARE_MAX_PROFILES);
      a->of_data = "--count";
      return 0;
    case OPT_PROFILES_MOST:
      o->most = (int)cli_int(state, "--most", arg, 1, TARE_MAX_PROFILES);
      a->of_data = "--most";
      return 0;
    case OPT_PROFILES_PADDING:
      o->padding = cli_real(state, "--padding", arg, 0, 100) / 100;
      a->of_data = "--padding";
      return 0;
    case OPT_PROFILES_SYMBOL:
      o->symbol = arg;
      a->of_data = "--symbol";
      return 0;
    case OPT_PROFILES_MIN:
      o->min = cli_int(state, "--min", arg, 0, INT64_MAX);
      a->of_data = "--min";
      return 0;
    case OPT_PROFILES_MAX:
      o->max = cli_int(state, "--max", arg, 1, INT64_MAX);
      a->of_data = "--max";
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static error_t cmd_profiles_parse(const int key, char *const arg, struct argp_state *const state) {
  profiles_arguments *const a = state->input;
  profiles_options *const o = &a->options;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &o->data;
      state->child_inputs[1] = &o->common;
      return 0;
    case OPT_PROFILES_WITHIN:
      o->within = cli_real(state, "--within", arg, 0, 1e6) / 100;
      a->of_stats = "--within";
      return 0;
    case ARGP_KEY_ARG:
      cli_list_add(&o->paths, arg);
      return 0;
    case ARGP_KEY_END:
      o->most = o->most ? o->most : o->count > 8 ? o->count : 8;
      if (o->paths.n == 0) {
        argp_error(state, "missing DATA or STATISTICS");
      }
      return 0;
    default:
      return cmd_profiles_parse_cuts(a, key, arg, state);
  }
}

static const struct argp_child CHILDREN[] = {
    {&opt_data_argp, 0, "Data:", 1}, {&opt_common_argp, 0, "Common:", 2}, {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = cmd_profiles_parse,
    .args_doc = "DATA...|STATISTICS",
    .doc =
        "Suggests profiles. Of data it shows the lengths, and cuts them where padding each sample "
        "to the longest of its profile adds least, as engines do that run at fixed shapes; with "
        "--plan where it costs the least time. Of "
        "statistics with several profiles it says which of them can share scales. The last lines "
        "are options to paste.\vExamples:\n  tare profiles recordings/\n  tare profiles calib.h5 "
        "--model model.onnx --count 4\n  tare profiles calib.h5 --model model.onnx --plan "
        "model.plan\n  tare profiles calib.h5 --plan model.onnx\n  tare profiles model.stats "
        "--within 10",
    .children = CHILDREN};

int cmd_profiles(const int argc, char **const argv) {
  profiles_arguments a = {.options = {.padding = 0.1, .within = 0.25, .min = -1, .max = -1}};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  profiles_options *const o = &a.options;
  cJSON *const object = o->common.json ? json_begin("profiles") : NULL;
  const bool stats = tare_stats_is_stats_file(o->paths.items[0]);
  tare_status status = cmd_profiles_check(&a, stats, &err);
  if (status == TARE_OK) {
    status = (stats ? profiles_of_stats : profiles_of_data)(o, object, &err);
  }
  if (object && status == TARE_OK) {
    json_print(object);
  } else {
    cJSON_Delete(object);
  }
  cli_list_fini(&o->paths);
  opt_data_fini(&o->data);
  return opt_end(argv[0], &o->common, status, &err);
}
