#include "datasets/prefetch.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/mem.h"

struct tarei_prefetch {
  tarei_produce_fn produce;
  void *user;
  pthread_t thread;
  pthread_mutex_t mutex; /* guards all below */
  pthread_cond_t changed;
  tarei_slot ring[TAREI_PREFETCH_SAMPLES];
  int head, n;
  size_t bytes;
  bool stop;     /* set by the consumer */
  bool finished; /* set by the thread */
};

static bool is_full(const tarei_prefetch *const p, const size_t bytes) {
  return p->n == TAREI_PREFETCH_SAMPLES || (p->n > 0 && p->bytes + bytes > TAREI_PREFETCH_BYTES);
}

/* Puts the slot into the queue, or frees it and returns false when told to stop. */
static bool push(tarei_prefetch *const p, tarei_slot *const slot) {
  (void)pthread_mutex_lock(&p->mutex); /* cannot fail on a sound default mutex */
  while (!p->stop && is_full(p, slot->bytes)) {
    (void)pthread_cond_wait(&p->changed, &p->mutex);
  }
  const bool go_on = !p->stop;
  if (go_on) {
    p->ring[(p->head + p->n) % TAREI_PREFETCH_SAMPLES] = *slot;
    p->n++;
    p->bytes += slot->bytes;
    (void)pthread_cond_broadcast(&p->changed);
  }
  (void)pthread_mutex_unlock(&p->mutex);
  if (!go_on) {
    tarei_slot_fini(slot);
  }
  return go_on;
}

static void *run(void *const user) {
  tarei_prefetch *const p = user;
  for (;;) {
    tarei_slot slot = {0};
    if (!p->produce(p->user, &slot) || !push(p, &slot)) {
      break;
    }
  }
  (void)pthread_mutex_lock(&p->mutex);
  p->finished = true;
  (void)pthread_cond_broadcast(&p->changed);
  (void)pthread_mutex_unlock(&p->mutex);
  return NULL;
}

/* Signals belong to the caller's threads. */
static int create_without_signals(tarei_prefetch *const p) {
  sigset_t all, before;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&p->thread, NULL, run, p);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed;
}

tare_status tarei_prefetch_start(const tarei_produce_fn produce, void *const user,
                                 tarei_prefetch **const out, tare_error *const err) {
  tarei_prefetch *const p = tarei_calloc(1, sizeof *p);
  if (!p) {
    return tarei_fail_memory(err, "prefetch queue", sizeof *p);
  }
  p->produce = produce;
  p->user = user;
  (void)pthread_mutex_init(&p->mutex, NULL); /* never fails with default attributes on Linux */
  (void)pthread_cond_init(&p->changed, NULL);
  const int failed = create_without_signals(p);
  if (failed) {
    (void)pthread_cond_destroy(&p->changed);
    (void)pthread_mutex_destroy(&p->mutex);
    free(p);
    return tarei_fail(err, TARE_E_MEMORY, "cannot start the reading thread: %s", strerror(failed));
  }
  *out = p;
  return TARE_OK;
}

bool tarei_prefetch_take(tarei_prefetch *const p, tarei_slot *const slot) {
  (void)pthread_mutex_lock(&p->mutex);
  while (p->n == 0 && !p->finished) {
    (void)pthread_cond_wait(&p->changed, &p->mutex);
  }
  const bool any = p->n > 0;
  if (any) {
    *slot = p->ring[p->head];
    p->head = (p->head + 1) % TAREI_PREFETCH_SAMPLES;
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
  (void)pthread_join(p->thread, NULL);
  for (int i = 0; i < p->n; i++) {
    tarei_slot_fini(&p->ring[(p->head + i) % TAREI_PREFETCH_SAMPLES]);
  }
  (void)pthread_cond_destroy(&p->changed);
  (void)pthread_mutex_destroy(&p->mutex);
  free(p);
  *prefetch = NULL;
}
