/*
 * What lies under the windows of a convolution, channels-last: the taps of each output position
 * side by side, in rows of scratch.
 */
#ifndef TAREI_ENGINE_LOWER_CONV_CONV_GATHER_H
#define TAREI_ENGINE_LOWER_CONV_CONV_GATHER_H

#include "engine/lower/conv/conv_types.h"

/* The sizes of one run. */
typedef struct tarei_conv_geometry {
  const tarei_conv *conv;
  const char *x;
  size_t element;   /* bytes of one */
  uint8_t pad_byte; /* that padding consists of */
  int64_t in[2], out[2], pad[2], batch;
} tarei_conv_geometry;

/* x, out: [batch, space..., channels]. */
tarei_conv_geometry tarei_conv_geometry_of(const tarei_conv *conv, const tare_tensor *x,
                                           const tare_tensor *out, size_t element,
                                           uint8_t pad_byte);

/* First and last + 1 output along the last axis whose taps all lie inside the input. */
void tarei_conv_interior(const tarei_conv_geometry *g, int64_t *begin, int64_t *end);

/* The windows of m output positions from `first` on, over batch and space, for one group: row i
 * goes to to + i * ld. */
void tarei_conv_gather(const tarei_conv_geometry *g, int64_t group, size_t first, size_t m,
                       char *to, size_t ld);

/* `taps` of the first row of a sample, from position x on, channels of one group. */
void tarei_conv_gather_line(const tarei_conv_geometry *g, int64_t group, int64_t batch, int64_t x,
                            int64_t taps, char *to);

#endif
