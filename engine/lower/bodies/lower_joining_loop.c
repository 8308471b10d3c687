#include "engine/lower/bodies/loop.h"

const tarei_lowering tarei_lower_joining_loop = {.measure = tarei_loop_measure,
                                                 .run = tarei_loop_run};
