/* Copies of a tensor along axes of which some go over the same elements again, as Expand and Tile
 * make them. */
#ifndef TAREI_ENGINE_LOWER_MOVE_REPEATS_H
#define TAREI_ENGINE_LOWER_MOVE_REPEATS_H

#include "engine/step.h"

/* Axes of the output, outermost first. The innermost of those that go on has stride 1. */
typedef struct tarei_repeats {
  int n;
  size_t size[2 * TARE_MAX_RANK], stride[2 * TARE_MAX_RANK]; /* elements; 0: the same again */
} tarei_repeats;

/* Adds an axis inside those that are there, or makes one of it and the last. */
void tarei_repeats_add(tarei_repeats *r, size_t size, size_t stride);

/* Fills the output from the input of a run. */
void tarei_repeats_copy(const tarei_repeats *r, const tarei_run *run);

#endif
