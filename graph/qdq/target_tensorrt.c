/* TensorRT 8 to 11, explicit quantization: "Working with Quantized Types" of its developer guide:
 * s8 with zero point 0, Q/DQ in front of the inputs of layers, float biases. */
#include "graph/qdq/target.h"

const tarei_target tarei_target_tensorrt = {
    .about = {.name = "tensorrt",
              .engine = "TensorRT",
              .summary = "s8 with zero point 0, Q/DQ in front of layer inputs, float biases"}};
