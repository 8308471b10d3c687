/* The inside of a plan. */
#ifndef TAREI_ENGINE_PLAN_H
#define TAREI_ENGINE_PLAN_H

#include <tare/plan.h>

#include "engine/blobs.h"
#include "engine/step.h"

/* Where the memory of a value is. */
typedef enum tarei_storage {
  TAREI_STORE_NONE,   /* nobody reads it */
  TAREI_STORE_CONST,  /* in the graph */
  TAREI_STORE_INPUT,  /* the caller's */
  TAREI_STORE_ARENA,  /* the context's, at slot.offset */
  TAREI_STORE_POOL,   /* the context's, taken when the value is computed: its size is not known before */
} tarei_storage;

typedef struct tarei_value_slot {
  tarei_storage storage;
  int root;             /* value whose memory is used; itself unless the value is a view */
  size_t offset, bytes; /* in the arena, for roots */
  bool dynamic;         /* dims depend on the symbols */
  int last_use;         /* step that reads it last; n_steps for outputs */
  bool from_shape;      /* its contents follow from the symbols alone: filled at each new shape */
  int observable;       /* dense number, or -1 */
} tarei_value_slot;

/* Where the result of an expression goes: element `at` of a value's dims or contents. */
typedef struct tarei_size_place {
  int value, at;
  int other; /* expression; for moves the value that has to have as many elements */
} tarei_size_place;

/* What follows from the symbols (engine/sizes.h). */
typedef struct tarei_sizes {
  tarei_expr *exprs; /* each once */
  tarei_size_place *dims, *contents, *moves;
  int n_exprs, n_dims, n_contents, n_moves;
  size_t cap_exprs, cap_dims, cap_contents, cap_moves;
} tarei_sizes;

/* A plan, or a part of one: the body of an If, Loop or Scan is a plan of its own below that of the graph
 * its node stands in. A part shares expressions, profiles and packed constants with the whole, has all
 * its values in pools, and is freed with it. */
struct tare_plan {
  tarei_graph *graph;
  tare_plan *parent;    /* NULL for the whole */
  tare_plan **children; /* bodies in the order of the steps, see tarei_step.first_child */
  int n_children;
  size_t cap_children;
  tare_profiles *profiles;
  bool observe_all; /* else only what int8 layers would read, inputs and outputs can be observed */
  unsigned isa; /* mask that was asked for; kernels come from it and from the machine */
  tarei_kernels kernels;
  tarei_blobs blobs;
  tarei_step *steps; /* the nodes that run, in order; views are left out */
  int n_steps;
  bool *runs;          /* per node: the outputs need it, as a step or as a view */
  tarei_value_slot *slots;   /* per value */
  tare_tensor *bounds; /* per value: dtype and the largest dims over all profiles, no data */
  tarei_sizes sizes;
  int *symbols;        /* per symbol of the graph's expressions: its number in the profiles, or -1
                          where a node measures it */
  int n_symbols;
  const char **observables; /* names by dense number, those of parts too */
  int n_observables;
  size_t cap_observables;
  size_t arena_bytes;
  struct tarei_layer { /* steps of the whole and its parts; those of a body behind their node */
    const tare_plan *plan;
    int step;
  } * layers;
  int n_layers;
  size_t cap_layers;
  tare_port *inputs, *outputs;
  char **strings; /* printed dims of the ports and layers */
  int n_strings, first_layer_string; /* layers have three texts each */
  size_t cap_strings;
};

/* Makes steps, packs (or takes mapped) constants, checks the profiles and plans the memory; graph,
 * profiles and isa are set. On failure the caller frees the plan. */
tare_status tarei_plan_finish(tare_plan *plan, tare_error *err);

/* The plan that a part belongs to; a whole itself. */
static inline tare_plan *tarei_plan_whole(tare_plan *plan) {
  while (plan->parent) {
    plan = plan->parent;
  }
  return plan;
}

/* Every node has something to do at these values of the graph's symbols; else TARE_E_SHAPE naming
 * the first that has not. */
tare_status tarei_plan_check_dims(const tare_plan *plan, const int64_t *symbols, tare_error *err);

/* Numbers what can be observed, once all is finished. */
tare_status tarei_plan_number_observables(tare_plan *plan, tare_error *err);

/* Scratch bytes that a context with so many threads needs. */
size_t tarei_plan_scratch_bytes(const tare_plan *plan, int threads);

/* Scratch bytes that one step needs for tensors of these dims. */
size_t tarei_step_scratch_bytes(const tarei_step *step, const tare_tensor *const *operands,
                                int threads);

/* Values of the graph's own symbols (plan->n_symbols), from those of the profiles; 1 for those that
 * nodes measure. */
void tarei_plan_symbols(const tare_plan *plan, const int64_t *profile_symbols, int64_t *symbols);

#endif
