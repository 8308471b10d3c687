/* Which evidence a verdict follows from, and what it says. */
#include "tools/compare/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tools/compare/verdict_reasons.h"

/* --- which pair tells ------------------------------------------------------------------------- */

/* How much a pair differs, to compare it with others of its axis: those that a metric tells apart
 * first. */
static double pair_weight(const verdict_pair *const p) {
  return p->by_metric ? INFINITY : fabs(p->sqnr.value);
}

/* The pair of an axis that has an effect and differs most, of the method that ranks first if it has
 * one; NULL: there is none. */
static const verdict_pair *pair_most(const verdict *const v, const verdict_axis axis,
                                     const verdict_effect effect) {
  const verdict_pair *most = NULL;
  for (int i = 0; i < v->n_pairs; i++) {
    const verdict_pair *const p = &v->pairs[i];
    if (p->axis == axis && p->effect == effect &&
        (!most || p->first_method > most->first_method ||
         (p->first_method == most->first_method && pair_weight(p) > pair_weight(most)))) {
      most = p;
    }
  }
  return most;
}

static const verdict_pair *pair_undecided(const verdict *const v) {
  const verdict_pair *found = NULL;
  for (int axis = 0; !found && axis < N_AXES; axis++) {
    found = pair_most(v, (verdict_axis)axis, EFFECT_UNDECIDED);
  }
  return found;
}

/* --- kinds ------------------------------------------------------------------------------------ */

/* Of a pair in which only padding can differ. */
static void conclude_padding(verdict *const v, const grid *const g, const int metric,
                             const verdict_pair *const p) {
  const grid_pass *const pass = &g->passes[g->items[p->strategy].pass];
  char *const loss = verdict_loss_text(p, metric);
  v->kind = VERDICT_PADDING;
  v->sure = true;
  v->sentence =
      cli_format("padding poisons: %.0f %% of what %s is padding, which costs %s%s",
                 100 * verdict_padding_share(pass), pass->count_padding ? "was counted" : "ran",
                 loss, pass->count_padding ? "" : " although it is not counted");
  free(loss);
  verdict_reason_loss(v, g, p, metric);
  verdict_reason_scales(v, g, p);
}

static char *per_profile_sentence(const grid *const g, const char *const loss) {
  return g->items[grid_first(g)].per_profile
             ? cli_format("ranges depend on the length: one table for all profiles costs %s", loss)
             : cli_format("thresholds per profile do harm: they cost %s", loss);
}

/* Cutting can only miss a range, padding can also add to it. */
static char *fit_sentence(const grid *const g, const verdict_pair *const p,
                          const char *const loss) {
  const scale_ratios r = pair_scale_ratios(g, p);
  const char *const fit = g->items[p->strategy].fit, *const taken = g->items[grid_first(g)].fit;
  const bool missed = r.n_most > 0 && r.most[0].ratio < 1;
  return missed ? cli_format(
                      "ranges grow with the length: take %s; calibrating with fit %s misses "
                      "them and costs %s",
                      taken, fit, loss)
                : cli_format("lengths matter: take %s; calibrating with fit %s costs %s", taken,
                             fit, loss);
}

static void conclude_lengths(verdict *const v, const grid *const g, const int metric,
                             const verdict_pair *const p) {
  char *const loss = verdict_loss_text(p, metric);
  v->kind = VERDICT_LENGTHS;
  v->sure = true;
  v->sentence =
      p->axis == AXIS_PER_PROFILE ? per_profile_sentence(g, loss) : fit_sentence(g, p, loss);
  free(loss);
  verdict_reason_loss(v, g, p, metric);
  verdict_reason_scales(v, g, p);
  verdict_reason_padding(v, g, p);
  verdict_reason_drift(v, g);
}

/* Samples that would narrow the interval until it tells: its width falls with their root. */
static double samples_wanted(const tare_difference *const d) {
  const double half = (d->high - d->low) / 2, size = fabs(d->value);
  const double room = fmax(size > GRID_MARGIN_DB ? size : 0, GRID_MARGIN_DB - d->value);
  const double wanted = (double)d->samples * (half / room) * (half / room);
  return fmax(wanted, 2 * (double)d->samples);
}

