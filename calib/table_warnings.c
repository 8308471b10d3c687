#include "calib/table_warnings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/quantize/row_need.h"

/* Limits; docs/numerics.md says why. */
#define ENERGY_LIMIT 0.1 /* share of a tensor's sum of squares that clipping may remove */
enum { NAMES_SHOWN = 8 };

void tarei_findings_fini(tarei_findings *const f) {
  tarei_name_list *const lists[] = {&f->dead,  &f->undefined, &f->degenerate,
                                    &f->quiet, &f->unsettled, &f->not_finite};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    tarei_str_free(&lists[i]->names);
  }
  free(f->clipped);
}

void tarei_name_list_add(tarei_name_list *const list, const char *const name) {
  if (list->n < NAMES_SHOWN) {
    tarei_str_add(&list->names, "%s'%s'", list->n ? ", " : "", name);
  } else if (list->n == NAMES_SHOWN) {
    tarei_str_add(&list->names, ", ...");
  }
  list->n++;
}

void tarei_findings_clipping(tarei_findings *const f, const char *const name,
                             const double energy_lost) {
  if (energy_lost <= ENERGY_LIMIT) {
    return;
  }
  if (!TAREI_GROW(f->clipped, f->n_clipped, f->cap_clipped)) {
    f->failed = true;
    return;
  }
  f->clipped[f->n_clipped++] = (tarei_clipped){name, energy_lost};
}

void tarei_findings_profile(tarei_findings *const f, const char *const name, const int profile,
                            const double lost, const double lost_in_all) {
  if (lost <= ENERGY_LIMIT || lost_in_all > ENERGY_LIMIT) {
    return;
  }
  f->n_in_profile++;
  if (lost > f->in_profile.energy_lost) {
    f->in_profile = (tarei_clipped){name, lost};
    f->profile = profile;
  }
}

void tarei_findings_degenerate(tarei_findings *const f, const char *const name,
                               const bool degenerate) {
  if (degenerate) {
    tarei_name_list_add(&f->degenerate, name);
  }
}

void tarei_findings_tensor(tarei_findings *const f, const char *const name,
                           const tarei_accumulator *const all, const tarei_cell *const cell) {
  const bool any = all->min <= all->max;
  if (cell->amax == 0 && any) {
    tarei_name_list_add(&f->dead, name);
  }
  if (all->n_nan || all->n_inf) {
    tarei_name_list_add(any ? &f->not_finite : &f->undefined, name);
  }
  if (tarei_rows_drown(cell->static_loss)) {
    tarei_name_list_add(&f->quiet, name);
  }
}

void tarei_findings_rows(tarei_findings *const f, const char *const name,
                         const tarei_accumulator *const all, const tarei_cell *const cell) {
  if (cell->amax > 0 && tarei_rows_are_few(cell->rows) &&
      !tarei_range_is_settled(cell->count, all->n_samples)) {
    tarei_name_list_add(&f->unsettled, name);
  }
}

/* The worst first. */
static int by_energy_lost(const void *const a, const void *const b) {
  const tarei_clipped *const x = a, *const y = b;
  return x->energy_lost != y->energy_lost ? (x->energy_lost < y->energy_lost ? 1 : -1)
                                          : strcmp(x->name, y->name);
}

static tare_status report_clipping(tarei_findings *const f, const tare_stats *const stats,
                                   const char *const method, tare_table *const table,
                                   tare_error *const err) {
  enum { WORST_SHOWN = 3 };
  if (f->n_clipped == 0) {
    return TARE_OK;
  }
  tarei_str names = {0};
  qsort(f->clipped, (size_t)f->n_clipped, sizeof *f->clipped, by_energy_lost);
  for (int i = 0; i < f->n_clipped && i < WORST_SHOWN; i++) {
    tarei_str_add(&names, "%s'%s' %.1f %%", i ? ", " : "", f->clipped[i].name,
                  100 * f->clipped[i].energy_lost);
  }
  const tare_status status = tarei_table_warn(
      table, err,
      "%s clips more than %.0f %% of the energy of %d of %d tensors (%s%s): use minmax or mse, or "
      "compare the methods on labelled data (tare compare)",
      method, 100 * ENERGY_LIMIT, f->n_clipped, stats->n_tensors, tarei_str_get(&names),
      f->n_clipped > WORST_SHOWN ? ", ..." : "");
  tarei_str_free(&names);
  return status;
}

