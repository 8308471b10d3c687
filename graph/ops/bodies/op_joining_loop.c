/* A Loop whose lists are joined along axes of their own: what the importer makes of a sequence that
 * grows from turn to turn (graph/onnx/onnx_sequences.c). */
#include "graph/ops/bodies/loop.h"

const tarei_op tarei_op_joining_loop = {
    .name = "JoiningLoop",
    .stands_for = "Loop",
    .domain = "tare",
    .min_in = 0, /* trip count and condition may be absent */
    .max_in = -1,
    .min_out = 1,
    .max_out = -1,
    .infer = tarei_infer_loop,
};
