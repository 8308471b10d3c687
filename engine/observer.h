/* What a context shows while it runs: each observable float tensor, right after it was computed. */
#ifndef TAREI_ENGINE_OBSERVER_H
#define TAREI_ENGINE_OBSERVER_H

#include <tare/tensor.h>

typedef struct tarei_observation {
  int tensor;              /* dense number of the tensor, 0..tarei_plan_n_observable-1 */
  const char *name;        /* name in the model */
  const tare_tensor *data; /* float32, row-major */
  const int64_t *valid;    /* per axis: the extent that real data covers; == dims when unpadded */
  int profile;             /* bucket: profile of the sample's own (valid) shape */
} tarei_observation;

/* Called on the thread that runs the context, between steps; may use threads itself. A failure ends
 * the run with that status. */
typedef tare_status (*tarei_observer_fn)(void *user, const tarei_observation *observation,
                                        tare_error *err);

#endif
