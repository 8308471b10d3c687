#include "engine/lower/random/draw.h"

TAREI_KERNEL_OF(random_normal_like_kernel, noise)

const tarei_lowering tarei_lower_random_normal_like = {.state_bytes = sizeof(tarei_draw),
                                                       .prepare = tarei_draw_normal,
                                                       .scratch = tarei_draw_scratch,
                                                       .run = tarei_draw_run,
                                                       .kernel = random_normal_like_kernel};
