/* Threads that read samples ahead into a queue bounded in number and bytes. Samples come out in the
 * order in which they were claimed, whoever read them. */
#ifndef TAREI_DATASETS_PREFETCH_H
#define TAREI_DATASETS_PREFETCH_H

#include <stdbool.h>

#include "datasets/slot.h"
#include "datasets/stream.h"

#define TAREI_PREFETCH_SAMPLES 8
#define TAREI_PREFETCH_BYTES ((size_t)64 << 20) /* samples in the making are on top */

typedef struct tarei_prefetch tarei_prefetch;

/* Where samples come from: a stream (datasets/stream.h), whose rules on claiming and reading hold.
 */
typedef struct tarei_prefetch_source {
  bool (*claim)(void *user, tarei_ticket *ticket);
  void (*read)(void *user, const tarei_ticket *ticket, tarei_slot *slot); /* slot is zero */
  void *user;
} tarei_prefetch_source;

/* Starts the threads, 1 .. TAREI_PREFETCH_SAMPLES of them; what the source stands for is theirs
 * until they stop. An empty queue takes a sample of any size. */
tare_status tarei_prefetch_start(const tarei_prefetch_source *source, int threads,
                                 tarei_prefetch **out, tare_error *err);

/* Waits for the next sample and moves it into `slot`; false at the end. */
bool tarei_prefetch_take(tarei_prefetch *prefetch, tarei_slot *slot);

/* Joins the threads, at most one sample each later, frees the queue and clears the handle; a NULL
 * handle is fine. */
void tarei_prefetch_stop(tarei_prefetch **prefetch);

#endif
