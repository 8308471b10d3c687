/* Adding up: the statistics of ranks go along a binary tree to rank 0. */
#include <stdio.h>
#include <stdlib.h>

#include "tools/ranks/ranks_state.h"
#include "tools/debug/scratch.h"

enum { PIECE_BYTES = 4 << 20 };

/* Sends the statistics of a file up the tree. With the mutex unlocked. */
static tare_status ranks_send_part(ranks *const r, const int to, const int64_t round,
                                   const char *const path, tare_error *const err) {
  FILE *const f = fopen(path, "rb");
  char *const piece = cli_realloc(NULL, PIECE_BYTES, 1);
  const bool sized = f && fseek(f, 0, SEEK_END) == 0;
  const int64_t bytes = sized ? ftell(f) : -1;
  int64_t at = 0;
  size_t n = bytes > 0 && fseek(f, 0, SEEK_SET) == 0 ? fread(piece, 1, PIECE_BYTES, f) : 0;
  for (; n > 0; n = fread(piece, 1, PIECE_BYTES, f)) {
    const message m = {.kind = MESSAGE_PART, .round = round, .a = at, .b = bytes};
    (void)pthread_mutex_lock(&r->post.mutex);
    post_send(&r->post, to, &m, piece, n);
    (void)pthread_mutex_unlock(&r->post.mutex);
    at += (int64_t)n;
  }
  free(piece);
  if (f) {
    (void)fclose(f); /* was only read */
  }
  return bytes > 0 && at == bytes ? TARE_OK
                                  : cli_fail(err, TARE_E_IO, "%s: cannot be read again", path);
}

/* Waits for the part of a child, as long as the round goes on. With the mutex unlocked. */
static parcel *ranks_await_part(ranks *const r, const ranks_work *const work, const int from,
                                const int64_t round) {
  parcel *p = NULL;
  bool go_on = true;
  while (!p && go_on) {
    (void)ranks_show_progress(r, work);
    (void)pthread_mutex_lock(&r->post.mutex);
    go_on = !r->stopped && r->order == MESSAGE_BEAT;
    p = go_on ? parcels_take(&r->parcels, from, round) : NULL;
    if (go_on && !p) {
      post_wait(&r->post);
    }
    (void)pthread_mutex_unlock(&r->post.mutex);
  }
  return p;
}

static tare_status ranks_add_part(const parcel *const p, tare_stats *const sum,
                                  tare_error *const err) {
  tare_stats *more = NULL;
  const char *const path = scratch_path(SCRATCH_MORE);
  CLI_TRY(tare_write_file(path, p->data, p->bytes, err));
  CLI_TRY(tare_stats_load(path, &more, err));
  tare_status status = tare_stats_merge(sum, more, true /* count_equal */, NULL, err);
  if (status != TARE_OK) {
    char *const whose = cli_format("the statistics of rank %d", p->from);
    status = cli_fail_in(err, status, whose);
    free(whose);
  }
  tare_stats_free(&more);
  return status;
}

rank_reduction ranks_reduction(const ranks *const r) {
  rank_reduction t = {.round = r->round, .parent = -1};
  while (t.place < r->n_members - 1 && r->members[t.place] != r->post.rank) {
    t.place++;
  }
  for (int i = 0; i < 2; i++) {
    const int child = 2 * t.place + 1 + i;
    t.children[i] = child < r->n_members ? r->members[child] : -1;
  }
  if (t.place > 0) {
    t.parent = r->members[(t.place - 1) / 2];
  }
  return t;
}

/* Adds the parts of the children once all are there: until then, `sum` is what it was. *whole: they
 * came. */
static tare_status ranks_add_children(ranks *const r, const ranks_work *const work,
                                      const rank_reduction *const t, tare_stats *const sum,
                                      bool *const whole, tare_error *const err) {
  parcel *parts[2] = {0};
  tare_status status = TARE_OK;
  *whole = true;
  for (int i = 0; i < 2 && t->children[i] >= 0 && *whole; i++) {
    parts[i] = ranks_await_part(r, work, t->children[i], t->round);
    *whole = parts[i] != NULL;
  }
  for (int i = 0; i < 2 && *whole && parts[i] && status == TARE_OK; i++) {
    status = ranks_add_part(parts[i], sum, err);
  }
  parcel_free(parts[0]);
  parcel_free(parts[1]);
  return status;
}

/* The root gives away its own with the sum. */
static tare_status reduce_at_root(ranks *const r, const ranks_work *const work,
                                  const rank_reduction *const t, tare_stats **const out,
                                  tare_error *const err) {
  bool whole = false;
  CLI_TRY(ranks_add_children(r, work, t, r->kept, &whole, err));
  if (whole) {
    *out = r->kept;
    r->kept = NULL;
  }
  return TARE_OK;
}

static tare_status reduce_inside(ranks *const r, const ranks_work *const work,
                                 const rank_reduction *const t, tare_error *const err) {
  const char *const path = scratch_path(SCRATCH_MORE);
  bool whole = false;
  tare_stats *sum = NULL;
  CLI_TRY(tare_stats_load(scratch_path(SCRATCH_OWN), &sum, err));
  tare_status status = ranks_add_children(r, work, t, sum, &whole, err);
  if (status == TARE_OK && whole) {
    status = tare_stats_save(sum, path, err);
  }
  tare_stats_free(&sum);
  CLI_TRY(status);
  return whole ? ranks_send_part(r, t->parent, t->round, path, err) : TARE_OK;
}

tare_status ranks_reduce(ranks *const r, const ranks_work *const work,
                         const rank_reduction *const t, tare_stats **const out,
                         tare_error *const err) {
  if (t->parent < 0) {
    return reduce_at_root(r, work, t, out, err);
  }
  return t->children[0] < 0
             ? ranks_send_part(r, t->parent, t->round, scratch_path(SCRATCH_OWN), err)
             : reduce_inside(r, work, t, err);
}
