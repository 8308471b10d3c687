/* MatMul with a constant matrix, and Gemm with constant weights, become Linear: X . W[K, N] + bias.
 * The output keeps its name and no tensor disappears. */
#include <math.h>
#include <string.h>

#include "graph/passes/const_data.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

/* A constant float32 matrix without empty axes. */
static bool is_matrix(const tarei_graph *const graph, const int value, tare_tensor *const out) {
  if (!tarei_value_is_const(graph, value) || !tarei_value_is_f32(graph, value)) {
    return false;
  }
  *out = tarei_value_tensor(graph, value);
  return out->rank == 2 && out->dims[0] > 0 && out->dims[1] > 0;
}

/* Attributes of the layer itself stay, those of the operator go. */
static bool is_kept(const char *const name) {
  static const char *const kept[] = {TAREI_ATTR_WEIGHT_SCALES, TAREI_ATTR_WEIGHTS_ODD,
                                     TAREI_ATTR_DYNAMIC};
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    if (strcmp(name, kept[i]) == 0) {
      return true;
    }
  }
  return false;
}

static void become_linear(tarei_node *const node) {
  for (int i = node->n_attrs - 1; i >= 0; i--) {
    if (!is_kept(node->attrs[i].name)) {
      tarei_attr_remove(node, node->attrs[i].name);
    }
  }
  node->op = &tarei_op_linear;
  node->opset = 1;
}

static bool convert_matmul(const tarei_graph *const graph, tarei_node *const node) {
  tare_tensor weight;
  if (!tarei_value_is_f32(graph, node->in[0]) || graph->values[node->in[0]].rank < 2 ||
      !is_matrix(graph, node->in[1], &weight)) {
    return false;
  }
  become_linear(node);
  return true;
}

/* W[K, N] of a Gemm: transposed and scaled where it has to be. */
static tare_status gemm_weight(tarei_graph *const graph, const int value, const bool transposed,
                               const float alpha, int *const out, tare_error *const err) {
  const tare_tensor w = tarei_value_tensor(graph, value);
  const int64_t k = w.dims[transposed], n = w.dims[!transposed];
  *out = value;
  if (!transposed && alpha == 1) {
    return TARE_OK;
  }
  float *data;
  TAREI_TRY(tarei_const_new(graph, value, "__kn", 2, (int64_t[]){k, n}, out, &data, err));
  const int64_t step_k = transposed ? 1 : n, step_n = transposed ? k : 1;
  for (int64_t i = 0; i < k; i++) {
    for (int64_t j = 0; j < n; j++) {
      data[i * n + j] = alpha * ((const float *)w.data)[i * step_k + j * step_n];
    }
  }
  return TARE_OK;
}

/* Multiples of a scale that are multiplied are multiples of its product. */
static void scale_scales(tarei_node *const node, const float alpha) {
  const tarei_attr *const scales = tarei_attr_find(node, TAREI_ATTR_WEIGHT_SCALES);
  for (int i = 0; scales && scales->kind == TAREI_ATTR_FLOATS && i < scales->n; i++) {
    scales->floats[i] *= fabsf(alpha);
  }
}

static tare_status to_linear_gemm_bias(tarei_graph *const graph, const int value, const int64_t n,
                                       const float beta, int *const out, tare_error *const err) {
  int step;
  float *data;
  const float *const from = tarei_const_channels(graph, value, 2, 1, n, &step);
  *out = value;
  if (beta == 1 && step == 1 && graph->values[value].rank == 1) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_const_new(graph, value, "__bias", 1, &n, out, &data, err));
  for (int64_t i = 0; i < n; i++) {
    data[i] = beta * from[i * step];
  }
  return TARE_OK;
}

static tare_status convert_gemm(tarei_graph *const graph, const int index, bool *const changed,
                                tare_error *const err) {
  const tarei_node *const gemm = &graph->nodes[index];
  const bool transposed = tarei_attr_int(gemm, "transB", 0) != 0;
  const int c = tarei_node_in(gemm, 2);
  int step, weight, bias = -1;
  tare_tensor w;
  if (!tarei_value_is_f32(graph, gemm->in[0]) || tarei_attr_int(gemm, "transA", 0) != 0 ||
      !is_matrix(graph, gemm->in[1], &w)) {
    return TARE_OK;
  }
  const int64_t n = w.dims[!transposed];
  if (c >= 0 && !tarei_const_channels(graph, c, 2, 1, n, &step)) {
    return TARE_OK;
  }
  TAREI_TRY(gemm_weight(graph, gemm->in[1], transposed, tarei_attr_float(gemm, "alpha", 1), &weight,
                        err));
  if (c >= 0) {
    TAREI_TRY(to_linear_gemm_bias(graph, c, n, tarei_attr_float(gemm, "beta", 1), &bias, err));
  }
  tarei_node *const node = &graph->nodes[index];
  scale_scales(node, tarei_attr_float(node, "alpha", 1));
  tarei_graph_set_in(graph, index, 1, weight);
  if (c >= 0) {
    tarei_graph_set_in(graph, index, 2, bias);
  }
  become_linear(node);
  *changed = true;
  return TARE_OK;
}

static tare_status to_linear_run(tarei_graph *const graph, const tarei_pass_options *const options,
                                 bool *const changed, tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    tarei_node *const node = &graph->nodes[i];
    if (node->op == &tarei_op_matmul && convert_matmul(graph, node)) {
      *changed = true;
    } else if (node->op == &tarei_op_gemm) {
      TAREI_TRY(convert_gemm(graph, i, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_to_linear = {
    .name = "to_linear",
    .summary = "turns products with constant matrices into Linear",
    .run = to_linear_run,
};
