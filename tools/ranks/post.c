#include "tools/ranks/post.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double DELIVERY_SECONDS = 10, LOST_SECONDS = 2; /* for the last messages */
static const long SHORT_NS = 1000 * 1000, WAIT_NS = 100 * 1000 * 1000, SECOND_NS = 1000000000;

static void post_receive(post *const p, bool *const busy) {
  int from;
  void *data;
  size_t bytes;
  while (p->by->receive(&from, &data, &bytes)) {
    *busy = true;
    message head;
    if (bytes >= sizeof head) {
      memcpy(&head, data, sizeof head);
      p->arrived(p->user, from, &head, (const char *)data + sizeof head, bytes - sizeof head);
      (void)pthread_cond_broadcast(&p->changed);
    }
    free(data);
  }
}

static void post_deliver(post *const p, bool *const busy) {
  while (p->first) {
    outgoing *const o = p->first;
    p->first = o->next;
    if (!p->first) {
      p->end = &p->first;
    }
    (void)p->by->send(o->to, o->data, o->bytes); /* a rank that is gone is found by its silence */
    free(o);
    *busy = true;
  }
}

/* Sleeps, less than a second, or until something changes. */
static void post_rest(post *const p, const long ns) {
  struct timespec until;
  (void)clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += ns;
  until.tv_sec += until.tv_nsec / SECOND_NS;
  until.tv_nsec %= SECOND_NS;
  (void)pthread_cond_timedwait(&p->changed, &p->mutex, &until);
}

static void post_leave(post *const p) {
  const double until = cli_now() + (p->lost ? LOST_SECONDS : DELIVERY_SECONDS);
  bool busy = false;
  post_deliver(p, &busy);
  while (p->by->pending() && cli_now() < until) {
    post_receive(p, &busy);
  }
  const bool lost = p->lost || p->by->pending();
  (void)pthread_mutex_unlock(&p->mutex);
  p->by->close(lost);
}

static void *post_run(void *const user) {
  post *const p = user;
  const bool opened = p->by->open(&p->rank, &p->size, p->library, sizeof p->library);
  (void)pthread_mutex_lock(&p->mutex); /* cannot fail on a sound default mutex */
  p->opened = opened;
  p->failed = !opened;
  if (opened) {
    p->joined(p->user);
  }
  (void)pthread_cond_broadcast(&p->changed);
  if (!opened) {
    (void)pthread_mutex_unlock(&p->mutex);
    return NULL;
  }
  while (!p->closing) {
    bool busy = false;
    post_receive(p, &busy);
    p->tick(p->user, cli_now());
    post_deliver(p, &busy);
    if (!busy) {
      post_rest(p, SHORT_NS);
    }
  }
  post_leave(p);
  return NULL;
}

static void post_init(post *const p) {
  pthread_condattr_t clock;
  (void)pthread_condattr_init(&clock); /* none of these fails on Linux with these arguments */
  (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  (void)pthread_cond_init(&p->changed, &clock);
  (void)pthread_condattr_destroy(&clock);
  (void)pthread_mutex_init(&p->mutex, NULL);
  p->end = &p->first;
}

static void post_fini(post *const p) {
  (void)pthread_cond_destroy(&p->changed);
  (void)pthread_mutex_destroy(&p->mutex);
}

/* Signals belong to the thread of the command. */
static int post_start(post *const p) {
  sigset_t all, before;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&p->thread, NULL, post_run, p);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed;
}

tare_status post_open(post *const p, const transport *const by, tare_error *const err) {
  p->by = by;
  post_init(p);
  const int failed = post_start(p);
  if (failed) {
    post_fini(p);
    return cli_fail(err, TARE_E_MEMORY, "cannot start a thread for messages: %s", strerror(failed));
  }
  (void)pthread_mutex_lock(&p->mutex);
  while (!p->opened && !p->failed) {
    (void)pthread_cond_wait(&p->changed, &p->mutex);
  }
  (void)pthread_mutex_unlock(&p->mutex);
  if (p->failed) {
    (void)pthread_join(p->thread, NULL);
    post_fini(p);
    return cli_fail(err, TARE_E_IO, "MPI does not start: its messages say why");
  }
  return TARE_OK;
}

void post_send(post *const p, const int to, const message *const head, const void *const payload,
               const size_t bytes) {
  outgoing *const o = cli_realloc(NULL, 1, sizeof *o + sizeof *head + bytes);
  *o = (outgoing){.to = to, .bytes = sizeof *head + bytes};
  memcpy(o->data, head, sizeof *head);
  if (bytes) {
    memcpy(o->data + sizeof *head, payload, bytes);
  }
  *p->end = o;
  p->end = &o->next;
  (void)pthread_cond_broadcast(&p->changed);
}

void post_tell_first(post *const p, const message_kind kind, const int64_t a, const int64_t b,
                     const void *const payload, const size_t bytes) {
  const message m = {.kind = kind, .a = a, .b = b};
  post_send(p, 0, &m, payload, bytes);
}

void post_wait(post *const p) {
  post_rest(p, WAIT_NS);
}

void post_begin_close(post *const p) {
  (void)pthread_mutex_lock(&p->mutex);
  p->closing = true;
  (void)pthread_cond_broadcast(&p->changed);
  (void)pthread_mutex_unlock(&p->mutex);
}

void post_close(post *const p) {
  post_begin_close(p);
  (void)pthread_join(p->thread, NULL);
  post_fini(p);
}
