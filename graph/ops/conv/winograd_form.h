/* Dense float convolutions over two axes that take fewer multiplications as Winograd's tiles. */
#ifndef TAREI_GRAPH_OPS_CONV_WINOGRAD_FORM_H
#define TAREI_GRAPH_OPS_CONV_WINOGRAD_FORM_H

#include "graph/ops/ops_common.h"

/* Whether tiles save time, whatever the instruction set: stride 1, windows of 3 by 3, 1 by 3 or 3
 * by 1, channels enough to make up for the transforms, and weights, which become larger, that stay
 * near. `window` has two axes. */
bool tarei_winograd_saves(const tarei_window *window, int64_t group, int64_t channels,
                          int64_t outputs);

#endif