static tare_status report_in_profile(const tarei_findings *const f, const tare_stats *const stats,
                                     const char *const method, tare_table *const table,
                                     tare_error *const err) {
  return f->n_in_profile == 0
             ? TARE_OK
             : tarei_table_warn(table, err,
                                "thresholds of all data clip more than %.0f %% of the energy in "
                                "one profile (%d times): %s clips %.1f %% of '%s' in profile %d "
                                "(%s): use --per-profile",
                                100 * ENERGY_LIMIT, f->n_in_profile, method,
                                100 * f->in_profile.energy_lost, f->in_profile.name, f->profile,
                                stats->profiles[f->profile].spec);
}

static tare_status report_quiet(const tarei_name_list *const quiet, tare_table *const table,
                                tare_error *const err) {
  return quiet->n == 0
             ? TARE_OK
             : tarei_table_warn(table, err,
                                "%d tensor%s quiet rows that a single scale drowns in noise: %s. "
                                "tare build uses row scales there; for other engines keep the "
                                "layers that read %s in float",
                                quiet->n, quiet->n == 1 ? " has" : "s have",
                                tarei_str_get(&quiet->names), quiet->n == 1 ? "it" : "them");
}

static tare_status report_unsettled(const tarei_name_list *const unsettled, tare_table *const table,
                                    tare_error *const err) {
  return unsettled->n == 0
             ? TARE_OK
             : tarei_table_warn(
                   table, err,
                   "%d tensor%s few rows in a sample, so that other samples may exceed "
                   "the scale of these: %s. tare build uses row scales there; for other "
                   "engines calibrate with more samples, or keep the layers that read "
                   "%s in float",
                   unsettled->n, unsettled->n == 1 ? " has" : "s have",
                   tarei_str_get(&unsettled->names), unsettled->n == 1 ? "it" : "them");
}

static tare_status report_list(const tarei_name_list *const list, const char *const text,
                               tare_table *const table, tare_error *const err) {
  return list->n == 0 ? TARE_OK
                      : tarei_table_warn(table, err, "tensors that %s (%d): %s", text, list->n,
                                         tarei_str_get(&list->names));
}

static tare_status report_profiles(const tare_stats *const stats, tare_table *const table,
                                   tare_error *const err) {
  for (int p = 0; p < stats->n_profiles; p++) {
    if (stats->profiles[p].n_samples == 0) {
      TAREI_TRY(tarei_table_warn(
          table, err, "profile %d (%s) has no samples%s", p, stats->profiles[p].spec,
          table->per_profile ? ": its thresholds are those of all data" : ""));
    }
  }
  return TARE_OK;
}

tare_status tarei_findings_report(tarei_findings *const f, const tare_stats *const stats,
                                  const char *const method, tare_table *const table,
                                  tare_error *const err) {
  if (f->failed) {
    return tarei_fail_memory(err, "warnings of a table", sizeof *f->clipped);
  }
  TAREI_TRY(report_clipping(f, stats, method, table, err));
  TAREI_TRY(report_in_profile(f, stats, method, table, err));
  TAREI_TRY(report_list(&f->degenerate,
                        "have too few distinct values for the method and use their largest one",
                        table, err));
  TAREI_TRY(report_list(&f->dead, "contain only zeros and stay in float", table, err));
  TAREI_TRY(
      report_list(&f->undefined, "contain nothing but NaN or Inf and stay in float", table, err));
  TAREI_TRY(report_list(&f->not_finite, "contain NaN or Inf, which is not counted", table, err));
  TAREI_TRY(report_quiet(&f->quiet, table, err));
  TAREI_TRY(report_unsettled(&f->unsettled, table, err));
  return report_profiles(stats, table, err);
}
