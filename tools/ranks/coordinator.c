#include "tools/ranks/coordinator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/say.h"

/* Ranks take a share of what is left, so that a slow one does not hold up the others at the end. */
enum { SHARES_PER_RANK = 8, MOST_AT_ONCE = 32 };

void coordinator_init(coordinator *const c, post *const by, const opt_common *const common) {
  *c = (coordinator){.by = by, .common = common};
  c->ranks = cli_realloc(NULL, (size_t)by->size, sizeof *c->ranks);
  for (int r = 0; r < by->size; r++) {
    c->ranks[r] = (rank_state){.heard = cli_now(), .asks = -1};
  }
}

void coordinator_fini(coordinator *const c) {
  for (int r = 0; c->ranks && r < c->by->size; r++) {
    free(c->ranks[r].machine);
    free(c->ranks[r].bad);
  }
  free(c->ranks);
  free(c->why);
  assignment_fini(&c->work);
  *c = (coordinator){0};
}

static void coordinator_tell(coordinator *const c, const int to, const message_kind kind,
                             const int64_t a, const int64_t b) {
  const message m = {.kind = kind, .round = c->round, .a = a, .b = b};
  post_send(c->by, to, &m, NULL, 0);
}

static bool is_given_up(const rank_state *const r) {
  return r->phase == RANK_LOST || r->gone;
}

void coordinator_beat(coordinator *const c) {
  for (int r = 1; r < c->by->size; r++) {
    if (!is_given_up(&c->ranks[r])) {
      coordinator_tell(c, r, MESSAGE_BEAT, 0, 0);
    }
  }
}

void coordinator_stop(coordinator *const c) {
  c->stopped = true;
  for (int r = 0; r < c->by->size; r++) {
    coordinator_tell(c, r, MESSAGE_STOP, 0, 0);
  }
}

/* Once all ranks that live are at their end: leaving waits for all, and may not if some have died.
 */
static void coordinator_leave(coordinator *const c) {
  bool all = !c->left;
  for (int r = 0; r < c->by->size; r++) {
    const rank_state *const s = &c->ranks[r];
    all = all && (s->bye || is_given_up(s));
  }
  for (int r = 0; r < c->by->size && all; r++) {
    coordinator_tell(c, r, MESSAGE_LEAVE, c->by->lost, 0);
    c->left = true;
  }
}

int64_t coordinator_done(const coordinator *const c) {
  int64_t done = 0;
  for (int r = 0; r < c->by->size; r++) {
    done += c->ranks[r].phase != RANK_LOST ? c->ranks[r].done : 0;
  }
  return done;
}

/* --- what ranks say --------------------------------------------------------------------------- */

/* Ends the work of all ranks after a failure, unless there was one before. */
static void coordinator_fail(coordinator *const c, const int rank, const tare_status status,
                             const char *const text, const size_t bytes) {
  if (c->failed != TARE_OK) {
    return; /* the first one says enough */
  }
  c->failed = status;
  c->why = cli_format("rank %d: %.*s", rank, (int)bytes, text);
  coordinator_stop(c);
}

static void coordinator_greet(coordinator *const c, const int from, const message *const m,
                              const char *const payload, const size_t bytes) {
  rank_state *const r = &c->ranks[from];
  if (bytes < sizeof r->cores) {
    return;
  }
  memcpy(&r->cores, payload, sizeof r->cores);
  free(r->machine);
  r->machine = cli_format("%.*s", (int)(bytes - sizeof r->cores), payload + sizeof r->cores);
  r->total = m->a;
  r->data = (uint64_t)m->b;
  r->phase = RANK_COUNTING;
  if (from == 0) {
    assignment_init(&c->work, m->a);
    c->began = true;
  }
}

static bool has_same_data(coordinator *const c, const int rank) {
  const rank_state *const r = &c->ranks[rank], *const first = &c->ranks[0];
  if (r->total == first->total && r->data == first->data) {
    return true;
  }
  char *const text =
      cli_format("the data on %s (%" PRId64 " samples) are others than those of rank 0 (%" PRId64
                 " samples) or have other names: all machines need the same data",
                 r->machine, r->total, first->total);
  coordinator_fail(c, rank, TARE_E_INPUT, text, strlen(text));
  free(text);
  return false;
}

static void coordinator_give(coordinator *const c, const int to) {
  const int64_t share = c->work.n_free / (SHARES_PER_RANK * c->by->size);
  const int64_t most = share < 1 ? 1 : share < MOST_AT_ONCE ? share : MOST_AT_ONCE;
  sample_range given = {0};
  if (has_same_data(c, to)) {
    (void)assignment_take(&c->work, to, c->ranks[to].asks, most, &given); /* or none */
    coordinator_tell(c, to, MESSAGE_GIVE, given.first, given.end);
    c->ranks[to].asks = -1;
  }
}

