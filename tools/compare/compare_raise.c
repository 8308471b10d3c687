#include "tools/compare/compare_raise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/options/compare_precisions.h"
#include "tools/say.h"
#include "tools/tune/accuracy.h"

/* One precision for all layers leaves nothing to raise, and symmetric plans follow no requests of
 * tables. */
static bool raise_may(const compare_arguments *const a, const grid_strategy *const s) {
  return !a->keep_layers && s->precision == 0 && !a->build.symmetric;
}

/* The samples as the calibration takes them. */
static opt_inputs raise_inputs(const compare_arguments *const a, const grid_pass *const pass) {
  opt_inputs in = a->in;
  in.data.labels = NULL;
  in.fit.fit = pass->fit;
  return in;
}

/* The plan of the table of a strategy on these samples. */
static accuracy_case raise_case(const compare_work *const w, const grid_strategy *const s,
                                const opt_inputs *const in) {
  return (accuracy_case){.in = in,
                         .model = w->model,
                         .table = s->table,
                         .profiles = w->profiles,
                         .lengths = &w->lengths,
                         .streaming = w->streaming};
}

/* `seconds`: INFINITY without a limit. */
static tare_status raise_search(const compare_arguments *const a, const compare_work *const w,
                                const grid_strategy *const s, const double seconds,
                                accuracy *const found, tare_error *const err) {
  const opt_inputs in = raise_inputs(a, &w->grid.passes[s->pass]);
  accuracy_case c = raise_case(w, s, &in);
  c.kept = s->table;
  c.raises = true;
  c.seconds = isinf(seconds) ? 0 : seconds;
  return accuracy_check(&c, found, err);
}

/* The best strategy may be bad all the same. */
static tare_status raise_warn(const compare_arguments *const a, const compare_work *const w,
                              const grid_strategy *const s, tare_error *const err) {
  if (!(s->result.total.sqnr_db < ACCURACY_LIMIT)) {
    return TARE_OK;
  }
  tare_build_options build = a->build;
  char *const requests = compare_precision_requests(s->precision, build.layer_precisions);
  build.layer_precisions = requests;
  const opt_inputs in = raise_inputs(a, &w->grid.passes[s->pass]);
  accuracy_case c = raise_case(w, s, &in);
  c.build = &build;
  accuracy found;
  const tare_status status = accuracy_check(&c, &found, err);
  free(requests);
  return status;
}

/* A row for the table with requests, before those that were left out. */
static void raise_add(grid *const g, const int strategy, const accuracy *const found) {
  g->items = cli_realloc(g->items, (size_t)(g->n + g->n_left) + 1, sizeof *g->items);
  memmove(&g->items[g->n + 1], &g->items[g->n], (size_t)g->n_left * sizeof *g->items);
  grid_strategy *const base = &g->items[strategy], *const raised = &g->items[g->n++];
  *raised = (grid_strategy){.fit = base->fit,
                            .label = cli_format("%s, raised", base->method),
                            .pass = base->pass,
                            .method_number = base->method_number,
                            .percentile = base->percentile,
                            .per_profile = base->per_profile,
                            .n_raised = found->n_raised,
                            .raised_share = found->share,
                            .table = base->table};
  raised->method = raised->label;
}

static void raise_drop(grid *const g) {
  g->n--;
  free(g->items[g->n].label);
  memmove(&g->items[g->n], &g->items[g->n + 1], (size_t)g->n_left * sizeof *g->items);
}

/* Evaluates the last row, and ranks all of them again. */
static tare_status raise_rank(const compare_arguments *const a, compare_work *const w,
                              const compare_eval *const e, const int strategy,
                              tare_error *const err) {
  grid *const g = &w->grid;
  const int raised = g->n - 1;
  CLI_TRY(compare_evaluate(e, g, g->items[raised].pass, err));
  if (!g->items[raised].done) {
    raise_drop(g);
    w->leaves_layers = true;
    say(&a->in.common,
        "the raised layers are left out: the time budget ended before they were evaluated");
    return tare_table_set_layer_precisions(g->items[strategy].table, NULL, err);
  }
  CLI_TRY(grid_rank(g, a->metric.metric, err));
  return grid_first(g) == raised
             ? TARE_OK
             : tare_table_set_layer_precisions(g->items[strategy].table, NULL, err);
}

tare_status compare_raise(const compare_arguments *const a, compare_work *const w,
                          const compare_eval *const e, tare_error *const err) {
  grid *const g = &w->grid;
  const int first = grid_first(g);
  if (first < 0) {
    return TARE_OK;
  }
  const double left = compare_budget_spare(&w->budget);
  const bool may = raise_may(a, &g->items[first]), late = left <= 0;
  w->leaves_layers = a->keep_layers || late;
  if (!may || late) {
    if (may) {
      say(&a->in.common,
          "no layers are raised: the time budget leaves no time to find and evaluate them");
    }
    return raise_warn(a, w, &g->items[first], err);
  }
  accuracy found;
  CLI_TRY(raise_search(a, w, &g->items[first], left, &found, err));
  if (found.n_raised == 0) {
    w->leaves_layers = !isinf(left); /* with more time some might be */
    return TARE_OK;
  }
  raise_add(g, first, &found);
  return raise_rank(a, w, e, first, err);
}
