/* Nodes that hand their input through. The tensors that go are equal to others that stay, so this
 * runs under keep_all_tensors too. */
#include "graph/passes/const_data.h"
#include "graph/passes/layout.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "shapes/number.h"

typedef bool identity_fn(const tarei_graph *graph, const tarei_node *node);

static bool always(const tarei_graph *const graph, const tarei_node *const node) {
  (void)graph;
  (void)node;
  return true;
}

static bool keeps_shape(const tarei_graph *const graph, const tarei_node *const node) {
  return tarei_values_same_shape(graph, node->in[0], node->out[0]);
}

static bool keeps_dtype(const tarei_graph *const graph, const tarei_node *const node) {
  return graph->values[node->in[0]].dtype == graph->values[node->out[0]].dtype;
}

static bool has_one_input(const tarei_graph *const graph, const tarei_node *const node) {
  (void)graph;
  return node->n_in == 1;
}

/* In training a mask would be asked for, or the flag be set. */
static bool is_inference(const tarei_graph *const graph, const tarei_node *const node) {
  (void)graph;
  return (node->n_out < 2 || node->out[1] < 0) && tarei_node_in(node, 2) < 0;
}

static bool drop_identities_keeps_order(const tarei_graph *const graph,
                                        const tarei_node *const node) {
  tarei_perm perm;
  return tarei_perm_of(graph, node, &perm) && tarei_perm_is_identity(&perm);
}

static bool steps_are_one(const tarei_graph *const graph, const tarei_node *const node) {
  int64_t steps[TARE_MAX_RANK];
  int n = 0;
  if (tarei_node_in(node, 4) >= 0 &&
      !tarei_value_ints(graph, node->in[4], steps, TARE_MAX_RANK, &n)) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    if (steps[i] != 1) {
      return false;
    }
  }
  return keeps_shape(graph, node);
}

static bool scalar_is(const tarei_graph *const graph, const tarei_node *const node, const int input,
                      const float neutral) {
  float x;
  return tarei_const_scalar(graph, node->in[input], &x) && x == neutral;
}

static bool adds_zero(const tarei_graph *const graph, const tarei_node *const node) {
  return scalar_is(graph, node, 1, 0) && keeps_shape(graph, node);
}
static bool multiplies_by_one(const tarei_graph *const graph, const tarei_node *const node) {
  return scalar_is(graph, node, 1, 1) && keeps_shape(graph, node);
}

static const struct {
  const tarei_op *op;
  identity_fn *is_identity;
  bool commutes; /* the input handed through may be the second one as well */
} rows[] = {
    {&tarei_op_add, adds_zero, true},
    {&tarei_op_cast, keeps_dtype, false},
    {&tarei_op_concat, has_one_input, false},
    {&tarei_op_div, multiplies_by_one, false},
    {&tarei_op_dropout, is_inference, false},
    {&tarei_op_expand, keeps_shape, false},
    {&tarei_op_flatten, keeps_shape, false},
    {&tarei_op_identity, always, false},
    {&tarei_op_max, has_one_input, false},
    {&tarei_op_min, has_one_input, false},
    {&tarei_op_mul, multiplies_by_one, true},
    {&tarei_op_reshape, keeps_shape, false},
    {&tarei_op_slice, steps_are_one, false},
    {&tarei_op_squeeze, keeps_shape, false},
    {&tarei_op_sub, adds_zero, false},
    {&tarei_op_transpose, drop_identities_keeps_order, false},
    {&tarei_op_unsqueeze, keeps_shape, false},
};

/* Bits of the magnitudes that a type tells apart one by one from 0 on; 0 for no such type. */
static int exact_bits(const tare_dtype dtype) {
  static const int8_t bits[TARE_BF16 + 1] = {
      [TARE_BOOL] = 1, [TARE_U8] = 8,   [TARE_I8] = 7,   [TARE_U16] = 16, [TARE_I16] = 15,
      [TARE_U32] = 32, [TARE_I32] = 31, [TARE_U64] = 64, [TARE_I64] = 63, [TARE_F32] = 24,
      [TARE_F64] = 53, [TARE_F16] = 11, [TARE_BF16] = 8};
  return bits[dtype];
}

static bool is_unsigned(const tare_dtype dtype) {
  return dtype == TARE_BOOL || dtype == TARE_U8 || dtype == TARE_U16 || dtype == TARE_U32 ||
         dtype == TARE_U64;
}

/* Whether a Cast to `wide` and back gives every element of the type itself. */
static bool holds_all(const tare_dtype wide, const tare_dtype dtype) {
  if (tarei_is_float(dtype)) {
    return wide == TARE_F64 || (wide == TARE_F32 && dtype != TARE_F64);
  }
  return exact_bits(wide) >= exact_bits(dtype) && exact_bits(dtype) > 0 &&
         (is_unsigned(dtype) || !is_unsigned(wide));
}

/* What a Cast to a wider type took that this one undoes, or -1. */
static int cast_undone(const tarei_graph *const graph, const tarei_node *const node) {
  const tarei_node *const before =
      node->op == &tarei_op_cast ? tarei_producer_is(graph, node->in[0], &tarei_op_cast) : NULL;
  const tarei_value *const values = graph->values;
  const bool undone = before && values[before->in[0]].dtype == values[node->out[0]].dtype &&
                      holds_all(values[node->in[0]].dtype, values[node->out[0]].dtype);
  return undone ? before->in[0] : -1;
}

/* The input that comes out unchanged, or -1. */
static int handed_through(const tarei_graph *const graph, tarei_node *const node) {
  const int undone = cast_undone(graph, node);
  if (undone >= 0) {
    return undone;
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].op != node->op) {
      continue;
    }
    if (rows[i].is_identity(graph, node)) {
      return node->in[0];
    }
    if (rows[i].commutes) {
      tarei_node turned = *node;
      int in[2] = {node->in[1], node->in[0]};
      turned.in = in;
      return rows[i].is_identity(graph, &turned) ? in[0] : -1;
    }
  }
  return -1;
}

static tare_status drop_identities_run(tarei_graph *const graph,
                                       const tarei_pass_options *const options, bool *const changed,
                                       tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    const int value = graph->nodes[i].op ? handed_through(graph, &graph->nodes[i]) : -1;
    if (value >= 0) {
      TAREI_TRY(tarei_replace_output(graph, i, value, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_drop_identities = {
    .name = "drop_identities",
    .summary = "removes nodes that pass their input through",
    .run = drop_identities_run,
};
