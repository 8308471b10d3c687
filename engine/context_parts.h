/* The internals of tare_context, for the files that implement it. */
#ifndef TAREI_ENGINE_CONTEXT_PARTS_H
#define TAREI_ENGINE_CONTEXT_PARTS_H

#include "base/limits.h"
#include "engine/context.h"
#include "engine/frame.h"
#include "engine/lengths.h"
#include "engine/plan.h"

/* A context: its frames, and what they share. */
struct tare_context {
  const tare_plan *plan;
  tarei_frame root;
  tarei_team *team;
  bool weights_stay;    /* they stay in the caches of the cores of the team */
  int pinned;           /* pinned profile, or -1 */
  int profile;          /* of the last run, or -1 */
  int bucket;           /* profile in which the observations of the run count */
  int64_t *symbols;     /* values of the last run; valid if profile >= 0 */
  int64_t *new_symbols; /* values from the new inputs; measured ones unchanged */
  int64_t *valid;       /* values for the part that is real data */
  char *arena;
  void *scratch;
  size_t scratch_bytes;
  int64_t *sizes;   /* per expression of the plan, at the last shape */
  int64_t *numbers; /* measured by a node */
  tarei_kept kept;
  size_t pooled;           /* bytes in the pools of all frames */
  int64_t turns;           /* of all loops in this run */
  tarei_deadline deadline; /* of this run */
  tarei_observer_fn observe;
  void *observe_user;
  tarei_watcher_fn watch;
  void *watch_user;
  tarei_reading_fn read;
  void *read_user;
  bool profiling;
  double *seconds;         /* per layer, without the layers of its bodies */
  tare_layer_timer *timer; /* or NULL */
  void *timer_user;
  double inside; /* sum over all timed steps, each counted once */
};

#endif
