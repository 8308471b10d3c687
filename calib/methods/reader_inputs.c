#include "calib/methods/reader_inputs.h"

#include <math.h>

#include "graph/passes/rewrite.h"
#include "graph/table/named.h"

/* The tensor that a layer reads, perhaps in another order. */
static const char *tensor_of_reader(const tarei_row_reader *const reader) {
  const tarei_graph *const g = reader->graph;
  int value = reader->node->in[0];
  const tarei_node *node;
  while ((node = tarei_producer(g, value)) != NULL && tarei_node_is(node, &tarei_op_transpose)) {
    value = node->in[0];
  }
  return g->values[value].name;
}

const tarei_smoothing *tarei_reader_smoothing(const tarei_row_reader *const reader,
                                              const tarei_smoothings *const all) {
  return tarei_named_find(TAREI_NAMED(all), tensor_of_reader(reader));
}

double tarei_reader_factor(const tarei_row_reader *const reader,
                           const tarei_smoothing *const smoothing, const int64_t at) {
  const tarei_weight_view *const view = &reader->weights;
  const int64_t channel = tarei_weight_view_input(view, at) / view->taps;
  return smoothing ? ldexp(1, -smoothing->exponents[channel]) : 1;
}

void tarei_reader_squares(const tarei_row_reader *const reader, const tarei_gram *const gram,
                          const tarei_smoothing *const smoothing, float *const out) {
  double total = 0;
  for (int64_t b = 0; b < tarei_gram_blocks(gram->k); b++) {
    const int64_t *const sums = tarei_gram_block(gram, b);
    const int64_t begin = tarei_gram_begin(gram->k, b);
    for (int64_t i = 0; begin + i < tarei_gram_begin(gram->k, b + 1); i++) {
      const double factor = tarei_reader_factor(reader, smoothing, begin + i);
      const double sum = (double)sums[i * (i + 1) / 2 + i];
      const double square = sum / (double)gram->n_rows * factor * factor;
      out[tarei_weight_view_input(&reader->weights, begin + i)] = (float)square;
      total += square;
    }
  }
  const float least = (float)(total > 0 ? TAREI_DAMPING * total / (double)gram->k : 1);
  for (int64_t i = 0; i < gram->k; i++) {
    out[i] += least;
  }
}
