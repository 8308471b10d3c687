/* One option for each limit. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/options/options.h"
#include "tools/report.h"

enum { OPT_ALLOW_EXTERNAL = KEYS_LIMITS, OPT_LIMITS /* one key for each limit */ };
enum { N_FIXED = 1, N_KEYS = 64 };

/* The limits follow; what stands behind them is zero and ends the list. */
static struct argp_option OPTIONS[N_FIXED + N_KEYS + 1] = {
    {"allow-external", OPT_ALLOW_EXTERNAL, "DIR", 0,
     "Also allow external data of a model in DIR, besides the model's folder", 0}};

void opt_limits_prepare(void) {
  const tare_limit *limit = NULL;
  for (int i = 0; (limit = tare_limit_at(i)) != NULL; i++) {
    assert(i < N_KEYS);
    OPTIONS[N_FIXED + i] = (struct argp_option){
        .name = limit->name, .key = OPT_LIMITS + i, .arg = "N", .doc = limit->text};
  }
}

/* Powers of 1000, as sizes are printed, or with an "i" of 1024; 0 for what is no suffix. */
static int64_t suffix_value(const char *const suffix) {
  static const char LETTERS[] = "KMGT";
  if (!*suffix) {
    return 1;
  }
  const char *const letter = strchr(LETTERS, suffix[0] == 'k' ? 'K' : suffix[0]);
  const bool binary = suffix[1] == 'i';
  if (!letter || suffix[1 + binary]) {
    return 0;
  }
  int64_t value = 1;
  for (const char *c = LETTERS; c <= letter; c++) {
    value *= binary ? 1024 : 1000;
  }
  return value;
}

static void limits_take(const struct argp_state *const state, tare_limits *const limits,
                        const int limit, const char *const text) {
  char *end = NULL;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  const int64_t unit = suffix_value(end);
  int64_t product = 0;
  if (errno || end == text || !unit || __builtin_mul_overflow(value, unit, &product) ||
      tare_limit_set(limits, limit, product, NULL) != TARE_OK) {
    const tare_limit *const r = tare_limit_at(limit);
    const bool bytes = strcmp(r->unit, "bytes") == 0;
    argp_error(state, "--%s: expected %" PRId64 " to %" PRId64 " %s%s, got '%s'", r->name, r->least,
               r->most, r->unit, bytes ? ", e.g. 500M, 2G or 4Gi" : "", text);
  }
}

static error_t limits_parse(const int key, char *const arg, struct argp_state *const state) {
  struct opt_limits *const o = state->input;
  if (key == ARGP_KEY_INIT) {
    tare_limits_init(&o->limits);
    return 0;
  }
  if (key == OPT_ALLOW_EXTERNAL) {
    o->external_folder = arg;
    return 0;
  }
  if (!tare_limit_at(key - OPT_LIMITS)) {
    return ARGP_ERR_UNKNOWN;
  }
  limits_take(state, &o->limits, key - OPT_LIMITS, arg);
  return 0;
}

/* Says the default behind an option's text, where it is the same on every machine. */
static char *add_default(const int key, const char *const text, void *const input) {
  (void)input;
  const tare_limit *const limit = tare_limit_at(key - OPT_LIMITS);
  if (!limit || !limit->normal) {
    return (char *)text; /* as it is */
  }
  if (strcmp(limit->unit, "bytes") != 0) {
    return cli_format("%s (default: %" PRId64 ")", text, limit->normal);
  }
  char *const bytes = report_bytes(limit->normal);
  char *const all = cli_format("%s (default: %s)", text, bytes);
  free(bytes);
  return all;
}

const struct argp opt_limits_argp = {
    .options = OPTIONS, .parser = limits_parse, .help_filter = add_default};
