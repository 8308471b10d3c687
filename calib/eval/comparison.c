#include "calib/eval/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "calib/eval/comparison_state.h"

tare_status tare_comparison_new(const tare_plan *const plan, const tare_plan *const against,
                                const bool outputs_only, tare_comparison **const out,
                                tare_error *const err) {
  tare_comparison *c = tarei_calloc(1, sizeof *c);
  *out = NULL;
  if (!c) {
    return tarei_fail_memory(err, "comparison", sizeof *c);
  }
  c->outputs_only = outputs_only;
  const tare_status status = tarei_comparison_match(c, plan, against, err);
  if (status != TARE_OK) {
    tare_comparison_free(&c);
    return status;
  }
  *out = c;
  return TARE_OK;
}

void tare_comparison_free(tare_comparison **const comparison) {
  tare_comparison *const c = *comparison;
  for (int i = 0; c && i < c->n; i++) {
    free(c->items[i].name);
    tarei_kept_tensor_fini(&c->items[i].kept);
    tarei_kept_tensor_fini(&c->items[i].muted);
    free(c->items[i].levels);
    free(c->items[i].level_sqnr);
  }
  if (c) {
    free(c->items);
    free(c->plan.entries);
    free(c->against.entries);
    free(c->sqnr);
    free(c);
    *comparison = NULL;
  }
}

bool tarei_comparison_is_of(const tare_comparison *const c, const tare_plan *const plan,
                            const tare_plan *const against) {
  return c->plan.plan == plan && c->against.plan == against;
}

void tarei_comparison_begin(tare_comparison *const c) {
  for (int i = 0; i < c->n; i++) {
    c->items[i].pending = (tarei_error_sums){0};
    c->items[i].is_kept = c->items[i].is_muted = false;
  }
}

/* Of all levels; NAN where nothing was compared. */
static double lowest_sqnr(const tare_comparison *const c, const tarei_compared *const e) {
  if (!c->n_levels) {
    return tarei_measure_sqnr(&e->total.tally);
  }
  double lowest = NAN;
  for (int l = 0; l < c->n_levels; l++) {
    lowest = fmin(lowest, e->level_sqnr[l]);
  }
  return lowest;
}

static double lowest_input(const tare_comparison *const c, const tarei_node *const node) {
  double lowest = INFINITY;
  for (int i = 0; i < node->n_in; i++) {
    lowest = node->in[i] < 0 ? lowest : fmin(lowest, c->sqnr[node->in[i]]);
  }
  return lowest;
}

/* Carries the SQNR of the compared tensors along the nodes, which stand in the order of runs. */
static void carry_sqnr(tare_comparison *const c) {
  const tarei_graph *const g = tarei_comparison_graph(c->plan.plan);
  for (int v = 0; v < g->n_values; v++) {
    c->sqnr[v] = INFINITY;
  }
  for (int n = 0; n < g->n_nodes; n++) {
    const double before = lowest_input(c, &g->nodes[n]);
    for (int o = 0; o < g->nodes[n].n_out; o++) {
      const int v = g->nodes[n].out[o];
      tarei_compared *const e =
          v < 0 || c->plan.entries[v] == TAREI_NO_ENTRY ? NULL : &c->items[c->plan.entries[v]];
      if (e) {
        e->before = before;
      }
      if (v >= 0) {
        c->sqnr[v] = e && e->total.tally.values ? lowest_sqnr(c, e) : before;
      }
    }
  }
}

static void add_to_level(tarei_compared *const e, const int level) {
  tarei_measure_add(&e->levels[level], &e->pending.tally);
  e->level_sqnr[level] = tarei_measure_sqnr(&e->levels[level]);
}

void tarei_comparison_commit(tare_comparison *const c, const int level) {
  for (int i = 0; i < c->n; i++) {
    tarei_compared *const e = &c->items[i];
    tarei_error_sums_add(&e->total, &e->pending);
    if (c->n_levels) {
      add_to_level(e, level);
    }
    if (e->counted) {
      tarei_error_sums_histogram(&e->total, e->histogram);
    }
  }
  carry_sqnr(c);
}

int tare_comparison_count(const tare_comparison *const c) {
  return c->n;
}

void tare_comparison_set_bounds(tare_comparison *const c, const int i, const double atol,
                                const double rtol) {
  if (!tarei_has_number(i, c->n)) {
    return;
  }
  c->items[i].bounds.set = true;
  c->items[i].bounds.atol = atol;
  c->items[i].bounds.rtol = rtol;
}

void tare_comparison_set_histogram(tare_comparison *const c, const int i) {
  if (!tarei_has_number(i, c->n)) {
    return;
  }
  c->items[i].counted = true;
}

tare_tensor_error tare_comparison_tensor(const tare_comparison *const c, const int i) {
  if (!tarei_has_number(i, c->n)) {
    return (tare_tensor_error){0};
  }
  const tarei_compared *const e = &c->items[i];
  const tarei_value *const value = &tarei_comparison_graph(c->plan.plan)->values[e->value];
  tare_tensor_error out = {.name = e->name,
                           .stored = value->name,
                           .dtype = value->dtype,
                           .layer = e->layer,
                           .is_output = value->is_output,
                           .comparable = !e->unlike,
                           .input_sqnr_db = e->before,
                           .level_sqnr_db = c->n_levels ? e->level_sqnr : NULL,
                           .histogram = e->counted ? e->histogram : NULL};
  tarei_error_sums_conclude(&e->total, &out);
  out.lowest_sqnr_db = lowest_sqnr(c, e);
  return out;
}
