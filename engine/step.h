/*
 * Steps: a node of the final graph, ready to run.
 *
 * Each row of graph/ops.inc has a lowering (engine/lower/<subject>/lower_<name>.c), which prepares
 * a node once and runs it many times. When a step runs, its inputs and outputs have their final
 * dims and memory. Only Loop and Scan allocate while they run, for lists and for the values that
 * their bodies carry.
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

/* The arguments of a step when it runs. Absent optional operands are NULL. */
typedef struct tarei_run {
  const tare_tensor *const *in;
  const tare_tensor *const *out; /* writable; only shared with an input if the lowering says so */
  void *scratch;                 /* of the size that the lowering requested, 64-byte aligned */
  int profile;
  int threads;       /* 1..TAREI_TEAM_MOST_THREADS */
  tarei_team *team;  /* of this number of threads; may be NULL for one */
  bool weights_stay; /* they stay in the caches of the cores from run to run */
  const tarei_kernels *kernels;
  struct tarei_frame *frame; /* for bodies, see engine/call.h; NULL in constant folding */
} tarei_run;

typedef struct tarei_lowering {
  /* Size of step->state, and of the part of it for each profile, which follows it. The engine
   * allocates it, zeroed, before `prepare`, and frees it with the step. `prepare` fills it; nothing
   * changes it later.
   */
  size_t state_bytes, state_bytes_per_profile;
  /* Checks that this form of the node can run, reads attributes and packs constants, and stores
   * what a run needs in step->state. The same code runs when a plan is built and when it is loaded
   * from a file: packed data must come from tarei_blobs_take. NULL: nothing to prepare.
   * TARE_E_UNSUPPORTED for forms that cannot run. */
  tare_status (*prepare)(tarei_step *step, tarei_blobs *blobs, tare_error *err);
  /* Scratch bytes at these dims (data pointers are NULL, dims are upper bounds). NULL: none. */
  size_t (*scratch)(const tarei_step *step, const tare_tensor *const *in,
                    const tare_tensor *const *out, int threads);
  /* Computes the values of the symbols that the node measures (tarei_ops_measured): values[k] for
   * symbol k. The engine calls it exactly once before each `run` of a step with n_measured > 0, and
   * never for other steps, so `run` may complete what was computed here. Inputs are computed,
   * outputs do not exist yet, and scratch has the size that follows from the inputs alone. The
   * outputs of such a node, and all values that depend on their dims, are allocated during the run.
   * NULL if no form of the operator measures. */
  tare_status (*measure)(const tarei_step *step, const tarei_run *run, int64_t *values,
                         tare_error *err);
  /* Computes the outputs. Fails only for reasons that depend on the data (an index out of range).
   */
  tare_status (*run)(const tarei_step *step, const tarei_run *run, tare_error *err);
  /* The output shares the memory of input 0, and nothing runs (Reshape, Squeeze, ...). */
  bool view;
  /* Whether the output may be written over this input, if nothing reads that later: `run` then
   * finds both at the same address (engine/plan_finish.c). Both have the same type and dims. NULL:
   * over none. */
  bool (*overwrites)(const tarei_step *step, int input);
  /* Bit i: if input i is a float32 constant, `prepare` packs it, and `run` does not read it. A plan
   * file omits the elements of constants that are only read in this way. */
  uint32_t packs;
  /* Multiply-adds of a node at these values of the symbols of the graph (engine/operations.h). NULL
   * if none are counted. */
  tarei_operations_fn *operations;
  /* Copies the row of the float product that gives an output position, counted over all axes of the
   * output but the last, or of input 0 with `rows_of_input`. NULL: no form is such a product. */
  void (*row)(const tarei_step *step, const tarei_run *run, size_t position, float *out);
  bool rows_of_input;
  /* Scales of the int8 weights that `prepare` made of input `input`, which are written to `out`
   * unless it is NULL. Returns their number, 0 for other inputs. NULL: no form has such weights. */
  size_t (*weight_scales)(const tarei_step *step, int input, float *out);
  /* Name of the selected kernel of the family that does the work, for inspection. */
  const char *(*kernel)(const tarei_step *step, const tarei_kernels *kernels);
} tarei_lowering;

/* Defines a function for the slot `kernel` of lowerings that always use one family. */
#define TAREI_KERNEL_OF(function, family)                                                   \
  static const char *function(const tarei_step *const step, const tarei_kernels *const k) { \
    (void)step;                                                                             \
    return k->family##_name;                                                                \
  }

struct tarei_step {
  const tarei_lowering *lowering;
  const tarei_graph *graph;
  const tarei_node *node;
  void *state;                  /* NULL if the lowering has no size of it */
  const tarei_kernels *kernels; /* those of the plan; also valid in prepare */
  int n_profiles;
  int layer;               /* its number among all steps of the whole plan */
  int reader;              /* its number once readers are found (engine/observe/readers.h); or -1 */
  int first_child;         /* first child of the part that is a body of the node */
  bool late;               /* it measures, or the dims of an operand are known only when it runs */
  int first_blob, n_blobs; /* what it took of the packed constants of the plan */
  int *measured;           /* per number that the node measures: its symbol in the graph, or -1 */
  int n_measured;
};

#define TAREI_OP(id) extern const tarei_lowering tarei_lower_##id;
#include "graph/ops.inc"
#undef TAREI_OP

/* The lowering of an operator; NULL if inference expands it (graph/expansions.inc). */
const tarei_lowering *tarei_lowering_of(const tarei_op *op);

/* Allocates the state of a step and prepares it. Even after a failure, the caller frees it with
 * tarei_step_fini. */
tare_status tarei_step_prepare(tarei_step *step, tarei_blobs *blobs, tare_error *err);
void tarei_step_fini(tarei_step *step);

/* Scratch bytes that a step needs for operands (inputs, then outputs) of these dims. */
size_t tarei_step_scratch_bytes(const tarei_step *step, const tare_tensor *const *operands,
                                int threads);

/* Whether input i of the node is only read in packed form (tarei_lowering.packs). */
bool tarei_node_packs(const tarei_graph *graph, const tarei_node *node, int i);

#endif
