/* One option for each row of TARE_LIMIT_LIST. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/options/options.h"
#include "tools/report.h"

typedef struct limits_row {
  const char *name, *unit;
  int64_t normal, least, most;
} limits_row;

static const limits_row ROWS[] = {
#define TARE_LIMIT_ROW(field, name, unit, normal, least, most, text) \
  {name, unit, normal, least, most},
    TARE_LIMIT_LIST(TARE_LIMIT_ROW)
#undef TARE_LIMIT_ROW
};
enum { N_ROWS = sizeof ROWS / sizeof *ROWS };
_Static_assert(OPT_LIMITS + N_ROWS <= OPT_LIMITS_END, "each row needs a key");

enum {
  ROW_FIRST = -1,
#define TARE_LIMIT_KEY(field, name, unit, normal, least, most, text) ROW_##field,
  TARE_LIMIT_LIST(TARE_LIMIT_KEY)
#undef TARE_LIMIT_KEY
};

static const struct argp_option OPTIONS[] = {
#define TARE_LIMIT_OPTION(field, name, unit, normal, least, most, text) \
  {name, OPT_LIMITS + ROW_##field, "N", 0, text, 0},
    TARE_LIMIT_LIST(TARE_LIMIT_OPTION)
#undef TARE_LIMIT_OPTION
        {"allow-external", OPT_ALLOW_EXTERNAL, "DIR", 0,
         "External data of a model may also lie in DIR, besides the model's own folder", 0},
    {0}};

static int64_t *opt_limits_value_of(tare_limits *const limits, const int at) {
  int64_t *const values[] = {
#define TARE_LIMIT_VALUE(field, name, unit, normal, least, most, text) &limits->field,
      TARE_LIMIT_LIST(TARE_LIMIT_VALUE)
#undef TARE_LIMIT_VALUE
  };
  return values[at];
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

static int64_t limits_take_number(const struct argp_state *const state, const limits_row *const r,
                                  const char *const text) {
  char *end = NULL;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  const int64_t unit = suffix_value(end);
  int64_t product = 0;
  if (errno || end == text || !unit || __builtin_mul_overflow(value, unit, &product) ||
      product < r->least || product > r->most) {
    const bool bytes = strcmp(r->unit, "bytes") == 0;
    argp_error(state, "--%s takes from %" PRId64 " to %" PRId64 " %s%s, not '%s'", r->name,
               r->least, r->most, r->unit, bytes ? ", e.g. 500M, 2G or 4Gi" : "", text);
  }
  return product;
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
  if (key < OPT_LIMITS || key >= OPT_LIMITS + N_ROWS) {
    return ARGP_ERR_UNKNOWN;
  }
  const int at = key - OPT_LIMITS;
  *opt_limits_value_of(&o->limits, at) = limits_take_number(state, &ROWS[at], arg);
  return 0;
}

/* Says the default behind an option's text, where it is the same on every machine. */
static char *add_default(const int key, const char *const text, void *const input) {
  (void)input;
  const int at = key - OPT_LIMITS;
  if (at < 0 || at >= N_ROWS || !ROWS[at].normal) {
    return (char *)text; /* as it is */
  }
  if (strcmp(ROWS[at].unit, "bytes") != 0) {
    return cli_format("%s (default: %" PRId64 ")", text, ROWS[at].normal);
  }
  char *const bytes = report_bytes(ROWS[at].normal);
  char *const all = cli_format("%s (default: %s)", text, bytes);
  free(bytes);
  return all;
}

const struct argp opt_limits_argp = {
    .options = OPTIONS, .parser = limits_parse, .help_filter = add_default};
