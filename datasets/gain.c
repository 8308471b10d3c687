#include "datasets/gain.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

enum { MOST_NUMBERS = 3 };
static const double DEFAULT_STEP = 10, LEAST_STEP = 0.1;
static const double MOST_DB = 120;

/* --- parsing ---------------------------------------------------------------------------------- */

static tare_status fail_range(const char *const text, const char *const rule,
                              tare_error *const err) {
  return tarei_fail(err, TARE_E_USAGE, "gain range '%s': %s, e.g. -20:+20dB", text, rule);
}

/* One number with an optional unit, up to a colon or the end; NULL: it is none. */
static const char *parse_db(const char *const at, double *const out) {
  char *end = NULL;
  *out = strtod(at, &end);
  if (end == at || isspace((unsigned char)*at) || !isfinite(*out)) {
    return NULL;
  }
  if (strncasecmp(end, "dB", 2) == 0) {
    end += 2;
  }
  return *end && *end != ':' ? NULL : end;
}

static tare_status parse_numbers(const char *const text, double numbers[MOST_NUMBERS], int *const n,
                                 tare_error *const err) {
  const char *at = text;
  for (*n = 0; at; at = *at ? at + 1 : NULL) {
    if (*n == MOST_NUMBERS) {
      return fail_range(text, "expected at most LOW:HIGH:STEP", err);
    }
    at = parse_db(at, &numbers[(*n)++]);
    if (!at) {
      return fail_range(text, "expected LOW:HIGH or LOW:HIGH:STEP in decibels", err);
    }
  }
  return TARE_OK;
}

static tare_status gain_check(const tarei_gain *const g, const char *const text,
                              tare_error *const err) {
  if (g->low > g->high) {
    return tarei_fail(err, TARE_E_USAGE, "gain range '%s' is reversed: expected %+g:%+gdB", text,
                      g->high, g->low);
  }
  if (g->low > 0 || g->high < 0) {
    return fail_range(text, "expected a range that contains 0 dB, the level of the data", err);
  }
  if (g->low == g->high) {
    return fail_range(text, "expected a range wider than 0 dB", err);
  }
  if (g->low < -MOST_DB || g->high > MOST_DB) {
    return tarei_fail(err, TARE_E_USAGE, "gain range '%s': expected at most %g dB to each side",
                      text, MOST_DB);
  }
  return g->step >= LEAST_STEP
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE, "gain range '%s': expected a step of %g dB or more",
                          text, LEAST_STEP);
}

/* --- levels ----------------------------------------------------------------------------------- */

/* Steps between 0 and an end. */
static int gain_count_steps(const tarei_gain *const g, const double end) {
  const double between = floor(fabs(end) / g->step - 0.5);
  return between > 0 ? (int)between : 0;
}

static tare_status list_levels(tarei_gain *const g, const char *const text, tare_error *const err) {
  const int below = gain_count_steps(g, g->low), above = gain_count_steps(g, g->high);
  const int ends = (g->low < 0) + (g->high > 0);
  if (below + above + ends + 1 > TAREI_GAIN_LEVELS) {
    return tarei_fail(err, TARE_E_USAGE,
                      "gain range '%s' has %d levels, more than %d (use a larger step)", text,
                      below + above + ends + 1, TAREI_GAIN_LEVELS);
  }
  if (g->low < 0) {
    g->db[g->n++] = g->low;
  }
  for (int i = below; i > 0; i--) {
    g->db[g->n++] = -i * g->step;
  }
  g->own = g->n;
  for (int i = 0; i <= above; i++) {
    g->db[g->n++] = i * g->step;
  }
  if (g->high > 0) {
    g->db[g->n++] = g->high;
  }
  return TARE_OK;
}

tare_status tarei_gain_parse(const char *const text, tarei_gain *const out, tare_error *const err) {
  double numbers[MOST_NUMBERS] = {0};
  int n = 0;
  *out = (tarei_gain){0};
  TAREI_TRY(parse_numbers(text, numbers, &n, err));
  tarei_gain g = {.low = fmin(numbers[0], 0), .high = fmax(numbers[0], 0), .step = DEFAULT_STEP};
  if (n > 1) {
    g.low = numbers[0] + 0.0; /* no -0 */
    g.high = numbers[1] + 0.0;
  }
  if (n > 2) {
    g.step = numbers[2];
  }
  TAREI_TRY(gain_check(&g, text, err));
  TAREI_TRY(list_levels(&g, text, err));
  *out = g;
  return TARE_OK;
}

void tarei_gain_print(const tarei_gain *const g, tarei_str *const to) {
  tarei_str_add(to, "%+.15g:%+.15g:%.15gdB", g->low, g->high, g->step);
}

int tarei_gain_levels(const tarei_gain *const g) {
  return g->n ? g->n : 1;
}

int tarei_gain_level(const tarei_gain *const g, const int turn) {
  return turn == 0 ? g->own : turn <= g->own ? turn - 1 : turn;
}

float tarei_gain_factor(const tarei_gain *const g, const int level) {
  return g->n ? (float)pow(10, g->db[level] / 20) : 1;
}
