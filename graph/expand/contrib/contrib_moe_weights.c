/* Weights of experts: floats, or integers of 2, 4 or 8 bits with a scale for each row or block. */
#include <inttypes.h>

#include "base/mem.h"
#include "graph/expand/contrib/contrib_moe.h"

/* Input i has `count` elements, as far as its dims are known. */
static tare_status moe_weights_count(const tarei_graph *const graph, const tarei_node *const node,
                                     const int i, const int64_t count, tare_error *const err) {
  const tarei_value *const v = tarei_ops_in(graph, node, i);
  int64_t n;
  if (!v) {
    return TARE_OK;
  }
  const tarei_shape shape = tarei_ops_shape(v);
  return tarei_expr_is_const(graph->exprs, tarei_ops_product(graph, &shape, 0, v->rank), &n) &&
                 n == count
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL,
                          "the dims of '%s' must be constant, and those of %" PRId64 " elements",
                          v->name, count);
}

tare_status tarei_moe_check_product(const tarei_graph *const graph, const tarei_node *const node,
                                    const tarei_moe_form *const f, const tarei_moe_product *const p,
                                    tare_error *const err) {
  const tarei_value *const w = tarei_ops_in(graph, node, p->weights);
  const int64_t pack = f->bits ? 8 / f->bits : 1;
  const int64_t blocks = f->block ? p->columns / f->block : 1;
  if (!w) {
    return tarei_fail(err, TARE_E_MODEL, "input %d (weights) is missing", p->weights);
  }
  TAREI_TRY(tarei_ops_want_rank(w, 3, 3, err));
  if (p->columns % pack || (f->block && p->columns % f->block)) {
    return tarei_fail(err, TARE_E_MODEL,
                      "rows of %" PRId64 " weights in '%s' are no multiple of a byte or block",
                      p->columns, w->name);
  }
  int64_t all;
  if (!tarei_mul_i64(f->experts, p->rows, &all) || !tarei_mul_i64(all, p->columns, &all)) {
    return tarei_fail(err, TARE_E_LIMIT, "'%s' has too many elements", w->name);
  }
  TAREI_TRY(moe_weights_count(graph, node, p->weights, all / pack, err));
  TAREI_TRY(moe_weights_count(graph, node, p->bias, f->experts * p->rows, err));
  if (!f->bits) {
    return tarei_ops_want_dtype(w, f->dtype, err);
  }
  TAREI_TRY(tarei_ops_want_dtype(w, TARE_U8, err));
  if (!tarei_ops_in(graph, node, p->scales)) {
    return tarei_fail(err, TARE_E_MODEL, "input %d (scales of weights) is missing", p->scales);
  }
  const int64_t of_row = f->block ? (blocks + pack - 1) / pack : 1;
  TAREI_TRY(moe_weights_count(graph, node, p->scales, f->experts * p->rows * blocks, err));
  return moe_weights_count(
      graph, node, p->zeros,
      f->block ? f->experts * p->rows * of_row : f->experts * ((p->rows + pack - 1) / pack), err);
}

static int moe_weights_reshape(tarei_build *const b, const int x, const int64_t *const dims,
                               const int n) {
  return tarei_build_binary(b, "Reshape", x, tarei_build_i64s(b, dims, n));
}

/* What expert `expert` has of an input. */
static int moe_weights_of(tarei_build *const b, const int input, const int64_t expert) {
  return tarei_build_binary(b, "Gather", tarei_build_in(b, input),
                            tarei_build_number(b, TARE_I64, (double)expert));
}

/* Bytes as the integers that they hold, the lowest bits first: [.., n] as [.., n * 8 / bits]. */
static int moe_weights_unpack(tarei_build *const b, const int x, const int rank,
                              const int64_t bits) {
  int parts[4];
  const int64_t last = rank;
  const int mask = tarei_build_number(b, TARE_U8, (double)((1 << bits) - 1));
  for (int64_t i = 0; i < 8 / bits; i++) {
    int part = x;
    if (i) {
      part =
          tarei_build_binary(b, "BitShift", x, tarei_build_number(b, TARE_U8, (double)(i * bits)));
      tarei_build_string(b, "direction", "RIGHT");
    }
    part = tarei_build_binary(b, "BitwiseAnd", part, mask);
    parts[i] = tarei_build_binary(b, "Unsqueeze", part, tarei_build_i64s(b, &last, 1));
  }
  const int joined = tarei_build_node(b, "Concat", parts, (int)(8 / bits));
  tarei_build_int(b, "axis", last);
  const int64_t flat[] = {0, -1};
  return moe_weights_reshape(b, joined, rank == 1 ? flat + 1 : flat, rank);
}

