#include "tools/parts/opt_choice.h"

#include "tools/options/families.h"
#include "tools/say.h"

enum { OPT_SAMPLES = KEYS_CHOICE, OPT_STRATIFY, OPT_QUOTA, OPT_WEIGHT };

static const struct argp_option OPTIONS[] = {
    {"samples", OPT_SAMPLES, "N", 0, "Choose N samples, at random and the same for all shards", 0},
    {"stratify", OPT_STRATIFY, "length", 0,
     "With --samples: one of each of N groups of samples of similar length", 0},
    {"quota", OPT_QUOTA, "N", 0, "Choose at most N samples of each profile", 0},
    {"weight", OPT_WEIGHT, "HOW", 0, "How much a sample counts in histograms: ", 0},
    {0}};

static void choice_options_check(const opt_choice *const o, const struct argp_state *const state) {
  if (o->choice.by_length && !o->choice.samples) {
    argp_error(state, "--stratify needs --samples N");
  }
}

static error_t choice_options_parse(const int key, char *const arg,
                                    struct argp_state *const state) {
  opt_choice *const o = state->input;
  const cli_family weights = family_weights(), strata = family_strata();
  switch (key) {
    case OPT_SAMPLES:
      o->choice.samples = cli_int(state, "--samples", arg, 1, INT64_MAX);
      return 0;
    case OPT_STRATIFY:
      o->choice.by_length = cli_pick(state, &strata, arg) == 0;
      return 0;
    case OPT_QUOTA:
      o->choice.quota = cli_int(state, "--quota", arg, 1, INT64_MAX);
      return 0;
    case OPT_WEIGHT:
      o->weight = (tare_weight)cli_pick(state, &weights, arg);
      return 0;
    case ARGP_KEY_END:
      choice_options_check(o, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static char *choice_options_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family weights = family_weights();
  return key == OPT_WEIGHT ? family_help(text, &weights) : (char *)text; /* as it is */
}

const struct argp opt_choice_argp = {
    .options = OPTIONS, .parser = choice_options_parse, .help_filter = choice_options_help};

tare_status opt_choice_apply(const opt_choice *const options, const opt_common *const common,
                             const tare_profiles *const profiles, const tare_outside outside,
                             const bool streaming, tare_dataset *const dataset,
                             tare_error *const err) {
  if (options->choice.quota && streaming) {
    return cli_fail(err, TARE_E_USAGE,
                    "--quota: samples of streaming models run in chunks of one profile: use "
                    "--samples N --stratify length");
  }
  const int64_t before = tare_dataset_count(dataset);
  CLI_TRY(tare_dataset_choose(dataset, profiles, outside, &options->choice, err));
  if (options->choice.samples || options->choice.quota) {
    say(common, "%lld of %lld samples chosen", (long long)tare_dataset_count(dataset),
        (long long)before);
  }
  return TARE_OK;
}
