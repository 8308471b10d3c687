#include "base/team.h"

#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

#define ITEM_BITS 24 /* of a word; the number of the run has the other 40 */
#define LINE 128     /* bytes that processors move together: pairs of cache lines */

static const double SPIN_SECONDS = 100e-6; /* getting up costs both threads about 50 us */
enum { LOOKS = 64 };                       /* at the line between two looks at the clock */

/* A thread whose core is taken by another process comes back after milliseconds, and holds up the
 * runs that it has items of. The caller then works alone for a while, which gets longer with each
 * time that this happens again soon. */
static const double LOST_SECONDS = 0.5e-3; /* of waiting, in which the others did not work */
static const double LEAST_REST = 4e-3, MOST_REST = 0.256;

/* The place of one thread. The caller of a run writes `work`; words carry the run's number, so that
 * a thread that comes too late cannot claim anything of a later run with what it knew of an earlier
 * one. The fields of a run are not written anew before all its items are done, hence whoever claims
 * an item has read the right ones, and nothing is made of them before. */
typedef struct team_place {
  _Alignas(LINE) struct {
    _Atomic uint64_t left; /* run, then the items of the share to be claimed */
    _Atomic(tarei_team_fn) fn;
    _Atomic(const void *) user;
    _Atomic uint32_t items, members; /* members: threads that take part */
  } work;
  _Alignas(LINE) _Atomic uint64_t done;   /* run, then the items that this thread has done in it */
  _Alignas(LINE) _Atomic uint32_t asleep; /* 1 when the thread sleeps, or is about to */
  _Atomic uint32_t quits;
  tarei_team *team;
  int number;
  pthread_t handle;
} team_place;

struct tarei_team {
  int threads, started; /* started: the last one that runs, for ending them */
  uint64_t run;
  bool running;
  double rest;        /* seconds that the caller last worked alone for; 0: it never did */
  double alone_until; /* when that ends, or did end */
  bool alone;
  team_place places[];
};

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

static inline uint64_t word(const uint64_t run, const uint64_t items) {
  return run << ITEM_BITS | items;
}

static inline uint32_t share_begin(const uint32_t items, const uint32_t members,
                                   const uint32_t number) {
  return (uint32_t)((uint64_t)items * number / members);
}

/* Claims the next item of a place: the number of those that were left with it, or 0 when there were
 * none, or the run is over. */
static uint32_t team_claim(team_place *const p, const uint64_t run) {
  uint64_t left = atomic_load_explicit(&p->work.left, memory_order_relaxed);
  while (left > word(run, 0) && left < word(run + 1, 0)) {
    if (atomic_compare_exchange_weak_explicit(&p->work.left, &left, left - 1, memory_order_acquire,
                                              memory_order_relaxed)) {
      return (uint32_t)(left - word(run, 0));
    }
  }
  return 0;
}

/* Works on a run until nothing is left to claim. `done` items were done before. */
static uint32_t team_work(tarei_team *const team, const uint32_t number, const uint64_t run,
                          uint32_t done) {
  team_place *const own = &team->places[number];
  const tarei_team_fn fn = atomic_load_explicit(&own->work.fn, memory_order_relaxed);
  const void *const user = atomic_load_explicit(&own->work.user, memory_order_relaxed);
  const uint32_t items = atomic_load_explicit(&own->work.items, memory_order_relaxed);
  const uint32_t members = atomic_load_explicit(&own->work.members, memory_order_relaxed);
  for (uint32_t i = 0; i < members; i++) {
    const uint32_t whose = number + i < members ? number + i : number + i - members;
    uint32_t left;
    while ((left = team_claim(&team->places[whose], run)) != 0) {
      fn(user, share_begin(items, members, whose + 1) - left, (int)number);
      atomic_store_explicit(&own->done, word(run, ++done), memory_order_release);
    }
  }
  return done;
}

