#include "calib/methods/input_means.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/names.h"
#include "calib/methods/reader_inputs.h"
#include "engine/plan.h"
#include "graph/quantize/levels.h"
#include "graph/quantize/quantize_uses.h"
#include "graph/table/annotate.h"
#include "graph/table/layer_numbers.h"

static tare_status take_means(const tarei_row_reader *const reader,
                              const tarei_input_sums *const sums, float *const means,
                              tare_stats *const stats, tare_error *const err) {
  const tarei_weight_view *const view = &reader->weights;
  const tarei_smoothing *const smoothing = tarei_reader_smoothing(reader, &stats->smoothings);
  for (int64_t at = 0; at < view->k; at++) {
    const double mean = tarei_input_mean(sums, (size_t)at);
    means[tarei_weight_view_input(view, at)] =
        (float)(mean * tarei_reader_factor(reader, smoothing, at));
  }
  return tarei_numbers_add(&stats->numbers[TAREI_NUMBERS_MEANS], reader->node->name, view->k,
                           tarei_weight_view_hash(reader->graph, view), means, err);
}

/* Biases are corrected of layers with one matrix of weights. */
static bool has_one_matrix(const tarei_row_reader *const reader) {
  tarei_weight_view view;
  return tarei_weight_view_of(reader->graph, reader->node, &view);
}

/* Models may give nodes one name: the first of them has the means. */
static tare_status take_all_means(const tare_plan *const plan, const tarei_grams *const grams,
                                  tarei_names *const taken, float *const means,
                                  tare_stats *const stats, tare_error *const err) {
  for (int i = 0; i < grams->n; i++) {
    const tarei_row_reader *const reader = tarei_plan_reader(plan, i);
    const tarei_input_sums *const sums = &grams->inputs[reader->rows_of];
    const int input = reader->node->in[0];
    if (sums->n_rows > 0 && has_one_matrix(reader) &&
        !reader->graph->values[input].quant.follows_level &&
        tarei_is_finite(reader->graph, reader->weights.value) &&
        tarei_names_find(taken, reader->node->name) < 0) {
      tarei_names_add(taken, reader->node->name, i);
      TAREI_TRY(take_means(reader, sums, means, stats, err));
    }
  }
  return TARE_OK;
}

/* By the thresholds that the statistics have now. */
static tare_status mark_levels(tare_plan *const plan, const tare_stats *const stats,
                               tare_error *const err) {
  tare_table *table = NULL;
  tare_table_options options;
  tare_table_options_init(&options);
  TAREI_TRY(tare_table_from_stats(stats, &options, &table, err));
  tare_status status = tarei_table_annotate(table, plan->root.graph, plan->profiles, err);
  if (status == TARE_OK) {
    status = tarei_graph_mark_levels(plan->root.graph, err);
  }
  tare_table_free(&table);
  return status;
}

tare_status tarei_take_input_means(tare_plan *const plan, const tarei_grams *const grams,
                                   tare_stats *const stats, tare_error *const err) {
  tarei_names taken = {0};
  TAREI_TRY(mark_levels(plan, stats, err));
  float *const means = tarei_calloc((size_t)grams->most_k, sizeof *means);
  const bool ok = tarei_names_init(&taken, (size_t)grams->n) && means;
  const tare_status status =
      ok ? take_all_means(plan, grams, &taken, means, stats, err)
         : tarei_fail_memory(err, "means of inputs", (size_t)grams->most_k * sizeof *means);
  tarei_names_fini(&taken);
  free(means);
  return status;
}
