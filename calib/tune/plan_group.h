/* Plans that run side by side. Each has weights of its own: a group has no more plans than fit into
 * a part of the memory. */
#ifndef TAREI_CALIB_TUNE_PLAN_GROUP_H
#define TAREI_CALIB_TUNE_PLAN_GROUP_H

#include <tare/tune.h>

typedef struct tarei_plan_group {
  tare_plan *plans[TARE_MOST_TRIALS]; /* owned */
  int n;
  int64_t bytes, last; /* of all of them, and of the last one */
  int64_t most;        /* bytes that they may have together */
} tarei_plan_group;

/* An empty group. */
tarei_plan_group tarei_plan_group_new(void);

/* Whether one more plan of the size of the last one fits; one always does. */
bool tarei_plan_group_has_room(const tarei_plan_group *group);

/* Takes a plan, for which there must be room. */
void tarei_plan_group_add(tarei_plan_group *group, tare_plan *plan);

/* Builds the plan of a list of requests. */
typedef tare_status tarei_plan_build_fn(const void *user, const char *requests, tare_plan **out,
                                        tare_error *err);

/* Adds plans of the first of n lists of requests to an empty group, as long as there is room. */
tare_status tarei_plan_group_build(tarei_plan_group *group, tarei_plan_build_fn *build,
                                   const void *user, const char *const *requests, int n,
                                   tare_error *err);

/* Frees the plans; the group is empty then. */
void tarei_plan_group_clear(tarei_plan_group *group);

#endif
