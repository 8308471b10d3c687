/* Made-up inputs for a plan at a given length: the same ones every time. */
#ifndef TAREI_TOOLS_FEED_H
#define TAREI_TOOLS_FEED_H

#include <tare/tare.h>

/* Inputs filled with normal floats, and 0 or 1 for whole numbers (a vocabulary of any size has
 * those); inputs with "mask" in their name are all 1. */
typedef struct feed {
  tare_tensor *tensors;
  int n;
} feed;

/* values: one per symbol of profiles. */
tare_status feed_new(const tare_port *inputs, int n_inputs, const tare_profiles *profiles,
                     const int64_t *values, feed *out, tare_error *err);
void feed_fini(feed *f);

#endif
