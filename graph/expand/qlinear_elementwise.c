/* com.microsoft QLinearAdd, QLinearMul, QLinearLeakyRelu, QLinearSigmoid, QLinearSoftmax and
 * QLinearConcat. */
#include "graph/expand/qdq.h"

static tare_status expand_binary(tarei_graph *const graph, const int node, const char *const op,
                                 tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  TAREI_TRY(tarei_qdq_need(&b, 0133 /* all but the zero points */, err));
  const tarei_qdq x = tarei_qdq_in(&b, 0), z = tarei_qdq_in(&b, 3);
  const int y = tarei_build_binary(&b, op, tarei_qdq_read(&b, x, -1), tarei_qdq_read(&b, z, -1));
  tarei_qdq_write(&b, y, tarei_qdq_scale(&b, 6), x.value);
  return tarei_build_done(&b, err);
}

static tare_status expand_add(tarei_graph *const graph, const int node, tare_error *const err) {
  return expand_binary(graph, node, "Add", err);
}

static tare_status expand_mul(tarei_graph *const graph, const int node, tare_error *const err) {
  return expand_binary(graph, node, "Mul", err);
}

static tare_status expand_unary(tarei_graph *const graph, const int node, const char *const op,
                                tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  TAREI_TRY(tarei_qdq_need(&b, TAREI_QDQ_UNARY, err));
  const int made = tarei_qdq_unary(&b, op);
  if (made >= 0) {
    tarei_qdq_attrs(&b, made);
  }
  return tarei_build_done(&b, err);
}

static tare_status expand_leaky_relu(tarei_graph *const graph, const int node,
                                     tare_error *const err) {
  return expand_unary(graph, node, "LeakyRelu", err);
}

static tare_status expand_sigmoid(tarei_graph *const graph, const int node, tare_error *const err) {
  return expand_unary(graph, node, "Sigmoid", err);
}

/* The attribute "opset" says whether Softmax flattens, as it did below 13. */
static tare_status expand_softmax(tarei_graph *const graph, const int node, tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  TAREI_TRY(tarei_qdq_need(&b, TAREI_QDQ_UNARY, err));
  const int64_t opset = tarei_attr_int(&graph->nodes[node], "opset", TAREI_BUILD_OPSET);
  const int made = tarei_qdq_unary(&b, "Softmax");
  if (made >= 0) {
    tarei_node *const softmax = &graph->nodes[made];
    softmax->opset = opset < 13 ? 11 : TAREI_BUILD_OPSET;
    b.failed |= !tarei_attr_set_int(softmax, "axis", -1);
    tarei_qdq_attrs(&b, made);
  }
  return tarei_build_done(&b, err);
}

#define MOST_PARTS 256

static tare_status expand_concat(tarei_graph *const graph, const int node, tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  const int n = (graph->nodes[node].n_in - 2) / 3;
  int parts[MOST_PARTS];
  if (n < 1 || n > MOST_PARTS || graph->nodes[node].n_in != 2 + 3 * n) {
    return tarei_fail(err, n > MOST_PARTS ? TARE_E_UNSUPPORTED : TARE_E_MODEL,
                      "has %d inputs: expected 2, and 3 for each of at most %d parts",
                      graph->nodes[node].n_in, MOST_PARTS);
  }
  for (int i = 0; i < n; i++) {
    const tarei_qdq x = tarei_qdq_in(&b, 2 + 3 * i);
    if (x.value < 0 || x.scale < 0) {
      return tarei_fail(err, TARE_E_MODEL, "part %d is missing", i);
    }
    parts[i] = tarei_qdq_read(&b, x, -1);
  }
  const int y = tarei_build_node(&b, "Concat", parts, n);
  tarei_qdq_attrs(&b, b.last);
  tarei_qdq_write(&b, y, tarei_qdq_scale(&b, 0), tarei_build_in(&b, 2));
  return tarei_build_done(&b, err);
}

#define QLINEAR(id, onnx_name, least, most) \
  const tarei_op tarei_op_qlinear_##id = {  \
      .name = onnx_name,                    \
      .domain = "com.microsoft",            \
      .min_in = least,                      \
      .max_in = most,                       \
      .min_out = 1,                         \
      .max_out = 1,                         \
      .expand = expand_##id,                \
  }

QLINEAR(add, "QLinearAdd", 2, 8);
QLINEAR(concat, "QLinearConcat", 1, -1);
QLINEAR(leaky_relu, "QLinearLeakyRelu", 2, 5);
QLINEAR(mul, "QLinearMul", 2, 8);
QLINEAR(sigmoid, "QLinearSigmoid", 2, 5);
QLINEAR(softmax, "QLinearSoftmax", 2, 5);
