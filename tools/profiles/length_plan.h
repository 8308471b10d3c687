/* Profiles for the lengths of one symbol: how much padding each number of them leaves. */
#ifndef TAREI_TOOLS_PROFILES_LENGTH_PLAN_H
#define TAREI_TOOLS_PROFILES_LENGTH_PLAN_H

#include <tare/profile.h>

#include "tools/profiles/latency_curve.h"
#include "tools/profiles/profiles.h"

typedef struct length_cut {
  int groups;
  int last[TARE_MAX_PROFILES]; /* number of the longest length of each */
  int64_t padding;       /* that it adds up to, in elements; or the time that it costs, in ns */
  int64_t equal_padding; /* the same with as many groups of one width */
} length_cut;

typedef struct length_plan {
  tare_length_count *lengths; /* distinct, ascending */
  tare_length_count *costs;   /* of one run at each: elements, or ns; ascending too */
  int n;
  int64_t samples, least; /* least: what all samples cost without padding */
  length_cut *cuts;       /* with 1, 2, ... groups */
  int n_cuts;
  int chosen;    /* among them */
  bool fulfills; /* what was asked for; else it is the most that there may be */
} length_plan;

/* `values`: one for each sample, sorted here. `curve`: what a run costs; NULL: its elements. */
tare_status length_plan_make(int64_t *values, int64_t n, const profiles_options *options,
                             const latency_curve *curve, length_plan *out, tare_error *err);
void length_plan_fini(length_plan *plan);

/* Share of padding in what runs: in its elements, or in its time. */
double length_plan_share(const length_plan *plan, int64_t padding);

/* The range of a group of the chosen cut: from behind the group before to its longest length, with
 * the median of its samples as opt. */
tare_range length_plan_range(const length_plan *plan, int group);

/* Number of samples in a group of the chosen cut. */
int64_t length_plan_samples(const length_plan *plan, int group);

#endif
