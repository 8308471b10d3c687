/* Which strategy is better, as far as the data can tell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/compare_grid.h"

int grid_first(const grid *const g) {
  for (int i = 0; i < g->n_ranked; i++) {
    if (!g->items[g->order[i]].own) {
      return g->order[i];
    }
  }
  return -1;
}

/* How a strategy is placed. */
typedef struct compare_rank_place {
  int strategy;
  bool equal;    /* not distinguishable from the best */
  double metric; /* larger is better */
  double sqnr;
} compare_rank_place;

/* The larger figure first, one without a value last. */
static int compare_rank_figures(const double x, const double y) {
  if (isnan(x) || isnan(y)) {
    return isnan(x) - isnan(y);
  }
  return (x < y) - (x > y);
}

static int by_metric(const void *const a, const void *const b) {
  const compare_rank_place *const x = a, *const y = b;
  const int metric = compare_rank_figures(x->metric, y->metric);
  const int sqnr = compare_rank_figures(x->sqnr, y->sqnr);
  return metric ? metric : sqnr ? sqnr : x->strategy - y->strategy;
}

static int equals_first(const void *const a, const void *const b) {
  const compare_rank_place *const x = a, *const y = b;
  if (x->equal != y->equal) {
    return x->equal ? -1 : 1;
  }
  const int sqnr = x->equal ? compare_rank_figures(x->sqnr, y->sqnr) : 0;
  return sqnr ? sqnr : by_metric(a, b);
}

static compare_rank_place compare_rank_place_of(const grid *const g, const int strategy,
                                                const int metric) {
  const tare_eval_result *const result = &g->items[strategy].result;
  const double sign = metric >= 0 && tare_metric_lower_is_better(metric) ? -1 : 1;
  return (compare_rank_place){.strategy = strategy,
                              .metric = metric >= 0 ? sign * result->total.metric : 0,
                              .sqnr = result->total.sqnr_db};
}

/* Differences of the metric for all strategies at once: to the float plan, or to the first of the
 * order. */
static tare_status compare_rank_differ(grid *const g, const bool to_fp32, tare_error *const err) {
  const int n = g->n_ranked;
  const tare_metric_states **const states = cli_realloc(NULL, (size_t)n + 1, sizeof *states);
  tare_difference *const found = cli_realloc(NULL, (size_t)n + 1, sizeof *found);
  for (int i = 0; i < n; i++) {
    states[i] = g->items[g->order[i]].result.states;
  }
  states[n] = g->fp32.states;
  const tare_status status =
      tare_metric_differences(states, n + 1, to_fp32 ? n : 0, NULL, 0, found, err);
  for (int i = 0; status == TARE_OK && i < n; i++) {
    grid_strategy *const s = &g->items[g->order[i]];
    *(to_fp32 ? &s->to_fp32 : &s->to_best) = found[i];
  }
  free(states);
  free(found);
  return status;
}

/* The SQNR of all strategies beside that of the first. */
static tare_status compare_rank_sqnr(grid *const g, tare_error *const err) {
  const int n = g->n_ranked;
  const tare_eval_result *const any = &g->items[g->order[0]].result;
  if (any->n_errors == 0) {
    return TARE_OK;
  }
  const tare_error_tally **const tallies = cli_realloc(NULL, (size_t)n, sizeof *tallies);
  tare_difference *const found = cli_realloc(NULL, (size_t)n, sizeof *found);
  tare_interval *const own = cli_realloc(NULL, (size_t)n, sizeof *own);
  for (int i = 0; i < n; i++) {
    tallies[i] = g->items[g->order[i]].result.errors;
  }
  const tare_status status =
      tare_sqnr_differences(tallies, n, any->n_errors, any->n_columns, 0, found, own, err);
  for (int i = 0; status == TARE_OK && i < n; i++) {
    g->items[g->order[i]].sqnr_to_first = found[i];
    g->items[g->order[i]].sqnr = own[i];
  }
  free(tallies);
  free(found);
  free(own);
  return status;
}

static void compare_rank_clear(grid_strategy *const s) {
  s->sqnr = (tare_interval){NAN, NAN};
  s->sqnr_to_first = (tare_difference){.value = NAN, .low = NAN, .high = NAN};
}

/* Without numbers of samples there is no noise to measure: then only equal values are equal. */
static bool compare_rank_ties(const tare_difference *const d) {
  return d->samples == 0 && !isnan(d->value) ? d->value == 0 : !d->distinct;
}

