/*
 * Convolution of floats over any number of axes, channels first, where the planes lie. Groups of a
 * sample are copied with their padding, as many at a time as stay in the cache; of a stride along
 * the last axis the copy has as many lines as the stride, each with every so-many-th element.
 * Planes that would push each other out of the caches are copied, too, somewhat further apart. Then
 * each tap of windows side by side is one run.
 */
#ifndef TAREI_ENGINE_LOWER_CONV_PLANE_CONV_H
#define TAREI_ENGINE_LOWER_CONV_PLANE_CONV_H

#include "engine/lower/conv/windows.h"

typedef struct tarei_plane_convolution {
  const tarei_window *window;
  int64_t group;
  const tare_tensor *x, *out;
  const float *w;    /* [outputs][channels of a group][taps] */
  const float *bias; /* [outputs], or NULL */
} tarei_plane_convolution;

size_t tarei_plane_conv_scratch(const tarei_plane_convolution *c, int threads);
void tarei_plane_conv_run(const tarei_plane_convolution *c, const tarei_run *run);

#endif
