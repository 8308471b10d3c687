/* The internals of tare_context, for the files that implement it. */
#ifndef TAREI_ENGINE_CONTEXT_PARTS_H
#define TAREI_ENGINE_CONTEXT_PARTS_H

#include "base/limits.h"
#include "base/team.h"
#include "engine/observe/observer.h"
#include "engine/observe/readers.h"
#include "engine/plan.h"
#include "engine/pool.h"
#include "engine/samples/sample_hash.h"

#define TAREI_KEPT_LENGTHS 32 /* for which a context keeps what follows from them */

/* The roots at one length, one behind the other from `offset` on. */
typedef struct tarei_kept_length {
  int64_t *key;  /* the profile and the symbols */
  uint64_t used; /* turn of the last run */
  size_t offset, bytes;
  bool complete; /* a run has computed all of it */
} tarei_kept_length;

/* What a context keeps of steps that only read lengths (engine/lengths.h). */
typedef struct tarei_kept {
  char *memory; /* NULL: nothing is kept */
  size_t bytes;
  int64_t *keys, *key; /* of all lengths, and that of this run */
  tarei_kept_length lengths[TAREI_KEPT_LENGTHS];
  int n, current; /* current: that in which the tensors are, or below 0 */
  uint64_t turn;
  bool skips; /* steps that only read lengths need not run */
} tarei_kept;

/* A frame (engine/frame.h). That of a body is a child of that of the part that contains its node,
 * which calls it (engine/call.h) as often as necessary. */
typedef struct tarei_frame {
  tare_context *context; /* to which the frame belongs */
  const tarei_part *part;
  struct tarei_frame **children; /* one for each child of the part */
  tare_tensor *tensors;          /* per value */
  const tare_tensor **operands;  /* inputs, then outputs, of each step in turn */
  int *first_operand;            /* per step */
  tarei_pool pool;
  tare_tensor *results; /* for the node of a body, see engine/call.h */
  uint64_t noise;       /* what its steps draw follows from it (engine/samples/noise.h) */
  uint64_t calls;       /* of a body in this run of the part around it */
} tarei_frame;

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
  size_t pooled;   /* bytes in the pools of all frames */
  int64_t turns;   /* of all loops in this run */
  uint64_t seed;   /* of the numbers that steps draw */
  bool has_sample; /* what the inputs are is said; else their contents say it */
  tarei_sample_hash sample;
  int64_t sample_run;      /* which of its runs the next one is */
  tarei_deadline deadline; /* of this run */
  tarei_observer_fn observe;
  void *observe_user;
  tarei_watcher_fn watch;
  void *watch_user;
  tarei_reading_fn read;
  void *read_user;
  bool muted;       /* this run is muted (engine/observe/muted.h) */
  bool only_needed; /* and leaves out the steps that its outputs do not need */
  bool *needed;     /* per step of the root part; NULL before the first muted run */
  bool profiling;
  double *seconds;         /* per layer, without the layers of its bodies */
  tare_layer_timer *timer; /* or NULL */
  void *timer_user;
  double inside; /* sum over all timed steps, each counted once */
};

#endif