static void mark_equals(grid *const g, compare_rank_place *const places) {
  for (int i = 0; i < g->n_ranked; i++) {
    grid_strategy *const s = &g->items[places[i].strategy];
    places[i].equal =
        compare_rank_ties(&s->to_best) && isnan(places[i].metric) == isnan(places[0].metric);
    s->equal = places[i].equal;
  }
}

static void compare_rank_order(grid *const g, const compare_rank_place *const places) {
  g->order = cli_realloc(g->order, (size_t)g->n, sizeof *g->order);
  for (int i = 0; i < g->n_ranked; i++) {
    g->order[i] = places[i].strategy;
  }
}

static void compare_rank_equals(grid *const g, const bool by_sqnr) {
  for (int i = 0; i < g->n_ranked; i++) {
    grid_strategy *const s = &g->items[g->order[i]];
    const bool worse = s->sqnr_to_first.distinct && s->sqnr_to_first.value < -GRID_MARGIN_DB;
    s->equal = i == 0 || (by_sqnr ? !worse : s->equal);
    g->n_equal += s->equal;
  }
}

/* --- the simplest ----------------------------------------------------------------------------- */

/* Of two strategies, the one that asks less of whoever uses it. */
static bool compare_rank_is_simpler(const grid *const g, const grid_strategy *const a,
                                    const grid_strategy *const b) {
  if (a->own || b->own) {
    return !a->own && b->own;
  }
  const grid_pass *const p = &g->passes[a->pass], *const q = &g->passes[b->pass];
  const int order[][2] = {{a->per_profile, b->per_profile},     {(int)p->fit, (int)q->fit},
                          {p->count_padding, q->count_padding}, {a->precision, b->precision},
                          {a->method_number, b->method_number}, {a->n_raised, b->n_raised}};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    if (order[i][0] != order[i][1]) {
      return order[i][0] < order[i][1];
    }
  }
  return false;
}

/* Whether nothing speaks against taking a strategy instead of the first. */
static bool compare_rank_matches(const grid *const g, const grid_strategy *const s,
                                 const int metric) {
  const double first = g->items[g->order[0]].result.total.sqnr_db;
  const double own = s->result.total.sqnr_db;
  return (metric < 0 || s->equal) && (own == first || first - own <= GRID_MARGIN_DB);
}

/* The others keep their order. */
static void compare_rank_simplest(grid *const g, const int metric) {
  int simplest = 0;
  for (int i = 1; i < g->n_ranked; i++) {
    const grid_strategy *const s = &g->items[g->order[i]];
    if (compare_rank_matches(g, s, metric) &&
        compare_rank_is_simpler(g, s, &g->items[g->order[simplest]])) {
      simplest = i;
    }
  }
  const int strategy = g->order[simplest];
  memmove(g->order + 1, g->order, (size_t)simplest * sizeof *g->order);
  g->order[0] = strategy;
}

/* --- all -------------------------------------------------------------------------------------- */

static tare_status compare_rank_by_metric(grid *const g, compare_rank_place *const places,
                                          tare_error *const err) {
  compare_rank_order(g, places);
  CLI_TRY(compare_rank_differ(g, true, err));
  CLI_TRY(compare_rank_differ(g, false, err));
  mark_equals(g, places);
  qsort(places, (size_t)g->n_ranked, sizeof *places, equals_first);
  return TARE_OK;
}

tare_status grid_rank(grid *const g, const int metric, tare_error *const err) {
  compare_rank_place *const places = cli_realloc(NULL, (size_t)g->n, sizeof *places);
  g->n_ranked = g->n_equal = 0;
  for (int i = 0; i < g->n; i++) {
    compare_rank_clear(&g->items[i]);
    if (g->items[i].error.status == TARE_OK) {
      places[g->n_ranked++] = compare_rank_place_of(g, i, metric);
    }
  }
  tare_status status = TARE_OK;
  if (g->n_ranked == 0) {
    goto done;
  }
  qsort(places, (size_t)g->n_ranked, sizeof *places, by_metric);
  if (metric >= 0) {
    CLI_TRY_GOTO(compare_rank_by_metric(g, places, err), done);
  }
  compare_rank_order(g, places);
  compare_rank_simplest(g, metric);
  CLI_TRY_GOTO(compare_rank_sqnr(g, err), done);
  compare_rank_equals(g, metric < 0);
done:
  free(places);
  return status;
}
