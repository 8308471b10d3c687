/* Operators of com.microsoft that ONNX has, too, by now, or with other names of their operands. */
#include <inttypes.h>

#include "graph/expand/ms_expansion.h"
#include "graph/expand/qdq.h"
#include "graph/ops/ops_common.h"

enum { MOST_OPERANDS = 8 };

/* Inputs and outputs, which do not survive an addition in the node itself. */
typedef struct alias_edges {
  int in[MOST_OPERANDS], n_in, out[MOST_OPERANDS], n_out;
} alias_edges;

static void alias_read(const tarei_node *const node, alias_edges *const e) {
  e->n_in = node->n_in < MOST_OPERANDS ? node->n_in : MOST_OPERANDS;
  e->n_out = node->n_out < MOST_OPERANDS ? node->n_out : MOST_OPERANDS;
  for (int i = 0; i < e->n_in; i++) {
    e->in[i] = node->in[i];
  }
  for (int i = 0; i < e->n_out; i++) {
    e->out[i] = node->out[i];
  }
}

/* The operator of ONNX with the same operands and attributes. */
static tare_status alias_write(tarei_graph *const graph, const int node, const char *const op,
                               tare_error *const err) {
  alias_edges e;
  TAREI_TRY(tarei_ops_need(graph, &graph->nodes[node], 1, err));
  alias_read(&graph->nodes[node], &e);
  tarei_build b = tarei_build_at(graph, node);
  tarei_build_outputs(&b, op, e.in, e.n_in, e.out, e.n_out);
  for (int i = 0; !b.failed && i < graph->nodes[node].n_attrs; i++) {
    b.failed = !tarei_attr_copy(&graph->nodes[b.last], &graph->nodes[node].attrs[i]);
  }
  return tarei_build_done(&b, err);
}

static tare_status expand_ms_gather_nd(tarei_graph *const graph, const int node,
                                       tare_error *const err) {
  return alias_write(graph, node, "GatherND", err);
}

static tare_status expand_ms_pad(tarei_graph *const graph, const int node, tare_error *const err) {
  return alias_write(graph, node, "Pad", err);
}

static tare_status expand_ms_trilu(tarei_graph *const graph, const int node,
                                   tare_error *const err) {
  return alias_write(graph, node, "Trilu", err);
}

/* Values in the order in which they come first, with an index for each element, and counts. */
static tare_status expand_ms_unique(tarei_graph *const graph, const int node,
                                    tare_error *const err) {
  alias_edges e;
  TAREI_TRY(tarei_ops_need(graph, &graph->nodes[node], 1, err));
  TAREI_TRY(tarei_ops_want_rank(tarei_ops_in(graph, &graph->nodes[node], 0), 1, 1, err));
  alias_read(&graph->nodes[node], &e);
  tarei_build b = tarei_build_at(graph, node);
  int out[] = {e.out[0], -1, e.n_out > 1 ? e.out[1] : -1, e.n_out > 2 ? e.out[2] : -1};
  tarei_build_outputs(&b, "Unique", e.in, 1, out, 4);
  tarei_build_int(&b, "sorted", 0);
  return tarei_build_done(&b, err);
}

/* from, to, and a step of 1 where it is absent. */
static tare_status expand_ms_range(tarei_graph *const graph, const int node,
                                   tare_error *const err) {
  alias_edges e;
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 2, err));
  const tare_dtype dtype = tarei_ops_in(graph, n, 0)->dtype;
  alias_read(n, &e);
  tarei_build b = tarei_build_at(graph, node);
  int in[3];
  for (int i = 0; i < 3; i++) { /* numbers that may be vectors of one */
    const int given = i < e.n_in ? e.in[i] : -1;
    in[i] = given < 0 ? tarei_build_number(&b, dtype, 1)
                      : tarei_build_binary(&b, "Reshape", given, tarei_build_i64s(&b, NULL, 0));
  }
  tarei_build_into(&b, "Range", in, 3, e.out[0]);
  return tarei_build_done(&b, err);
}

/* A new axis of one element; the axis is an input. */
static tare_status expand_ms_expand_dims(tarei_graph *const graph, const int node,
                                         tare_error *const err) {
  tarei_expr axis;
  int64_t at;
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 2, err));
  TAREI_TRY(tarei_ops_one(graph, n, 1, &axis, err));
  if (axis == TAREI_EXPR_NONE || !tarei_expr_is_const(graph->exprs, axis, &at)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "the axis must be constant");
  }
  const int out = n->out[0];
  tarei_build b = tarei_build_at(graph, node);
  const int in[] = {tarei_build_in(&b, 0), tarei_build_i64s(&b, &at, 1)};
  tarei_build_into(&b, "Unsqueeze", in, 2, out);
  return tarei_build_done(&b, err);
}

/* Rows of a table; what else TorchEmbedding says concerns training. */
static tare_status expand_torch_embedding(tarei_graph *const graph, const int node,
                                          tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, &graph->nodes[node], 2, err));
  const int out = graph->nodes[node].out[0];
  tarei_build b = tarei_build_at(graph, node);
  const int in[] = {tarei_build_in(&b, 0), tarei_build_in(&b, 1)};
  tarei_build_into(&b, "Gather", in, 2, out);
  return tarei_build_done(&b, err);
}

/* MaxPool of bytes whose channels come last. */
static tare_status expand_nhwc_max_pool(tarei_graph *const graph, const int node,
                                        tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, &graph->nodes[node], 1, err));
  TAREI_TRY(
      tarei_ops_want_rank(tarei_ops_in(graph, &graph->nodes[node], 0), 3, TARE_MAX_RANK, err));
  const int out = graph->nodes[node].out[0];
  tarei_build b = tarei_build_at(graph, node);
  const int x = tarei_qdq_channels_first(&b, tarei_build_in(&b, 0), true);
  const int pooled = tarei_build_unary(&b, "MaxPool", x);
  if (!b.failed) {
    tarei_qdq_attrs(&b, b.last);
  }
  const int y = tarei_qdq_channels_last(&b, pooled, true);
  tarei_build_into(&b, "Identity", &y, 1, out);
  return tarei_build_done(&b, err);
}

TAREI_MS_EXPANSION(ms_expand_dims, "ExpandDims", 2, 2, 1, expand_ms_expand_dims);
TAREI_MS_EXPANSION(ms_gather_nd, "GatherND", 2, 2, 1, expand_ms_gather_nd);
TAREI_MS_EXPANSION(ms_nhwc_max_pool, "NhwcMaxPool", 1, 1, 1, expand_nhwc_max_pool);
TAREI_MS_EXPANSION(ms_pad, "Pad", 2, 3, 1, expand_ms_pad);
TAREI_MS_EXPANSION(ms_range, "Range", 2, 3, 1, expand_ms_range);
TAREI_MS_EXPANSION(ms_torch_embedding, "TorchEmbedding", 2, 4, 1, expand_torch_embedding);
TAREI_MS_EXPANSION(ms_trilu, "Trilu", 1, 2, 1, expand_ms_trilu);
TAREI_MS_EXPANSION(ms_unique, "Unique", 1, 1, 3, expand_ms_unique);
