/* Tables of thresholds that a program has from elsewhere. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "graph/table/table.h"

tare_table_entry tare_table_unknown(const char *const tensor, const double amax) {
  const tarei_cell cell = tarei_cell_unknown(amax);
  return (tare_table_entry){.tensor = tensor,
                            .amax = cell.amax,
                            .min = cell.min,
                            .max = cell.max,
                            .energy_lost = cell.energy_lost,
                            .static_loss = cell.static_loss,
                            .row_loss = cell.row_loss,
                            .rms = cell.rms};
}

/* A number that is not known, or one from 0 on. */
static bool draft_is_size(const double value) {
  return isnan(value) || (value >= 0 && isfinite(value));
}

static tare_status draft_check(const tare_table_entry *const e, tare_error *const err) {
  if (!e->tensor || !*e->tensor) {
    return tarei_fail(err, TARE_E_USAGE, "an entry of the table has no tensor");
  }
  if (e->amax != 0 && !(e->amax >= tarei_table_least_amax() && e->amax <= FLT_MAX)) {
    return tarei_fail(err, TARE_E_USAGE, "tensor '%s': threshold %g: expected 0, or %g to %g",
                      e->tensor, e->amax, tarei_table_least_amax(), (double)FLT_MAX);
  }
  const bool range = isnan(e->min) ? isnan(e->max) : isfinite(e->min) && e->max >= e->min;
  if (!range || isinf(e->max)) {
    return tarei_fail(err, TARE_E_USAGE, "tensor '%s': %g to %g is no range", e->tensor, e->min,
                      e->max);
  }
  const bool sizes = draft_is_size(e->energy_lost) && draft_is_size(e->static_loss) &&
                     draft_is_size(e->row_loss) && draft_is_size(e->rms);
  return sizes && e->count >= 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE, "tensor '%s': a count or share is negative",
                          e->tensor);
}

static tare_status draft_add(const tare_table_entry *const entries, tarei_cell *const cells,
                             tare_table *const table, tare_error *const err) {
  for (int c = 0; c < table->n_columns; c++) {
    const tare_table_entry *const e = &entries[c];
    TAREI_TRY(draft_check(e, err));
    if (strcmp(e->tensor, entries->tensor) != 0) {
      return tarei_fail(err, TARE_E_USAGE, "tensor '%s' has an entry of '%s'", entries->tensor,
                        e->tensor);
    }
    cells[c] = (tarei_cell){.amax = e->amax,
                            .min = e->min,
                            .max = e->max,
                            .count = e->count,
                            .energy_lost = e->energy_lost,
                            .static_loss = e->static_loss,
                            .row_loss = e->row_loss,
                            .rms = e->rms};
  }
  return tarei_table_add_tensor(table, entries->tensor, NULL, cells, err);
}

static tare_status draft_fill(const tare_table_draft *const draft, tarei_cell *const cells,
                              tare_table *const table, tare_error *const err) {
  table->model_hash = draft->model_hash;
  table->per_profile = draft->n_profiles > 0;
  TAREI_TRY(
      tarei_table_set_text(&table->model_name, draft->model_name ? draft->model_name : "", err));
  for (int p = 0; p < draft->n_profiles; p++) {
    TAREI_TRY(tarei_table_add_profile(table, draft->profiles[p], 0 /* samples */, err));
  }
  for (int i = 0; i < draft->n_tensors; i++) {
    TAREI_TRY(draft_add(draft->entries + (size_t)i * (size_t)table->n_columns, cells, table, err));
  }
  return tarei_table_finish(table, "entries", err);
}

tare_status tare_table_make(const tare_table_draft *const draft, tare_table **const out,
                            tare_error *const err) {
  *out = NULL;
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_table_draft, draft, err));
  if (draft->n_profiles < 0 || draft->n_profiles > TARE_MAX_PROFILES || draft->n_tensors < 0) {
    return tarei_fail(err, TARE_E_USAGE,
                      "%d tensors in %d profiles: expected 0 or more, in 0 to %d", draft->n_tensors,
                      draft->n_profiles, TARE_MAX_PROFILES);
  }
  const int n_columns = draft->n_profiles ? draft->n_profiles : 1;
  tarei_cell cells[TARE_MAX_PROFILES];
  tare_table *table = NULL;
  TAREI_TRY(tarei_table_new(draft->method ? draft->method : "", n_columns, &table, err));
  const tare_status status = draft_fill(draft, cells, table, err);
  if (status != TARE_OK) {
    tare_table_free(&table);
  }
  *out = table;
  return status;
}
