#include "graph/ops/random/ops_random.h"

const tarei_op tarei_op_random_uniform_like = {
    .name = "RandomUniformLike",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .reads_dims = true,
    .draws = true,
    .growth = TAREI_GROWTH_BOUNDED,
    .infer = tarei_ops_draw_like,
};