/* A number that people give: two digits. */
static double two_digits_up(const double n) {
  const double step = pow(10, fmax(0, floor(log10(n)) - 1));
  return ceil(n / step) * step;
}

static char *undecided_sentence(const tare_difference *const d) {
  enum { MOST_WANTED = 1000000, LEAST_WANTED = 12 };
  const double wanted = samples_wanted(d);
  return wanted <= MOST_WANTED
             ? cli_format("cannot tell: the differences are within noise with %" PRId64
                          " sample%s; give about %.0f",
                          d->samples, cli_s(d->samples), two_digits_up(fmax(wanted, LEAST_WANTED)))
             : cli_format("cannot tell: the differences are within noise with %" PRId64
                          " samples, and more of them would hardly help",
                          d->samples);
}

static void conclude_undecided(verdict *const v, const grid *const g, const verdict_pair *const p) {
  const tare_difference *const d = &p->sqnr;
  v->kind = VERDICT_UNDECIDED;
  if (isnan(d->low) || isinf(d->low) || isinf(d->high)) {
    v->sentence = cli_format("%s", "cannot tell: differences of the SQNR have no interval");
  } else {
    v->sentence = undecided_sentence(d);
    verdict_reason_interval(v, g, p);
  }
  verdict_reason_scales(v, g, p);
}

/* The pair of an axis that does not matter: one that gains nothing, or else one that is equal. */
static const verdict_pair *pair_useless(const verdict *const v, const verdict_axis axis) {
  const verdict_pair *const found = pair_most(v, axis, EFFECT_NO_GAIN);
  return found ? found : pair_most(v, axis, EFFECT_EQUAL);
}

/* Whether anything was compared in some of the axes. */
static bool compares_from(const verdict *const v, const verdict_axis first,
                          const verdict_axis last) {
  for (int i = 0; i < v->n_pairs; i++) {
    if (v->pairs[i].axis >= first && v->pairs[i].axis <= last) {
      return true;
    }
  }
  return false;
}

static void conclude_equal(verdict *const v, const grid *const g) {
  bool equal = true;
  v->kind = VERDICT_EQUAL;
  v->sure = true;
  for (int axis = 0; axis < N_AXES; axis++) {
    const verdict_pair *const p = pair_useless(v, (verdict_axis)axis);
    if (p) {
      equal = equal && p->effect == EFFECT_EQUAL;
      verdict_reason_equal(v, g, p);
    }
  }
  v->sentence = cli_format("%s: no strategy %s by more than %g dB",
                           compares_from(v, AXIS_PADDING, AXIS_FIT)     ? "one table is enough"
                           : compares_from(v, AXIS_METHOD, AXIS_METHOD) ? "any method does"
                                                                        : "any precision does",
                           equal ? "differs" : "is better", GRID_MARGIN_DB);
}

/* The pair that shows best that it does not matter how lengths are handled; NULL where there is
 * none, or one that leaves doubt. */
static const verdict_pair *pair_handling_equal(const verdict *const v) {
  const verdict_pair *found = NULL;
  for (int axis = 0; axis < AXIS_METHOD; axis++) {
    const verdict_pair *const p = pair_useless(v, (verdict_axis)axis);
    if (pair_most(v, (verdict_axis)axis, EFFECT_UNDECIDED)) {
      return NULL;
    }
    found = p && (!found || pair_weight(p) > pair_weight(found)) ? p : found;
  }
  return found;
}

/* Of a pair that differs in the method or in the precision. */
static void conclude_method(verdict *const v, const grid *const g, const int metric,
                            const verdict_pair *const p) {
  const bool precision = p->axis == AXIS_PRECISION;
  const verdict_pair *const handling = pair_handling_equal(v);
  char *const loss = verdict_loss_text(p, metric);
  v->kind = precision ? VERDICT_PRECISION : VERDICT_METHOD;
  v->sure = true;
  v->sentence = cli_format("the %s decides%s: take %s; %s costs %s",
                           precision ? "precision" : "method", handling ? ", not the lengths" : "",
                           g->items[grid_first(g)].method, g->items[p->strategy].method, loss);
  free(loss);
  if (!precision) {
    verdict_reason_scales(v, g, p);
    verdict_reason_clipping(v, g, p->strategy);
  }
  if (handling) {
    verdict_reason_equal(v, g, handling);
  }
}

