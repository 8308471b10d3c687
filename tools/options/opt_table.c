#include <assert.h>
#include <stdlib.h>

#include "tools/options/formats.h"
#include "tools/options/options.h"

enum { N_SETTINGS = OPT_SETTINGS_END - OPT_SETTINGS, N_FIXED = 4 };

/* The options of all formats follow; what stands behind them is zero and ends the list. */
static struct argp_option OPTIONS[N_FIXED + N_SETTINGS + 1] = {
    {"method", OPT_METHOD, "METHOD", 0, "Calibration method: ", 0},
    {"percentile", OPT_PERCENTILE, "P", 0, "For percentile: keep P percent (default 99.99)", 0},
    {"per-profile", OPT_PER_PROFILE, NULL, 0, "Thresholds per profile instead of merged", 0},
    {"profile-index", OPT_PROFILE_INDEX, "I", 0,
     "With --per-profile, for a format that holds one profile: the profile whose thresholds are "
     "written",
     0}};
_Static_assert(sizeof OPTIONS / sizeof *OPTIONS > N_FIXED + N_SETTINGS, "the last row is zero");

void opt_table_prepare(void) {
  int format = 0;
  const tare_table_option *option = NULL;
  for (int k = 0; (option = format_option(k, &format)) != NULL; k++) {
    assert(k < N_SETTINGS);
    OPTIONS[N_FIXED + k] =
        (struct argp_option){.name = option->name, .key = OPT_SETTINGS + k, .arg = option->value};
  }
}

int opt_method(const struct argp_state *const state, const char *const method) {
  return cli_pick(state, "method", method, tare_method_name, tare_n_methods());
}

char *opt_methods(void) {
  char *text = NULL;
  for (int i = 0; i < tare_n_methods(); i++) {
    text = cli_append(text, "%s%s", i ? ", " : "", tare_method_name(i));
  }
  return text;
}

static char *opt_table_help(const int key, const char *const text, void *const input) {
  (void)input;
  int format = 0;
  const tare_table_option *const option = key >= OPT_SETTINGS && key < OPT_SETTINGS_END
                                              ? format_option(key - OPT_SETTINGS, &format)
                                              : NULL;
  if (option) {
    return cli_format("For %s: %s (default %s)", tare_table_format_at(format)->noun,
                      option->summary, option->normal);
  }
  if (key != OPT_METHOD) {
    return (char *)text; /* as it is */
  }
  char *const methods = opt_methods();
  char *const all = cli_format("%s%s (default %s)", text, methods, tare_method_name(0));
  free(methods);
  return all;
}

static void opt_table_end(const opt_table *const o, const struct argp_state *const state) {
  const int method = o->method ? opt_method(state, o->method) : 0;
  if (o->percentile > 0 && !tare_method_takes_percentile(method)) {
    argp_error(state, "--percentile needs --method percentile, got %s", tare_method_name(method));
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
  for (int k = 0; k < N_SETTINGS; k++) {
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
  opt_table *const o = state->input;
  if (key >= OPT_SETTINGS && key < OPT_SETTINGS_END) {
    o->settings[key - OPT_SETTINGS] = arg;
    return 0;
  }
  switch (key) {
    case OPT_METHOD:
      (void)opt_method(state, arg);
      o->method = arg;
      return 0;
    case OPT_PERCENTILE:
      o->percentile = cli_real(state, "--percentile", arg, 1e-6, 100);
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

const struct argp opt_table_argp = {
    .options = OPTIONS, .parser = opt_table_parse, .help_filter = opt_table_help};
