/* DepthToSpace and SpaceToDepth: channels and blocks change places. */
#include <inttypes.h>
#include <string.h>

#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

enum { N, C, H, W };

typedef struct blocks {
  tarei_exprs *pool;
  tarei_expr dims[4], block;
} blocks;

static tare_status read_blocks(const tarei_graph *const graph, const tarei_node *const node,
                               blocks *const out, tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const int64_t size = tarei_attr_int(node, "blocksize", 0);
  TAREI_TRY(tarei_ops_want_rank(x, 4, 4, err));
  if (size < 1 || size > INT16_MAX) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'blocksize': expected 1 to 32767, got %" PRId64,
                      size);
  }
  out->pool = graph->exprs;
  memcpy(out->dims, x->dims, sizeof out->dims);
  out->block = tarei_expr_const(graph->exprs, size);
  return TARE_OK;
}

/* Checks that a dim that is known divides into parts. */
static tare_status check_divides(const blocks *const b, const int axis, const tarei_expr parts,
                                 tare_error *const err) {
  int64_t n, by;
  const bool known =
      tarei_expr_is_const(b->pool, b->dims[axis], &n) && tarei_expr_is_const(b->pool, parts, &by);
  return !known || n % by == 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL,
                          "axis %d has length %" PRId64 ", which is not a multiple of %" PRId64,
                          axis, n, by);
}

/* Reshape, Transpose, Reshape into the output of the node. */
static tare_status write_nodes(tarei_build *const b, const tarei_shape *const apart,
                               const int64_t *const perm, const tarei_shape *const joined,
                               tare_error *const err) {
  const int x = tarei_build_in(b, 0), out = b->graph->nodes[b->node].out[0];
  const int split = tarei_build_reshape(b, x, apart->dims, apart->rank, -2);
  const int turned = tarei_build_unary(b, "Transpose", split);
  tarei_build_ints(b, "perm", perm, 6);
  (void)tarei_build_reshape(b, turned, joined->dims, joined->rank, out);
  return tarei_build_done(b, err);
}

static tare_status expand_depth(tarei_graph *const graph, const int index, tare_error *const err) {
  const tarei_node *const node = &graph->nodes[index];
  const char *const mode = tarei_attr_string(node, "mode", "DCR");
  const bool columns = strcmp(mode, "CRD") == 0;
  blocks k = {0};
  TAREI_TRY(read_blocks(graph, node, &k, err));
  if (!columns && strcmp(mode, "DCR") != 0) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'mode' is '%s', which is not supported", mode);
  }
  const tarei_expr b = k.block, square = tarei_expr_mul(k.pool, b, b);
  TAREI_TRY(check_divides(&k, C, square, err));
  const tarei_expr depth = tarei_expr_floordiv(k.pool, k.dims[C], square);
  const tarei_shape dcr = {6, {k.dims[N], b, b, depth, k.dims[H], k.dims[W]}};
  const tarei_shape crd = {6, {k.dims[N], depth, b, b, k.dims[H], k.dims[W]}};
  const tarei_shape joined = {4,
                              {k.dims[N], depth, tarei_expr_mul(k.pool, k.dims[H], b),
                               tarei_expr_mul(k.pool, k.dims[W], b)}};
  tarei_build build = tarei_build_at(graph, index);
  return columns ? write_nodes(&build, &crd, (int64_t[]){0, 1, 4, 2, 5, 3}, &joined, err)
                 : write_nodes(&build, &dcr, (int64_t[]){0, 3, 4, 1, 5, 2}, &joined, err);
}

static tare_status expand_space(tarei_graph *const graph, const int index, tare_error *const err) {
  blocks k = {0};
  TAREI_TRY(read_blocks(graph, &graph->nodes[index], &k, err));
  TAREI_TRY(check_divides(&k, H, k.block, err));
  TAREI_TRY(check_divides(&k, W, k.block, err));
  const tarei_expr b = k.block, square = tarei_expr_mul(k.pool, b, b);
  const tarei_expr rows = tarei_expr_floordiv(k.pool, k.dims[H], b);
  const tarei_expr columns = tarei_expr_floordiv(k.pool, k.dims[W], b);
  const tarei_shape apart = {6, {k.dims[N], k.dims[C], rows, b, columns, b}};
  const tarei_shape joined = {
      4, {k.dims[N], tarei_expr_mul(k.pool, k.dims[C], square), rows, columns}};
  tarei_build build = tarei_build_at(graph, index);
  return write_nodes(&build, &apart, (int64_t[]){0, 3, 5, 1, 2, 4}, &joined, err);
}

#define BLOCKS(id, onnx_name, expand_fn) \
  const tarei_op tarei_op_##id = {       \
      .name = onnx_name,                 \
      .domain = "",                      \
      .min_in = 1,                       \
      .max_in = 1,                       \
      .min_out = 1,                      \
      .max_out = 1,                      \
      .expand = expand_fn,               \
  };
BLOCKS(depth_to_space, "DepthToSpace", expand_depth)
BLOCKS(space_to_depth, "SpaceToDepth", expand_space)