static long futex(_Atomic uint32_t *const at, const int operation, const uint32_t value) {
  return syscall(SYS_futex, at, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void get_up(team_place *const p) {
  if (atomic_exchange(&p->asleep, 0)) {
    (void)futex(&p->asleep, FUTEX_WAKE, 1); /* nobody there to wake is fine */
  }
}

static uint64_t team_look(const team_place *const p) {
  return atomic_load_explicit(&p->work.left, memory_order_acquire) >> ITEM_BITS;
}

/* A run that is published while its thread falls asleep may go unnoticed: the others do its items,
 * and the next run finds `asleep` set. Only the end must not be missed. */
static void sleep_until_wanted(team_place *const p, const uint64_t seen) {
  atomic_store(&p->asleep, 1);
  while (!atomic_load(&p->quits) && team_look(p) == seen && atomic_load(&p->asleep)) {
    (void)futex(&p->asleep, FUTEX_WAIT, 1); /* the loop asks why it came back */
  }
  atomic_store(&p->asleep, 0);
}

/* The number of the next run, or 0 at the end. */
static uint64_t await(team_place *const p, const uint64_t seen) {
  double end = 0;
  for (int n = 1;; n++) {
    const uint64_t run = team_look(p);
    if (run != seen) {
      return run;
    }
    relax();
    if (n % LOOKS) {
      continue;
    }
    if (atomic_load_explicit(&p->quits, memory_order_relaxed)) {
      return 0;
    }
    const double now = tarei_now();
    if (end == 0) {
      end = now + SPIN_SECONDS;
    } else if (now > end) {
      sleep_until_wanted(p, seen);
      end = 0;
    }
  }
}

static void *thread_main(void *const at) {
  team_place *const p = at;
  uint64_t run = 0;
  while ((run = await(p, run)) != 0) {
    (void)team_work(p->team, (uint32_t)p->number, run, 0);
  }
  return NULL;
}

int tarei_thread_start(pthread_t *const thread, void *(*const run)(void *), void *const with) {
  static const int OWN[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT};
  sigset_t sent, before;
  (void)sigfillset(&sent);
  for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++) {
    (void)sigdelset(&sent, OWN[i]);
  }
  const int masked = pthread_sigmask(SIG_SETMASK, &sent, &before);
  const int failed = pthread_create(thread, NULL, run, with);
  if (!masked) {
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL); /* it was the mask a moment ago */
  }
  return failed;
}

tare_status tarei_team_new(const int threads, tarei_team **const out, tare_error *const err) {
  assert(threads >= 1 && threads <= TAREI_TEAM_MOST_THREADS);
  *out = NULL;
  const size_t bytes = sizeof(tarei_team) + (size_t)threads * sizeof(team_place);
  tarei_team *team = NULL;
  if (posix_memalign((void **)&team, LINE, bytes) != 0) {
    return tarei_fail_memory(err, "threads", bytes);
  }
  memset(team, 0, bytes);
  team->threads = threads;
  for (int i = 1; i < threads; i++) {
    team_place *const p = &team->places[i];
    p->team = team;
    p->number = i;
    const int failed = tarei_thread_start(&p->handle, thread_main, p);
    if (failed) {
      tarei_team_free(team);
      return tarei_fail(err, TARE_E_LIMIT, "cannot start thread %d of %d: %s", i + 1, threads,
                        strerror(failed));
    }
    team->started = i;
  }
  *out = team;
  return TARE_OK;
}

void tarei_team_free(tarei_team *const team) {
  if (!team) {
    return;
  }
  for (int i = 1; i <= team->started; i++) {
    atomic_store(&team->places[i].quits, 1);
    get_up(&team->places[i]);
  }
  for (int i = 1; i <= team->started; i++) {
    (void)pthread_join(team->places[i].handle, NULL); /* it was started and joined nowhere else */
  }
  free(team);
}

int tarei_team_threads(const tarei_team *const team) {
  return team ? team->threads : 1;
}

/* Whether the caller had better work alone. */
static bool is_alone(tarei_team *const team) {
  team->alone = team->alone && tarei_now() < team->alone_until;
  return team->alone;
}

void tarei_team_wake(tarei_team *const team) {
  for (int i = 1; team && !is_alone(team) && i < team->threads; i++) {
    if (atomic_load_explicit(&team->places[i].asleep, memory_order_relaxed)) {
      get_up(&team->places[i]);
    }
  }
}

/* The caller's own first item is claimed from the start: it begins without waiting for its writes
 * to the lines of the others. */
