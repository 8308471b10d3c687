#include "graph/table/annotate.h"

#include <math.h>
#include <string.h>
#include <tare/table_model.h>

#include "base/mem.h"
#include "graph/quantize/row_need.h"
#include "graph/table/recordings.h"
#include "graph/table/table.h"
#include "shapes/profiles.h"

#define BELOW_RESERVE 2.0 /* so many times the smallest value fit */
#define MOST_BELOW                                                              \
  0.34 /* share of the threshold, up to which uneven bytes are worth it: 3.5 dB \
        */

static tare_status annotate_check_profiles(const tare_table *const table,
                                           const tare_profiles *const profiles,
                                           tare_error *const err) {
  if (!table->per_profile) {
    return TARE_OK;
  }
  const int n = tare_profiles_count(profiles);
  if (n != table->n_columns) {
    return tarei_fail(err, TARE_E_USAGE,
                      "the table has thresholds for each of its %d profiles, but the plan has %d: "
                      "use the same profiles for both, or a merged table",
                      table->n_columns, n);
  }
  tare_status status = TARE_OK;
  for (int i = 0; i < n && status == TARE_OK; i++) {
    tarei_str spec = {0};
    tarei_profiles_print(profiles, i, &spec);
    if (strcmp(tarei_str_get(&spec), table->profiles[i].spec) != 0) {
      status = tarei_fail(err, TARE_E_USAGE,
                          "profile %d is '%s' in the table, but '%s' in the plan: use the same "
                          "profiles for both, or a merged table",
                          i, table->profiles[i].spec, tarei_str_get(&spec));
    }
    tarei_str_free(&spec);
  }
  return status;
}

static bool is_dead_anywhere(const tarei_table_tensor *const tensor, const int n_columns) {
  for (int i = 0; i < n_columns; i++) {
    if (tensor->cells[i].amax < tarei_table_least_amax()) {
      return true;
    }
  }
  return false;
}

/* The bytes below zero: just those that the smallest values need, with some reserve, or 128. */
static int32_t zero_point_for(const tarei_table_tensor *const tensor, const int n_columns) {
  double below = 0;
  for (int i = 0; i < n_columns; i++) {
    const tarei_cell *const cell = &tensor->cells[i];
    if (!(cell->min >= 0)) { /* NaN: not known */
      const double share = BELOW_RESERVE * -cell->min / cell->amax;
      below = share <= MOST_BELOW && below <= MOST_BELOW ? fmax(below, share) : INFINITY;
    }
  }
  return below <= MOST_BELOW ? (int32_t)ceil(255 * below / (1 + below)) : TAREI_SYMMETRIC;
}

/* The column in which one scale costs most decides. What is not known is 0. */
static void annotate_losses(const tarei_table_tensor *const tensor, const int n_columns,
                            tarei_quant *const quant) {
  for (int i = 0; i < n_columns; i++) {
    const tarei_cell *const cell = &tensor->cells[i];
    quant->rms = cell->rms > quant->rms ? cell->rms : quant->rms;
    if (cell->static_loss > quant->static_loss) {
      quant->static_loss = cell->static_loss;
      quant->row_loss = cell->row_loss > 0 ? cell->row_loss : 0;
    }
  }
  const double finer = 127.0 / (255 - quant->zero_point);
  const bool uneven = quant->zero_point > 0 && quant->zero_point < TAREI_SYMMETRIC;
  quant->static_loss *= uneven ? finer * finer : 1;
  tarei_quant_choose_rows(quant);
}

/* Rows are few if they are in all columns, and their range is settled if it is in all. The elements
 * are those of the column with most; 0 where one has no number of rows, as those that are weighted.
 */
static void annotate_rows(const tare_table *const table, const tarei_table_tensor *const tensor,
                          tarei_quant *const quant) {
  bool few = true, settled = true, known = true;
  double elements = 0;
  for (int i = 0; i < table->n_columns; i++) {
    const tarei_cell *const cell = &tensor->cells[i];
    const int64_t samples = tarei_column_samples(table, i);
    few = few && tarei_rows_are_few(cell->rows);
    settled = settled && tarei_range_is_settled(cell->count, samples);
    known = known && cell->rows > 0 && samples > 0;
    elements = known ? fmax(elements, (double)cell->count / (double)samples) : 0;
  }
  quant->elements = elements;
  quant->few_rows = few;
  quant->settled = settled;
}

