/*
 * Parts: a plan consists of parts. Each is one graph, ready to run: the root part is the graph of
 * the model, and a part below it is the body of an If, Loop or Scan.
 */
#ifndef TAREI_ENGINE_PART_H
#define TAREI_ENGINE_PART_H

#include <tare/plan.h>

#include "engine/step.h"

/* Where the memory of a value is. */
typedef enum tarei_storage {
  TAREI_STORE_NONE,  /* not needed */
  TAREI_STORE_CONST, /* in the graph */
  TAREI_STORE_INPUT, /* of the caller */
  TAREI_STORE_ARENA, /* of the context, at slot.offset */
  TAREI_STORE_POOL,  /* pool of a frame, when the value is computed: its size is unknown before */
} tarei_storage;

typedef struct tarei_value_slot {
  tarei_storage storage;
  int root;             /* value whose memory is used: the value itself, unless it is a view */
  size_t offset, bytes; /* in the arena, for roots */
  bool dynamic;         /* dims depend on the symbols */
  int first_use,
      last_use;    /* steps that first write and last read it; n_steps for outputs, -1: none */
  bool from_shape; /* its contents follow from the symbols alone, and are set for each new shape */
  int observable;  /* dense number in the plan, or -1 */
} tarei_value_slot;

/* A body is a child of the part that contains its node. It shares the expressions of the enclosing
 * graph, and all its values are in pools. */
typedef struct tarei_part {
  tare_plan *plan;    /* to which the part belongs */
  tarei_graph *graph; /* that of a body belongs to its node, that of the root to the plan */
  struct tarei_part **children; /* bodies in the order of the steps, see tarei_step.first_child */
  int n_children;
  size_t cap_children;
  tarei_step *steps; /* the nodes that run, in order, without views */
  int n_steps;
  bool *runs;              /* per node: the outputs need it, as a step or as a view */
  tarei_value_slot *slots; /* per value */
  tare_tensor *bounds;     /* per value: dtype and the largest dims over all profiles (0 in pools),
                              no data */
} tarei_part;

/* Decides which nodes run and where each value is. plan and graph must be set. If this or the next
 * function fails, tarei_part_fini frees what was made. */
tare_status tarei_part_place(tarei_part *part, tare_error *err);

/* Makes the steps of a part whose values have places and bounds (engine/plan_profiles.h), with
 * finished parts for their bodies; packs constants or takes mapped ones; and finds the uses of all
 * values. */
tare_status tarei_part_make_steps(tarei_part *part, tare_error *err);

/* Scratch bytes that the steps, or one of them, need with this number of threads, except late
 * steps, whose needs are known only when they run. */
size_t tarei_part_scratch_bytes(const tarei_part *part, int threads);
size_t tarei_part_step_scratch(const tarei_part *part, const tarei_step *step, int threads);

/* Frees the part and those below it, but not its graph. */
void tarei_part_fini(tarei_part *part);

#endif
