/* The internals of tare_plan: what a plan and its parts are, and how one is built. */
#ifndef TAREI_ENGINE_PLAN_H
#define TAREI_ENGINE_PLAN_H

#include <tare/plan.h>

#include "engine/blobs.h"
#include "engine/step.h"
#include "graph/pass_log.h"

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

/* A part (engine/part.h). A body is a child of the part that contains its node. It shares the
 * expressions of the enclosing graph, and all its values are in pools. */
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

/* Destination of the result of an expression: element `at` of the dims or contents of a value. */
typedef struct tarei_size_place {
  int value, at;
  int other; /* expression; for moves, the value that must have the same number of elements */
} tarei_size_place;

/* All that follows from the symbols (engine/sizes.h). */
typedef struct tarei_sizes {
  tarei_expr *exprs; /* without duplicates */
  int *names;        /* numbers of the names that they need, in rising order */
  tarei_size_place *dims, *contents, *moves;
  int n_exprs, n_names, n_dims, n_contents, n_moves;
  int n_results; /* of the expressions, and from n_exprs on of all names by number */
  size_t cap_exprs, cap_dims, cap_contents, cap_moves;
} tarei_sizes;

/* A value that other steps or the caller read, in the memory of number `root` of the roots. */
typedef struct tarei_length_value {
  int value, root;
} tarei_length_value;

/* What follows from the lengths of a run alone (engine/lengths.h). */
typedef struct tarei_lengths {
  bool *steps; /* per step of the root part: whether it reads only what follows from lengths */
  int *roots;  /* values with memory of their own that other steps or the caller read */
  tarei_length_value *values; /* these, and views of them */
  int n_roots, n_values;
  size_t cap_roots, cap_values;
  size_t most; /* bytes of all roots at their largest dims */
} tarei_lengths;

/* Names of what the table of a build says, but the plan cannot use (layers/unused.h). */
typedef struct tarei_unused {
  const char **names;
  int n;
} tarei_unused;

/* A float tensor that an observer is shown. */
typedef struct tarei_observable {
  const char *name;
  bool is_read; /* by an int8 layer, or what is moved from it */
} tarei_observable;

/* A plan: its parts, and what they share. Only values of the root part have sizes that follow from
 * the symbols, and places in the arena. */
struct tare_plan {
  tarei_part root;
  tare_profiles *profiles;
  tarei_pass_log passes;
  bool is_observed; /* an observer sees the tensors between elementwise operators: no chains */
  bool observe_all; /* otherwise only inputs, outputs and what int8 layers would read */
  unsigned isa;     /* the requested mask; kernels follow from it and the machine */
  tarei_kernels kernels;
  tarei_blobs blobs;
  int *symbols; /* per symbol of the expressions of the graph: its number in the profiles, or -1
                   if a node measures it */
  int n_symbols;
  tarei_sizes sizes;
  tarei_lengths lengths;
  int draws; /* nodes that draw random numbers */
  size_t arena_bytes;
  tarei_observable *observables; /* by dense number */
  int n_observables;
  size_t cap_observables;
  struct tarei_row_reader *readers; /* engine/observe/readers.h */
  int n_readers;
  size_t cap_readers;
  struct tarei_layer *layers; /* steps of all parts; those of a body after their node
                                 (engine/layers/layers.h) */
  int n_layers;
  size_t cap_layers;
  tare_port *inputs, *outputs;
  tarei_unused unused_roundings; /* of layers that only the table has */
  tarei_unused unused_clippings;
  tarei_unused unused_corrections;
  tarei_unused unused_smoothings; /* of tensors */
  char **strings;                 /* names and dims of the ports, and texts of the layers */
  int n_strings;
  size_t cap_strings;
};

/* tare_plan_build for a plan whose tensors an observer is shown (engine/observe/observer.h). */
tare_status tarei_plan_build_observed(const tare_model *model, const tare_profiles *profiles,
                                      const tare_build_options *options, tare_plan **out,
                                      tare_error *err);

/* tare_plan_build or tarei_plan_build_observed, whose failures do not say which lengths would do.
 */
tare_status tarei_plan_make(const tare_model *model, const tare_profiles *profiles,
                            const tare_build_options *options, bool is_observed, tare_plan **out,
                            tare_error *err);

/* The float graph of a plan, without steps and memory, whose symbols are mapped and whose values
 * are placed. `optimizes`: as it would run; otherwise as it was read. */
tare_status tarei_plan_build_graph(const tare_model *model, const tare_profiles *profiles,
                                   bool optimizes, tare_plan **out, tare_error *err);

/* Plans the arena for the bounds of the root part, whose steps must exist. */
tare_status tarei_plan_memory(tare_plan *plan, tare_error *err);

/* The features that `isa` names; NULL: those that the environment variable TARE_ISA does, or all.
 * TARE_E_USAGE. */
tare_status tarei_isa_read(const char *isa, unsigned *mask, tare_error *err);

/* Makes the parts, checks the profiles and plans the memory. The graph of the root, profiles and
 * isa must be set. After a failure the caller frees the plan. */
tare_status tarei_plan_finish(tare_plan *plan, tare_error *err);

/* Whether values of a run decide an axis of an output. */
bool tarei_plan_measures_output(const tare_plan *plan, int output, int axis);

/* Numbers the observable values, after everything else is finished. */
tare_status tarei_plan_number_observables(tare_plan *plan, tare_error *err);

#endif
