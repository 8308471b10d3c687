#include "calib/metrics/settings.h"

#include <errno.h>
#include <stdlib.h>

#include "base/str.h"

static const tare_metric_option OPTIONS[] = {
#define TAREI_METRIC_OPTION(id, name, value, summary) {name, value, summary},
#include "calib/metrics/options.inc"
#undef TAREI_METRIC_OPTION
};

int tare_n_metric_options(void) {
  return TAREI_METRIC_OPTIONS;
}

const tare_metric_option *tare_metric_option_at(const int option) {
  return option < 0 || option >= TAREI_METRIC_OPTIONS ? NULL : &OPTIONS[option];
}

static tare_status settings_find(const char *const name, int *const out, tare_error *const err) {
  const char *names[TAREI_METRIC_OPTIONS];
  for (int i = 0; i < TAREI_METRIC_OPTIONS; i++) {
    names[i] = OPTIONS[i].name;
  }
  return tarei_pick("option of a metric", name, names, TAREI_METRIC_OPTIONS, out, err);
}

enum { TIMEOUT = 600 }; /* seconds: of a command that hangs, the user should hear */

/* The values as given, by option; NULL: not given. */
typedef struct settings_values {
  const char *of[TAREI_METRIC_OPTIONS];
} settings_values;

static tare_status settings_gather(const char *const metric, const unsigned takes,
                                   const tare_metric_setting *const settings, const int n,
                                   settings_values *const out, tare_error *const err) {
  *out = (settings_values){{NULL}};
  for (int i = 0; i < n; i++) {
    int option = 0;
    TAREI_TRY(settings_find(settings[i].name, &option, err));
    if (!(takes >> option & 1)) {
      return tarei_fail(err, TARE_E_USAGE, "metric %s does not take %s", metric, settings[i].name);
    }
    out->of[option] = settings[i].value;
  }
  return TARE_OK;
}

static tare_status settings_read_vocabulary(const settings_values *const v,
                                            tarei_metric_settings *const out,
                                            tare_error *const err) {
  const char *const alphabet = v->of[TAREI_METRIC_ALPHABET], *const tokens =
                                                                 v->of[TAREI_METRIC_TOKENS];
  const char *const blank = v->of[TAREI_METRIC_BLANK];
  if (alphabet && tokens) {
    return tarei_fail(err, TARE_E_USAGE, "an alphabet and a file of tokens are mutually exclusive");
  }
  return alphabet ? tarei_vocabulary_of_alphabet(alphabet, blank, &out->vocabulary, err)
         : tokens ? tarei_vocabulary_read(tokens, blank, &out->vocabulary, err)
                  : TARE_OK;
}

static tare_status settings_read_choice(const settings_values *const v, const int option,
                                        const char *const *const names, const int n, int *const out,
                                        tare_error *const err) {
  *out = 0;
  return v->of[option] ? tarei_pick(OPTIONS[option].name, v->of[option], names, n, out, err)
                       : TARE_OK;
}

static tare_status settings_read_integer(const settings_values *const v, const int option,
                                         const int64_t least, const int64_t most,
                                         int64_t *const out, tare_error *const err) {
  const char *const text = v->of[option];
  char *end = NULL;
  if (!text) {
    return TARE_OK;
  }
  errno = 0;
  *out = strtoll(text, &end, 10);
  return end != text && !*end && !errno && *out >= least && *out <= most
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE, "%s: expected an integer from %lld to %lld, got '%s'",
                          OPTIONS[option].name, (long long)least, (long long)most, text);
}

static tare_status settings_read_classes(const settings_values *const v,
                                         tarei_metric_settings *const out, tare_error *const err) {
  static const char *const AVERAGES[] = {[TAREI_AVERAGE_MACRO] = "macro",
                                         [TAREI_AVERAGE_MICRO] = "micro",
                                         [TAREI_AVERAGE_BINARY] = "binary"};
  int64_t top = 0, neighbours = 0;
  int average = 0;
  TAREI_TRY(settings_read_integer(v, TAREI_METRIC_TOP, 1, INT32_MAX, &top, err));
  TAREI_TRY(settings_read_integer(v, TAREI_METRIC_IGNORE_INDEX, INT32_MIN, INT32_MAX, &out->ignored,
                                  err));
  TAREI_TRY(settings_read_choice(v, TAREI_METRIC_AVERAGE, AVERAGES, 3, &average, err));
  TAREI_TRY(settings_read_integer(v, TAREI_METRIC_SHIFT, 0, 1000000, &out->shift, err));
  TAREI_TRY(settings_read_integer(v, TAREI_METRIC_NEIGHBOURS, 1, 10000, &neighbours, err));
  out->top = (int)top;
  out->neighbours = (int)neighbours;
  out->shifts = v->of[TAREI_METRIC_SHIFT] != NULL;
  out->ignores = v->of[TAREI_METRIC_IGNORE_INDEX] != NULL;
  out->average = (tarei_average)average;
  return TARE_OK;
}

static tare_status settings_read_timeout(const settings_values *const v, double *const out,
                                         tare_error *const err) {
  static const double MOST = 1e6;
  const char *const text = v->of[TAREI_METRIC_TIMEOUT];
  char *end = NULL;
  *out = text ? strtod(text, &end) : TIMEOUT;
  return !text || (end != text && !*end && *out >= 0 && *out <= MOST)
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE,
                          "metric-timeout: expected seconds from 0 (no limit) to %.0f, got '%s'",
                          MOST, text);
}

static tare_status settings_read_unit(const settings_values *const v,
                                      tarei_metric_settings *const out, tare_error *const err) {
  static const char *const UNITS[] = {"char", "word"};
  int unit = 0;
  TAREI_TRY(settings_read_choice(v, TAREI_METRIC_UNIT, UNITS, 2, &unit, err));
  out->words = unit == 1;
  return TARE_OK;
}

tare_status tarei_metric_settings_read(const char *const metric, const unsigned takes,
                                       const tare_metric_setting *const settings, const int n,
                                       tarei_metric_settings *const out, tare_error *const err) {
  settings_values values;
  *out = (tarei_metric_settings){0};
  TAREI_TRY(settings_gather(metric, takes, settings, n, &values, err));
  out->command = values.of[TAREI_METRIC_COMMAND];
  TAREI_TRY(settings_read_timeout(&values, &out->timeout, err));
  TAREI_TRY(settings_read_unit(&values, out, err));
  TAREI_TRY(settings_read_classes(&values, out, err));
  return settings_read_vocabulary(&values, out, err);
}

void tarei_metric_settings_fini(tarei_metric_settings *const settings) {
  tarei_vocabulary_free(&settings->vocabulary);
}

void tarei_metric_settings_forget(tarei_metric_settings *const copy) {
  copy->vocabulary = NULL;
  copy->command = NULL;
}
