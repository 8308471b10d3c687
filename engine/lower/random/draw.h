/* What the steps that draw random numbers share. */
#ifndef TAREI_ENGINE_LOWER_RANDOM_DRAW_H
#define TAREI_ENGINE_LOWER_RANDOM_DRAW_H

#include "engine/step.h"

/* Numbers of a node: base + factor * x, where x is uniform or normal. */
typedef struct tarei_draw {
  tarei_noise_kind kind;
  uint64_t name; /* the node's own (graph/noise_name.h) */
  float base, factor;
} tarei_draw;

/* Of attributes, whose defaults are given: base and factor are `mean` and `scale`, or `low` and
 * what `high` has beyond it. */
tare_status tarei_draw_normal(tarei_step *step, tarei_blobs *blobs, tare_error *err);
tare_status tarei_draw_uniform(tarei_step *step, tarei_blobs *blobs, tare_error *err);

/* Writes rows of 32-bit elements, those of this run of the node. */
void tarei_draw_rows(const tarei_draw *draw, const tarei_run *run, size_t rows, size_t columns,
                     void *out);

/* Slots of the lowerings whose output is nothing but numbers drawn; the state is a tarei_draw. */
size_t tarei_draw_scratch(const tarei_step *step, const tare_tensor *const *in,
                          const tare_tensor *const *out, int threads);
tare_status tarei_draw_run(const tarei_step *step, const tarei_run *run, tare_error *err);

#endif
