#include "graph/ops/random/ops_random.h"

const tarei_op tarei_op_random_uniform = {
    .name = "RandomUniform",
    .domain = "",
    .min_in = 0,
    .max_in = 0,
    .min_out = 1,
    .max_out = 1,
    .draws = true,
    .growth = TAREI_GROWTH_BOUNDED,
    .infer = tarei_ops_draw_shape,
};
