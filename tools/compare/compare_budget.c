#include "tools/compare/compare_budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/signals.h"

double compare_budget_parse(const struct argp_state *const state, const char *const text) {
  static const struct {
    char unit;
    double seconds;
  } UNITS[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
  const size_t length = strlen(text);
  double factor = 1;
  size_t digits = length;
  for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
    if (length > 0 && text[length - 1] == UNITS[i].unit) {
      factor = UNITS[i].seconds;
      digits = length - 1;
    }
  }
  char *const number = cli_format("%.*s", (int)digits, text);
  char *end = NULL;
  const double value = factor * strtod(number, &end);
  const bool valid = end != number && !*end && isfinite(value) && value > 0;
  free(number);
  if (!valid) {
    argp_error(state, "--time-budget: expected a time above 0 such as 90s, 10m or 2h, got '%s'",
               text);
  }
  return value;
}

double compare_budget_deadline(const compare_budget *const b) {
  return b->seconds > 0 && b->armed ? b->start + b->seconds : 0;
}

bool compare_budget_allows(compare_budget *const b, const double seconds) {
  const double deadline = compare_budget_deadline(b);
  b->over = b->over || (deadline > 0 && cli_now() + seconds > deadline);
  return !b->over;
}

static int budget_slice(const compare_budget *const b, const int n) {
  static const double SECONDS = 60;
  const double plan = fmax(b->plan_seconds, 1e-6);
  const double most = fmax((SECONDS - b->fp32_seconds) / plan, 2 * b->fp32_seconds / plan);
  return (int)fmin(fmax(floor(most), 1), n);
}

/* Of what is left, for a pass: runs differ in time, and a pass that is stopped is lost. */
static const double SHARE = 0.5;

double compare_budget_spare(const compare_budget *const b) {
  const double deadline = compare_budget_deadline(b);
  const double pass = b->fp32_seconds + b->plan_seconds;
  return deadline > 0 ? deadline - cli_now() - pass / SHARE : INFINITY;
}

int compare_budget_plans(compare_budget *const b, const int n) {
  if (b->seconds == 0 && !b->slices) {
    return n;
  }
  if (!b->armed) {
    return 1;
  }
  if (b->seconds == 0) {
    return budget_slice(b, n);
  }
  const double left = SHARE * (compare_budget_deadline(b) - cli_now()) - b->fp32_seconds;
  const double most = floor(left / fmax(b->plan_seconds, 1e-6));
  b->over = b->over || most < 1;
  return b->over ? 0 : (int)fmin(most, b->slices ? budget_slice(b, n) : n);
}

void compare_budget_note(compare_budget *const b, const double seconds, const double runs,
                         const int n) {
  b->armed = true;
  b->plan_seconds = runs / n;
  b->fp32_seconds = seconds - runs;
}

static char *budget_strategy(const grid *const g, const int i) {
  char *const fit = grid_fit_text(g, i);
  char *const text = cli_format("%s, %s", fit, g->items[i].method);
  free(fit);
  return text;
}

char *compare_budget_left(const grid *const g) {
  char *text = NULL;
  for (int i = g->n; i < g->n + g->n_left; i++) {
    char *const own = budget_strategy(g, i);
    text = cli_append(text, "%s%s", text ? "; " : "", own);
    free(own);
  }
  return text;
}

void compare_budget_complain(const compare_budget *const b, const grid *const g,
                             const char *const next) {
  if (g->n_left == 0) {
    return;
  }
  char *const left = compare_budget_left(g);
  fprintf(stderr,
          "tare compare: the time budget of %g s ended: %d of %d strategies are left out, the "
          "ranking is that of the others: %s\n",
          b->seconds, g->n_left, g->n + g->n_left, left);
  if (next) {
    fprintf(stderr, "tare compare: go on with: %s\n", next);
  }
  free(left);
}

void compare_budget_print(const compare_budget *const b, const grid *const g) {
  if (g->n_left > 0) {
    char *const left = compare_budget_left(g);
    char *const why = signals_interrupted()
                          ? cli_format("the comparison was interrupted")
                          : cli_format("the time budget of %g s ended", b->seconds);
    printf("left out, as %s: %s\n", why, left);
    free(why);
    free(left);
  }
}

static void left_json(cJSON *const item, const grid *const g) {
  json_int(item, "evaluated", g->n);
  cJSON *const list = json_add(item, "left_out", json_array());
  for (int i = g->n; i < g->n + g->n_left; i++) {
    const grid_strategy *const s = &g->items[i];
    cJSON *const left = json_add(list, NULL, json_object());
    json_text(left, "fit", s->fit);
    json_text(left, "method", s->method);
    json_bool(left, "padding_counted", grid_counts_padding(g, s));
    json_bool(left, "own", s->own != NULL);
  }
}

void compare_budget_json(cJSON *const object, const compare_budget *const b, const grid *const g) {
  if (signals_interrupted()) {
    left_json(json_add(object, "interrupted", json_object()), g);
  }
  if (b->seconds > 0) {
    cJSON *const item = json_add(object, "time_budget", json_object());
    json_real(item, "seconds", b->seconds);
    left_json(item, g);
  }
}
