#include "engine/lower/random/draw.h"

TAREI_KERNEL_OF(random_uniform_like_kernel, noise)

const tarei_lowering tarei_lower_random_uniform_like = {.state_bytes = sizeof(tarei_draw),
                                                        .prepare = tarei_draw_uniform,
                                                        .scratch = tarei_draw_scratch,
                                                        .run = tarei_draw_run,
                                                        .kernel = random_uniform_like_kernel};