/* Zero points as floats, [rows, blocks, 1], or one for all. */
static int moe_weights_zeros(tarei_build *const b, const tarei_moe_form *const f,
                             const tarei_moe_product *const p, const int64_t expert) {
  const int64_t blocks = f->block ? p->columns / f->block : 1, dims[] = {p->rows, blocks, 1};
  if (tarei_build_in(b, p->zeros) < 0) {
    return tarei_build_number(b, f->dtype, (double)(1 << (f->bits - 1)));
  }
  int zeros = moe_weights_of(b, p->zeros, expert);
  if (f->bits < 8) { /* rows, or blocks of a row, may end before the last byte does */
    const int rank = f->block ? 2 : 1;
    zeros = moe_weights_unpack(b, zeros, rank, f->bits);
    const int64_t from = 0, axis = rank - 1, to = f->block ? blocks : p->rows;
    const int in[] = {zeros, tarei_build_i64s(b, &from, 1), tarei_build_i64s(b, &to, 1),
                      tarei_build_i64s(b, &axis, 1)};
    zeros = tarei_build_node(b, "Slice", in, 4);
  }
  return tarei_build_cast(b, moe_weights_reshape(b, zeros, dims, 3), f->dtype);
}

/* The weights of an expert as floats, [rows, columns]. */
static int moe_weights_real(tarei_build *const b, const tarei_moe_form *const f,
                            const tarei_moe_product *const p, const int64_t expert) {
  const int64_t matrix[] = {p->rows, p->columns};
  const int stored = moe_weights_of(b, p->weights, expert);
  if (!f->bits) {
    return moe_weights_reshape(b, stored, matrix, 2);
  }
  const int64_t size = f->block ? f->block : p->columns, blocks = p->columns / size;
  const int integers = f->bits == 8 ? stored : moe_weights_unpack(b, stored, 2, f->bits);
  const int in_blocks =
      moe_weights_reshape(b, integers, (const int64_t[]){p->rows, blocks, size}, 3);
  const int centered = tarei_build_binary(b, "Sub", tarei_build_cast(b, in_blocks, f->dtype),
                                          moe_weights_zeros(b, f, p, expert));
  const int scales = moe_weights_reshape(b, moe_weights_of(b, p->scales, expert),
                                         (const int64_t[]){p->rows, blocks, 1}, 3);
  return moe_weights_reshape(b, tarei_build_binary(b, "Mul", centered, scales), matrix, 2);
}

static int moe_weights_pick(tarei_build *const b, const tarei_moe_rows *const rows, const int x) {
  const int64_t axis = 0;
  if (!rows) {
    return x;
  }
  const int in[] = {x, tarei_build_i64s(b, &rows->first, 1), tarei_build_i64s(b, &rows->end, 1),
                    tarei_build_i64s(b, &axis, 1), tarei_build_i64s(b, &rows->step, 1)};
  return tarei_build_node(b, "Slice", in, 5);
}

int tarei_moe_multiply(tarei_build *const b, const tarei_moe_form *const f,
                       const tarei_moe_product *const p, const int64_t expert,
                       const tarei_moe_rows *const rows, const int x) {
  const int w = moe_weights_pick(b, rows, moe_weights_real(b, f, p, expert));
  const int turned = tarei_build_unary(b, "Transpose", w);
  const int64_t swap[] = {1, 0};
  tarei_build_ints(b, "perm", swap, 2);
  const int y = tarei_build_binary(b, "MatMul", x, turned);
  return tarei_build_in(b, p->bias) < 0
             ? y
             : tarei_build_binary(b, "Add", y,
                                  moe_weights_pick(b, rows, moe_weights_of(b, p->bias, expert)));
}
