/* Which strategies are compared with which, and how sure the samples are of the difference. */
#include <math.h>
#include <stdlib.h>

#include "tools/compare/verdict.h"

enum { EQUAL_FROM = 6 }; /* samples: fewer are no evidence for a difference, nor against one */

static bool same_handling(const grid_strategy *const a, const grid_strategy *const b) {
  return a->pass == b->pass && a->per_profile == b->per_profile;
}

/* The ranked strategy with a method, fit and padding; -1: there is none. */
static int pair_find(const grid *const g, const grid_strategy *const method_of, const tare_fit fit,
                     const bool count_padding, const bool per_profile) {
  for (int i = 0; i < g->n_ranked; i++) {
    const grid_strategy *const s = &g->items[g->order[i]];
    if (!s->own && grid_same_method(s, method_of) && s->precision == method_of->precision &&
        g->passes[s->pass].fit == fit && g->passes[s->pass].count_padding == count_padding &&
        s->per_profile == per_profile) {
      return g->order[i];
    }
  }
  return -1;
}

/* Beside the same with padding excluded, or else, as for those that differ in more, beside what is
 * done for the first. */
static void pair_other_handling(const grid *const g, const grid_strategy *const s,
                                verdict_pair *const out) {
  const grid_strategy *const first = &g->items[grid_first(g)];
  const grid_pass *const pass = &g->passes[s->pass], *const chosen = &g->passes[first->pass];
  const bool counts = pass->count_padding && !chosen->count_padding;
  const int excluded = counts ? pair_find(g, s, pass->fit, false, s->per_profile) : -1;
  out->base = excluded >= 0
                  ? excluded
                  : pair_find(g, s, chosen->fit, chosen->count_padding, first->per_profile);
  const bool only_padded = pass->fitted.cut == 0 && pass->fitted.padding > 0 &&
                           chosen->fitted.cut == 0 && chosen->fitted.padding == 0;
  out->axis = s->per_profile != first->per_profile ? AXIS_PER_PROFILE
              : excluded >= 0 || only_padded       ? AXIS_PADDING
                                                   : AXIS_FIT;
}

/* Of those that handle lengths as the first does: beside the first, or where the precision is
 * another one, beside the same method in that of the first. */
static void pair_other_form(const grid *const g, const grid_strategy *const s,
                            verdict_pair *const out) {
  const grid_strategy *const first = &g->items[grid_first(g)];
  const grid_pass *const pass = &g->passes[s->pass];
  if (s->precision != first->precision) {
    grid_strategy wanted = *s;
    wanted.precision = first->precision;
    out->axis = AXIS_PRECISION;
    out->base = pair_find(g, &wanted, pass->fit, pass->count_padding, s->per_profile);
  }
}

/* The strategy that a strategy is compared with; false: it is the first, or has no partner. */
static bool pair_base(const grid *const g, const int strategy, verdict_pair *const out) {
  const grid_strategy *const s = &g->items[strategy], *const first = &g->items[grid_first(g)];
  *out = (verdict_pair){.strategy = strategy,
                        .base = grid_first(g),
                        .axis = AXIS_METHOD,
                        .first_method = grid_same_method(s, first)};
  if (s->own) {
    out->axis = AXIS_OWN;
    return true;
  }
  if (same_handling(s, first)) {
    pair_other_form(g, s, out);
    return s != first && out->base >= 0;
  }
  pair_other_handling(g, s, out);
  return out->base >= 0;
}

/* Of a difference that is no evidence by itself; `to_first`: that to what ranks first. */
static verdict_effect pair_weak_effect(const tare_difference *const d,
                                       const tare_difference *const to_first) {
  if (isnan(d->low) || d->samples < EQUAL_FROM) {
    return EFFECT_UNDECIDED;
  }
  const double most = fmin(d->high, to_first->high); /* whether it matters for what ranks first */
  return most > GRID_MARGIN_DB                                  ? EFFECT_UNDECIDED
         : d->low < -GRID_MARGIN_DB || d->high > GRID_MARGIN_DB ? EFFECT_NO_GAIN
                                                                : EFFECT_EQUAL;
}

scale_ratios pair_scale_ratios(const grid *const g, const verdict_pair *const p) {
  return scale_ratios_of(g->items[p->strategy].table, g->items[p->base].table);
}

/* Equal scales and equal figures of every sample: the plans are the same, and more samples would
 * not differ either. */
static bool pair_is_same(const grid *const g, const verdict_pair *const p) {
  const grid_strategy *const s = &g->items[p->strategy], *const base = &g->items[p->base];
  if (!s->table || !base->table || s->precision != base->precision || p->sqnr.value != 0 ||
      p->sqnr.differing != 0) {
    return false;
  }
  const scale_ratios r = pair_scale_ratios(g, p);
  return r.tensors > 0 && r.worst == 1;
}

static verdict_effect pair_effect(const grid *const g, const verdict_pair *const p,
                                  const int metric) {
  const bool first_is_own = g->items[g->order[0]].own != NULL;
  const double sign = metric >= 0 && tare_metric_lower_is_better(metric) ? -1 : 1;
  const tare_difference *const d = &p->sqnr;
  if (p->by_metric) {
    return sign * p->metric.value < 0 ? EFFECT_WORSE : EFFECT_BETTER;
  }
  if (d->distinct && fabs(d->value) > GRID_MARGIN_DB) {
    return d->value < 0 ? EFFECT_WORSE : EFFECT_BETTER;
  }
  return pair_is_same(g, p)
             ? EFFECT_EQUAL
             : pair_weak_effect(d, first_is_own ? d : &g->items[p->strategy].sqnr_to_first);
}

static tare_status pair_measure(const grid *const g, const int metric, verdict_pair *const p,
                                tare_error *const err) {
  const tare_eval_result *const base = &g->items[p->base].result;
  const tare_eval_result *const own = &g->items[p->strategy].result;
  const tare_difference none = {.value = NAN, .low = NAN, .high = NAN};
  tare_difference found[2] = {none, none};
  p->sqnr = p->metric = none;
  if (own->n_errors > 0) {
    const tare_error_tally *const errors[] = {base->errors, own->errors};
    CLI_TRY(tare_sqnr_differences(errors, 2, own->n_errors, own->n_columns, 0, found, NULL, err));
    p->sqnr = found[1];
  }
  if (metric >= 0) {
    const tare_metric_states *const states[] = {base->states, own->states};
    CLI_TRY(tare_metric_differences(states, 2, 0, NULL, 0, found, err));
    p->metric = found[1];
    p->by_metric = p->metric.distinct;
  }
  p->effect = pair_effect(g, p, metric);
  return TARE_OK;
}

tare_status verdict_pairs(const grid *const g, const int metric, verdict_pair **const out,
                          int *const n, tare_error *const err) {
  *out = cli_realloc(NULL, (size_t)g->n_ranked + 1, sizeof **out);
  *n = 0;
  for (int i = 0; grid_first(g) >= 0 && i < g->n_ranked; i++) {
    if (pair_base(g, g->order[i], &(*out)[*n])) {
      CLI_TRY(pair_measure(g, metric, &(*out)[*n], err));
      ++*n;
    }
  }
  return TARE_OK;
}
