/* One thread that reads samples ahead into a queue bounded in number and bytes. */
#ifndef TAREI_DATASETS_PREFETCH_H
#define TAREI_DATASETS_PREFETCH_H

#include <stdbool.h>

#include "datasets/slot.h"

#define TAREI_PREFETCH_SAMPLES 8
#define TAREI_PREFETCH_BYTES ((size_t)64 << 20)

typedef struct tarei_prefetch tarei_prefetch;

/* Fills a zeroed slot, or returns false at the end. Called on the thread only. */
typedef bool (*tarei_produce_fn)(void *user, tarei_slot *slot);

/* Starts the thread. A queue that is empty takes a sample of any size. */
tare_status tarei_prefetch_start(tarei_produce_fn produce, void *user, tarei_prefetch **out,
                                 tare_error *err);

/* Waits for the next sample and moves it into `slot`; false at the end. */
bool tarei_prefetch_take(tarei_prefetch *prefetch, tarei_slot *slot);

/* Joins the thread, at most one produce call later, frees the queue and clears the handle; a NULL
 * handle is fine. */
void tarei_prefetch_stop(tarei_prefetch **prefetch);

#endif
