/* OpenVINO's ONNX frontend turns Q/DQ pairs into FakeQuantize and low-precision transformations
 * move them: "Low Precision Transformations" of its documentation: u8 or s8 activations in front of
 * layers, s8 weights per channel, float biases. On AVX2 and AVX-512 without VNNI sums of two
 * products saturate, which its "Saturation (overflow) Issue Workaround" avoids by weights of 7
 * bits. */
#include "graph/qdq/targets/target.h"

const tarei_target tarei_target_openvino = {
    .about = {.name = "openvino",
              .engine = "OpenVINO",
              .summary = "u8 activations, s8 weights, Q/DQ in front of layer inputs, float biases",
              .without_vnni = "int7"},
    .unsigned_bytes = true,
    .words = true,
    .qlinear = true,
    .int32_values = true};
