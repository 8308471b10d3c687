/*
 * The range of each channel of tensors that could be smoothed, for each profile: extremes, which do
 * not depend on the order of the data.
 */
#ifndef TAREI_CALIB_METHODS_CHANNELS_H
#define TAREI_CALIB_METHODS_CHANNELS_H

#include <pthread.h>

#include "base/error.h"
#include "engine/plan.h"

typedef struct tarei_channel_range {
  int value;        /* in the graph of the plan; channels are its last axis */
  int tensor;       /* number among the observable ones */
  int64_t n;        /* channels */
  float *min, *max; /* [n_profiles][n]; INFINITY and -INFINITY without numbers */
} tarei_channel_range;

/* Of a pass over data, which its workers share. */
typedef struct tarei_channels {
  int n_profiles, n;
  size_t cap;
  tarei_channel_range *items;
  int *of_tensor; /* [observable tensors]: its range, or -1 */
  int64_t most;   /* channels of a tensor */
  pthread_mutex_t mutex;
} tarei_channels;

/* Of no tensor. */
void tarei_channels_init(tarei_channels *channels, int n_profiles);
/* Adds the observable tensors of a plan that could be smoothed. */
tare_status tarei_channels_find(tarei_channels *channels, const tare_plan *plan, tare_error *err);
/* Adds empty ranges of n channels; value and tensor are -1 for those of a file. */
tare_status tarei_channels_append(tarei_channels *channels, int value, int tensor, int64_t n,
                                  tare_error *err);
void tarei_channels_fini(tarei_channels *channels);
void tarei_channels_reset(tarei_channels *channels);

/* Adds the box `extents` of a tensor, if it has ranges; scratch[2 * most]. */
void tarei_channels_observe(tarei_channels *channels, int tensor, int profile,
                            const tare_tensor *data, const int64_t *extents, float *scratch);

/* Adds other ranges of the same channels. */
void tarei_channels_add(tarei_channels *channels, const tarei_channels *others);

#endif
