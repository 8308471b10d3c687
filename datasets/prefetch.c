#include "datasets/prefetch.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "base/team.h"

/* A place of the queue, from the claim on. */
typedef struct prefetch_place {
  tarei_slot slot;
  bool ready;
} prefetch_place;

struct tarei_prefetch {
  tarei_prefetch_source source;
  pthread_t threads[TAREI_PREFETCH_THREADS];
  int n_threads;
  pthread_mutex_t mutex; /* guards all below, and claims */
  pthread_cond_t changed;
  int capacity, head, n; /* of the ring */
  size_t bytes;          /* of places that are ready */
  bool shared;           /* somebody reads a ticket that is shared */
  bool stop;             /* set by the consumer */
  bool ended;            /* no more to claim */
  prefetch_place ring[];
};

static bool must_wait(const tarei_prefetch *const p) {
  const bool full = p->n == p->capacity || (p->n > 0 && p->bytes >= TAREI_PREFETCH_BYTES);
  return !p->stop && !p->ended && (full || p->shared);
}

/* Claims the next sample and a place for it; NULL when there is none, or when told to stop. */
static prefetch_place *prefetch_claim(tarei_prefetch *const p, tarei_ticket *const ticket) {
  while (must_wait(p)) {
    (void)pthread_cond_wait(&p->changed, &p->mutex);
  }
  if (p->stop || p->ended) {
    return NULL;
  }
  if (!p->source.claim(p->source.user, ticket)) {
    p->ended = true;
    (void)pthread_cond_broadcast(&p->changed);
    return NULL;
  }
  prefetch_place *const mine = &p->ring[(p->head + p->n++) % p->capacity];
  mine->ready = false;
  p->shared = ticket->shared;
  return mine;
}

static void prefetch_finish(tarei_prefetch *const p, prefetch_place *const mine,
                            const tarei_slot *const slot) {
  mine->slot = *slot;
  mine->ready = true;
  p->bytes += slot->bytes;
  (void)pthread_cond_broadcast(&p->changed);
}

/* Lets others claim after a ticket that was shared: nobody does while it is read. */
static void prefetch_release(tarei_prefetch *const p, const bool ended) {
  (void)pthread_mutex_lock(&p->mutex);
  p->shared = false;
  p->ended = p->ended || ended;
  (void)pthread_cond_broadcast(&p->changed);
  (void)pthread_mutex_unlock(&p->mutex);
}

static void *prefetch_run(void *const user) {
  tarei_prefetch *const p = user;
  tarei_ticket ticket;
  (void)pthread_mutex_lock(&p->mutex); /* cannot fail on a sound default mutex */
  for (prefetch_place *mine = prefetch_claim(p, &ticket); mine; mine = prefetch_claim(p, &ticket)) {
    tarei_slot slot = {0};
    (void)pthread_mutex_unlock(&p->mutex);
    p->source.read(p->source.user, &ticket, &slot);
    if (ticket.shared) {
      prefetch_release(p, slot.ended || slot.fatal);
    }
    p->source.finish(p->source.user, &ticket, &slot);
    (void)pthread_mutex_lock(&p->mutex);
    prefetch_finish(p, mine, &slot);
  }
  (void)pthread_mutex_unlock(&p->mutex);
  return NULL;
}

/* As many as the system gives; 0 or the fault of the first. */
static int prefetch_create(tarei_prefetch *const p, const int threads) {
  int failed = 0;
  while (p->n_threads < threads && !failed) {
    failed = tarei_thread_start(&p->threads[p->n_threads], prefetch_run, p);
    p->n_threads += !failed;
  }
  return p->n_threads ? 0 : failed;
}

tare_status tarei_prefetch_start(const tarei_prefetch_source *const source, const int threads,
                                 const bool few, tarei_prefetch **const out,
                                 tare_error *const err) {
  assert(threads >= 1 && threads <= TAREI_PREFETCH_THREADS);
  const int least = few ? 1 : TAREI_PREFETCH_SAMPLES;
  const int capacity = 2 * threads > least ? 2 * threads : least;
  const size_t bytes = sizeof(tarei_prefetch) + (size_t)capacity * sizeof(prefetch_place);
  tarei_prefetch *const p = tarei_calloc(1, bytes);
  if (!p) {
    return tarei_fail_memory(err, "prefetch queue", bytes);
  }
  p->capacity = capacity;
  p->source = *source;
  (void)pthread_mutex_init(&p->mutex, NULL); /* never fails with default attributes on Linux */
  (void)pthread_cond_init(&p->changed, NULL);
  const int failed = prefetch_create(p, threads);
  if (failed) {
    (void)pthread_cond_destroy(&p->changed);
    (void)pthread_mutex_destroy(&p->mutex);
    free(p);
    return tarei_fail(err, TARE_E_MEMORY, "cannot start a reading thread: %s", strerror(failed));
  }
  *out = p;
  return TARE_OK;
}

bool tarei_prefetch_take(tarei_prefetch *const p, tarei_slot *const slot) {
  (void)pthread_mutex_lock(&p->mutex);
  while (p->n > 0 ? !p->ring[p->head].ready : !p->ended) {
    (void)pthread_cond_wait(&p->changed, &p->mutex);
  }
  const bool any = p->n > 0 && !p->ring[p->head].slot.ended; /* else it is the last one */
  if (any) {
    *slot = p->ring[p->head].slot;
    p->head = (p->head + 1) % p->capacity;
    p->n--;
    p->bytes -= slot->bytes;
    (void)pthread_cond_broadcast(&p->changed);
  }
  (void)pthread_mutex_unlock(&p->mutex);
  return any;
}

void tarei_prefetch_stop(tarei_prefetch **const prefetch) {
  tarei_prefetch *const p = *prefetch;
  if (!p) {
    return;
  }
  (void)pthread_mutex_lock(&p->mutex);
  p->stop = true;
  (void)pthread_cond_broadcast(&p->changed);
  (void)pthread_mutex_unlock(&p->mutex);
  for (int i = 0; i < p->n_threads; i++) {
    (void)pthread_join(p->threads[i], NULL);
  }
  for (int i = 0; i < p->n; i++) {
    tarei_slot_fini(&p->ring[(p->head + i) % p->capacity].slot);
  }
  (void)pthread_cond_destroy(&p->changed);
  (void)pthread_mutex_destroy(&p->mutex);
  free(p);
  *prefetch = NULL;
}
