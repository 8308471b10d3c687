/* What a comparison keeps: a pair of tensors for each entry, and the sums of their errors. */
#ifndef TAREI_CALIB_EVAL_COMPARISON_STATE_H
#define TAREI_CALIB_EVAL_COMPARISON_STATE_H

#include <tare/comparison.h>

#include "calib/eval/error_sums.h"
#include "calib/eval/kept_tensor.h"
#include "engine/plan.h"

enum { TAREI_NO_ENTRY = -1 };

typedef struct tarei_compared {
  char *name;         /* in the model; owned */
  int value, against; /* in the root graphs of both plans */
  int next;           /* entry with the same tensor of the reference, or TAREI_NO_ENTRY */
  int layer;
  bool viewed; /* the reference is a view of `against` */
  bool unlike; /* dims differ */
  tarei_error_bounds bounds;
  tarei_kept_tensor kept, muted; /* of the last run of the plan, and a muted one of the reference */
  bool is_kept, is_muted;        /* these runs wrote it */
  int64_t valid[TARE_MAX_RANK];  /* of the plan */
  tarei_error_sums pending, total;
  bool counted; /* the histogram was asked for */
  int64_t histogram[TARE_ERROR_BINS];
  double before; /* the lowest SQNR of what the layer reads */
  tare_error_tally *levels;
  double *level_sqnr; /* of the levels */
} tarei_compared;

typedef struct tarei_comparison_side {
  const tare_plan *plan;
  const tare_context *context;
  int *entries; /* per value: the (first) entry, or TAREI_NO_ENTRY */
} tarei_comparison_side;

struct tare_comparison {
  tarei_comparison_side plan, against;
  double *sqnr; /* per value of the plan: its own, or that of what it is made of */
  bool outputs_only;
  int n_levels;          /* 0 without a gain range */
  tarei_names names;     /* of the values of the reference, while tensors are matched */
  tarei_sizes_seen seen; /* of the tensor that is compared */
  tarei_compared *items;
  int n;
  size_t cap;
};

static inline const tarei_graph *tarei_comparison_graph(const tare_plan *const plan) {
  return plan->root.graph;
}

/* Finds the tensors that both plans have. `comparison`: zero but for outputs_only; whatever happens
 * tare_comparison_free frees what it has. TARE_E_MEMORY */
tare_status tarei_comparison_match(tare_comparison *comparison, const tare_plan *plan,
                                   const tare_plan *against, tare_error *err);

#endif
