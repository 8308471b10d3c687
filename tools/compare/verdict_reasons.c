#include "tools/compare/verdict_reasons.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const double PADDING_TO_NAME = 0.001; /* share: less is not worth a word */

/* "opt counted, minmax"; the caller frees it. */
static char *verdict_strategy_text(const grid *const g, const int strategy) {
  char *const fit = grid_fit_text(g, strategy);
  char *const text = cli_format("%s, %s", fit, g->items[strategy].method);
  free(fit);
  return text;
}

char *verdict_loss_text(const verdict_pair *const p, const int metric) {
  const tare_difference *const d = p->by_metric ? &p->metric : &p->sqnr;
  const double factor = p->by_metric ? tare_metric_get_unit(metric).factor : 1;
  const double low = factor * fmin(fabs(d->low), fabs(d->high));
  const double high = factor * fmax(fabs(d->low), fabs(d->high));
  if (isinf(d->value)) {
    return cli_format("%s", "all of its SQNR");
  }
  return p->by_metric ? cli_format("%.2f %s of %s (%.2f..%.2f)", factor * fabs(d->value),
                                   tare_metric_get_unit(metric).difference,
                                   tare_metric_name(metric), low, high)
                      : cli_format("%.1f dB (%.1f..%.1f)", fabs(d->value), low, high);
}

double verdict_padding_share(const grid_pass *const pass) {
  return pass->fitted.run ? (double)pass->fitted.padding / (double)pass->fitted.run : 0;
}

static void verdict_reason_add(verdict *const v, char *const text) {
  if (v->n_reasons == VERDICT_REASONS) {
    free(text);
    return;
  }
  v->reasons[v->n_reasons++] = text;
}

void verdict_reason_scales(verdict *const v, const grid *const g, const verdict_pair *const p) {
  const scale_ratios r = pair_scale_ratios(g, p);
  if (r.tensors == 0) {
    return;
  }
  char *const own = verdict_strategy_text(g, p->strategy);
  char *const base = verdict_strategy_text(g, p->base);
  if (r.grown + r.shrunk > 0) {
    verdict_reason_add(
        v, cli_format("%s: of %d scales %d grow and %d shrink more than twofold against "
                      "%s; most of all '%s', to %.3g times",
                      own, r.tensors, r.grown, r.shrunk, base, r.most[0].tensor, r.most[0].ratio));
  } else {
    verdict_reason_add(v, cli_format("%s: its %d scales differ from those of %s by at most %.3g %%",
                                     own, r.tensors, base, 100 * (r.worst - 1)));
  }
  free(own);
  free(base);
}

/* Where one of the two has no noise there is no difference in dB. */
static void reason_exact(verdict *const v, const grid *const g, const verdict_pair *const p) {
  const bool own_is_exact = p->sqnr.value > 0;
  char *const exact = verdict_strategy_text(g, own_is_exact ? p->strategy : p->base);
  char *const other = verdict_strategy_text(g, own_is_exact ? p->base : p->strategy);
  verdict_reason_add(v, cli_format("%s gives the outputs of float, unlike %s", exact, other));
  free(exact);
  free(other);
}

void verdict_reason_loss(verdict *const v, const grid *const g, const verdict_pair *const p,
                         const int metric) {
  if (!p->by_metric && isinf(p->sqnr.value)) {
    reason_exact(v, g, p);
    return;
  }
  char *const own = verdict_strategy_text(g, p->strategy);
  char *const base = verdict_strategy_text(g, p->base);
  char *const loss = verdict_loss_text(p, metric);
  verdict_reason_add(v, cli_format("%s %s %s against %s", own,
                                   p->effect == EFFECT_WORSE ? "loses" : "gains", loss, base));
  free(own);
  free(base);
  free(loss);
}

void verdict_reason_padding(verdict *const v, const grid *const g, const verdict_pair *const p) {
  const grid_pass *const pass = &g->passes[g->items[p->strategy].pass];
  if (verdict_padding_share(pass) >= PADDING_TO_NAME) {
    verdict_reason_add(
        v, cli_format("%.1f %% of what %s ran was padding%s", 100 * verdict_padding_share(pass),
                      tare_fit_name(pass->fit), pass->count_padding ? ", and it was counted" : ""));
  }
  if (pass->fitted.cut > 0) {
    verdict_reason_add(v,
                       cli_format("%s cut %" PRId64 " of %" PRId64
                                  " samples, which lost %.1f %% of their elements",
                                  tare_fit_name(pass->fit), pass->fitted.cut, pass->fitted.samples,
                                  100 * (double)pass->fitted.lost / (double)pass->fitted.elements));
  }
}

void verdict_reason_drift(verdict *const v, const grid *const g) {
  const range_drift *const d = &g->passes[g->items[grid_first(g)].pass].drift;
  if (d->tensors > 0) {
    verdict_reason_add(
        v, cli_format("from the shortest profile to the longest, of %d ranges %d grow and "
                      "%d shrink by more than a quarter",
                      d->tensors, d->grown, d->shrunk));
  }
}

void verdict_reason_clipping(verdict *const v, const grid *const g, const int strategy) {
  const tare_table *const table = g->items[strategy].table;
  double most = 0;
  const char *tensor = NULL;
  for (int t = 0; t < tare_table_n_tensors(table); t++) {
    for (int p = 0; p < tare_table_n_profiles(table); p++) {
      const tare_table_entry e = tare_table_get(table, t, p);
      if (e.energy_lost > most) {
        most = e.energy_lost;
        tensor = e.tensor;
      }
    }
  }
  if (most >= 0.001) {
    char *const own = verdict_strategy_text(g, strategy);
    verdict_reason_add(v, cli_format("%s clips away up to %.2g %% of the energy of a tensor ('%s')",
                                     own, 100 * most, tensor));
    free(own);
  }
}

void verdict_reason_equal(verdict *const v, const grid *const g, const verdict_pair *const p) {
  const scale_ratios r = pair_scale_ratios(g, p);
  char *const own = verdict_strategy_text(g, p->strategy);
  char *const base = verdict_strategy_text(g, p->base);
  char *const scales =
      r.tensors == 0           ? cli_format("%s", "")
      : r.grown + r.shrunk > 0 ? cli_format(", although %d of %d scales change more than twofold",
                                            r.grown + r.shrunk, r.tensors)
      : r.worst > 1 ? cli_format("; their scales differ by at most %.2g %%", 100 * (r.worst - 1))
                    : cli_format("%s", "; their scales are equal");
  verdict_reason_add(v, cli_format("%s against %s: %+.2f dB (%+.2f..%+.2f)%s", own, base,
                                   p->sqnr.value, p->sqnr.low, p->sqnr.high, scales));
  free(own);
  free(base);
  free(scales);
}

void verdict_reason_interval(verdict *const v, const grid *const g, const verdict_pair *const p) {
  if (isinf(p->sqnr.value)) {
    reason_exact(v, g, p);
    return;
  }
  char *const own = verdict_strategy_text(g, p->strategy);
  char *const base = verdict_strategy_text(g, p->base);
  verdict_reason_add(v, cli_format("%s against %s: %+.1f dB, and the interval is %+.1f..%+.1f dB",
                                   own, base, p->sqnr.value, p->sqnr.low, p->sqnr.high));
  free(own);
  free(base);
}
