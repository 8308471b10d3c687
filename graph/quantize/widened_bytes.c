/*
 * Such products are at most twice as fast as those of floats. Of the time of a row, converting its
 * input grows with the terms of a sum, scaling its sums with the outputs, and what products save
 * with both: they make up for it where terms * outputs > cost * (terms + outputs). Costs and limits
 * were measured with AVX2 (docs/numerics.md).
 */
#include "graph/quantize/widened_bytes.h"

#include "graph/ops/conv/winograd_form.h"
#include "graph/quantize/product_size.h"
#include "graph/quantize/quantize_uses.h"

#define BYTES_COST 14  /* of rows that come as bytes */
#define ROWS_COST 26   /* of rows that get scales of their own */
#define SPREAD_COST 40 /* of such rows whose elements are gathered */
#define FEW_ROWS 4     /* at a time, which do not make up for calls */
#define FEW_ROWS_COST 37
#define FEW_KEYS 64        /* of attention */
#define LEAST_CHANNELS 128 /* of a depthwise layer */

/* Whether float has tiles of windows of `rows` or bytes that save more multiplications than bytes
 * do: with bytes, those of squares, which leave less than half of them. */
static bool has_faster_tiles(const tarei_graph *const g, const tarei_node *const node,
                             const bool rows) {
  const tarei_value *const w = &g->values[node->in[1]];
  tarei_window window;
  int64_t outputs, channels;
  return w->rank == 4 && tarei_expr_is_const(g->exprs, w->dims[0], &outputs) &&
         tarei_expr_is_const(g->exprs, w->dims[3], &channels) &&
         tarei_ops_window(g, node, 2, w->dims + 1, &window, NULL) == TARE_OK &&
         (rows || window.kernel[0] == window.kernel[1]) &&
         tarei_winograd_saves(&window, tarei_attr_int(node, "group", 1), channels, outputs);
}

/* Do the taps of a window lie apart? */
static bool is_spread(const tarei_node *const node) {
  int n = 0;
  bool spread = false;
  const int64_t *const dilations = tarei_attr_ints(node, "dilations", &n);
  for (int i = 0; i < n; i++) {
    spread = spread || dilations[i] > 1;
  }
  return spread;
}

static int64_t row_cost(const tarei_node *const node, const tarei_product_size *const size,
                        const bool rows) {
  if (size->rows < FEW_ROWS) {
    return FEW_ROWS_COST;
  }
  if (!rows) {
    return BYTES_COST;
  }
  return is_spread(node) ? SPREAD_COST : ROWS_COST;
}

bool tarei_widened_bytes_lose(const tarei_graph *const graph, const tare_profiles *const profiles,
                              const tarei_node *const node, const tarei_int8_form *const form,
                              const tare_precision precision) {
  const bool rows = precision == TARE_PRECISION_INT8_ROWS;
  if (!rows && precision != TARE_PRECISION_INT8) {
    return true; /* words of two products */
  }
  const tarei_product_size size = tarei_product_size_of(graph, profiles, node, form);
  if (form->activations > 1) {
    return size.sum < FEW_KEYS;
  }
  if (tarei_is_depthwise(graph, node)) {
    return !tarei_few_taps_gain(graph, node, LEAST_CHANNELS);
  }
  if (form->windows && has_faster_tiles(graph, node, rows)) {
    return true;
  }
  return size.sum * size.outputs <= row_cost(node, &size, rows) * (size.sum + size.outputs);
}
