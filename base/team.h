/*
 * A team of threads for short loops.
 *
 * A team has one owner at a time: the thread that calls tarei_team_run, which works as thread 0;
 * the team's own threads are 1, 2, ... The owner may change between calls if the callers order
 * these calls among themselves. Runs do not nest.
 *
 * Threads claim their work. The items of a run are divided into one contiguous share per thread, so
 * that runs of the same size give a thread the same items again; a thread that has finished its
 * share continues with those of the others. A thread that sleeps, or has lost its core to another
 * process, therefore delays only the item that it is working on.
 *
 * Memory: every item sees what the caller wrote before the run. The caller and the items of later
 * runs see what an item wrote. The items of one run must not depend on each other.
 *
 * Threads without work poll for some tens of microseconds and then sleep. Where they lose their
 * core in the middle of an item, for long enough that the caller waits for milliseconds, the caller
 * does the next runs alone for a while.
 */
#ifndef TAREI_BASE_TEAM_H
#define TAREI_BASE_TEAM_H

#include <pthread.h>
#include <stddef.h>

#include "base/error.h"

typedef struct tarei_team tarei_team;

#define TAREI_TEAM_MOST_ITEMS (((size_t)1 << 24) - 1) /* of one run */
#define TAREI_TEAM_MOST_THREADS 64

/* Computes one item on `thread`, 0..threads - 1. No two items of a run have the same thread at the
 * same time, so scratch memory can be assigned by that number. */
typedef void (*tarei_team_fn)(const void *user, size_t item, int thread);

/* Creates a team of 1..TAREI_TEAM_MOST_THREADS threads, including the caller; a team of one starts
 * none. TARE_E_MEMORY, or TARE_E_LIMIT if the system refuses more threads; *out is then NULL. */
tare_status tarei_team_new(int threads, tarei_team **out, tare_error *err);
/* Ends the threads; NULL is allowed. There must be no run in progress. */
void tarei_team_free(tarei_team *team);

/* Number of threads, including the caller; 1 for NULL. */
int tarei_team_threads(const tarei_team *team);

/* Wakes sleeping threads because runs will follow soon. This is only a hint; it costs a system call
 * per sleeping thread. NULL is allowed. */
void tarei_team_wake(tarei_team *team);

/* Calls fn for items 0..items - 1 (at most TAREI_TEAM_MOST_ITEMS) and returns when all are done.
 * NULL means a team of only the caller. Never fails. */
void tarei_team_run(tarei_team *team, size_t items, tarei_team_fn fn, const void *user);

/* Starts a thread as pthread_create does, with the same result. It takes none of the signals that
 * are sent to the process, which are the business of the program's own threads, but those that it
 * causes itself: a handler may say that a mapped file became shorter. */
int tarei_thread_start(pthread_t *thread, void *(*run)(void *), void *with);

#endif
