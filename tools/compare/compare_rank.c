/* Which strategy is better, as far as the data can tell. */
#include <math.h>
#include <stdlib.h>

#include "tools/compare/compare_grid.h"

/* How a strategy is placed. */
typedef struct compare_rank_place {
  int strategy;
  bool equal;    /* not distinguishable from the best */
  double metric; /* larger is better */
  double sqnr;
} compare_rank_place;

static int by_metric(const void *const a, const void *const b) {
  const compare_rank_place *const x = a, *const y = b;
  if (x->metric != y->metric) {
    return x->metric > y->metric ? -1 : 1;
  }
  if (x->sqnr != y->sqnr) {
    return x->sqnr > y->sqnr ? -1 : 1;
  }
  return x->strategy - y->strategy;
}

static int equals_first(const void *const a, const void *const b) {
  const compare_rank_place *const x = a, *const y = b;
  if (x->equal != y->equal) {
    return x->equal ? -1 : 1;
  }
  if (x->equal && x->sqnr != y->sqnr) {
    return x->sqnr > y->sqnr ? -1 : 1;
  }
  return by_metric(a, b);
}

static compare_rank_place compare_rank_place_of(const grid *const g, const int strategy,
                                                const int metric) {
  const tare_eval_result *const result = &g->items[strategy].result;
  const double sign = metric >= 0 && tare_metric_lower_is_better(metric) ? -1 : 1;
  return (compare_rank_place){.strategy = strategy,
                              .metric = metric >= 0 ? sign * result->total.metric : 0,
                              .sqnr = tare_eval_lowest_sqnr(result)};
}

/* Differences to the float plan and to the best, for all strategies at once. */
static tare_status compare_rank_differ(grid *const g, const compare_rank_place *const places,
                                       tare_error *const err) {
  const int n = g->n_ranked;
  const tare_metric_tally **const tallies = cli_realloc(NULL, (size_t)n + 1, sizeof *tallies);
  tare_difference *const found = cli_realloc(NULL, (size_t)n + 1, sizeof *found);
  for (int i = 0; i < n; i++) {
    tallies[i] = g->items[places[i].strategy].result.tallies;
  }
  tallies[n] = g->fp32.tallies;
  tare_status status = TARE_OK;
  const int64_t n_samples = g->fp32.n_tallies;
  CLI_TRY_GOTO(tare_metric_differences(tallies, n + 1, n_samples, n, found, err), done);
  for (int i = 0; i < n; i++) {
    g->items[places[i].strategy].to_fp32 = found[i];
  }
  CLI_TRY_GOTO(tare_metric_differences(tallies, n + 1, n_samples, 0 /* best */, found, err), done);
  for (int i = 0; i < n; i++) {
    g->items[places[i].strategy].to_best = found[i];
  }
done:
  free(tallies);
  free(found);
  return status;
}

/* The SQNR of all strategies beside that of the first. With a gain range the SQNR that counts is
 * that of one level, which the tallies of whole recordings do not tell. */
static tare_status compare_rank_sqnr(grid *const g, tare_error *const err) {
  const int n = g->n_ranked;
  const int64_t n_samples = g->items[g->order[0]].result.n_errors;
  if (g->fp32.n_levels > 0 || n_samples == 0) {
    return TARE_OK;
  }
  const tare_error_tally **const tallies = cli_realloc(NULL, (size_t)n, sizeof *tallies);
  tare_difference *const found = cli_realloc(NULL, (size_t)n, sizeof *found);
  tare_interval *const own = cli_realloc(NULL, (size_t)n, sizeof *own);
  for (int i = 0; i < n; i++) {
    tallies[i] = g->items[g->order[i]].result.errors;
  }
  const tare_status status = tare_sqnr_differences(tallies, n, n_samples, 0, found, own, err);
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

static void mark_equals(grid *const g, compare_rank_place *const places) {
  for (int i = 0; i < g->n_ranked; i++) {
    places[i].equal = !g->items[places[i].strategy].to_best.distinct;
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
    s->equal = i == 0 || !(by_sqnr ? s->sqnr_to_first.distinct : s->to_best.distinct);
    g->n_equal += s->equal;
  }
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
    CLI_TRY_GOTO(compare_rank_differ(g, places, err), done);
    mark_equals(g, places);
    qsort(places, (size_t)g->n_ranked, sizeof *places, equals_first);
  }
  compare_rank_order(g, places);
  CLI_TRY_GOTO(compare_rank_sqnr(g, err), done);
  compare_rank_equals(g, metric < 0);
done:
  free(places);
  return status;
}
