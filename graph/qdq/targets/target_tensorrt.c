/* TensorRT 8 to 11, explicit quantization: "Working with Quantized Types" of its developer guide:
 * s8 with zero point 0, Q/DQ in front of the inputs of layers, float biases. "Quantize" and
 * "Dequantize" of its operators' reference: int8, float8 and int4 only, zero points all 0, scales
 * constant when the engine is built; no int32, which the bias of a convolution would be. "Quantize
 * the residual input in skip connections": the type of the residual decides that of the convolution
 * that takes the addition in. */
#include "graph/qdq/targets/target.h"

const tarei_target tarei_target_tensorrt = {
    .about = {.name = "tensorrt",
              .engine = "TensorRT",
              .summary = "s8 with zero point 0, Q/DQ in front of layer inputs, float biases"},
    .symmetric = true,
    .residuals = true,
    .constant_scales = true};
