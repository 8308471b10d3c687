/*
 * Some lines of the input of a convolution over two axes, copied with their padding, so that no
 * window of some outputs leaves them: gathering windows at the ends of the input one by one would
 * take longer than all others.
 */
#ifndef TAREI_ENGINE_LOWER_CONV_CONV_SLAB_H
#define TAREI_ENGINE_LOWER_CONV_CONV_SLAB_H

#include "engine/lower/conv/conv_gather.h"

/* Output positions of one sample. */
typedef struct tarei_conv_block {
  int64_t batch, position, count;
} tarei_conv_block;

/* Do all windows lie in the input? */
bool tarei_conv_is_inside(const tarei_conv_geometry *g);

/* Does a slab pay for these sizes? */
bool tarei_conv_needs_slab(const tarei_conv_geometry *g);

/* Bytes for `count` outputs; grows with the dims of `out` and with count. */
size_t tarei_conv_slab_bytes(const tarei_conv *conv, const tare_tensor *out, size_t element,
                             size_t count);

/* Fills `to`. Positions [*first, *first + count) of the geometry that it returns are those of the
 * block. */
tarei_conv_geometry tarei_conv_slab_fill(const tarei_conv_geometry *g, tarei_conv_block block,
                                         char *to, size_t *first);

#endif
