/*
 * What rank 0 decides, with ranks that are played: messages go through queues in memory, of which
 * any may be slow. Whatever happens, the ranks that add up at the end have counted each sample
 * once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/ranks/coordinator.h"
#include "unit/ranks/random.h"
#include "unit/seed.h"

enum { MOST_RANKS = 8, MOST_SAMPLES = 200, MOST_STEPS = 20000, DATA = 77 };

/* --- messages and time, instead of post.c and of the clock of cli.c
 * ----------------------------------- */

typedef struct letter {
  struct letter *next;
  message head;
  size_t bytes;
  char payload[];
} letter;

typedef struct queue {
  letter *first, **end;
} queue;

static queue to_first[MOST_RANKS], from_first[MOST_RANKS];
static double now;

double __wrap_cli_now(void); /* the linker puts it in place of the clock */
double __wrap_cli_now(void) {
  return now;
}

static void queue_put(queue *const q, const message *const head, const void *const payload,
                      const size_t bytes) {
  letter *const l = malloc(sizeof *l + bytes);
  assert_non_null(l);
  *l = (letter){.head = *head, .bytes = bytes};
  if (bytes) {
    memcpy(l->payload, payload, bytes);
  }
  *q->end = l;
  q->end = &l->next;
}

/* The oldest letter, which the caller frees; NULL: none. */
static letter *queue_take(queue *const q) {
  letter *const l = q->first;
  if (l) {
    q->first = l->next;
    q->end = l->next ? q->end : &q->first;
  }
  return l;
}

static void queues_clear(void) {
  for (int r = 0; r < MOST_RANKS; r++) {
    queue *const both[] = {&to_first[r], &from_first[r]};
    for (int i = 0; i < 2; i++) {
      for (letter *l = both[i]->end ? queue_take(both[i]) : NULL; l; l = queue_take(both[i])) {
        free(l);
      }
      both[i]->end = &both[i]->first;
    }
  }
}

void post_send(post *const p, const int to, const message *const head, const void *const payload,
               const size_t bytes) {
  assert_in_range(to, 0, p->size - 1);
  queue_put(&from_first[to], head, payload, bytes);
}

/* --- a rank that is played
 * ---------------------------------------------------------------------------- */

typedef enum phase { LOADING, COUNTING, WAITING, IDLE, ADDING, STOPPED, LEFT, DEAD } phase;

typedef struct player {
  phase phase;
  double beaten, loads_until, sleeps_until;
  int64_t at, total, data;
  sample_range last; /* given last in this pass */
  bool asked, no_more;
  int64_t round;      /* in which it has added its samples */
  bool waits_for_all; /* when it leaves */
  int counted[MOST_SAMPLES];
  int added[MOST_SAMPLES]; /* what it had counted then */
} player;

typedef struct game {
  coordinator rank0;
  post post;
  opt_common common;
  int size;
  int64_t total;
  player players[MOST_RANKS];
  int32_t members[MOST_RANKS]; /* of the last reduction */
  int n_members;
  int64_t round;
} game;

static void game_begin(game *const g, const int size, const int64_t total) {
  queues_clear();
  *g = (game){.size = size, .total = total, .common = {.quiet = true}};
  g->post.size = size;
  g->post.silence = 10;
  now = 0;
  coordinator_init(&g->rank0, &g->post, &g->common);
  for (int r = 0; r < size; r++) {
    g->players[r].total = total;
    g->players[r].data = DATA;
  }
}

static void game_end(game *const g) {
  coordinator_fini(&g->rank0);
  queues_clear();
}

static void player_say(const int rank, const message_kind kind, const int64_t a, const int64_t b,
                       const void *const payload, const size_t bytes) {
  const message m = {.kind = kind, .a = a, .b = b};
  queue_put(&to_first[rank], &m, payload, bytes);
}

static void player_hello(game *const g, const int rank) {
  char payload[sizeof(rank_cores) + 7] = {0};
  memcpy(payload + sizeof(rank_cores), "machine", 7);
  player_say(rank, MESSAGE_HELLO, g->players[rank].total, g->players[rank].data, payload,
             sizeof payload);
  g->players[rank].phase = COUNTING;
}

static void player_begin_pass(player *const p) {
  p->phase = COUNTING;
  p->at = 0;
  p->last = (sample_range){0};
  p->asked = p->no_more = false;
}

