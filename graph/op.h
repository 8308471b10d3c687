/*
 * Operators: each has a descriptor (graph/ops/<subject>/op_<name>.c) and a row in graph/ops.inc.
 *
 * A row is TAREI_OP(id); name and domain are in the descriptor. A function of one number has only a
 * row in graph/pointwise.inc, which contains everything about it. The engine has a table with the
 * same rows (engine/lower/).
 *
 * Expansions are operators that consist of others. Each has a file in graph/expand/ and a row in
 * graph/expansions.inc. Inference replaces them by the nodes that they consist of, so passes and
 * lowerings never see them.
 */
#ifndef TAREI_GRAPH_OP_H
#define TAREI_GRAPH_OP_H

#include "graph/ir/ir.h"

/* The int8 form of a layer. */
typedef struct tarei_int8_form {
  const tarei_op *op;
  int activations; /* number of inputs, the first ones, that are quantized at run time */
  int weights;     /* number of inputs after them that are constants, quantized in the build */
  int sum_first, sum_last; /* first and last axis of the weights over which an output sums;
                              negative ones count from the end */
  bool windows;            /* a row of the product is a window of input 0, not a row */
  bool byte_residual;      /* input TAREI_INT8_RESIDUAL may also be bytes */
  bool centered;           /* activations after the first one must have zero point 128 */
  int row_factors;         /* of several activations, the first ones whose rows can have scales of
                              their own, one for each head */
  bool row_bytes;          /* rows with scales of their own can come as bytes, quantized by
                              QuantizeRows, with input TAREI_INT8_ROW_SCALES; else they are float */
} tarei_int8_form;

/* How a node specifies axes of input 0: with the attribute "axes", or with an input. */
typedef struct tarei_named_axes {
  int input;    /* the input with the axes if there is no attribute */
  bool reduces; /* the output has the axes only with "keepdims" */
  /* Number of axes, the first ones, on which a node without axes works; -1: unknown. NULL: all. */
  int (*count)(tarei_graph *graph, const tarei_node *node);
} tarei_named_axes;

/* What an output contains in addition to values of its data. */
typedef enum tarei_fill { TAREI_FILL_NONE, TAREI_FILL_ZEROS, TAREI_FILL_OTHER } tarei_fill;

/* How fast an output grows when all inputs that grow do so, as a power of them. */
typedef enum tarei_growth {
  TAREI_GROWTH_LINEAR,  /* as the fastest input */
  TAREI_GROWTH_LOG,     /* slowly: quiet values count as much as loud ones */
  TAREI_GROWTH_ROOT,    /* half its power */
  TAREI_GROWTH_SQUARE,  /* twice its power */
  TAREI_GROWTH_INVERSE, /* minus its power */
  TAREI_GROWTH_PRODUCT, /* the powers of both inputs, added */
  TAREI_GROWTH_RATIO,   /* that of input 0 minus that of input 1 */
  TAREI_GROWTH_POWER,   /* that of input 0, times the number that input 1 is */
  TAREI_GROWTH_CLIPPED, /* as the input, unless there are two bounds */
  TAREI_GROWTH_BOUNDED  /* not at all: bounded, or divided by its own size */
} tarei_growth;

/* When no element of an output is below zero, before an activation that the node takes. Operators
 * that move or select values need not say so. */
typedef enum tarei_sign {
  TAREI_SIGN_ANY,     /* not known */
  TAREI_SIGN_NEVER,   /* whatever the inputs are */
  TAREI_SIGN_FIRST,   /* if none of input 0 is */
  TAREI_SIGN_ALL,     /* if none of the inputs of the output's type is */
  TAREI_SIGN_ONE,     /* if none of one of the inputs is */
  TAREI_SIGN_PRODUCT, /* if none of the inputs is, or if both are the same */
  TAREI_SIGN_POWER,   /* if none of input 0 is, or if the exponent, input 1, is even */
  TAREI_SIGN_CLIPPED, /* if the lower bound is not; or none of input 0, nor the upper bound */
  TAREI_SIGN_RESIZED  /* if none of input 0 is, and the interpolation does not overshoot */
} tarei_sign;

#define TAREI_INT8_RESIDUAL 3 /* input of a layer that is added to its result */
#define TAREI_INT8_ROW_SCALES                                        \
  4 /* input of a layer: the scales of the rows of input 0; those of \
       input i come i behind it */
#define TAREI_INT8_ZERO_POINT \
  5 /* of a layer with TAREI_ATTR_TENSOR_SCALE, behind the scale in TAREI_INT8_ROW_SCALES */

