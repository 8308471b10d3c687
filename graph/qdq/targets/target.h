/*
 * Engines that quantized models are written for: one file each (target_<id>.c), one row each in
 * targets.inc. A row says what the engine's documents say about the Q/DQ that it fuses.
 */
#ifndef TAREI_GRAPH_QDQ_TARGETS_TARGET_H
#define TAREI_GRAPH_QDQ_TARGETS_TARGET_H

#include <tare/export.h>

typedef struct tarei_target {
  tare_export_target about;
  bool unsigned_bytes; /* activations are u8, with any zero point; else s8 with zero point 0 */
  bool conv_outputs; /* a convolution is int8 only where its output is quantized too, behind a Relu
                        or Clip that zero point and scale contain */
  bool int32_bias;   /* biases of convolutions and Gemm are int32, with the scale of the products */
  bool gemm;      /* makes a Gemm of a MatMul of known shape and the Add of a constant behind it */
  bool contrib;   /* knows com.microsoft's QuantizeLinear: scales per channel and 16 bits in models
                     of any opset */
  bool words;     /* takes 16-bit activations */
  bool dynamic;   /* fuses DynamicQuantizeLinear with MatMulInteger or ConvInteger */
  bool qlinear;   /* has QLinearConv, QLinearMatMul, ConvInteger and MatMulInteger */
  bool symmetric; /* takes s8 with zero point 0 only */
  bool int32_values; /* DequantizeLinear takes int32, as biases have it */
  bool residuals;    /* fuses a convolution with the addition of its output, in int8 where the other
                        summand is quantized too */
  bool constant_scales;        /* scales must be constants */
  const char *const *byte_ops; /* operators that run on bytes between Q/DQ on both sides, ended by
                                  NULL; or NULL */
  bool float_constants; /* quantizes float weights and biases of convolutions and Gemm itself, where
                           input and output are quantized */
  bool no_s8u8;         /* does not multiply s8 activations by u8 weights */
} tarei_target;

#define TAREI_TARGET(id) extern const tarei_target tarei_target_##id;
#include "graph/qdq/targets/targets.inc"
#undef TAREI_TARGET

const tarei_target *tarei_target_at(int target); /* NULL out of range */

#endif
