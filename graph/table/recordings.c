#include "graph/table/recordings.h"

#include <stdlib.h>
#include <string.h>

#include "graph/quantize/row_need.h"

int64_t tarei_column_samples(const tare_table *const table, const int column) {
  int64_t n = 0;
  for (int p = 0; p < table->n_profiles; p++) {
    n += !table->per_profile || p == column ? table->profiles[p].samples : 0;
  }
  return n;
}

/* The least length of a symbol in a profile such as "batch=1:1:4,samples=1600:16000:80000"; 1 where
 * the profile does not have it. */
static int64_t least_length(const char *const spec, const char *const symbol) {
  const size_t n = strlen(symbol);
  for (const char *at = spec; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, symbol, n) == 0 && at[n] == '=') {
      const int64_t least = strtoll(at + n + 1, NULL, 10);
      return least > 1 ? least : 1;
    }
  }
  return 1;
}

/* The batch is the first dim of an input that has more. */
static int64_t least_batch(const tarei_graph *const g, const char *const spec) {
  int64_t least = 0;
  for (int i = 0; i < g->n_inputs; i++) {
    const tarei_value *const input = &g->values[g->inputs[i]];
    if (input->rank < 2) {
      continue;
    }
    int64_t batch = 1;
    const int symbol = tarei_expr_is_symbol(g->exprs, input->dims[0]);
    if (symbol >= 0) {
      batch = least_length(spec, tarei_exprs_symbol_name(g->exprs, symbol));
    } else if (!tarei_expr_is_const(g->exprs, input->dims[0], &batch)) {
      batch = 1;
    }
    least = least == 0 || batch < least ? batch : least;
  }
  return least > 1 ? least : 1;
}

bool tarei_recordings_are_few(const tare_table *const table, const tarei_graph *const graph) {
  bool few = table->n_columns > 0;
  for (int c = 0; c < table->n_columns && few; c++) {
    double recordings = 0; /* files say how many samples there are */
    for (int p = 0; p < table->n_profiles; p++) {
      const tarei_table_profile *const profile = &table->profiles[p];
      const bool counts = !table->per_profile || p == c;
      recordings +=
          counts ? (double)profile->samples * (double)least_batch(graph, profile->spec) : 0;
    }
    few = recordings > 0 && recordings < TAREI_ENOUGH_SAMPLES;
  }
  return few;
}