struct tarei_op {
  const char *name;
  const char *stands_for; /* names of the operators of a model that passes make it from, separated
                             by spaces; NULL: its own */
  const char *domain;     /* "" is ai.onnx; "tare": operators that only passes create */
  int min_in, max_in;     /* max -1: any number */
  int min_out, max_out;
  /* Traits: what passes, the quantizer and reports must know. */
  bool movement;  /* the output has the same values in another order or shape (Reshape,
                     Transpose, ...): input 0 and output 0 share a scale */
  bool reshapes;  /* a movement that keeps the order of elements and changes dims */
  bool selects;   /* the output consists of values of its data, possibly omitted, repeated or
                     filled up with zeros: it can work on bytes instead of floats */
  bool joins;     /* all inputs are data, joined along "axis"; otherwise only input 0 */
  bool picks;     /* the output consists of values of input 0, chosen by comparing them: it
                     can work on the stored integers */
  int fill_input; /* input with the number to fill up with; 0: none */
  tarei_fill (*fills)(const tarei_graph *graph, const tarei_node *node); /* NULL: nothing */
  bool (*selects_when)(const tarei_node *node); /* if only some nodes select: whether this one */
  bool elementwise; /* an element of the output depends only on those at its position in the
                       broadcast inputs: a permutation of all axes can as well come after */
  const tarei_named_axes *axes; /* of input 0, which a permutation can renumber; NULL: none */
  int chain_operands;           /* of a function of so many numbers, which chains of floats can have
                                   as a link (graph/chains/chain.h): the first inputs; 0: none */
  bool activation;              /* a function of one element with bounded slope; further inputs are
                                   parameters. On bytes, with constant parameters, a table */
  tarei_growth growth;          /* of float outputs */
  tarei_sign sign;
  bool slides;           /* its outputs have a place for each window that fits into input 0 */
  bool draws;            /* its outputs are random: no constants, even of constants
                            (graph/noise_name.h) */
  bool averages;         /* means or extremes of many elements: fine rounding of input 0 does not
                            matter */
  bool reads_dims;       /* reads only the dims of its input, no values */
  bool carries_rounding; /* rounding of its inputs is neither smoothed nor magnified: the readers of
                            the output decide how finely the inputs must be rounded */
  bool writes_bytes;     /* can write float output 0 as bytes: the attribute "outputs" is then "u8",
                            or "both" with the bytes as output 1 */
  bool writes_rows;      /* can write float output 0 as bytes with a scale for each row, and the
                            scales after them: "outputs" is then "rows", or "f32+rows" with the
                            bytes as output 1 */
  bool adds_residual;    /* the output is act(acc + bias) + residual, or with "activation_last"
                            act(acc + bias + residual): inputs X, W, bias, residual */
  bool stores_weights;   /* constant weights (input 1) of its float form can be stored in fewer bits
                            (TAREI_ATTR_WEIGHT_TYPE) */
  bool takes_activation; /* applies an activation to its result; none by default */
  const tarei_op *channels_last; /* the same operator with channels as the last axis; or NULL */
  /* Axis of the output channels in the weights, input 1 of rank `rank`; -1: these are not weights.
   * NULL if it is not a layer. */
  int (*channel_axis)(const tarei_node *node, int rank);
  const tarei_int8_form *int8; /* of a layer; NULL for other operators and for int8 forms */
  /* Sets dtype, rank, dims and, for small integers, contents of every output from the inputs.
   * Called in topological order, once per inference, with inferred inputs. TARE_E_MODEL (a rule of
   * the operator is broken) or TARE_E_UNSUPPORTED (form not supported); the caller adds the node to
   * the message. */
  tare_status (*infer)(tarei_graph *graph, tarei_node *node, tare_error *err);
  /* Expansions, instead of infer: adds the nodes that compute the outputs of node `node`, in
   * topological order (graph/ir/build.h). Its inputs are inferred; the last nodes write to its own
   * output values. The caller then removes the node. Additions invalidate pointers to nodes and
   * values. Fails like infer. */
  tare_status (*expand)(tarei_graph *graph, int node, tare_error *err);
  /* If only some nodes of an operator are expanded: whether this one is; otherwise it is inferred.
   */
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

/* Whether this is the operator set of ONNX itself, "" or "ai.onnx". */
bool tarei_is_default_domain(const char *domain);
/* The domain as descriptors have it: "" for that. */
const char *tarei_op_domain(const char *domain);

const tarei_op *tarei_op_find(const char *name, const char *domain); /* NULL if unknown */
const tarei_op *tarei_op_at(tarei_op_id id);
/* The int8 form that an operator is, or that its layers can have; NULL for others. */
const tarei_int8_form *tarei_op_int8_form(const tarei_op *op);
tarei_op_id tarei_op_id_of(const tarei_op *op);

static inline bool tarei_node_is(const tarei_node *const node, const tarei_op *const op) {
  return node->op == op;
}

#endif
