#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <tare/tare.h>

#include "base/team.h"
#include "unit/seed.h"

enum { MOST_ITEMS = 3000 };

typedef struct tally {
  int threads;
  _Atomic int seen[MOST_ITEMS];
  _Atomic int inside[TAREI_TEAM_MOST_THREADS]; /* items that a thread is working on */
  _Atomic int faults;
} tally;

static void count(const void *const user, const size_t item, const int thread) {
  tally *const t = *(tally *const *)user;
  t->faults += item >= MOST_ITEMS || thread < 0 || thread >= t->threads;
  t->faults += atomic_fetch_add(&t->inside[thread], 1) != 0;
  t->seen[item]++;
  t->inside[thread]--;
}

static void check_tally(const tally *const t, const size_t items) {
  assert_int_equal(t->faults, 0);
  for (size_t i = 0; i < MOST_ITEMS; i++) {
    assert_int_equal(t->seen[i], i < items);
  }
}

static void does_every_item_once(void **const state) {
  (void)state;
  static const int threads[] = {1, 2, 3, 7, TAREI_TEAM_MOST_THREADS};
  static const size_t items[] = {0, 1, 2, 3, 64, 65, 1000, MOST_ITEMS};
  for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
    tarei_team *team;
    assert_int_equal(tarei_team_new(threads[k], &team, NULL), TARE_OK);
    assert_int_equal(tarei_team_threads(team), threads[k]);
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
      static tally t;
      memset(&t, 0, sizeof t);
      t.threads = threads[k];
      tarei_team_run(team, items[i], count, &(tally *){&t});
      check_tally(&t, items[i]);
    }
    tarei_team_free(team);
  }
}

static void no_team_is_the_caller(void **const state) {
  (void)state;
  static tally t = {.threads = 1};
  assert_int_equal(tarei_team_threads(NULL), 1);
  tarei_team_wake(NULL);
  tarei_team_run(NULL, 17, count, &(tally *){&t});
  tarei_team_free(NULL);
  check_tally(&t, 17);
}

typedef struct sweep {
  const uint32_t *from;
  uint32_t *to;
  size_t n;
} sweep;

/* Reads what other threads wrote in the run before; plain memory, so that a race detector looks on.
 */
static void mix(const void *const user, const size_t i, const int thread) {
  (void)thread;
  const sweep *const s = user;
  s->to[i] = s->from[i] * 5 + s->from[(i + s->n / 2 + 1) % s->n] + (uint32_t)i;
}

static void sweep_with(tarei_team *const team, const unsigned seed, uint32_t *const a,
                       uint32_t *const b) {
  srand(seed);
  memset(a, 0, MOST_ITEMS * sizeof *a);
  for (int round = 0; round < 3000; round++) {
    const size_t n = 2 + (size_t)rand() % 40;
    tarei_team_run(team, n, mix, &(sweep){round % 2 ? b : a, round % 2 ? a : b, n});
    if (round % 1000 == 999) {
      (void)usleep(2000); /* the threads fall asleep */
      tarei_team_wake(round % 2 ? team : NULL);
    }
  }
}

static void later_runs_see_earlier_ones(void **const state) {
  (void)state;
  static uint32_t a[MOST_ITEMS], b[MOST_ITEMS], alone[MOST_ITEMS];
  const unsigned seed = (unsigned)test_seed();
  sweep_with(NULL, seed, alone, b);
  for (int threads = 2; threads <= 5; threads++) {
    tarei_team *team;
    assert_int_equal(tarei_team_new(threads, &team, NULL), TARE_OK);
    memset(b, 0, sizeof b);
    sweep_with(team, seed, a, b);
    assert_memory_equal(a, alone, sizeof a);
    tarei_team_free(team);
  }
}

/* Every item waits until all have begun: as many threads have to take part. */
static void meet(const void *const user, const size_t item, const int thread) {
  (void)item;
  (void)thread;
  _Atomic int *const waiting = *(_Atomic int *const *)user;
  --*waiting;
  while (*waiting > 0) {
    (void)sched_yield();
  }
}