static void player_hear(game *const g, const int rank, const letter *const l) {
  player *const p = &g->players[rank];
  const message *const m = &l->head;
  switch (m->kind) {
    case MESSAGE_GIVE:
      p->asked = false;
      p->no_more = m->a == m->b;
      if (!p->no_more) {
        assert_true(m->a >= p->last.end && m->b <= p->total);
        p->last = (sample_range){.first = m->a, .end = m->b};
      }
      break;
    case MESSAGE_AGAIN:
      assert_true(p->phase == IDLE || p->phase == ADDING);
      player_begin_pass(p);
      break;
    case MESSAGE_REDUCE:
      assert_true(p->phase == IDLE || p->phase == ADDING);
      p->phase = ADDING;
      p->round = m->round;
      memcpy(p->added, p->counted, sizeof p->added);
      if (rank == 0) {
        g->round = m->round;
        g->n_members = (int)(l->bytes / sizeof *g->members);
        memcpy(g->members, l->payload, l->bytes);
      }
      break;
    case MESSAGE_STOP:
      p->phase = STOPPED;
      player_say(rank, MESSAGE_BYE, 0, 0, NULL, 0);
      break;
    case MESSAGE_LEAVE:
      p->phase = LEFT;
      p->waits_for_all = m->a == 0;
      break;
    default:
      fail_msg("rank %d got message %d", rank, (int)m->kind);
  }
}

static int64_t player_done(const player *const p) {
  int64_t n = 0;
  for (int64_t i = 0; i < p->total; i++) {
    n += p->counted[i];
  }
  return n;
}

/* Goes on with its pass by one sample. */
static void player_step(player *const p, const int rank) {
  if (p->at == p->total || (p->at >= p->last.end && p->no_more)) {
    const rank_report report = {.done = player_done(p)};
    p->phase = IDLE;
    player_say(rank, MESSAGE_COUNTED, 0, 0, &report, sizeof report);
  } else if (p->at < p->last.end) {
    p->counted[p->at] += p->at >= p->last.first;
    p->at++;
  } else if (!p->asked) {
    p->asked = true;
    player_say(rank, MESSAGE_ASK, p->at, 0, NULL, 0);
  }
}

static void player_live(game *const g, const int rank, uint64_t *const seed) {
  player *const p = &g->players[rank];
  if (p->phase >= LEFT || now < p->sleeps_until) {
    return;
  }
  if (now - p->beaten >= 1) {
    p->beaten = now;
    player_say(rank, MESSAGE_BEAT, player_done(p), 0, NULL, 0);
  }
  for (int64_t n = random_below(seed, 4); n > 0 && p->phase < LEFT; n--) {
    letter *const l = queue_take(&from_first[rank]);
    if (l) {
      player_hear(g, rank, l);
    }
    free(l);
  }
  if (p->phase == LOADING && now >= p->loads_until) {
    player_hello(g, rank);
  }
  for (int64_t n = random_below(seed, 12); n > 0 && p->phase == COUNTING; n--) {
    player_step(p, rank);
  }
}

/* All members of the last reduction have added their samples. */
static bool game_has_sum(const game *const g) {
  bool all = g->n_members > 0;
  for (int i = 0; i < g->n_members; i++) {
    all = all && g->players[g->members[i]].round == g->round;
  }
  return all;
}

static void game_step(game *const g, uint64_t *const seed) {
  now += (double)random_below(seed, 200) / 1000;
  for (int r = 0; r < g->size; r++) {
    player_live(g, r, seed);
    for (int64_t n = 1 + random_below(seed, 3); n > 0; n--) {
      letter *const l = queue_take(&to_first[r]);
      if (l) {
        coordinator_hear(&g->rank0, r, &l->head, l->payload, l->bytes);
      }
      free(l);
    }
  }
  coordinator_tick(&g->rank0, now);
}

/* Until the sum is there, or rank 0 has heard of a failure. */
static void game_play(game *const g, uint64_t *const seed) {
  for (int step = 0; !game_has_sum(g) && g->rank0.failed == TARE_OK; step++) {
    if (step == MOST_STEPS) {
      fail_msg("no end after %d steps", step);
    }
    game_step(g, seed);
  }
}

static void expect_each_once(const game *const g) {
  for (int64_t i = 0; i < g->total; i++) {
    int n = 0;
    for (int m = 0; m < g->n_members; m++) {
      n += g->players[g->members[m]].added[i];
    }
    if (n != 1) {
      fail_msg("sample %d of %d is counted %d times", (int)i, (int)g->total, n);
    }
  }
}