/* What decides: padding, then lengths, then the method; then doubt. */
static void conclude(verdict *const v, const grid *const g, const int metric) {
  const verdict_pair *const padding = pair_most(v, AXIS_PADDING, EFFECT_WORSE);
  const verdict_pair *const profile = pair_most(v, AXIS_PER_PROFILE, EFFECT_WORSE);
  const verdict_pair *const fit = pair_most(v, AXIS_FIT, EFFECT_WORSE);
  const verdict_pair *const method = pair_most(v, AXIS_METHOD, EFFECT_WORSE);
  const verdict_pair *const precision = pair_most(v, AXIS_PRECISION, EFFECT_WORSE);
  const verdict_pair *const undecided = pair_undecided(v);
  const bool by_precision = precision && (!method || pair_weight(precision) > pair_weight(method));
  if (padding) {
    conclude_padding(v, g, metric, padding);
  } else if (profile || fit) {
    conclude_lengths(v, g, metric, profile ? profile : fit);
  } else if (method || precision) {
    conclude_method(v, g, metric, by_precision ? precision : method);
  } else if (undecided) {
    conclude_undecided(v, g, undecided);
  } else {
    conclude_equal(v, g);
  }
  if (method && v->kind != VERDICT_METHOD) {
    verdict_reason_loss(v, g, method, metric);
  }
  if (precision && v->kind != VERDICT_PRECISION) {
    verdict_reason_loss(v, g, precision, metric);
  }
}

/* How files of the user do beside the strategy to take. */
static void conclude_own(verdict *const v, const grid *const g, const int metric) {
  for (int i = 0; i < v->n_pairs; i++) {
    const verdict_pair *const p = &v->pairs[i];
    if (p->axis != AXIS_OWN) {
      continue;
    }
    const bool tells = p->effect == EFFECT_WORSE || p->effect == EFFECT_BETTER;
    (tells ? verdict_reason_loss(v, g, p, metric) : verdict_reason_interval(v, g, p));
    if (p->effect == EFFECT_BETTER) {
      v->sentence = cli_append(v->sentence, "; '%s' of --also is better than every strategy",
                               g->items[p->strategy].own);
    }
  }
}

tare_status verdict_make(const grid *const g, const int metric, verdict *const out,
                         tare_error *const err) {
  *out = (verdict){0};
  CLI_TRY(verdict_pairs(g, metric, &out->pairs, &out->n_pairs, err));
  if (grid_first(g) < 0) {
    out->kind = VERDICT_NONE;
    out->sentence = cli_format("%s", "no strategy could be measured");
  } else if (metric < 0 && isnan(g->items[grid_first(g)].result.total.sqnr_db)) {
    out->kind = VERDICT_NONE;
    out->sentence = cli_format("%s", "nothing to compare: no output has values to judge by");
  } else if (!compares_from(out, AXIS_PADDING, AXIS_PRECISION)) {
    out->kind = VERDICT_SINGLE;
    out->sentence = cli_format("nothing to compare: give more %s",
                               g->n_left > 0 ? "time" : "--fits or --methods");
  } else {
    conclude(out, g, metric);
  }
  conclude_own(out, g, metric);
  if (g->n_left > 0) {
    out->sentence = cli_append(out->sentence, " (of %d of %d strategies, as the time ended)", g->n,
                               g->n + g->n_left);
  }
  return TARE_OK;
}

void verdict_fini(verdict *const v) {
  for (int i = 0; i < v->n_reasons; i++) {
    free(v->reasons[i]);
  }
  for (int i = 0; i < v->n_commands; i++) {
    free(v->commands[i]);
  }
  free(v->sentence);
  free(v->pairs);
  *v = (verdict){0};
}
