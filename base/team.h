/*
 * A team of threads for short loops.
 *
 * A team has one owner at a time: the thread that calls tarei_team_run, which works as thread 0
 * beside the team's own threads 1, 2, ... The owner may change between calls as long as the callers
 * themselves order these calls. Runs do not nest.
 *
 * Work is claimed, never handed over: the items of a run are cut into one contiguous share for each
 * thread, so that runs of the same size give a thread the same items again; who is done with its
 * share goes on in those of the others. A thread that sleeps, or that the system has set aside,
 * therefore holds up nothing but the one item that it is working on.
 *
 * Memory: what the caller wrote before a run is seen by every item; what an item wrote is seen by the
 * caller after the run, and by the items of later runs. Items of one run must not depend on each
 * other.
 *
 * Threads that find nothing to do look for work for some tens of microseconds and then sleep.
 */
#ifndef TAREI_BASE_TEAM_H
#define TAREI_BASE_TEAM_H

#include <stddef.h>

#include "base/error.h"

typedef struct tarei_team tarei_team;

#define TAREI_TEAM_MOST_ITEMS (((size_t)1 << 24) - 1) /* of one run */
#define TAREI_TEAM_MOST_THREADS 64

/* One item, computed by `thread` of 0..threads - 1: no two items of a run have the same thread at
 * the same time, so that scratch memory can be given out by that number. */
typedef void (*tarei_team_fn)(const void *user, size_t item, int thread);

/* A team of 1..TAREI_TEAM_MOST_THREADS threads, the caller counted in: one thread starts nothing. TARE_E_MEMORY, or
 * TARE_E_LIMIT when the system gives no more threads; *out is NULL then. */
tare_status tarei_team_new(int threads, tarei_team **out, tare_error *err);
/* Ends the threads; NULL is fine. No run may be under way. */
void tarei_team_free(tarei_team *team);

/* Threads with the caller; 1 for NULL. */
int tarei_team_threads(const tarei_team *team);

/* Has sleeping threads get up, because runs will follow soon. A hint that costs a system call for
 * each sleeping thread and nothing else. NULL is fine. */
void tarei_team_wake(tarei_team *team);

/* Calls fn for items 0..items - 1 (at most TAREI_TEAM_MOST_ITEMS) and returns when all are done. NULL
 * is a team of the caller alone. Never fails. */
void tarei_team_run(tarei_team *team, size_t items, tarei_team_fn fn, const void *user);

#endif
