/* Observers get each observable float tensor of a run, directly after it was computed. */
#ifndef TAREI_ENGINE_OBSERVE_OBSERVER_H
#define TAREI_ENGINE_OBSERVE_OBSERVER_H

#include <tare/tensor.h>

typedef struct tarei_observation {
  int tensor;              /* dense number of the tensor, 0..tarei_plan_n_observable-1 */
  const char *name;        /* name in the model */
  const tare_tensor *data; /* float32, row-major */
  const int64_t *valid;    /* per axis: the extent of real data; == dims without padding */
  int profile;             /* bucket: profile of the valid shape of the sample */
} tarei_observation;

/* Called between steps, on the thread that runs the context. It may use the threads of the context.
 * If it fails, the run ends with that status. */
typedef tare_status (*tarei_observer_fn)(void *user, const tarei_observation *observation,
                                         tare_error *err);

/* Called likewise for every tensor of the root graph that a step writes, by its number in the
 * graph; for inputs before the steps, and for outputs that are views after them. */
typedef tare_status (*tarei_watcher_fn)(void *user, int value, const tare_tensor *data,
                                        const int64_t *valid, tare_error *err);

#endif
