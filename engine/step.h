/*
 * Steps: a node of the final graph, ready to run.
 *
 * Each row of graph/ops.inc has a lowering (engine/lower/<subject>/lower_<name>.c) that prepares a
 * node once and runs it many times. When a step runs, its inputs and outputs have their final dims
 * and memory. Only Loop and Scan allocate while they run, for lists and for what their bodies
 * carry.
 */
#ifndef TAREI_ENGINE_STEP_H
#define TAREI_ENGINE_STEP_H

#include <tare/tensor.h>

#include "base/team.h"
#include "engine/blobs.h"
#include "engine/operations.h"
#include "graph/op.h"
#include "kernels/kernels.h"

typedef struct tarei_step tarei_step;

/* What a step gets when it runs. Absent optional operands are NULL. */
typedef struct tarei_run {
  const tare_tensor *const *in;
  const tare_tensor *const *out; /* data writable; in == out memory only where the lowering says */
  void *scratch;                 /* as many bytes as the lowering asked for, 64-byte aligned */
  int profile;
  int threads;       /* 1..TAREI_TEAM_MOST_THREADS */
  tarei_team *team;  /* of so many threads; may be NULL for one */
  bool weights_stay; /* in the caches of the threads' cores, from run to run */
  const tarei_kernels *kernels;
  struct tarei_frame *frame; /* for bodies, see engine/call.h; NULL while constants are folded */
} tarei_run;

typedef struct tarei_lowering {
  /* Size of step->state, which the engine makes, zeroed, before `prepare`, and frees with the step;
   * so much for each profile lies behind it. `prepare` fills it, and nothing changes it any more.
   */
  size_t state_bytes, state_bytes_per_profile;
  /* Checks that this form of the node can run, reads attributes and packs constants. What a run
   * needs of it goes to step->state. The same code runs when a plan is built
   * and when it is loaded from a file: packed data must come from tarei_blobs_take. NULL: nothing
   * to prepare. TARE_E_UNSUPPORTED for forms that cannot run. */
  tare_status (*prepare)(tarei_step *step, tarei_blobs *blobs, tare_error *err);
  /* Scratch bytes at these dims (data pointers are NULL, dims are upper bounds). NULL: none. */
  size_t (*scratch)(const tarei_step *step, const tare_tensor *const *in,
                    const tare_tensor *const *out, int threads);
  /* Says the numbers behind the symbols that the node measures (tarei_ops_measured): values[k] for
   * symbol k. The engine calls it exactly once before each `run` of a step with n_measured > 0, and
   * never for another, so `run` may finish what was computed here. Inputs are computed then,
   * outputs are not there yet, scratch is as large as inputs alone make it. The outputs of such a
   * node, and all that depends on their dims, take memory as they run. NULL where no form of the
   * operator measures. */
  tare_status (*measure)(const tarei_step *step, const tarei_run *run, int64_t *values,
                         tare_error *err);
  /* Computes the outputs. Fails only for what depends on the data (an index out of range). */
  tare_status (*run)(const tarei_step *step, const tarei_run *run, tare_error *err);
  /* The output shares the memory of input 0, nothing is run (Reshape, Squeeze, ...). */
  bool view;
  /* Bit i: where input i is a float32 constant, `prepare` packs it and it is read no more. A plan
   * file does without the elements of constants that are only read so. */
  uint32_t packs;
  /* Multiply-adds of a node at these values of the graph's symbols (engine/operations.h). NULL
   * where none are counted. */
  tarei_operations_fn *operations;
  /* Kernel family that does the work, for inspection: name of the row that was selected. */
  const char *(*kernel)(const tarei_step *step, const tarei_kernels *kernels);
} tarei_lowering;

/* A function for the slot `kernel` of what always uses one family. */
#define TAREI_KERNEL_OF(function, family)                                                  \
  static const char *function(const tarei_step *const step, const tarei_kernels *const k) { \
    (void)step;                                                                            \
    return k->family##_name;                                                               \
  }

struct tarei_step {
  const tarei_lowering *lowering;
  const tarei_graph *graph;
  const tarei_node *node;
  void *state;                  /* NULL where the lowering states no size */
  const tarei_kernels *kernels; /* those of the plan, valid in prepare too */
  int n_profiles;
  int layer;       /* its number among all steps of the whole plan */
  int first_child; /* of the part, for the node's bodies */
  bool late;       /* it measures, or an operand's dims are known only at its turn */
  int *measured;   /* symbol of the graph per number that the node measures, or -1 */
  int n_measured;
};

#define TAREI_OP(id) extern const tarei_lowering tarei_lower_##id;
#include "graph/ops.inc"
#undef TAREI_OP

/* NULL for operators that inference expands (graph/expansions.inc). */
const tarei_lowering *tarei_lowering_of(const tarei_op *op);

/* Gives a step its state and prepares it. On failure too, the caller hands it to tarei_step_fini.
 */
tare_status tarei_step_prepare(tarei_step *step, tarei_blobs *blobs, tare_error *err);
void tarei_step_fini(tarei_step *step);

/* Scratch bytes that a step needs for operands (inputs, then outputs) of these dims. */
size_t tarei_step_scratch_bytes(const tarei_step *step, const tare_tensor *const *operands,
                                int threads);

/* Input i of the node is read in packed form only (tarei_lowering.packs). */
bool tarei_node_packs(const tarei_graph *graph, const tarei_node *node, int i);

#endif