static void coordinator_note(coordinator *const c, const int from, const char *const payload,
                             const size_t bytes) {
  rank_state *const r = &c->ranks[from];
  if (bytes < sizeof r->report) {
    return;
  }
  memcpy(&r->report, payload, sizeof r->report);
  r->phase = RANK_IDLE;
  r->done = r->report.done;
  r->bad_bytes = bytes - sizeof r->report;
  r->bad = cli_realloc(r->bad, r->bad_bytes + 1, 1);
  memcpy(r->bad, payload + sizeof r->report, r->bad_bytes);
}

void coordinator_hear(coordinator *const c, const int from, const message *const m,
                      const char *const payload, const size_t bytes) {
  rank_state *const r = &c->ranks[from];
  if (r->phase == RANK_LOST) { /* others count its samples by now */
    coordinator_tell(c, from, MESSAGE_STOP, 0, 0);
    coordinator_tell(c, from, MESSAGE_LEAVE, true, 0);
    return;
  }
  r->heard = cli_now();
  switch (m->kind) {
    case MESSAGE_HELLO:
      coordinator_greet(c, from, m, payload, bytes);
      break;
    case MESSAGE_BEAT:
      r->done = m->a;
      break;
    case MESSAGE_ASK:
      r->asks = m->a;
      break;
    case MESSAGE_COUNTED:
      coordinator_note(c, from, payload, bytes);
      break;
    case MESSAGE_BYE:
      r->bye = true;
      break;
    case MESSAGE_FAIL:
      coordinator_fail(c, from, (tare_status)m->a, payload, bytes);
      break;
    default:
      break; /* what others send to a rank, also to rank 0 */
  }
}

/* --- what comes next -------------------------------------------------------------------------- */

static void coordinator_lose(coordinator *const c, const int rank) {
  rank_state *const r = &c->ranks[rank];
  const int64_t n = assignment_return(&c->work, rank);
  r->phase = RANK_LOST;
  say(c->common,
      "rank %d%s%s does not answer for %.0f s and is given up: the others count its %" PRId64
      " sample%s",
      rank, r->machine ? " on " : "", r->machine ? r->machine : "", c->by->silence, n, cli_s(n));
  if (c->reducing) { /* what it has added up may be gone with it */
    c->reducing = false;
  }
}

/* After the work, what it has counted counts. */
static void coordinator_leave_behind(coordinator *const c, const int rank) {
  c->ranks[rank].gone = true;
  say(c->common, "rank %d does not answer for %.0f s: the others end without it", rank,
      c->by->silence);
}

static void coordinator_start_again(coordinator *const c) {
  for (int r = 0; r < c->by->size; r++) {
    if (c->ranks[r].phase == RANK_IDLE) {
      c->ranks[r].phase = RANK_COUNTING;
      coordinator_tell(c, r, MESSAGE_AGAIN, 0, 0);
    }
  }
}

static void coordinator_reduce(coordinator *const c) {
  int32_t *const idle = cli_realloc(NULL, (size_t)c->by->size, sizeof *idle);
  size_t n = 0;
  for (int r = 0; r < c->by->size; r++) {
    if (c->ranks[r].phase == RANK_IDLE) {
      idle[n++] = r;
    }
  }
  c->reducing = true;
  const message m = {.kind = MESSAGE_REDUCE, .round = ++c->round};
  for (size_t i = 0; i < n; i++) {
    post_send(c->by, idle[i], &m, idle, n * sizeof *idle);
  }
  free(idle);
}

static void find_silent(coordinator *const c, const double now) {
  for (int r = 1; r < c->by->size; r++) {
    const rank_state *const s = &c->ranks[r];
    if (!is_given_up(s) && now - s->heard > c->by->silence) {
      c->by->lost = true;
      (c->stopped ? coordinator_leave_behind : coordinator_lose)(c, r);
    }
  }
}

/* Ranks that are still loading do not take part if all is counted without them. */
void coordinator_tick(coordinator *const c, const double now) {
  find_silent(c, now);
  if (c->stopped) {
    coordinator_leave(c);
    return;
  }
  int n_counting = 0;
  for (int r = 0; r < c->by->size && c->began; r++) {
    const bool counts = c->ranks[r].phase == RANK_COUNTING;
    n_counting += counts;
    if (counts && c->ranks[r].asks >= 0) {
      coordinator_give(c, r);
    }
  }
  if (!c->began || c->stopped || c->reducing) { /* a rank with other data stops all */
    return;
  }
  if (c->work.n_free > 0) {
    coordinator_start_again(c);
  } else if (n_counting == 0) {
    coordinator_reduce(c);
  }
}
