/* Int8 weights: symmetric, one scale for each output channel or for all. */
#ifndef TAREI_GRAPH_QUANTIZE_WEIGHTS_WEIGHT_SCALE_H
#define TAREI_GRAPH_QUANTIZE_WEIGHTS_WEIGHT_SCALE_H

#include <stdbool.h>
#include <stdint.h>

/* amax / 127, or 1 where that is no normal float. */
float tarei_weight_scale_of(float amax);

/* w / scale, rounded half to even, within [-127, 127]. */
int8_t tarei_weight_quantize(float w, float scale);

/* The same, rounded down or up to the next multiple. */
int8_t tarei_weight_round(float w, float scale, bool up);

#endif
