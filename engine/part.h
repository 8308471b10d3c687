/*
 * Parts: what a plan is made of. Each holds one graph, ready to run: the root part that of the
 * model, a part below it the body of an If, Loop or Scan.
 */
#ifndef TAREI_ENGINE_PART_H
#define TAREI_ENGINE_PART_H

#include <tare/plan.h>

#include "engine/step.h"

/* Where the memory of a value is. */
typedef enum tarei_storage {
  TAREI_STORE_NONE,  /* nobody reads it */
  TAREI_STORE_CONST, /* in the graph */
  TAREI_STORE_INPUT, /* the caller's */
  TAREI_STORE_ARENA, /* the context's, at slot.offset */
  TAREI_STORE_POOL,  /* a frame's, taken when the value is computed: its size is not known before */
} tarei_storage;

typedef struct tarei_value_slot {
  tarei_storage storage;
  int root;                /* value whose memory is used; itself unless the value is a view */
  size_t offset, bytes;    /* in the arena, for roots */
  bool dynamic;            /* dims depend on the symbols */
  int first_use, last_use; /* steps that write and read it; n_steps for outputs, -1 for none */
  bool from_shape; /* its contents follow from the symbols alone: filled at each new shape */
  int observable;  /* dense number in the plan, or -1 */
} tarei_value_slot;

/* A body is a child of the part that its node is in. It shares the expressions of the graph around
 * it, and all its values are in pools. */
typedef struct tarei_part {
  tare_plan *plan;              /* that the part belongs to */
  tarei_graph *graph;           /* a body's belongs to its node, the root's to the plan */
  struct tarei_part **children; /* bodies in the order of the steps, see tarei_step.first_child */
  int n_children;
  size_t cap_children;
  tarei_step *steps; /* the nodes that run, in order; views are left out */
  int n_steps;
  bool *runs;              /* per node: the outputs need it, as a step or as a view */
  tarei_value_slot *slots; /* per value */
  tare_tensor *bounds;     /* per value: dtype and the largest dims over all profiles (0 in pools),
                              no data */
} tarei_part;

/* Decides which nodes run and where each value is. plan and graph are set; tarei_part_fini takes
 * what was made also where this or the next fails. */
tare_status tarei_part_place(tarei_part *part, tare_error *err);

/* Makes the steps of a part that is placed and bounded (engine/plan_profiles.h), with finished
 * parts for their bodies, packs (or takes mapped) constants, and finds the uses of all values. */
tare_status tarei_part_make_steps(tarei_part *part, tare_error *err);

/* Scratch bytes that the steps need with so many threads, without those of late ones, which are
 * known only at their turn. */
size_t tarei_part_scratch_bytes(const tarei_part *part, int threads);

/* Frees what the part and those below it hold, but not its graph. */
void tarei_part_fini(tarei_part *part);

#endif