/* Each round has a team of its own: one that lost a core before might leave threads out. */
static void sleeping_threads_get_up(void **const state) {
  (void)state;
  for (int round = 0; round < 20; round++) {
    tarei_team *team;
    assert_int_equal(tarei_team_new(4, &team, NULL), TARE_OK);
    _Atomic int waiting = 4;
    (void)usleep(round % 3 * 1000);
    tarei_team_wake(round % 2 ? team : NULL);
    tarei_team_run(team, 4, meet, &(_Atomic int *){&waiting});
    assert_int_equal(waiting, 0);
    tarei_team_free(team);
  }
}

static void ends_at_any_moment(void **const state) {
  (void)state;
  for (int round = 0; round < 200; round++) {
    tarei_team *team;
    static tally t;
    memset(&t, 0, sizeof t);
    t.threads = 3;
    assert_int_equal(tarei_team_new(3, &team, NULL), TARE_OK);
    (void)usleep(round % 4 * 40);
    tarei_team_run(team, (size_t)round % 7, count, &(tally *){&t});
    check_tally(&t, (size_t)round % 7);
    tarei_team_free(team);
  }
}

/* An item of another thread than the caller's loses its core: it sleeps. */
typedef struct sleepy {
  _Atomic int others; /* items that other threads did */
  _Atomic int wanted; /* the caller takes its time until they have done so many */
  _Atomic bool awake;
} sleepy;

static void sleep_in_others(const void *const user, const size_t item, const int thread) {
  sleepy *const s = *(sleepy *const *)user;
  (void)item;
  if (thread > 0) {
    s->others++;
    const struct timespec nap = {0, s->awake ? 0 : 20000000};
    nanosleep(&nap, NULL);
  } else if (s->others < s->wanted) {
    const struct timespec nap = {0, 200000};
    nanosleep(&nap, NULL);
  }
}

/* Runs until another thread than the caller has done an item. */
static void run_until_others_work(tarei_team *const team, sleepy *const s) {
  s->wanted = s->others + 1;
  for (int i = 0; s->others < s->wanted && i < 1000; i++) {
    tarei_team_run(team, 64, sleep_in_others, &(sleepy *){s});
  }
  assert_true(s->others >= s->wanted);
}

/* The next run goes without it, unless the caller comes to it too late; later ones do not. */
static void leaves_out_threads_that_lose_their_core(void **const state) {
  (void)state;
  tarei_team *team;
  assert_int_equal(tarei_team_new(2, &team, NULL), TARE_OK);
  sleepy s = {0};
  bool left_out = false;
  for (int i = 0; !left_out && i < 100; i++) {
    run_until_others_work(team, &s);
    s.wanted = s.others + 1;
    tarei_team_run(team, 64, sleep_in_others, &(sleepy *){&s});
    left_out = s.others < s.wanted;
  }
  assert_true(left_out);
  s.awake = true;
  run_until_others_work(team, &s);
  tarei_team_free(team);
}

static void counts_allowed_cores(void **const state) {
  (void)state;
  const int cores = tare_cores();
  assert_true(cores >= 1);
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all) != 0) {
    return;
  }
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++) {
    if (CPU_ISSET(i, &all)) {
      CPU_SET(i, &one);
    }
  }
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  assert_int_equal(tare_cores(), 1);
  assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
  assert_int_equal(tare_cores(), cores);
}

int team_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(does_every_item_once),
      cmocka_unit_test(no_team_is_the_caller),
      cmocka_unit_test(later_runs_see_earlier_ones),
      cmocka_unit_test(sleeping_threads_get_up),
      cmocka_unit_test(ends_at_any_moment),
      cmocka_unit_test(counts_allowed_cores),
      cmocka_unit_test(leaves_out_threads_that_lose_their_core),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
