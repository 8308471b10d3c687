#include "graph/table/merge.h"

#include <math.h>

#include "graph/table/layer_numbers.h"
#include "graph/table/rounding.h"
#include "graph/table/smoothing.h"

/* fmax and fmin leave NAN, which says that a number is not known, to the other; here one that is
 * not known makes the whole unknown. */
static double larger(const double a, const double b) {
  return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static void merge_cell(tarei_cell *const to, const tarei_cell *const from) {
  to->amax = to->amax > from->amax ? to->amax : from->amax;
  to->min = -larger(-to->min, -from->min);
  to->max = larger(to->max, from->max);
  to->count += from->count;
  to->energy_lost = larger(to->energy_lost, from->energy_lost);
  to->static_loss = larger(to->static_loss, from->static_loss);
  to->row_loss = larger(to->row_loss, from->row_loss);
  to->rms = larger(to->rms, from->rms);
  to->rows = larger(to->rows, from->rows);
}

static tare_status merge_lists(const tare_table *const table, const int profile,
                               tare_table *const out, tare_error *const err) {
  const int first = profile < 0 ? 0 : profile;
  const int end = profile < 0 ? table->n_columns : profile + 1;
  for (int i = 0; i < table->n_tensors; i++) {
    const tarei_table_tensor *const tensor = &table->tensors[i];
    tarei_cell cell = tensor->cells[first];
    for (int c = first + 1; c < end; c++) {
      merge_cell(&cell, &tensor->cells[c]);
    }
    TAREI_TRY(tarei_table_add_tensor(out, tensor->name, tensor->same_as, &cell, err));
  }
  for (int i = 0; i < table->roundings.n; i++) {
    TAREI_TRY(tarei_roundings_copy(&out->roundings, &table->roundings.items[i], err));
  }
  for (int i = 0; i < table->smoothings.n; i++) {
    TAREI_TRY(
        tarei_smoothings_merge(&out->smoothings, &table->smoothings.items[i], first, end, err));
  }
  TAREI_TRY(tarei_numbers_copy_all(out->numbers, table->numbers, err));
  return tarei_table_finish(out, "table", err);
}

/* Of a table with a column for each profile, those of the columns taken. */
static tare_status merge_profiles(const tare_table *const table, const int profile,
                                  tare_table *const out, tare_error *const err) {
  for (int p = 0; p < table->n_profiles; p++) {
    const tarei_table_profile *const from = &table->profiles[p];
    if (profile < 0 || !table->per_profile || p == profile) {
      TAREI_TRY(tarei_table_add_profile(out, from->spec, from->samples, err));
    }
  }
  return TARE_OK;
}

tare_status tarei_table_merge(const tare_table *const table, const int profile,
                              tare_table **const out, tare_error *const err) {
  if (profile >= table->n_columns) {
    return tarei_fail(err, TARE_E_USAGE, "profile %d: the table has thresholds for %d profile%s",
                      profile, table->n_columns, table->n_columns == 1 ? "" : "s");
  }
  TAREI_TRY(tarei_table_new(table->method, 1, out, err));
  tare_status status = tarei_table_set_text(&(*out)->model_name, table->model_name, err);
  (*out)->model_hash = table->model_hash;
  if (status == TARE_OK) {
    status = tare_table_set_layer_precisions(*out, table->layer_precisions, err);
  }
  if (status == TARE_OK) {
    status = merge_profiles(table, profile, *out, err);
  }
  if (status == TARE_OK) {
    status = merge_lists(table, profile, *out, err);
  }
  if (status != TARE_OK) {
    tare_table_free(out);
  }
  return status;
}
