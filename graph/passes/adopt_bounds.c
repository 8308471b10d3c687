/*
 * Bounds of integers between QuantizeLinear and DequantizeLinear, as quantization-aware training
 * writes narrow ranges: Clip, Relu, or Min and Max with a constant. They become a Clip of the real
 * values, which is the same, so that the pair and the layers behind it are found.
 */
#include "graph/ir/build.h"
#include "graph/passes/adopt_scales.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "shapes/number.h"

/* The integers that a node leaves; absent bounds are not set. */
typedef struct integer_bounds {
  int x; /* value */
  bool has_low, has_high;
  int64_t low, high;
} integer_bounds;

static bool adopt_bounds_number(const tarei_graph *const g, const int value, int64_t *const out) {
  if (value < 0 || !tarei_value_is_const(g, value)) {
    return false;
  }
  const tare_tensor t = tarei_value_tensor(g, value);
  if (tare_tensor_count(&t) != 1) {
    return false;
  }
  *out = tarei_integer_at(&t, 0);
  return true;
}

/* Max(x, low) or Min(x, high), in either order. */
static bool adopt_bounds_of_two(const tarei_graph *const g, const tarei_node *const node,
                                integer_bounds *const out) {
  const bool low = node->op == &tarei_op_max;
  for (int i = 0; node->n_in == 2 && i < 2; i++) {
    int64_t number;
    if (!adopt_bounds_number(g, node->in[i], &number) || tarei_value_is_const(g, node->in[!i])) {
      continue;
    }
    *out = (integer_bounds){
        .x = node->in[!i], .has_low = low, .has_high = !low, .low = number, .high = number};
    return tarei_values_same_shape(g, node->in[!i], node->out[0]);
  }
  return false;
}

static bool adopt_bounds_read(const tarei_graph *const g, const tarei_node *const node,
                              integer_bounds *const out) {
  if (node->op == &tarei_op_max || node->op == &tarei_op_min) {
    return adopt_bounds_of_two(g, node, out);
  }
  const int low = tarei_node_in(node, 1), high = tarei_node_in(node, 2);
  *out = (integer_bounds){.x = node->in[0], .has_low = true};
  if (node->op == &tarei_op_relu) {
    return true;
  }
  out->has_low = low >= 0;
  out->has_high = high >= 0;
  return node->op == &tarei_op_clip && (low < 0 || adopt_bounds_number(g, low, &out->low)) &&
         (high < 0 || adopt_bounds_number(g, high, &out->high));
}

/* What an integer stands for; zero points of signed types are stated as those of unsigned ones. */
static double adopt_bounds_real(const tarei_graph *const g, const int stored,
                                const tarei_stated *const s, const int64_t integer) {
  const tare_dtype dtype = g->values[stored].dtype;
  const int64_t shift = dtype == TARE_I8    ? TAREI_SYMMETRIC
                        : dtype == TARE_I16 ? TAREI_SYMMETRIC_WIDE
                                            : 0;
  return (double)((float)(integer + shift - s->zero_point) * s->scale);
}

/* DequantizeLinear(Clip(x)) becomes Clip(DequantizeLinear(x)). */
static tare_status adopt_bounds_replace(tarei_graph *const g, const int n,
                                        const integer_bounds *const bounds,
                                        const tarei_stated *const s, tare_error *const err) {
  tarei_build b = tarei_build_at(g, n);
  const int zero = tarei_node_in(&g->nodes[n], 2), out = g->nodes[n].out[0];
  const int in[] = {bounds->x, g->nodes[n].in[1], zero};
  const int real = tarei_build_node(&b, "DequantizeLinear", in, zero < 0 ? 2 : 3);
  const int low =
      bounds->has_low
          ? tarei_build_number(&b, TARE_F32, adopt_bounds_real(g, bounds->x, s, bounds->low))
          : -1;
  const int high =
      bounds->has_high
          ? tarei_build_number(&b, TARE_F32, adopt_bounds_real(g, bounds->x, s, bounds->high))
          : -1;
  const int clip[] = {real, low, high};
  tarei_build_into(&b, "Clip", clip, 3, out);
  TAREI_TRY(tarei_build_done(&b, err));
  tarei_graph_remove_node(g, n);
  return TARE_OK;
}

static tare_status adopt_bounds_run(tarei_graph *const graph,
                                    const tarei_pass_options *const options, bool *const changed,
                                    tare_error *const err) {
  (void)options;
  const int n_nodes = graph->n_nodes;
  for (int n = 0; n < n_nodes; n++) {
    const tarei_node *const node = &graph->nodes[n];
    integer_bounds bounds;
    tarei_stated s;
    if (node->op != &tarei_op_dequantize_linear) {
      continue;
    }
    const tarei_node *const before = tarei_producer(graph, node->in[0]);
    if (before && adopt_bounds_read(graph, before, &bounds) &&
        (tarei_stated_of(graph, node, &s) || tarei_stated_wide(graph, node, &s))) {
      TAREI_TRY(adopt_bounds_replace(graph, n, &bounds, &s, err));
      *changed = true;
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_adopt_bounds = {
    .name = "adopt_bounds",
    .summary = "turns bounds of stored integers into bounds of what they stand for",
    .run = adopt_bounds_run,
};
