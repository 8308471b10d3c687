/* What a context is made of, for the files that make up contexts. */
#ifndef TAREI_ENGINE_CONTEXT_PARTS_H
#define TAREI_ENGINE_CONTEXT_PARTS_H

#include "engine/context.h"
#include "engine/plan.h"
#include "engine/pool.h"

/* A context, or the part of one that runs the body of a node. Parts have the tensors of their own
 * plan; team, scratch, symbols, observer and what a run is told are those of the whole. */
struct tare_context {
  const tare_plan *plan;
  tare_context *whole;               /* itself for the whole */
  tare_context **children;           /* one for each child of the plan */
  tare_tensor *tensors;              /* per value */
  const tare_tensor **operands;      /* inputs, then outputs, of each step in turn */
  int *first_operand;                /* per step */
  tarei_pool pool;
  tare_tensor *results;              /* of the node that a body belongs to, see engine/call.h */

  /* The whole alone: */
  tarei_team *team;
  bool weights_stay;                 /* in the caches of the team's cores */
  int pinned;                        /* profile that was pinned, or -1 */
  int profile;                       /* of the last run, or -1 */
  int bucket;                        /* observations of the run count there */
  int64_t *symbols;                  /* of the graph, of the last run; valid when profile >= 0 */
  int64_t *new_symbols;              /* those of the inputs, measured ones as they were */
  int64_t *valid;                    /* the symbols that real data spans */
  char *arena;
  void *scratch;
  size_t scratch_bytes;
  int64_t *sizes;                    /* per expression of the plan, at the last shape */
  int64_t *numbers;                  /* what a node measures */
  size_t pooled;                     /* bytes in the pools of the whole and its parts */
  int64_t turns;                     /* of all loops in this run */
  tarei_observer_fn observe;
  void *observe_user;
  bool profiling;
  double *seconds; /* per layer, without the layers of its bodies */
  double inside;   /* of all steps that have been timed, those of bodies once */
};

/* Runs all steps; the inputs' tensors are set. */
tare_status tarei_context_run_steps(tare_context *c, tare_error *err);

/* Memory from the pool of a part, within the limits; `what` names it in messages. */
tare_status tarei_context_take(tare_context *c, size_t bytes, const char *what, void **out,
                               tare_error *err);

/* Sizes and memory of what a late step writes (engine/late.c). `run` gets the scratch it needs. */
tare_status tarei_late_begin(tare_context *c, const tarei_step *step, tarei_run *run,
                             tare_error *err);
/* Gives back what step number s was the last to read. */
void tarei_late_end(tare_context *c, int s);

#endif