static void team_publish(tarei_team *const team, const uint32_t items, const uint32_t members,
                         const tarei_team_fn fn, const void *const user) {
  const uint64_t run = ++team->run;
  for (uint32_t i = 0; i < members; i++) {
    team_place *const p = &team->places[i];
    atomic_store_explicit(&p->work.fn, fn, memory_order_relaxed);
    atomic_store_explicit(&p->work.user, user, memory_order_relaxed);
    atomic_store_explicit(&p->work.items, items, memory_order_relaxed);
    atomic_store_explicit(&p->work.members, members, memory_order_relaxed);
    const uint32_t share = share_begin(items, members, i + 1) - share_begin(items, members, i);
    atomic_store_explicit(&p->work.left, word(run, i ? share : share - 1), memory_order_release);
  }
  for (uint32_t i = 1; i < members; i++) {
    if (atomic_load_explicit(&team->places[i].asleep, memory_order_relaxed)) {
      get_up(&team->places[i]);
    }
  }
}

static uint32_t team_count_done(const tarei_team *const team, const uint32_t members) {
  uint32_t done = 0;
  for (uint32_t i = 1; i < members; i++) {
    const uint64_t w = atomic_load_explicit(&team->places[i].done, memory_order_acquire);
    done += w >> ITEM_BITS == team->run ? (uint32_t)(w - word(team->run, 0)) : 0;
  }
  return done;
}

/* Seconds that the team's own threads have worked. */
static double team_worked(const tarei_team *const team) {
  double sum = 0;
  for (int i = 1; i <= team->started; i++) {
    clockid_t clock;
    struct timespec t;
    if (pthread_getcpuclockid(team->places[i].handle, &clock) == 0 &&
        clock_gettime(clock, &t) == 0) {
      sum += (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    }
  }
  return sum;
}

/* What a long wait shows: whether the others worked meanwhile. */
typedef struct team_wait {
  double patience; /* when the wait becomes a long one; 0: nobody has looked */
  double begin, worked;
} team_wait;

static void wait_longer(const tarei_team *const team, team_wait *const w) {
  const double now = tarei_now();
  if (w->patience == 0) {
    w->patience = now + SPIN_SECONDS;
  } else if (now > w->patience) {
    if (w->begin == 0) {
      w->worked = team_worked(team);
      w->begin = now;
    }
    (void)sched_yield();
  }
}

static void rest_from(tarei_team *const team, const team_wait *const w) {
  if (w->begin == 0) {
    return;
  }
  const double now = tarei_now(), waited = now - w->begin;
  if (waited < LOST_SECONDS || team_worked(team) - w->worked > waited / 2) {
    return;
  }
  const bool again = team->rest > 0 && w->begin < team->alone_until + 4 * team->rest;
  const double longer = again ? 2 * team->rest : LEAST_REST;
  team->rest = longer < MOST_REST ? longer : MOST_REST;
  team->alone_until = now + team->rest;
  team->alone = true;
}

/* All items are claimed; some may be in the hands of a thread that has no core at the moment. Most
 * waits are short: they begin without the pauses, which last as long as a cache line's way. */
static void wait_for(tarei_team *const team, const uint32_t members, const uint32_t others) {
  team_wait wait = {0};
  for (int n = 1; team_count_done(team, members) != others; n++) {
    if (n > LOOKS) {
      relax();
    }
    if (n % LOOKS == 0) {
      wait_longer(team, &wait);
    }
  }
  rest_from(team, &wait);
}

void tarei_team_run(tarei_team *const team, const size_t items, const tarei_team_fn fn,
                    const void *const user) {
  assert(items <= TAREI_TEAM_MOST_ITEMS);
  if (!team || team->threads == 1 || items < 2 || is_alone(team)) {
    for (size_t i = 0; i < items; i++) {
      fn(user, i, 0);
    }
    return;
  }
  assert(!team->running);
  team->running = true;
  const uint32_t n = (uint32_t)items;
  const uint32_t members = n < (uint32_t)team->threads ? n : (uint32_t)team->threads;
  team_publish(team, n, members, fn, user);
  fn(user, 0, 0);
  const uint32_t own = team_work(team, 0, team->run, 1);
  wait_for(team, members, n - own);
  team->running = false;
}
