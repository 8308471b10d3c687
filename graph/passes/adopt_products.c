/*
 * Layers whose products a model states in integers: MatMulInteger or ConvInteger, Cast, and the
 * product with both scales, as quantize_dynamic and ONNX Runtime's optimizations write them. They
 * become a float layer between DequantizeLinear of both factors, which is what they mean;
 * adopt_scales goes on from there. Behind DynamicQuantizeLinear the scale is known at run time
 * only.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "graph/expand/qdq.h"
#include "graph/passes/adopt_scales.h"
#include "graph/passes/const_data.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

/* The parts of such a layer. */
typedef struct integer_layer {
  int product;        /* node */
  tarei_qdq x, w;     /* bytes, scales and zero points; -1: not known yet, or absent */
  int scales;         /* what the sums are multiplied by: of the weights, or of both; or -1 */
  float x_scale;      /* the part of `scales` that is x's, where x.scale is -1 */
  bool conv, dynamic; /* dynamic: x is quantized at run time */
} integer_layer;

/* --- what is there ---------------------------------------------------------------------------- */

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

/* The scale by which bytes were quantized, past what moves them; 1 where it is not known. */
static float scale_before(const tarei_graph *const g, const int bytes) {
  const tarei_node *node = tarei_producer(g, bytes);
  while (node && (node->op->movement || node->op->picks)) {
    node = tarei_producer(g, node->in[0]);
  }
  tarei_stated s;
  return node && node->op == &tarei_op_quantize_linear && tarei_stated_of(g, node, &s) ? s.scale
                                                                                       : 1;
}

/* A zero point that is one number: a constant, or computed when the model runs. */
static bool zero_is_single(const tarei_graph *const g, const int zero) {
  int64_t n = 1;
  return zero < 0 || g->values[zero].rank == 0 ||
         (g->values[zero].rank == 1 && tarei_value_dim_const(g, zero, 0, &n) && n == 1);
}

static bool integer_layer_match(const tarei_graph *const g, const int root,
                                integer_layer *const out) {
  const int sums = find_sums(g, &g->nodes[root], 1);
  const tarei_node *const cast = tarei_producer(g, sums);
  const tarei_node *const product = cast ? tarei_producer(g, cast->in[0]) : NULL;
  if (!product ||
      (product->op != &tarei_op_matmul_integer && product->op != &tarei_op_conv_integer)) {
    return false;
  }
  const tarei_node *const q =
      tarei_producer_is(g, product->in[0], &tarei_op_dynamic_quantize_linear);
  *out = (integer_layer){.product = g->values[cast->in[0]].producer,
                         .x = {product->in[0], -1, tarei_node_in(product, 2)},
                         .w = {product->in[1], -1, tarei_node_in(product, 3)},
                         .conv = product->op == &tarei_op_conv_integer,
                         .dynamic = q && q->n_out == 3 && product->in[0] == q->out[0] &&
                                    tarei_node_in(product, 2) == q->out[2]};
  if (out->dynamic) {
    out->x.scale = q->out[1];
    out->scales = weight_scale(g, root, sums, q->out[1]);
  } else {
    const tarei_node *const mul = &g->nodes[root];
    out->scales = mul->in[0] == sums ? mul->in[1] : mul->in[1] == sums ? mul->in[0] : -1;
    out->x_scale = scale_before(g, product->in[0]);
  }
  return out->scales >= 0 && tarei_value_is_const(g, out->scales) && zero_is_single(g, out->x.zero);
}

/* --- weights ---------------------------------------------------------------------------------- */

static int64_t integer_layer_outputs(const tarei_graph *const g, const integer_layer *const d) {
  const tare_tensor w = tarei_value_tensor(g, d->w.value);
  return w.dims[d->conv ? 0 : 1];
}

/* Whether numbers are one, or one for each output, in the place that they are broadcast from: the
 * last axis of a product, before the axes of space of a convolution. */
static bool integer_layer_places(const tare_tensor *const t, const int64_t outputs,
                                 const int space) {
  const int64_t n = tare_tensor_count(t);
  return n == 1 || (n == outputs && t->rank > space && t->dims[t->rank - 1 - space] == n);
}

