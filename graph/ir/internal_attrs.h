/*
 * Attributes that passes give to nodes. No ONNX operator has one of these names, but for an
 * "activation" of those that inference expands; a file that names one is refused
 * (graph/onnx/onnx_nodes.c).
 */
#ifndef TAREI_GRAPH_IR_INTERNAL_ATTRS_H
#define TAREI_GRAPH_IR_INTERNAL_ATTRS_H

/* Of a JoiningLoop: axis, and whether it is a new one, for each list (graph/loop_lists.h). */
#define TAREI_ATTR_LISTS "lists"
/* Of a norm of groups of channels: how many groups there are. */
#define TAREI_ATTR_GROUPS "norm_groups"
/* Of a node that ends in an activation: its name, its parameters, and whether the residual is added
 * before it. */
#define TAREI_ATTR_ACTIVATION "activation"
#define TAREI_ATTR_ACTIVATION_A "activation_a"
#define TAREI_ATTR_ACTIVATION_B "activation_b"
#define TAREI_ATTR_ACTIVATION_LAST "activation_last"
/* Of a node that writes bytes: "f32", "u8" or "both". */
#define TAREI_ATTR_OUTPUTS "outputs"
/* Of a node that could write bytes: the tare_precision that was asked for its output. */
#define TAREI_ATTR_OUTPUT_ASKED "output_asked"
/* Of a Chain: its links, their operands and parameters, and which parts of its inputs they read
 * (graph/chains/chain.h). */
#define TAREI_ATTR_CHAIN_LINKS "chain_links"
#define TAREI_ATTR_CHAIN_OPERANDS "chain_operands"
#define TAREI_ATTR_CHAIN_PARAMETERS "chain_parameters"
#define TAREI_ATTR_CHAIN_SLICES "chain_slices"
/* Of a Closed: why the branch cannot run, a tare_status, and the types and ranks of its outputs, in
 * turn (graph/closed.h); their dims are in TAREI_ATTR_DIMS, one after the other. */
#define TAREI_ATTR_CLOSED_REASON "closed_reason"
#define TAREI_ATTR_CLOSED_STATUS "closed_status"
#define TAREI_ATTR_CLOSED_TYPES "closed_types"
/* Of a Reshape or Expand without a shape input: the dims of its output (graph/passes/dims_attr.h).
 */
#define TAREI_ATTR_DIMS "dims"
/* Of a layer with constant weights: the tare_precision that was asked for them, why it cannot be
 * had, a tare_reason, and, where a float layer stores them in fewer bits, their tare_dtype. */
#define TAREI_ATTR_WEIGHTS_ASKED "weights_asked"
#define TAREI_ATTR_WEIGHTS_REFUSED "weights_refused"
#define TAREI_ATTR_WEIGHT_TYPE "weight_type"
/* Of an int8 layer whose input stays float: each of its rows is quantized at run time. */
#define TAREI_ATTR_ROW_SCALES "row_scales"
/* Of such a layer: 1 where no input is below zero, and the bytes of rows count from 0 on. */
#define TAREI_ATTR_UNSIGNED_ROWS "unsigned_rows"
/* Of an int8 layer whose input is bytes with one scale and zero point that are known at run time
 * only:
 * 1. It has them as inputs, and TAREI_ATTR_ROW_SCALES too. */
#define TAREI_ATTR_TENSOR_SCALE "tensor_scale"
/* Of a layer that writes rows of bytes: in how many equal parts, each with a scale of its own. */
#define TAREI_ATTR_ROW_GROUPS "row_groups"
/* Of an int8 layer whose input stays float: 16, the bits to which it is quantized at run time, by
 * the scale of the input, or with TAREI_ATTR_ROW_SCALES each row by its own. */
#define TAREI_ATTR_ACTIVATION_BITS "activation_bits"
/* Of a layer with 16 bits: the zero point that the model states, 0..65535; TAREI_SYMMETRIC_WIDE
 * without it. */
#define TAREI_ATTR_ACTIVATION_ZERO "activation_zero"
/* Of a float layer or product: "bf16", in which it multiplies; "fp32" without it. */
#define TAREI_ATTR_COMPUTE "compute"
/* Of attention: the names of its two products, "a + b". */
#define TAREI_ATTR_PRODUCTS "products"
/* Of a layer that the model quantizes itself: the scale of its weights, for all output channels or
 * for each, with which they are multiples of it within -128..127; why there is none, a tare_reason;
 * and that its input is quantized at run time. Weights that a table rounds have scales too. */