/* --- tests
 * -------------------------------------------------------------------------------------------- */

static void samples_are_shared(void **state) {
  (void)state;
  uint64_t seed = test_seed();
  for (int round = 0; round < 100; round++) {
    game g;
    game_begin(&g, 1 + (int)random_below(&seed, MOST_RANKS), random_below(&seed, MOST_SAMPLES + 1));
    game_play(&g, &seed);
    assert_int_equal(g.rank0.failed, TARE_OK);
    expect_each_once(&g);
    assert_int_equal(coordinator_done(&g.rank0), g.total);
    game_end(&g);
  }
}

/* Any ranks but the first die at any time, load for long, or are silent and come back. */
static void ranks_die_at_random(void **state) {
  (void)state;
  uint64_t seed = test_seed();
  int lost = 0, again = 0;
  for (int round = 0; round < 1000; round++) {
    game g;
    const int size = 1 + (int)random_below(&seed, MOST_RANKS);
    game_begin(&g, size, random_below(&seed, MOST_SAMPLES + 1));
    for (int r = 0; r < size; r++) {
      g.players[r].loads_until = (double)random_below(&seed, 5);
    }
    for (int step = 0; !game_has_sum(&g); step++) {
      if (step == MOST_STEPS) {
        fail_msg("no end after %d steps of round %d", step, round);
      }
      const int r = (int)random_below(&seed, size);
      const int64_t event = random_below(&seed, 120);
      if (r > 0 && event == 0) {
        g.players[r].phase = DEAD;
      } else if (r > 0 && event == 1) {
        g.players[r].sleeps_until = now + (double)random_below(&seed, 20);
      }
      game_step(&g, &seed);
    }
    assert_int_equal(g.rank0.failed, TARE_OK);
    expect_each_once(&g);
    for (int r = 0; r < size; r++) {
      lost += g.rank0.ranks[r].phase == RANK_LOST;
    }
    again += g.round > 1;
    game_end(&g);
  }
  assert_true(lost > 100 && again > 10); /* the rounds were of this kind */
}

/* A rank that is given up, but lives, is told to end, and what it says does not count. */
static void lost_ranks_are_not_heard(void **state) {
  (void)state;
  uint64_t seed = test_seed();
  game g;
  game_begin(&g, 2, 100);
  while (g.players[1].at < 3) {
    game_step(&g, &seed);
  }
  g.players[1].sleeps_until = now + 30;
  game_play(&g, &seed);
  assert_int_equal(g.rank0.ranks[1].phase, RANK_LOST);
  assert_int_equal(g.n_members, 1);
  expect_each_once(&g);
  while (g.players[1].phase != LEFT) {
    game_step(&g, &seed);
  }
  assert_int_equal(g.rank0.ranks[1].phase, RANK_LOST);
  assert_int_equal(coordinator_done(&g.rank0), 100);
  game_end(&g);
}

/* A rank that has its data when all is counted takes no part. */
static void late_ranks(void **state) {
  (void)state;
  uint64_t seed = test_seed();
  game g;
  game_begin(&g, 3, 20);
  g.players[2].loads_until = 1e9;
  game_play(&g, &seed);
  assert_int_equal(g.n_members, 2);
  expect_each_once(&g);
  player_hello(&g, 2);
  for (int i = 0; i < 100; i++) {
    game_step(&g, &seed);
  }
  assert_int_equal(g.players[2].phase, IDLE);
  assert_int_equal(g.round, 1);
  expect_each_once(&g);
  game_end(&g);
}

/* Work begins when rank 0 has its data, not before. */
static void others_wait_for_the_first(void **state) {
  (void)state;
  uint64_t seed = test_seed();
  game g;
  game_begin(&g, 3, 50);
  g.players[0].loads_until = 30;
  while (now < 29) {
    game_step(&g, &seed);
    assert_int_equal(g.players[1].at, 0);
  }
  game_play(&g, &seed);
  expect_each_once(&g);
  game_end(&g);
}

static void expect_failure(game *const g, const tare_status status, const char *const part) {
  uint64_t seed = 1;
  game_play(g, &seed);
  assert_int_equal(g->rank0.failed, status);
  if (!strstr(g->rank0.why, part)) {
    fail_msg("'%s' does not contain '%s'", g->rank0.why, part);
  }
  for (int i = 0; i < 200; i++) {
    game_step(g, &seed);
  }
  for (int r = 0; r < g->size; r++) {
    assert_int_equal(g->players[r].phase, LEFT);
  }
  game_end(g);
}

