/*
 * Operators: one descriptor each (graph/ops/op_<name>.c), one row each in graph/ops.inc.
 *
 * A row is TAREI_OP(id); name and domain are the descriptor's. Functions of one number have a row
 * with all that is theirs in graph/pointwise.inc instead. The engine has a table over the same rows
 * (engine/lower/).
 *
 * Expansions are operators that consist of others: one file each in graph/expand/, one row each in
 * graph/expansions.inc. Inference replaces them by what they consist of, so that no pass and no
 * lowering ever sees one.
 */
#ifndef TAREI_GRAPH_OP_H
#define TAREI_GRAPH_OP_H

#include "graph/ir/ir.h"

/* What a layer becomes where it runs in int8. */
typedef struct tarei_int8_form {
  const tarei_op *op;
  int activations; /* that many inputs, the first ones, are quantized at run time */
  int weights;     /* that many behind them are constants that are quantized when a plan is built */
  int sum_first, sum_last; /* axes of the weights that one output sums over, from the first to the
                              last; negative ones count from the end */
  bool windows;       /* a row of the product is a window of input 0, not a row of it */
  bool byte_residual; /* input TAREI_INT8_RESIDUAL may be bytes too */
  bool centered;      /* activations behind the first are read with the zero point 128 alone */
} tarei_int8_form;

/* How an operator names axes of input 0: in the attribute "axes", or an input. */
typedef struct tarei_named_axes {
  int input;    /* that holds the axes where no attribute does */
  bool reduces; /* the axes stay in the output only with "keepdims" */
  /* How many axes, the first ones, a node works on that names none; -1: not known. NULL: all. */
  int (*count)(tarei_graph *graph, const tarei_node *node);
} tarei_named_axes;

/* What an output holds beside values of its data. */
typedef enum tarei_fill { TAREI_FILL_NONE, TAREI_FILL_ZEROS, TAREI_FILL_OTHER } tarei_fill;

#define TAREI_INT8_RESIDUAL 3 /* input of a layer that is added to its result */

struct tarei_op {
  const char *name;
  const char *domain;   /* "" is ai.onnx, "tare" that of operators that passes write */
  int min_in, max_in;   /* max -1: any number */
  int min_out, max_out;
  /* Traits: what passes, the quantizer and reports have to know. */
  bool movement;        /* the output holds the same values in another order or shape (Reshape,
                           Transpose, ...): scales are shared between input 0 and output 0 */
  bool reshapes;        /* a movement that keeps the order of the elements and changes the dims */
  bool selects;         /* the output holds values of its data, some left out, repeated or filled up
                           with zeros: bytes go through as floats do */
  bool joins;           /* all inputs are data, joined along the attribute "axis"; else input 0 is */
  bool picks;           /* the output holds values that are found in input 0 by comparing them:
                           integers go through as what they stand for does */
  int fill_input;       /* input that holds the number to fill up with; 0: there is none */
  tarei_fill (*fills)(const tarei_graph *graph, const tarei_node *node); /* NULL: nothing */
  bool (*selects_when)(const tarei_node *node); /* where only some nodes select: whether this one */
  bool elementwise;     /* an element of the output follows from those at its place of the inputs,
                           which are broadcast: a permutation of all axes may as well come after */
  const tarei_named_axes *axes; /* of input 0, which a permutation may rename; NULL: names none */
  bool activation;      /* a function of one element, with bounded slope; further inputs are
                           parameters. On bytes, with constant parameters, it is a table */
  bool averages;        /* means or extremes of many elements: it does not matter how finely input 0
                           was rounded */
  bool reads_dims;      /* of its input, and none of the values */
  bool carries_rounding; /* of different inputs, neither smoothed nor magnified: who reads the output
                            decides how finely the inputs may be rounded */
  bool writes_bytes;    /* of float output 0; the attribute "outputs" then says "u8", or "both" with
                           the bytes as output 1 */
  bool adds_residual;   /* the output is act(acc + bias) + residual, or with "activation_last"
                           act(acc + bias + residual): inputs X, W, bias, residual */
  bool takes_activation; /* the output is an activation of what was computed; none by default */
  const tarei_op *channels_last; /* does the same with the channels as the last axis; or NULL */
  /* Axis of the weights, input 1 of rank `rank`, along which output channels lie; -1: these are no
   * weights. NULL for what is no layer. */
  int (*channel_axis)(const tarei_node *node, int rank);
  const tarei_int8_form *int8; /* of a layer; NULL for what is no layer, and for int8 forms */
  /* Sets dtype, rank, dims (and contents, where small integers go through) of every output from
   * the inputs. Called in topological order, once per inference run, inputs already inferred.
   * Fails with TARE_E_MODEL (a rule of the operator is broken) or TARE_E_UNSUPPORTED (form not
   * supported); the message need not name the node, the caller prefixes it. */
  tare_status (*infer)(tarei_graph *graph, tarei_node *node, tare_error *err);
  /* Expansions, instead of infer: adds the nodes that compute the outputs of node `node`, in
   * topological order (graph/ir/build.h), its inputs being inferred; the last of them write to the
   * node's own output values. The caller drops the node afterwards. Pointers to nodes and values do not survive an
   * addition. Fails as infer does. */
  tare_status (*expand)(tarei_graph *graph, int node, tare_error *err);
  /* Where only some nodes of an operator are expanded: whether this one is, else it is inferred. */
  bool (*expands)(const tarei_graph *graph, const tarei_node *node);
};

/* The rows as an enumeration, e.g. TAREI_OP_conv. */
typedef enum tarei_op_id {
#define TAREI_OP(id) TAREI_OP_##id,
#include "graph/ops.inc"
#include "graph/expansions.inc"
#undef TAREI_OP
  TAREI_OP_COUNT
} tarei_op_id;

#define TAREI_OP(id) extern const tarei_op tarei_op_##id;
#include "graph/ops.inc"
#include "graph/expansions.inc"
#undef TAREI_OP

const tarei_op *tarei_op_find(const char *name, const char *domain); /* NULL when missing */
const tarei_op *tarei_op_at(tarei_op_id id);
tarei_op_id tarei_op_id_of(const tarei_op *op);

static inline bool tarei_node_is(const tarei_node *const node, const tarei_op *const op) {
  return node->op == op;
}

#endif
