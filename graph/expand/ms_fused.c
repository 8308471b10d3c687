/* What ONNX Runtime's optimizer makes of a layer and what follows it: FusedConv, FusedGemm,
 * FusedMatMul and FusedMatMulActivation. */
#include <string.h>

#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

enum { MOST_INPUTS = 4 };

typedef struct ms_fused_layer {
  char activation[32];
  float params[2];
  int n_params;
  int in[MOST_INPUTS], n_in, out;
} ms_fused_layer;

static tare_status ms_fused_read_activation(const tarei_node *const node, ms_fused_layer *const l,
                                            tare_error *const err) {
  static const char *const known[] = {"Relu",     "Tanh",        "Sigmoid",  "LeakyRelu",
                                      "Clip",     "HardSigmoid", "Elu",      "Selu",
                                      "Softplus", "Softsign",    "HardSwish"};
  const char *const name = tarei_attr_string(node, "activation", "");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!*name || strcmp(name, known[i]) == 0) {
      memcpy(l->activation, name, strlen(name) + 1);
      return TARE_OK;
    }
  }
  return tarei_fail(err, TARE_E_UNSUPPORTED, "activation '%.32s' is not supported", name);
}

/* Inputs and output, which do not survive an addition in the node itself. */
static void read_edges(const tarei_node *const node, ms_fused_layer *const l) {
  l->n_in = node->n_in < MOST_INPUTS ? node->n_in : MOST_INPUTS;
  for (int i = 0; i < l->n_in; i++) {
    l->in[i] = node->in[i];
  }
  l->out = node->out[0];
}

static void copy_attrs(tarei_build *const b, const char *const *const names, const int n) {
  for (int i = 0; i < n && !b->failed; i++) {
    const tarei_attr *const a = tarei_attr_find(&b->graph->nodes[b->node], names[i]);
    b->failed = a && !tarei_attr_copy(&b->graph->nodes[b->last], a);
  }
}

/* The activation of x, as the output of the node. */
static void activate(tarei_build *const b, const ms_fused_layer *const l, const int x) {
  int in[3] = {x, -1, -1};
  if (strcmp(l->activation, "Clip") == 0) {
    in[1] = l->n_params > 0 ? tarei_build_number(b, TARE_F32, (double)l->params[0]) : -1;
    in[2] = l->n_params > 1 ? tarei_build_number(b, TARE_F32, (double)l->params[1]) : -1;
    tarei_build_into(b, "Clip", in, 1 + l->n_params, l->out);
    return;
  }
  tarei_build_into(b, *l->activation ? l->activation : "Identity", in, 1, l->out);
  static const char *const names[] = {"alpha", "beta"};
  for (int i = 0; i < l->n_params; i++) {
    tarei_build_float(b, strcmp(l->activation, "Selu") == 0 && i ? "gamma" : names[i],
                      l->params[i]);
  }
}

static tare_status expand_conv(tarei_graph *const graph, const int node, tare_error *const err) {
  static const char *const attrs[] = {"auto_pad",     "dilations", "group",
                                      "kernel_shape", "pads",      "strides"};
  const tarei_node *const n = &graph->nodes[node];
  ms_fused_layer l = {.n_params = 0};
  TAREI_TRY(tarei_ops_need(graph, n, 2, err));
  TAREI_TRY(ms_fused_read_activation(n, &l, err));
  const tarei_attr *const params = tarei_attr_find(n, "activation_params");
  for (int i = 0; params && i < params->n && i < 2 && params->kind == TAREI_ATTR_FLOATS; i++) {
    l.params[l.n_params++] = params->floats[i];
  }
  read_edges(n, &l);
  const int addend = l.n_in > 3 ? l.in[3] : -1;
  tarei_build b = tarei_build_at(graph, node);
  int y = tarei_build_node(&b, "Conv", l.in, l.n_in > 3 ? 3 : l.n_in);
  copy_attrs(&b, attrs, 6);
  y = addend < 0 ? y : tarei_build_binary(&b, "Add", y, addend);
  activate(&b, &l, y);
  return tarei_build_done(&b, err);
}

static tare_status ms_fused_expand_gemm(tarei_graph *const graph, const int node,
                                        tare_error *const err) {
  static const char *const attrs[] = {"alpha", "beta", "transA", "transB"};
  static const char *const names[] = {"activation_alpha", "activation_beta"};
  const tarei_node *const n = &graph->nodes[node];
  ms_fused_layer l = {.n_params = 0};
  TAREI_TRY(tarei_ops_need(graph, n, 2, err));
  TAREI_TRY(ms_fused_read_activation(n, &l, err));
  while (l.n_params < 2 && tarei_attr_find(n, names[l.n_params])) {
    l.params[l.n_params] = tarei_attr_float(n, names[l.n_params], 0);
    l.n_params++;
  }
  read_edges(n, &l);
  tarei_build b = tarei_build_at(graph, node);
  const int y = tarei_build_node(&b, "Gemm", l.in, l.n_in);
  copy_attrs(&b, attrs, 4);
  activate(&b, &l, y);
  return tarei_build_done(&b, err);
}

