#include "graph/table/recordings.h"

#include "graph/quantize/row_need.h"
#include "shapes/profiles.h"

static bool is_of_column(const tare_table *const table, const int profile, const int column) {
  return !table->per_profile || profile == column;
}

int64_t tarei_column_samples(const tare_table *const table, const int column) {
  int64_t n = 0;
  for (int p = 0; p < table->n_profiles; p++) {
    n += is_of_column(table, p, column) ? table->profiles[p].samples : 0;
  }
  return n;
}

/* Of an input, by a profile; 1 where it does not tell. */
static int64_t least_first_dim(const tarei_graph *const g, const tarei_value *const input,
                               const char *const spec) {
  const int symbol = tarei_expr_is_symbol(g->exprs, input->dims[0]);
  tare_range range = {.min = 1};
  if (symbol < 0) {
    (void)tarei_expr_is_const(g->exprs, input->dims[0], &range.min);
  } else {
    (void)tarei_profile_spec_range(spec, tarei_exprs_symbol_name(g->exprs, symbol), &range);
  }
  return range.min > 1 ? range.min : 1;
}

/* The batch is the first dim of an input that has more. */
static int64_t least_batch(const tarei_graph *const g, const char *const spec) {
  int64_t least = 0;
  for (int i = 0; i < g->n_inputs; i++) {
    const tarei_value *const input = &g->values[g->inputs[i]];
    const int64_t batch = input->rank < 2 ? 0 : least_first_dim(g, input, spec);
    least = batch > 0 && (least == 0 || batch < least) ? batch : least;
  }
  return least > 0 ? least : 1;
}

static double column_recordings(const tare_table *const table, const tarei_graph *const graph,
                                const int column) {
  double n = 0; /* files say how many samples there are */
  for (int p = 0; p < table->n_profiles; p++) {
    const tarei_table_profile *const profile = &table->profiles[p];
    n += is_of_column(table, p, column)
             ? (double)profile->samples * (double)least_batch(graph, profile->spec)
             : 0;
  }
  return n;
}

bool tarei_recordings_are_few(const tare_table *const table, const tarei_graph *const graph) {
  bool few = table->n_columns > 0;
  for (int c = 0; c < table->n_columns && few; c++) {
    const double recordings = column_recordings(table, graph, c);
    few = recordings > 0 && recordings < TAREI_ENOUGH_SAMPLES;
  }
  return few;
}