#define TAREI_ATTR_WEIGHT_SCALES "weight_scales"
#define TAREI_ATTR_WEIGHTS_ODD "weights_odd"
#define TAREI_ATTR_DYNAMIC "dynamic"
/* Of a layer with int8 weights whose scales or rounding are those of the table: a tare_rounding;
 * and why they are not rounded as it says although it says something, a tare_reason. */
#define TAREI_ATTR_WEIGHT_ROUNDING "weight_rounding"
#define TAREI_ATTR_ROUNDING_REFUSED "rounding_refused"
/* Of a layer whose bias makes up for the rounding of its weights: 1. */
#define TAREI_ATTR_BIAS_CORRECTED "bias_corrected"
/* Of a layer whose int8 weights have the scales of the table: 1. */
#define TAREI_ATTR_WEIGHTS_CLIPPED "weights_clipped"
/* Of a convolution that was a BatchNormalization: 1. Quantized models state no scales for it. */
#define TAREI_ATTR_NORM "batch_norm"
/* Of a convolution whose weights are a Fourier transform: its length. */
#define TAREI_ATTR_FOURIER "fourier"
/* Of a layer that reads a smoothed tensor: 1 (graph/quantize/smooth.h). */
#define TAREI_ATTR_SMOOTHED "smoothed"
/* Of a node of a plan: the tare_dtype in which the model computes each of the nodes that it was
 * fused from, where that is a shorter float; 0 for the others. */
#define TAREI_ATTR_MODEL_TYPES "model_types"
/* Of a node that draws random numbers: its name for them (graph/noise_name.h). */
#define TAREI_ATTR_NOISE "noise"
/* Of a DequantizeLinear of constants whose scales have been noted where they matter, so that it may
 * be folded. */
#define TAREI_ATTR_ADOPTED "adopted"

/* clang-format off */
#define TAREI_INTERNAL_ATTRS   \
  TAREI_ATTR_ACTIVATION,       \
  TAREI_ATTR_ACTIVATION_A,     \
  TAREI_ATTR_ACTIVATION_B,     \
  TAREI_ATTR_ACTIVATION_BITS,  \
  TAREI_ATTR_ACTIVATION_LAST,  \
  TAREI_ATTR_ACTIVATION_ZERO,  \
  TAREI_ATTR_ADOPTED,          \
  TAREI_ATTR_BIAS_CORRECTED,   \
  TAREI_ATTR_CHAIN_LINKS,      \
  TAREI_ATTR_CHAIN_OPERANDS,   \
  TAREI_ATTR_CHAIN_PARAMETERS, \
  TAREI_ATTR_CHAIN_SLICES,     \
  TAREI_ATTR_CLOSED_REASON,    \
  TAREI_ATTR_CLOSED_STATUS,    \
  TAREI_ATTR_CLOSED_TYPES,     \
  TAREI_ATTR_COMPUTE,          \
  TAREI_ATTR_DIMS,             \
  TAREI_ATTR_DYNAMIC,          \
  TAREI_ATTR_FOURIER,          \
  TAREI_ATTR_GROUPS,           \
  TAREI_ATTR_MODEL_TYPES,      \
  TAREI_ATTR_NOISE,            \
  TAREI_ATTR_NORM,             \
  TAREI_ATTR_OUTPUTS,          \
  TAREI_ATTR_OUTPUT_ASKED,     \
  TAREI_ATTR_PRODUCTS,         \
  TAREI_ATTR_ROUNDING_REFUSED, \
  TAREI_ATTR_ROW_GROUPS,       \
  TAREI_ATTR_ROW_SCALES,       \
  TAREI_ATTR_SMOOTHED,         \
  TAREI_ATTR_TENSOR_SCALE,     \
  TAREI_ATTR_UNSIGNED_ROWS,    \
  TAREI_ATTR_WEIGHTS_ASKED,    \
  TAREI_ATTR_WEIGHTS_CLIPPED,  \
  TAREI_ATTR_WEIGHTS_ODD,      \
  TAREI_ATTR_WEIGHTS_REFUSED,  \
  TAREI_ATTR_WEIGHT_ROUNDING,  \
  TAREI_ATTR_WEIGHT_SCALES,    \
  TAREI_ATTR_WEIGHT_TYPE
/* clang-format on */

#endif
