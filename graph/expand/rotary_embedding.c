/* RotaryEmbedding of opset 23, and the one of com.microsoft, whose inputs stand in another order.
 */
#include "graph/expand/rotate.h"

typedef struct rotary_embedding_form {
  int x, cosine, sine, positions; /* inputs; positions -1: absent */
  int rank, position_rank;
  int64_t heads, depth, size;
} rotary_embedding_form;

static tare_status rotary_embedding_read_form(const tarei_graph *const graph,
                                              const tarei_node *const node, const int order[4],
                                              rotary_embedding_form *const f,
                                              tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, order[0]);
  const tarei_value *const cosine = tarei_ops_in(graph, node, order[1]);
  const tarei_value *const positions = tarei_ops_in(graph, node, order[3]);
  int64_t width, half;
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_rank(x, 3, 4, err));
  TAREI_TRY(tarei_ops_want_rank(cosine, positions ? 2 : 3, positions ? 2 : 3, err));
  TAREI_TRY(
      tarei_ops_want_rank(tarei_ops_in(graph, node, order[2]), cosine->rank, cosine->rank, err));
  if (!tarei_expr_is_const(graph->exprs, x->dims[x->rank - 1], &width) ||
      !tarei_expr_is_const(graph->exprs, cosine->dims[cosine->rank - 1], &half)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "the width of '%s' or '%s' is not constant", x->name,
                      cosine->name);
  }
  const int64_t size = tarei_attr_int(node, "rotary_embedding_dim", 0);
  const int64_t heads = tarei_attr_int(node, "num_heads", 0);
  const bool fits = half >= 1 && half <= width / 2;
  *f = (rotary_embedding_form){.x = node->in[order[0]],
                               .cosine = node->in[order[1]],
                               .sine = node->in[order[2]],
                               .positions = positions ? node->in[order[3]] : -1,
                               .rank = x->rank,
                               .position_rank = positions ? positions->rank : 0,
                               .depth = width,
                               .size = size > 0 || !fits ? size : 2 * half};
  f->heads = heads > 0 ? heads : size > 0 || !fits ? 1 : width / (2 * half);
  if (x->rank == 3) {
    f->depth = f->heads > 0 ? width / f->heads : 0;
  }
  if (f->heads < 1 || !fits || f->size != 2 * half || f->size > f->depth ||
      (x->rank == 3 && width % f->heads)) {
    return tarei_fail(err, TARE_E_MODEL,
                      "%lld heads of width %lld do not match a table of %lld angles",
                      (long long)f->heads, (long long)f->depth, (long long)half);
  }
  return TARE_OK;
}

/* The angles of each position: [B, S, size / 2] with an axis for the heads. */
static int rotary_embedding_angles(tarei_build *const b, const rotary_embedding_form *const f,
                                   const int table) {
  int rows = table;
  if (f->position_rank == 1) { /* that of the first one */
    const int below = tarei_attend_positions(b, f->x, f->rank == 4 ? 2 : 1);
    const int at = tarei_build_binary(b, "Add", below, f->positions);
    const int row = tarei_attend_unsqueeze(b, at, (const int64_t[]){0}, 1);
    rows = tarei_build_binary(b, "Gather", table, row);
  } else if (f->positions >= 0) {
    rows = tarei_build_binary(b, "Gather", table, f->positions);
  }
  return tarei_attend_unsqueeze(b, rows, (const int64_t[]){f->rank == 4 ? 1 : 2}, 1);
}

static tare_status rotary_embedding_write(tarei_graph *const graph, const int node,
                                          const rotary_embedding_form *const f,
                                          tare_error *const err) {
  const bool interleaved = tarei_attr_int(&graph->nodes[node], "interleaved", 0) != 0;
  const int out = graph->nodes[node].out[0];
  tarei_build b = tarei_build_at(graph, node);
  const bool flat = f->rank == 3;
  const int64_t split[] = {0, 0, f->heads, f->depth};
  const tarei_rotate r = {.x = flat ? tarei_attend_reshape(&b, f->x, split, 4) : f->x,
                          .cosine = rotary_embedding_angles(&b, f, f->cosine),
                          .sine = rotary_embedding_angles(&b, f, f->sine),
                          .size = f->size,
                          .depth = f->depth,
                          .interleaved = interleaved};
  const int turned = tarei_rotate_write(&b, &r);
  if (flat) {
    const int64_t joined[] = {0, 0, f->heads * f->depth};
    tarei_build_into(&b, "Reshape", (const int[]){turned, tarei_build_i64s(&b, joined, 3)}, 2, out);
  } else {
    tarei_build_into(&b, "Identity", &turned, 1, out);
  }
  return tarei_build_done(&b, err);
}

static tare_status rotary_embedding_expand(tarei_graph *const graph, const int node,
                                           tare_error *const err) {
  static const int order[] = {0, 1, 2, 3};
  rotary_embedding_form f;
  TAREI_TRY(tarei_ops_need(graph, &graph->nodes[node], 3, err));
  TAREI_TRY(rotary_embedding_read_form(graph, &graph->nodes[node], order, &f, err));
  return rotary_embedding_write(graph, node, &f, err);
}

static tare_status expand_contrib(tarei_graph *const graph, const int node, tare_error *const err) {
  static const int order[] = {0, 2, 3, 1};
  const tarei_node *const n = &graph->nodes[node];
  rotary_embedding_form f;
  TAREI_TRY(tarei_ops_need(graph, n, 4, err));
  if (tarei_attr_int(n, "is_packed_batching", 0)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "packed batches are not supported");
  }
  TAREI_TRY(rotary_embedding_read_form(graph, n, order, &f, err));
  return rotary_embedding_write(graph, node, &f, err);
}

const tarei_op tarei_op_rotary_embedding = {
    .name = "RotaryEmbedding",
    .domain = "",
    .min_in = 3,
    .max_in = 4,
    .min_out = 1,
    .max_out = 1,
    .expand = rotary_embedding_expand,
};

const tarei_op tarei_op_ms_rotary_embedding = {
    .name = "RotaryEmbedding",
    .domain = "com.microsoft",
    .min_in = 4,
    .max_in = 4,
    .min_out = 1,
    .max_out = 1,
    .expand = expand_contrib,
};