static int scales_needed(const tarei_table_tensor *const tensor, const int n_columns) {
  for (int i = 1; i < n_columns; i++) {
    if (tensor->cells[i].amax != tensor->cells[0].amax) {
      return n_columns;
    }
  }
  return 1;
}

static tare_status annotate_value(const tare_table *const table,
                                  const tarei_table_tensor *const tensor, tarei_value *const value,
                                  tare_error *const err) {
  const int n_columns = table->n_columns;
  const int n = scales_needed(tensor, n_columns);
  float *const scales = tarei_calloc((size_t)n, sizeof *scales);
  if (!scales) {
    return tarei_fail_memory(err, "scales of a value", (size_t)n * sizeof *scales);
  }
  for (int i = 0; i < n; i++) {
    scales[i] = (float)(tensor->cells[i].amax / 127);
  }
  free(value->quant.scales);
  value->quant = (tarei_quant){
      .n_scales = n, .scales = scales, .zero_point = zero_point_for(tensor, n_columns)};
  annotate_losses(tensor, n_columns, &value->quant);
  annotate_rows(table, tensor, &value->quant);
  return TARE_OK;
}

tare_status tarei_table_annotate_smoothed(const tare_table *const table,
                                          const tarei_smoothing *const s, tarei_value *const value,
                                          tare_error *const err) {
  const int line = tare_table_find(table, value->name);
  if (line < 0 || value->quant.n_scales == 0) {
    return TARE_OK;
  }
  const size_t bytes = (size_t)table->n_columns * sizeof(tarei_cell);
  tarei_table_tensor smoothed = table->tensors[line];
  smoothed.cells = tarei_memdup(smoothed.cells, bytes);
  if (!smoothed.cells) {
    return tarei_fail_memory(err, value->name, bytes);
  }
  for (int i = 0; i < table->n_columns; i++) {
    tarei_cell *const cell = &smoothed.cells[i];
    cell->min = s->min[i];
    cell->max = s->max[i];
    cell->amax = fmax(-cell->min, cell->max);
    cell->rms = s->rms;
  }
  const bool few_samples = value->quant.few_samples;
  const tare_status status = annotate_value(table, &smoothed, value, err);
  value->quant.few_samples = few_samples;
  free(smoothed.cells);
  return status;
}

static bool is_float_variable(const tarei_value *const value) {
  return !value->data && (value->dtype == TARE_F32 || value->dtype == TARE_DTYPE_NONE);
}

static tare_status annotate_graph(const tare_table *const table, const tarei_graph *const graph,
                                  const bool few_samples, int *const n_found,
                                  tare_error *const err) {
  for (int i = 0; i < graph->n_values; i++) {
    tarei_value *const value = &graph->values[i];
    const int line = tare_table_find(table, value->name);
    if (line < 0) {
      continue;
    }
    *n_found += !value->is_output; /* "logits" and the like are outputs of many models */
    const tarei_table_tensor *const tensor = &table->tensors[line];
    if (is_float_variable(value) && !is_dead_anywhere(tensor, table->n_columns)) {
      TAREI_TRY(annotate_value(table, tensor, value, err));
      value->quant.few_samples = few_samples;
    }
  }
  for (int n = 0; n < graph->n_nodes; n++) {
    const tarei_graph *body;
    for (int i = 0; (body = tarei_node_body(&graph->nodes[n], i)) != NULL; i++) {
      TAREI_TRY(annotate_graph(table, body, few_samples, n_found, err));
    }
  }
  return TARE_OK;
}

tare_status tarei_table_annotate(const tare_table *const table, tarei_graph *const graph,
                                 const tare_profiles *const profiles, tare_error *const err) {
  int n_found = 0;
  if (tare_table_names_layers(table)) {
    return tarei_fail(
        err, TARE_E_USAGE,
        "the table has scales of layers, as ncnn's tables have: convert it to tensors "
        "with 'tare table --model MODEL'");
  }
  TAREI_TRY(annotate_check_profiles(table, profiles, err));
  TAREI_TRY(annotate_graph(table, graph, tarei_recordings_are_few(table, graph), &n_found, err));
  const bool same = table->model_hash != 0 && table->model_hash == graph->model_hash;
  return n_found || same || table->n_tensors == 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE,
                          "none of the table's %d tensors is in model '%s': it was made for "
                          "another model%s%s",
                          table->n_tensors, graph->name, *table->model_name ? ": " : "",
                          table->model_name);
}
