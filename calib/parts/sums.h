/*
 * Sums over rows of layers, and ranges of channels: what the weights and channels of a model are
 * decided by when all data was seen. Statistics of a part of the data keep them.
 */
#ifndef TAREI_CALIB_PARTS_SUMS_H
#define TAREI_CALIB_PARTS_SUMS_H

#include "calib/gram_rows.h"
#include "calib/methods/channels.h"

typedef struct tarei_sums {
  tarei_grams grams;
  tarei_channels channels;
} tarei_sums;

/* Sums of no layers: the caller initializes `grams`. */
tare_status tarei_sums_new(int n_profiles, tarei_sums **out, tare_error *err);
/* Clears the handle; NULL is fine. */
void tarei_sums_free(tarei_sums **sums);
void tarei_sums_reset(tarei_sums *sums);

/* Adds others, which must be of the same layers and channels: TARE_E_INPUT. */
tare_status tarei_sums_add(tarei_sums *sums, const tarei_sums *others, tare_error *err);

#endif