/* Matrices with their last two axes swapped; with `batch` their rows stand in front of the leading
 * axes, [rows, leading.., columns], and are put behind them first. */
static int ms_fused_turn(tarei_build *const b, const int x, const int rank, const bool swap,
                         const bool batch) {
  if (!swap && !batch) {
    return x;
  }
  int64_t perm[TARE_MAX_RANK];
  for (int d = 0; d < rank; d++) {
    perm[d] = d;
  }
  if (batch) {
    for (int d = 0; d < rank - 2; d++) {
      perm[d] = d + 1;
    }
    perm[rank - 2] = 0;
  }
  if (swap) {
    const int64_t last = perm[rank - 1];
    perm[rank - 1] = perm[rank - 2];
    perm[rank - 2] = last;
  }
  const int y = tarei_build_unary(b, "Transpose", x);
  tarei_build_ints(b, "perm", perm, rank);
  return y;
}

/* alpha * A . B, into `out`, or as a new value where that is -2. */
static int ms_fused_product(tarei_build *const b, const tarei_node *const n,
                            const ms_fused_layer *const l, int out) {
  const float alpha = tarei_attr_float(n, "alpha", 1);
  static const char *const swaps[] = {"transA", "transB"};
  static const char *const batches[] = {"transBatchA", "transBatchB"};
  int rank[2];
  bool swap[2], batch[2];
  for (int i = 0; i < 2; i++) {
    rank[i] = b->graph->values[l->in[i]].rank;
    swap[i] = rank[i] > 1 && tarei_attr_int(n, swaps[i], 0) != 0;
    batch[i] = rank[i] > 2 && tarei_attr_int(n, batches[i], 0) != 0;
  }
  const tare_dtype dtype = b->graph->values[l->in[0]].dtype;
  const int in[] = {ms_fused_turn(b, l->in[0], rank[0], swap[0], batch[0]),
                    ms_fused_turn(b, l->in[1], rank[1], swap[1], batch[1])};
  if (alpha == 1) {
    tarei_build_outputs(b, "MatMul", in, 2, &out, 1);
    return out;
  }
  const int y = tarei_build_node(b, "MatMul", in, 2);
  const int factor = tarei_build_number(b, dtype, (double)alpha);
  tarei_build_outputs(b, "Mul", (const int[]){y, factor}, 2, &out, 1);
  return out;
}

static tare_status ms_fused_expand_matmul(tarei_graph *const graph, const int node,
                                          tare_error *const err) {
  ms_fused_layer l = {.n_params = 0};
  TAREI_TRY(tarei_ops_need(graph, &graph->nodes[node], 2, err));
  read_edges(&graph->nodes[node], &l);
  tarei_build b = tarei_build_at(graph, node);
  ms_fused_product(&b, &graph->nodes[node], &l, l.out);
  return tarei_build_done(&b, err);
}

static tare_status ms_fused_expand_activation(tarei_graph *const graph, const int node,
                                              tare_error *const err) {
  static const char *const names[] = {"activation_alpha", "activation_beta"};
  const tarei_node *const n = &graph->nodes[node];
  ms_fused_layer l = {.n_params = 0};
  TAREI_TRY(tarei_ops_need(graph, n, 2, err));
  TAREI_TRY(ms_fused_read_activation(n, &l, err));
  const char *const second = strcmp(l.activation, "Selu") == 0 ? "activation_gamma" : names[1];
  if (tarei_attr_find(n, names[0])) {
    l.params[l.n_params++] = tarei_attr_float(n, names[0], 0);
  }
  if (l.n_params && tarei_attr_find(n, second)) {
    l.params[l.n_params++] = tarei_attr_float(n, second, 0);
  }
  read_edges(n, &l);
  tarei_build b = tarei_build_at(graph, node);
  activate(&b, &l, ms_fused_product(&b, &graph->nodes[node], &l, -2));
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_ms_fused_conv = {
    .name = "FusedConv",
    .domain = "com.microsoft",
    .min_in = 2,
    .max_in = 4,
    .min_out = 1,
    .max_out = 1,
    .expand = expand_conv,
};

const tarei_op tarei_op_ms_fused_gemm = {
    .name = "FusedGemm",
    .domain = "com.microsoft",
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .expand = ms_fused_expand_gemm,
};

const tarei_op tarei_op_ms_fused_matmul = {
    .name = "FusedMatMul",
    .domain = "com.microsoft",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .expand = ms_fused_expand_matmul,
};

const tarei_op tarei_op_ms_transpose_matmul = {
    .name = "TransposeMatMul",
    .domain = "com.microsoft",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .expand = ms_fused_expand_matmul,
};

const tarei_op tarei_op_ms_fused_matmul_activation = {
    .name = "FusedMatMulActivation",
    .domain = "com.microsoft",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .expand = ms_fused_expand_activation,
};
