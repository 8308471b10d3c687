#include <assert.h>
#include <stdlib.h>

#include "tools/options/families.h"
#include "tools/options/formats.h"
#include "tools/options/options.h"

enum {
  OPT_METHOD = KEYS_TABLE,
  OPT_PER_PROFILE,
  OPT_PROFILE_INDEX,
  OPT_SETTINGS, /* one key for each option of a format */
  OPT_SETTINGS_END = OPT_SETTINGS + OPT_MOST_SETTINGS
};
enum { N_FIXED = 3 };

/* The options of all formats follow; what stands behind them is zero and ends the list. */
static struct argp_option OPTIONS[N_FIXED + OPT_MOST_SETTINGS + 1] = {
    {"method", OPT_METHOD, "METHOD", 0, "Calibration method: ", 0},
    {"per-profile", OPT_PER_PROFILE, NULL, 0, "Thresholds per profile instead of merged", 0},
    {"profile-index", OPT_PROFILE_INDEX, "I", 0,
     "With --per-profile, for a format that holds one profile: the profile whose thresholds are "
     "written",
     0}};
_Static_assert(sizeof OPTIONS / sizeof *OPTIONS > N_FIXED + OPT_MOST_SETTINGS,
               "the last row is zero");

void opt_table_prepare(void) {
  int format = 0;
  const tare_table_option *option = NULL;
  for (int k = 0; (option = format_option(k, &format)) != NULL; k++) {
    assert(k < OPT_MOST_SETTINGS);
    OPTIONS[N_FIXED + k] =
        (struct argp_option){.name = option->name, .key = OPT_SETTINGS + k, .arg = option->value};
  }
}

static char *opt_table_help(const int key, const char *const text, void *const input) {
  (void)input;
  int format = 0;
  const tare_table_option *const option = key >= OPT_SETTINGS && key < OPT_SETTINGS_END
                                              ? format_option(key - OPT_SETTINGS, &format)
                                              : NULL;
  if (option) {
    const char *const noun = tare_table_format_at(format)->noun;
    return option->normal
               ? cli_format("For %s: %s (default %s)", noun, option->summary, option->normal)
               : cli_format("For %s: %s", noun, option->summary);
  }
  const cli_family methods = family_methods();
  return key != OPT_METHOD
             ? (char *)text /* as it is */
             : cli_append(family_help(text, &methods), " (default %s)", methods.name(0));
}

static void opt_table_end(const opt_table *const o, const struct argp_state *const state) {
  const cli_family family = family_methods();
  const int method = o->method ? cli_pick(state, &family, o->method) : 0;
  if (o->percentile > 0 && !tare_method_takes_percentile(method)) {
    char *const methods = family_percentile_methods(" or ");
    argp_error(state, "--percentile needs --method %s, got %s", methods, tare_method_name(method));
    free(methods);
  }
}

static void opt_table_check_setting(const struct argp_state *const state, const opt_table *const o,
                                    const int k, const int format) {
  int owner = 0;
  const tare_table_option *const option = format_option(k, &owner);
  const tare_table_setting setting = {.name = option->name, .value = o->settings[k]};
  tare_error err = {0};
  if (owner != format) {
    const tare_table_format *const f = tare_table_format_at(owner);
    argp_error(state, "--%s needs %s as output: name it NAME%s", option->name, f->noun,
               f->extension);
  } else if (tare_table_check_setting(format, &setting, &err) != TARE_OK) {
    argp_error(state, "--%s", err.message);
  }
}

void opt_table_check(const struct argp_state *const state, const opt_table *const o,
                     const int format) {
  for (int k = 0; k < OPT_MOST_SETTINGS; k++) {
    if (o->settings[k]) {
      opt_table_check_setting(state, o, k, format);
    }
  }
  if (o->profile_index >= 0 && (format < 0 || !format_holds_one(tare_table_format_at(format)))) {
    char *const names = format_extensions(format_holds_one, "NAME");
    argp_error(state, "--profile-index needs a format that holds one profile: name the output %s",
               names);
    free(names);
  }
}

static error_t opt_table_parse(const int key, char *const arg, struct argp_state *const state) {
  const cli_family methods = family_methods();
  opt_table *const o = state->input;
  if (key >= OPT_SETTINGS && key < OPT_SETTINGS_END) {
    o->settings[key - OPT_SETTINGS] = arg;
    return 0;
  }
  switch (key) {
    case ARGP_KEY_INIT:
      o->profile_index = -1;
      state->child_inputs[0] = &o->percentile;
      return 0;
    case OPT_METHOD:
      o->method = methods.name(cli_pick(state, &methods, arg));
      return 0;
    case OPT_PER_PROFILE:
      o->per_profile = true;
      return 0;
    case OPT_PROFILE_INDEX:
      o->profile_index = (int)cli_int(state, "--profile-index", arg, 0, TARE_MAX_PROFILES - 1);
      return 0;
    case ARGP_KEY_END:
      opt_table_end(o, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {{&opt_percentile_argp, 0, NULL, 0}, {0}};

const struct argp opt_table_argp = {.options = OPTIONS,
                                    .parser = opt_table_parse,
                                    .children = CHILDREN,
                                    .help_filter = opt_table_help};
