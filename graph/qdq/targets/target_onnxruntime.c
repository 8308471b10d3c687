/* ONNX Runtime's CPU provider: docs/performance/model-optimizations/quantization.md, and the node
 * groups that its QDQ transformer takes (qdq_selectors): a convolution between Q/DQ on both sides,
 * products also with a float output. Since 1.21 it quantizes constant float weights and biases
 * itself, between Q/DQ on both sides; on x86 it turns s8 activations into u8 first. Before that, a
 * MatMul and the Add of a constant vector become a Gemm (matmul_add_fusion) if the first factor has
 * two dims or only known ones: the vector is then a bias. */
#include "graph/qdq/targets/target.h"

static const char *const byte_ops[] = {"Add",     "Mul",       "AveragePool", "GlobalAveragePool",
                                       "Sigmoid", "LeakyRelu", NULL};

const tarei_target tarei_target_onnxruntime = {
    .about = {.name = "onnxruntime",
              .engine = "ONNX Runtime",
              .summary =
                  "u8 activations, s8 weights, int32 biases, convolutions with quantized outputs",
              .without_vnni = "uint8"},
    .unsigned_bytes = true,
    .conv_outputs = true,
    .int32_bias = true,
    .gemm = true,
    .contrib = true,
    .words = true,
    .dynamic = true,
    .qlinear = true,
    .int32_values = true,
    .float_constants = true,
    .no_s8u8 = true,
    .byte_ops = byte_ops};
