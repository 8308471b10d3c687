/* Threads that read samples ahead into a queue bounded in number and bytes. Samples are returned in
 * the order in which they were claimed, whichever thread read them. */
#ifndef TAREI_DATASETS_PREFETCH_H
#define TAREI_DATASETS_PREFETCH_H

#include <stdbool.h>

#include "datasets/slot.h"
#include "datasets/stream.h"

#define TAREI_PREFETCH_SAMPLES 8 /* or twice the threads if that is more */
#define TAREI_PREFETCH_THREADS 64
#define TAREI_PREFETCH_BYTES ((size_t)64 << 20) /* not counting samples being read */

typedef struct tarei_prefetch tarei_prefetch;

/* The source of samples: a stream (datasets/stream.h), with its rules for claiming and reading. */
typedef struct tarei_prefetch_source {
  bool (*claim)(void *user, tarei_ticket *ticket);
  /* The slot is zeroed. For tickets that are shared it may say that it is the end. */
  void (*read)(void *user, const tarei_ticket *ticket, tarei_slot *slot);
  /* After read; for tickets that are shared, too, by several threads at the same time. */
  void (*finish)(void *user, const tarei_ticket *ticket, tarei_slot *slot);
  void *user;
} tarei_prefetch_source;

/* Starts the threads, 1 .. TAREI_PREFETCH_THREADS of them, which have exclusive use of the source
 * until they stop. An empty queue accepts a sample of any size. `few`: no more samples than keep
 * the threads busy, because somebody else could take them. */
tare_status tarei_prefetch_start(const tarei_prefetch_source *source, int threads, bool few,
                                 tarei_prefetch **out, tare_error *err);

/* Waits for the next sample and moves it into `slot`; false at the end. */
bool tarei_prefetch_take(tarei_prefetch *prefetch, tarei_slot *slot);

/* Stops the threads after at most one more sample each, frees the queue and sets the handle to
 * NULL; it may be NULL already. */
void tarei_prefetch_stop(tarei_prefetch **prefetch);

#endif
