/* Any engine that follows the ONNX specification of QuantizeLinear and DequantizeLinear: what most
 * of them take, s8 with zero point 0 in front of the inputs of layers. */
#include "graph/qdq/targets/target.h"

const tarei_target tarei_target_generic = {
    .about = {.name = "generic",
              .engine = "any engine",
              .summary =
                  "s8 with zero point 0, Q/DQ in front of layer inputs, standard operators only"},
    .words = true,
    .dynamic = true,
    .qlinear = true,
    .int32_values = true};
