#include "bench/pair.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* The second thread waits for its turn without sleeping: waking it would take longer than the work.
 */
static struct {
  pthread_t thread;
  cpu_set_t before;
  const bench_pair *pair; /* NULL ends the thread */
  _Atomic unsigned asked, done;
} second;

static void pin_to(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  (void)pthread_setaffinity_np(pthread_self(), sizeof one, &one); /* unpinned works too */
}

/* The core of the n-th bit, -1 without one. */
static int allowed_core(const cpu_set_t *set, int n) {
  for (int i = 0; i < CPU_SETSIZE; i++) {
    if (CPU_ISSET(i, set) && n-- == 0) {
      return i;
    }
  }
  return -1;
}

static void wait_until(_Atomic unsigned *counter, unsigned value) {
  while (atomic_load_explicit(counter, memory_order_acquire) != value) {
  }
}

static void *second_thread(void *core) {
  pin_to(*(const int *)core);
  for (unsigned turn = 1;; turn++) {
    wait_until(&second.asked, turn);
    if (!second.pair) {
      return NULL;
    }
    second.pair->run[1](second.pair->context[1]);
    atomic_store_explicit(&second.done, turn, memory_order_release);
  }
}

static unsigned ask(const bench_pair *pair) {
  second.pair = pair;
  return atomic_fetch_add_explicit(&second.asked, 1, memory_order_release) + 1;
}

void bench_pin(int n) {
  static cpu_set_t all;
  static bool known;
  known = known || sched_getaffinity(0, sizeof all, &all) == 0;
  if (n < 0) {
    (void)pthread_setaffinity_np(pthread_self(), sizeof all, &all); /* staying is as good */
  } else if (allowed_core(&all, n) >= 0) {
    pin_to(allowed_core(&all, n));
  }
}

bool bench_pair_start(void) {
  static int core;
  if (sched_getaffinity(0, sizeof second.before, &second.before) ||
      (core = allowed_core(&second.before, 1)) < 0) {
    return false;
  }
  atomic_store(&second.asked, 0);
  atomic_store(&second.done, 0);
  if (pthread_create(&second.thread, NULL, second_thread, &core)) {
    return false;
  }
  pin_to(allowed_core(&second.before, 0));
  return true;
}

void bench_pair_stop(void) {
  (void)ask(NULL);
  (void)pthread_join(second.thread, NULL);
  (void)pthread_setaffinity_np(pthread_self(), sizeof second.before, &second.before);
}

void bench_pair_run(void *pair) {
  const bench_pair *const p = pair;
  const unsigned turn = ask(p);
  p->run[0](p->context[0]);
  wait_until(&second.done, turn);
}