static bool integer_layer_has_weights(const tarei_graph *const g, const integer_layer *const d) {
  if (!tarei_value_is_const(g, d->w.value) ||
      (d->w.zero >= 0 && !tarei_value_is_const(g, d->w.zero))) {
    return false;
  }
  const tare_tensor w = tarei_value_tensor(g, d->w.value), s = tarei_value_tensor(g, d->scales);
  if (w.rank < 2 || (!d->conv && w.rank != 2) || tare_tensor_count(&w) < 1 || s.dtype != TARE_F32) {
    return false;
  }
  const int64_t n = integer_layer_outputs(g, d);
  int64_t zeros = 1;
  if (d->w.zero >= 0) {
    const tare_tensor zero = tarei_value_tensor(g, d->w.zero);
    zeros = tare_tensor_count(&zero);
  }
  return integer_layer_places(&s, n, d->conv ? w.rank - 2 : 0) && (zeros == 1 || zeros == n);
}

/* --- what takes its place --------------------------------------------------------------------- */

/* The numbers of a constant in a list, divided by one. */
static int integer_layer_scales(tarei_build *const b, const int value, const float divisor) {
  const tare_tensor from = tarei_value_tensor(b->graph, value);
  const int64_t n = tare_tensor_count(&from);
  float *const list = tarei_calloc((size_t)n, sizeof *list);
  if (!list) {
    b->failed = true;
    return -1;
  }
  for (int64_t i = 0; i < n; i++) {
    list[i] = ((const float *)from.data)[i] / divisor;
  }
  const int made = tarei_build_const(b, TARE_F32, n == 1 ? 0 : 1, &n, list);
  free(list);
  return made;
}

static int integer_layer_zeros(tarei_build *const b, const int value) {
  if (value < 0) {
    return -1;
  }
  const tare_tensor from = tarei_value_tensor(b->graph, value);
  const int64_t n = tare_tensor_count(&from);
  return tarei_build_const(b, from.dtype, n == 1 ? 0 : 1, &n, from.data);
}

static tare_status integer_layer_replace(tarei_graph *const g, const int root,
                                         const integer_layer *const d, tare_error *const err) {
  tarei_build b = tarei_build_at(g, d->product);
  const int out = g->nodes[root].out[0];
  tarei_qdq x = d->x, w = d->w;
  w.scale = integer_layer_scales(&b, d->scales, d->dynamic ? 1 : d->x_scale);
  w.zero = integer_layer_zeros(&b, d->w.zero);
  x.scale = d->dynamic ? d->x.scale : tarei_build_number(&b, TARE_F32, (double)d->x_scale);
  const int in[] = {tarei_qdq_read(&b, x, 0), tarei_qdq_read(&b, w, d->conv ? 0 : 1)};
  TAREI_TRY(tarei_build_done(&b, err));
  int node;
  TAREI_TRY(tarei_add_node(g, d->conv ? &tarei_op_conv : &tarei_op_matmul,
                           g->nodes[d->product].name, 13, in, 2, out, &node, err));
  TAREI_TRY(tarei_copy_attrs(g, node, d->product, err));
  if (d->dynamic && !tarei_attr_set_int(&g->nodes[node], TAREI_ATTR_DYNAMIC, 1)) {
    return tarei_fail_memory(err, "attribute", sizeof(tarei_attr));
  }
  tarei_graph_remove_node(g, root);
  g->values[out].producer = node;
  return TARE_OK;
}

static tare_status adopt_products_run(tarei_graph *const graph,
                                      const tarei_pass_options *const options, bool *const changed,
                                      tare_error *const err) {
  (void)options;
  const int n = graph->n_nodes;
  for (int i = 0; i < n; i++) {
    integer_layer d;
    if (graph->nodes[i].op == &tarei_op_mul && integer_layer_match(graph, i, &d) &&
        integer_layer_has_weights(graph, &d)) {
      TAREI_TRY(integer_layer_replace(graph, i, &d, err));
      *changed = true;
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_adopt_products = {
    .name = "adopt_products",
    .summary = "turns products of integers with their scales into layers",
    .run = adopt_products_run,
};
