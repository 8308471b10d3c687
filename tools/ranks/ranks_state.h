/* What a rank knows, and the steps of its work. */
#ifndef TAREI_TOOLS_RANKS_RANKS_STATE_H
#define TAREI_TOOLS_RANKS_RANKS_STATE_H

#include "tools/ranks/coordinator.h"
#include "tools/ranks/parcels.h"
#include "tools/ranks/ranks.h"

/* Members from `order` on change while messages arrive: with the post's mutex locked. */
struct ranks {
  post post;
  bool left;  /* the post is closed */
  bool first; /* this is rank 0 */
  const opt_common *common;
  coordinator coordinator; /* of rank 0 */
  rank_report report;
  char *bad; /* messages of bad samples, each with its zero byte */
  size_t bad_bytes;
  int64_t total;       /* samples of the data, also those that are not chosen */
  int64_t done_before; /* by earlier passes */
  bool counted;        /* there is an earlier pass */
  tare_stats *kept;    /* what rank 0 has counted, who is the root of every tree */
  message_kind order;  /* what to do next: AGAIN, REDUCE or STOP; BEAT: nothing new */
  bool stopped, first_is_silent;
  int64_t round;
  int32_t *members; /* who takes part in the reduction */
  int n_members;
  parcel *parcels;
  sample_range *own; /* what this rank counts in this pass, ascending */
  int n_own;
  bool asking, no_more;
  int64_t done;
  double heard, beaten; /* when rank 0 was heard of, and when this rank has sent a beat */
};

/* Shows how far all ranks are, on rank 0; false: the end was ordered. */
bool ranks_show_progress(ranks *r, const ranks_work *work);

/* One pass over the data: counts samples until rank 0 has none, and reports it. */
tare_status ranks_run_pass(ranks *r, const ranks_work *work, tare_error *err);

/* What a rank does in a round of reducing: adds the parts of its children in the tree to its own,
 * which it keeps for another round, and sends the sum to its parent. The root keeps it. */
typedef struct rank_reduction {
  int64_t round;
  int place;       /* in the tree */
  int children[2]; /* ranks; -1: none */
  int parent;      /* -1: this is the root */
} rank_reduction;

/* Of the round that was ordered last. With the mutex locked. */
rank_reduction ranks_reduction(const ranks *r);

/* *out: the sum of all, on the root and if the round was not given up. */
tare_status ranks_reduce(ranks *r, const ranks_work *work, const rank_reduction *t,
                         tare_stats **out, tare_error *err);

void ranks_add_left_out(tare_left_out *sum, tare_left_out more);
void fitted_add(tare_fit_counts *sum, const tare_fit_counts *more);

/* Adds what ranks report to the work of all. */
void ranks_collect(const ranks *r, ranks_work *work);

#endif
