/* What a context is made of, for the files that make up contexts. */
#ifndef TAREI_ENGINE_CONTEXT_PARTS_H
#define TAREI_ENGINE_CONTEXT_PARTS_H

#include "engine/context.h"
#include "engine/frame.h"
#include "engine/plan.h"

/* The whole: its frames, and what they share. */
struct tare_context {
  const tare_plan *plan;
  tarei_frame root;
  tarei_team *team;
  bool weights_stay;    /* in the caches of the team's cores */
  int pinned;           /* profile that was pinned, or -1 */
  int profile;          /* of the last run, or -1 */
  int bucket;           /* observations of the run count there */
  int64_t *symbols;     /* of the graph, of the last run; valid when profile >= 0 */
  int64_t *new_symbols; /* those of the inputs, measured ones as they were */
  int64_t *valid;       /* the symbols that real data spans */
  char *arena;
  void *scratch;
  size_t scratch_bytes;
  int64_t *sizes;   /* per expression of the plan, at the last shape */
  int64_t *numbers; /* what a node measures */
  size_t pooled;    /* bytes in the pools of all frames */
  int64_t turns;    /* of all loops in this run */
  tarei_observer_fn observe;
  void *observe_user;
  bool profiling;
  double *seconds; /* per layer, without the layers of its bodies */
  double inside;   /* of all steps that have been timed, those of bodies once */
};

#endif
