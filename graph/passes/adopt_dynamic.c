/*
 * Layers that a model quantizes at run time: DynamicQuantizeLinear, MatMulInteger or ConvInteger,
 * Cast, and the product with both scales. They become the float layer with the scales of their
 * weights noted, which then takes a scale per row: finer than one for the whole tensor.
 */
#include <string.h>

#include "graph/passes/const_data.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "shapes/number.h"

/* The parts of such a layer. */
typedef struct dynamic {
  int product;           /* node */
  int x, weights, scale; /* values */
} dynamic;

/* The operand of a product of two that is not `value`, for a Mul that makes `made`; -1 for none. */
static int factor_beside(const tarei_graph *const g, const int made, const int value) {
  const tarei_node *const mul = tarei_producer_is(g, made, &tarei_op_mul);
  return !mul ? -1 : mul->in[0] == value ? mul->in[1] : mul->in[1] == value ? mul->in[0] : -1;
}

/* sums * (x scale * weight scale), or (sums * one) * the other: the weights' scale, or -1. */
static int weight_scale(const tarei_graph *const g, const int root, const int sums,
                        const int x_scale) {
  const tarei_node *const mul = &g->nodes[root];
  for (int i = 0; i < 2; i++) {
    const int a = mul->in[i], b = mul->in[!i];
    if (a == sums) {
      return factor_beside(g, b, x_scale);
    }
    if (factor_beside(g, a, sums) == x_scale) {
      return b;
    }
    if (b == x_scale && factor_beside(g, a, sums) >= 0) {
      return factor_beside(g, a, sums);
    }
  }
  return -1;
}

/* The Cast of integer sums below a Mul or below the Mul before it; -1 where there is none. */
static int find_sums(const tarei_graph *const g, const tarei_node *const mul, const int depth) {
  for (int i = 0; i < 2; i++) {
    const tarei_node *const node = tarei_producer(g, mul->in[i]);
    if (node && node->op == &tarei_op_cast && tarei_value_is_f32(g, node->out[0])) {
      return node->out[0];
    }
    const int below = node && node->op == &tarei_op_mul && depth ? find_sums(g, node, 0) : -1;
    if (below >= 0) {
      return below;
    }
  }
  return -1;
}

static bool match(const tarei_graph *const g, const int root, dynamic *const out) {
  const int sums = find_sums(g, &g->nodes[root], 1);
  const tarei_node *const cast = tarei_producer(g, sums);
  const tarei_node *const product = cast ? tarei_producer(g, cast->in[0]) : NULL;
  if (!product ||
      (product->op != &tarei_op_matmul_integer && product->op != &tarei_op_conv_integer)) {
    return false;
  }
  const tarei_node *const q =
      tarei_producer_is(g, product->in[0], &tarei_op_dynamic_quantize_linear);
  if (!q || q->n_out != 3 || product->in[0] != q->out[0] ||
      tarei_node_in(product, 2) != q->out[2]) {
    return false;
  }
  *out = (dynamic){.product = g->values[cast->in[0]].producer,
                   .x = q->in[0],
                   .weights = product->in[1],
                   .scale = weight_scale(g, root, sums, q->out[1])};
  return out->scale >= 0 && tarei_value_is_const(g, out->scale) &&
         tarei_value_is_const(g, out->weights);
}

/* --- weights ---------------------------------------------------------------------------------- */

typedef struct weights {
  tare_tensor q, zero; /* zero: no data where there is none */
  tare_tensor scale;
  int64_t outputs, inner; /* channels, and the elements between one and the next */
} weights;