static void a_bad_sample_ends_all(void **state) {
  (void)state;
  game g;
  game_begin(&g, 3, 50);
  player_say(2, MESSAGE_FAIL, TARE_E_INPUT, 0, "x.wav: truncated", 16);
  player_say(1, MESSAGE_FAIL, TARE_E_MEMORY, 0, "out of memory", 13); /* only the first is said */
  uint64_t seed = 5;
  while (g.rank0.failed == TARE_OK) {
    game_step(&g, &seed);
  }
  if (g.rank0.failed == TARE_E_MEMORY) {
    expect_failure(&g, TARE_E_MEMORY, "rank 1: out of memory");
  } else {
    expect_failure(&g, TARE_E_INPUT, "rank 2: x.wav: truncated");
  }
}

static void other_data_end_all(void **state) {
  (void)state;
  game g;
  game_begin(&g, 4, 50);
  g.players[3].total = 49;
  expect_failure(
      &g, TARE_E_INPUT,
      "rank 3: the data on machine (49 samples) are others than those of rank 0 (50 samples)");
  game_begin(&g, 4, 50);
  g.players[2].data = DATA + 1;
  expect_failure(
      &g, TARE_E_INPUT,
      "rank 2: the data on machine (50 samples) are others than those of rank 0 (50 samples) or "
      "have other names");
}

/* Everybody leaves, in a way that does not wait for the dead. */
static void expect_leaving(game *const g, uint64_t *const seed, const bool waits_for_all) {
  int n = 0;
  for (int step = 0; n < g->size; step++) {
    if (step == MOST_STEPS) {
      fail_msg("%d of %d have not left after %d steps", g->size - n, g->size, step);
    }
    game_step(g, seed);
    n = 0;
    for (int r = 0; r < g->size; r++) {
      const player *const p = &g->players[r];
      n += p->phase >= LEFT;
      assert_true(p->phase != LEFT || p->waits_for_all == waits_for_all);
    }
  }
}

static void all_leave_together(void **state) {
  (void)state;
  uint64_t seed = test_seed();
  game g;
  game_begin(&g, 4, 50);
  g.players[3].loads_until = 40; /* it lives, and is waited for */
  game_play(&g, &seed);
  coordinator_stop(&g.rank0);
  expect_leaving(&g, &seed, true);
  game_end(&g);
}

/* What they have counted is in the sum. */
static void the_dead_are_left_behind(void **state) {
  (void)state;
  uint64_t seed = test_seed();
  game g;
  game_begin(&g, 4, 50);
  game_play(&g, &seed);
  coordinator_stop(&g.rank0);
  g.players[2].phase = DEAD;
  expect_leaving(&g, &seed, false);
  assert_int_equal(g.rank0.ranks[2].phase, RANK_IDLE);
  assert_int_equal(coordinator_done(&g.rank0), 50);
  game_end(&g);
}

/* Reports carry messages of bad samples; one that is too short is ignored. */
static void reports_are_kept(void **state) {
  (void)state;
  game g;
  game_begin(&g, 1, 5);
  char payload[sizeof(rank_report) + 6];
  const rank_report report = {.done = 4, .n_bad = 1};
  memcpy(payload, &report, sizeof report);
  memcpy(payload + sizeof report, "x.wav", 6);
  const message counted = {.kind = MESSAGE_COUNTED};
  coordinator_hear(&g.rank0, 0, &counted, payload, sizeof report - 1);
  assert_int_equal(g.rank0.ranks[0].phase, RANK_LOADING);
  coordinator_hear(&g.rank0, 0, &counted, payload, sizeof payload);
  assert_int_equal(g.rank0.ranks[0].report.n_bad, 1);
  assert_string_equal(g.rank0.ranks[0].bad, "x.wav");
  game_end(&g);
}

int coordinator_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_are_shared),        cmocka_unit_test(ranks_die_at_random),
      cmocka_unit_test(lost_ranks_are_not_heard),  cmocka_unit_test(late_ranks),
      cmocka_unit_test(others_wait_for_the_first), cmocka_unit_test(a_bad_sample_ends_all),
      cmocka_unit_test(other_data_end_all),        cmocka_unit_test(reports_are_kept),
      cmocka_unit_test(all_leave_together),        cmocka_unit_test(the_dead_are_left_behind),
  };
  return cmocka_run_group_tests_name("ranks/coordinator", tests, NULL, NULL);
}
