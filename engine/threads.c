#include "engine/threads.h"

#include <assert.h>
#include <string.h>

#define RANGES 4                /* for each thread */
#define PIECE ((size_t)1 << 15) /* bytes that are worth copying elsewhere */

typedef struct threads_cut {
  size_t n, ranges;
  tarei_range_fn fn;
  const void *user;
} threads_cut;

/* Ranges of one size, but for a rest that the first ones share. */
static size_t threads_begin_of(const threads_cut *const c, const size_t i) {
  const size_t rest = c->n % c->ranges;
  return c->n / c->ranges * i + (i < rest ? i : rest);
}

static void one_range(const void *const user, const size_t item, const int thread) {
  const threads_cut *const c = user;
  c->fn(c->user, threads_begin_of(c, item), threads_begin_of(c, item + 1), thread);
}

void tarei_ranges(const tarei_run *const run, const size_t n, const size_t least,
                  const tarei_range_fn fn, const void *const user) {
  assert(least > 0);
  const size_t most = run->threads > 1 ? (size_t)run->threads * RANGES : 1, wanted = n / least;
  const threads_cut c = {.n = n, .ranges = wanted < most ? wanted : most, .fn = fn, .user = user};
  if (c.ranges > 1) {
    tarei_team_run(run->team, c.ranges, one_range, &c);
  } else if (n) {
    fn(user, 0, n, 0);
  }
}

void tarei_row_ranges(const tarei_run *const run, const size_t rows, const size_t row,
                      const size_t least, const tarei_range_fn fn, const void *const user) {
  tarei_ranges(run, rows, row && row < least ? (least + row - 1) / row : 1, fn, user);
}

typedef struct threads_copy {
  char *to;
  const char *from;
  size_t bytes;
} threads_copy;

static void copy_pieces(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  const threads_copy *const c = user;
  const size_t at = first * PIECE, rest = c->bytes - at, n = (end - first) * PIECE;
  memcpy(c->to + at, c->from + at, n < rest ? n : rest);
}

void tarei_copy(const tarei_run *const run, void *const to, const void *const from,
                const size_t bytes) {
  const threads_copy c = {to, from, bytes};
  tarei_ranges(run, bytes / PIECE + (bytes % PIECE != 0), 1, copy_pieces, &c);
}