static bool read_weights(const tarei_graph *const g, const dynamic *const d, weights *const w) {
  const tarei_node *const product = &g->nodes[d->product];
  const bool conv = product->op == &tarei_op_conv_integer;
  const int zero = tarei_node_in(product, 3);
  *w = (weights){
      .q = tarei_value_tensor(g, d->weights), .scale = tarei_value_tensor(g, d->scale), .inner = 1};
  if (w->q.rank < 2 || (!conv && w->q.rank != 2) || tare_tensor_count(&w->q) < 1 ||
      (zero >= 0 && !tarei_value_is_const(g, zero))) {
    return false;
  }
  w->outputs = w->q.dims[conv ? 0 : 1];
  for (int i = 1; conv && i < w->q.rank; i++) {
    w->inner *= w->q.dims[i];
  }
  if (zero >= 0) {
    w->zero = tarei_value_tensor(g, zero);
  }
  const int64_t n = tare_tensor_count(&w->scale),
                zeros = zero < 0 ? 1 : tare_tensor_count(&w->zero);
  /* a scale for each channel of a convolution stands before the axes of space */
  const bool placed =
      !conv || n == 1 ||
      (w->scale.rank >= w->q.rank - 1 && w->scale.dims[w->scale.rank - w->q.rank + 1] == n);
  return w->scale.dtype == TARE_F32 && (n == 1 || n == w->outputs) && placed &&
         (zeros == 1 || zeros == w->outputs);
}

/* The weights as floats; false where one, less its zero point, is no s8. */
static bool adopt_dynamic_fill(const weights *const w, float *const out) {
  const int64_t n = tare_tensor_count(&w->q), n_scales = tare_tensor_count(&w->scale);
  const int64_t zeros = w->zero.data ? tare_tensor_count(&w->zero) : 0;
  for (int64_t i = 0; i < n; i++) {
    const int64_t o = i / w->inner % w->outputs;
    const float scale = ((const float *)w->scale.data)[n_scales == 1 ? 0 : o];
    const int64_t zero = zeros ? tarei_integer_at(&w->zero, zeros == 1 ? 0 : o) : 0;
    const int64_t q = tarei_integer_at(&w->q, i) - zero;
    if (q < INT8_MIN || q > INT8_MAX || !(scale > 0)) {
      return false;
    }
    out[i] = (float)q * scale;
  }
  return true;
}

static tare_status adopt_dynamic_replace(tarei_graph *const g, const int root,
                                         const dynamic *const d, const weights *const w,
                                         bool *const changed, tare_error *const err) {
  int value, node;
  float *data;
  const bool conv = g->nodes[d->product].op == &tarei_op_conv_integer;
  TAREI_TRY(tarei_const_new(g, d->weights, "__f32", w->q.rank, w->q.dims, &value, &data, err));
  if (!adopt_dynamic_fill(w, data)) {
    return TARE_OK; /* the constant goes with what nobody uses */
  }
  const int in[] = {d->x, value}, out = g->nodes[root].out[0];
  TAREI_TRY(tarei_add_node(g, conv ? &tarei_op_conv : &tarei_op_matmul, g->nodes[d->product].name,
                           13, in, 2, out, &node, err));
  TAREI_TRY(tarei_copy_attrs(g, node, d->product, err));
  if (!tarei_attr_set_int(&g->nodes[node], TAREI_ATTR_DYNAMIC, 1) ||
      !tarei_attr_set_floats(&g->nodes[node], TAREI_ATTR_WEIGHT_SCALES, w->scale.data,
                             (int)tare_tensor_count(&w->scale))) {
    return tarei_fail_memory(err, "weight scales", sizeof(tarei_attr));
  }
  tarei_graph_remove_node(g, root);
  g->values[out].producer = node;
  *changed = true;
  return TARE_OK;
}

static tare_status adopt_dynamic_run(tarei_graph *const graph,
                                     const tarei_pass_options *const options, bool *const changed,
                                     tare_error *const err) {
  const int n = options->tensor_scales ? 0 : graph->n_nodes;
  for (int i = 0; i < n; i++) {
    dynamic d;
    weights w;
    if (graph->nodes[i].op == &tarei_op_mul && match(graph, i, &d) && read_weights(graph, &d, &w)) {
      TAREI_TRY(adopt_dynamic_replace(graph, i, &d, &w, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_adopt_dynamic = {
    .name = "adopt_dynamic",
    .summary = "turns products that are quantized at run time into layers",
    .run = adopt_dynamic_run,
};
