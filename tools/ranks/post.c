#include "tools/ranks/post.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double DELIVERY_SECONDS = 10, LOST_SECONDS = 2; /* for the last messages */
static const double MOVING_SECONDS = 0.1; /* within which a message should arrive */
static const long MOVING_NS = 100 * 1000, SHORT_NS = 1000 * 1000, LONG_NS = 5 * 1000 * 1000;
static const long WAIT_NS = 100 * 1000 * 1000, SECOND_NS = 1000000000;

/* Nothing of the transport is done with the mutex locked: its calls may take long where many
 * processes share a core. */
static void post_receive(post *const p, bool *const busy) {
  int from;
  void *data;
  size_t bytes;
  (void)pthread_mutex_unlock(&p->mutex);
  while (p->by->receive(&from, &data, &bytes)) {
    *busy = true;
    message head;
    if (bytes >= sizeof head) {
      memcpy(&head, data, sizeof head);
      (void)pthread_mutex_lock(&p->mutex);
      p->arrived(p->user, from, &head, (const char *)data + sizeof head, bytes - sizeof head);
      (void)pthread_cond_broadcast(&p->changed);
      (void)pthread_mutex_unlock(&p->mutex);
    }
    free(data);
  }
  (void)pthread_mutex_lock(&p->mutex);
}

static void post_deliver(post *const p, bool *const busy) {
  outgoing *o = p->first;
  p->first = NULL;
  p->end = &p->first;
  (void)pthread_mutex_unlock(&p->mutex);
  while (o) {
    outgoing *const next = o->next;
    (void)p->by->send(o->to, o->data, o->bytes); /* a rank that is gone is found by its silence */
    free(o);
    o = next;
    *busy = true;
  }
  (void)pthread_mutex_lock(&p->mutex);
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

/* How long to rest before looking for messages again, which takes time from the work. Those on
 * their way only go on when they are looked for; from a rank that has died they never arrive. */
static long post_pause(const post *const p, const double now) {
  if (p->by->moving()) {
    return now - p->active < MOVING_SECONDS ? MOVING_NS : SHORT_NS;
  }
  return p->waits ? SHORT_NS : LONG_NS;
}

/* Unlocks the mutex while it leaves. */
static void post_leave(post *const p) {
  const double until = cli_now() + (p->lost ? LOST_SECONDS : DELIVERY_SECONDS);
  bool busy = false;
  post_deliver(p, &busy);
  while (p->by->pending() && cli_now() < until) {
    post_receive(p, &busy);
  }
  const bool lost = p->lost || p->by->pending();
  p->leaving = cli_now();
  (void)pthread_mutex_unlock(&p->mutex);
  p->by->close(lost);
  (void)pthread_mutex_lock(&p->mutex);
}

static void post_work(post *const p) {
  p->joined(p->user);
  while (!p->closing || !p->may_leave) {
    bool busy = false;
    post_receive(p, &busy);
    const double now = cli_now();
    p->tick(p->user, now);
    post_deliver(p, &busy);
    p->active = busy ? now : p->active;
    if (!busy) {
      post_rest(p, post_pause(p, now));
    }
  }
  post_leave(p);
}

static void *post_run(void *const user) {
  post *const p = user;
  const bool opened = p->by->open(&p->rank, &p->size, p->library, sizeof p->library);
  (void)pthread_mutex_lock(&p->mutex); /* cannot fail on a sound default mutex */
  p->opened = opened;
  p->failed = !opened;
  (void)pthread_cond_broadcast(&p->changed);
  if (opened && !p->stuck) {
    post_work(p);
  }
  p->ended = true;
  (void)pthread_cond_broadcast(&p->changed);
  (void)pthread_mutex_unlock(&p->mutex);
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

/* Libraries would wait for the thread, or take away what it uses. */
static void post_end_process(const int code, void *const user) {
  (void)user;
  (void)fflush(NULL);
  _exit(code);
}

/* Ends the thread's part in the post, which is free for the caller unless the thread is stuck. */
static void post_end(post *const p) {
  if (p->stuck) {
    (void)pthread_detach(p->thread);
    (void)on_exit(post_end_process, NULL); /* fails without memory: then it ends as others do */
  } else {
    (void)pthread_join(p->thread, NULL);
    post_fini(p);
  }
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
  const double limit = START_SILENCES * p->silence, until = cli_now() + limit;
  (void)pthread_mutex_lock(&p->mutex);
  while (!p->opened && !p->failed && cli_now() < until) {
    post_wait(p);
  }
  p->stuck = !p->opened && !p->failed;
  const bool opened = p->opened;
  (void)pthread_mutex_unlock(&p->mutex);
  if (opened) {
    return TARE_OK;
  }
  post_end(p);
  return p->stuck ? cli_fail(err, TARE_E_IO,
                             "MPI has not started after %.0f s: a rank has died, or was not "
                             "started (start all again; --rank-timeout gives them more time)",
                             limit)
                  : cli_fail(err, TARE_E_IO, "MPI does not start: its messages say why");
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
  if (!p->closing) {
    p->closing = true;
    post_tell_first(p, MESSAGE_BYE, 0, 0, NULL, 0);
  }
  (void)pthread_cond_broadcast(&p->changed);
  (void)pthread_mutex_unlock(&p->mutex);
}

bool post_close(post *const p) {
  post_begin_close(p);
  (void)pthread_mutex_lock(&p->mutex);
  while (!p->ended && (!p->leaving || cli_now() - p->leaving < p->silence)) {
    post_wait(p);
  }
  const bool stuck = p->stuck = !p->ended;
  (void)pthread_mutex_unlock(&p->mutex);
  post_end(p);
  return !stuck;
}
