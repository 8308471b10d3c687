/* The course of a calibration by ranks, from joining to leaving. */
#include "tools/ranks/ranks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/ranks/module.h"
#include "tools/ranks/ranks_state.h"
#include "tools/say.h"
#include "tools/debug/scratch.h"

static const double SILENCE_OF_FIRST = 1.5; /* times that of others: these are given up before */
enum { BEATS_PER_SILENCE = 10 };

/* --- messages --------------------------------------------------------------------------------- */

static void ranks_take_members(ranks *const r, const message *const m, const char *const payload,
                               const size_t bytes) {
  r->round = m->round;
  r->members = cli_realloc(r->members, bytes + 1, 1);
  memcpy(r->members, payload, bytes);
  r->n_members = (int)(bytes / sizeof *r->members);
  r->order = MESSAGE_REDUCE;
}

static void ranks_take_range(ranks *const r, const message *const m) {
  r->asking = false;
  r->no_more = m->a == m->b;
  if (!r->no_more) {
    r->own = cli_realloc(r->own, (size_t)r->n_own + 1, sizeof *r->own);
    r->own[r->n_own++] = (sample_range){.first = m->a, .end = m->b};
  }
}

static void ranks_hear(void *const user, const int from, const message *const m,
                       const char *const payload, const size_t bytes) {
  ranks *const r = user;
  r->heard = from == 0 ? cli_now() : r->heard;
  switch (m->kind) {
    case MESSAGE_GIVE:
      ranks_take_range(r, m);
      break;
    case MESSAGE_AGAIN:
      r->order = MESSAGE_AGAIN;
      break;
    case MESSAGE_REDUCE:
      ranks_take_members(r, m, payload, bytes);
      break;
    case MESSAGE_PART:
      parcels_add(&r->parcels, from, m, payload, bytes);
      break;
    case MESSAGE_STOP:
      r->stopped = true;
      break;
    case MESSAGE_LEAVE:
      r->post.may_leave = true;
      r->post.lost = r->post.lost || m->a;
      break;
    default:
      break; /* to rank 0 */
  }
  if (r->post.rank == 0) {
    coordinator_hear(&r->coordinator, from, m, payload, bytes);
  }
}

static double first_silence(const ranks *const r) {
  return SILENCE_OF_FIRST * r->post.silence;
}

static void ranks_tick(void *const user, const double now) {
  ranks *const r = user;
  if (now - r->beaten >= r->post.silence / BEATS_PER_SILENCE) {
    r->beaten = now;
    post_tell_first(&r->post, MESSAGE_BEAT, r->done, 0, NULL, 0);
    if (r->post.rank == 0) {
      coordinator_beat(&r->coordinator);
    }
  }
  if (r->post.rank == 0) {
    coordinator_tick(&r->coordinator, now);
  } else if (!r->post.may_leave && now - r->heard > first_silence(r)) {
    r->first_is_silent = !r->stopped;
    r->stopped = r->post.may_leave = r->post.lost = true;
  }
}

/* --- opening ---------------------------------------------------------------------------------- */

static tare_status ranks_check_size(const ranks *const r, const launched *const by,
                                    tare_error *const err) {
  return r->post.size == by->size
             ? TARE_OK
             : cli_fail(err, TARE_E_USAGE,
                        "%s is %" PRId64
                        ", but for %s there %s %d: use mpirun of the MPI that tare "
                        "was built with",
                        by->by, by->size, r->post.library, r->post.size == 1 ? "is" : "are",
                        r->post.size);
}

static void ranks_introduce(const ranks *const r) {
  say(r->common, "%d ranks by %s", r->post.size, r->post.library);
  if (!ranks_survive()) {
    say(r->common,
        "a rank that dies ends the others: with mpirun --enable-recovery they count its samples");
  }
}

static void ranks_joined(void *const user) {
  ranks *const r = user;
  if (r->post.rank == 0) {
    coordinator_init(&r->coordinator, &r->post, r->common);
  }
}

static tare_status ranks_join(ranks *const r, const launched *const by, tare_error *const err) {
  const transport *module;
  CLI_TRY(ranks_load_module(by, &module, err));
  r->heard = cli_now();
  r->post.joined = ranks_joined;
  r->post.arrived = ranks_hear;
  r->post.tick = ranks_tick;
  r->post.user = r;
  CLI_TRY(post_open(&r->post, module, err));
  r->left = false;
  return ranks_check_size(r, by, err);
}

tare_status ranks_open(opt_common *const common, const double silence, ranks **const out,
                       tare_error *const err) {
  const launched by = ranks_launched();
  if (by.size < 2) {
    return TARE_OK;
  }
  if (by.rank > 0) {
    common->quiet = true;
    common->progress = common->verbose = common->json = false;
  }
  ranks *const r = cli_realloc(NULL, 1, sizeof *r);
  *r = (ranks){.common = common, .left = true, .first = by.rank == 0, .post = {.silence = silence}};
  *out = r;
  CLI_TRY(ranks_join(r, &by, err));
  if (r->first) {
    ranks_introduce(r);
  }
  return scratch_make(err);
}

/* --- the whole -------------------------------------------------------------------------------- */

static void ranks_greet(ranks *const r, const tare_dataset *const dataset) {
  rank_hello payload = {.cores = {.threads = r->common->threads}};
  (void)gethostname(payload.machine, sizeof payload.machine - 1);
  if (sched_getaffinity(0, sizeof payload.cores.set, &payload.cores.set) != 0) {
    CPU_ZERO(&payload.cores.set); /* more cores than the set has room for */
  }
  const size_t bytes = offsetof(rank_hello, machine) + strlen(payload.machine);
  (void)pthread_mutex_lock(&r->post.mutex);
  post_tell_first(&r->post, MESSAGE_HELLO, r->total, (int64_t)tare_dataset_hash(dataset), &payload,
                  bytes);
  (void)pthread_mutex_unlock(&r->post.mutex);
}

/* Waits for what rank 0 wants next. STOP if it is the end. */
static message_kind ranks_await_order(ranks *const r, const ranks_work *const work,
                                      rank_reduction *const tree) {
  message_kind order = MESSAGE_BEAT;
  while (order == MESSAGE_BEAT) {
    (void)ranks_show_progress(r, work);
    (void)pthread_mutex_lock(&r->post.mutex);
    if (!r->stopped && r->order == MESSAGE_BEAT) {
      post_wait(&r->post);
    }
    order = r->stopped ? MESSAGE_STOP : r->order;
    r->order = MESSAGE_BEAT;
    *tree = ranks_reduction(r);
    (void)pthread_mutex_unlock(&r->post.mutex);
  }
  return order;
}

/* Until rank 0 says that it is the end, or has the sum. */
static tare_status ranks_work_on(ranks *const r, const ranks_work *const work,
                                 tare_stats **const sum, tare_error *const err) {
  message_kind order = MESSAGE_AGAIN;
  rank_reduction tree = {0};
  while (order != MESSAGE_STOP && !*sum) {
    CLI_TRY(order == MESSAGE_AGAIN ? ranks_run_pass(r, work, err)
                                   : ranks_reduce(r, work, &tree, sum, err));
    order = *sum ? MESSAGE_STOP : ranks_await_order(r, work, &tree);
  }
  return TARE_OK;
}

static void ranks_close(ranks *const r) {
  if (!post_close(&r->post)) {
    say(r->common, "a rank has died while all were ending: the others do not wait for it");
  }
  r->left = true;
}

/* Gives rank 0 the cores of the ranks of its machine, which have ended: mpirun has bound each to
 * its own. Returns how many threads may use them. */
static int ranks_take_cores(const ranks *const r, const int threads) {
  const rank_state *const all = r->coordinator.ranks;
  cpu_set_t cores;
  int n = 0;
  CPU_ZERO(&cores);
  for (int i = 0; i < r->post.size; i++) {
    if (all[i].phase == RANK_IDLE && strcmp(all[i].machine, all[0].machine) == 0) {
      CPU_OR(&cores, &cores, &all[i].cores.set);
      n += all[i].cores.threads;
    }
  }
  const int most = CPU_COUNT(&cores);
  (void)sched_setaffinity(0, sizeof cores, &cores); /* an empty set changes nothing */
  return threads == 0 ? 0 : n < most ? n : most > threads ? most : threads;
}

/* The others may end; rank 0 decides about weights alone. */
static tare_status ranks_finish(ranks *const r, ranks_work *const work, tare_stats *const sum,
                                tare_stats **const out, tare_error *const err) {
  if (tare_stats_n_counted(sum) == 0) {
    return cli_fail(err, TARE_E_INPUT, "no usable sample in the data (%s)",
                    tare_dataset_describe(work->dataset));
  }
  (void)pthread_mutex_lock(&r->post.mutex);
  coordinator_stop(&r->coordinator);
  ranks_collect(r, work);
  tare_calibrate_options o = *work->options;
  o.threads = ranks_take_cores(r, o.threads);
  (void)pthread_mutex_unlock(&r->post.mutex);
  post_begin_close(&r->post);
  const tare_status status = tare_stats_decide(work->model, sum, &o, out, err);
  ranks_close(r);
  return status;
}

tare_status ranks_calibrate(ranks *const r, ranks_work *const work, tare_stats **const out,
                            tare_error *const err) {
  tare_stats *sum = NULL;
  ranks_greet(r, work->dataset);
  tare_status status = ranks_work_on(r, work, &sum, err);
  if (status == TARE_OK && sum) {
    status = ranks_finish(r, work, sum, out, err);
  }
  tare_stats_free(&sum);
  return status;
}

/* --- leaving ---------------------------------------------------------------------------------- */

/* Says that this rank cannot go on, and waits until rank 0 has heard it. */
static void ranks_give_up(ranks *const r, const tare_status status, const tare_error *const err) {
  (void)pthread_mutex_lock(&r->post.mutex);
  if (!r->stopped) {
    const char *const text = err->message;
    post_tell_first(&r->post, MESSAGE_FAIL, status, 0, text, strlen(text));
  }
  while (!r->stopped) {
    post_wait(&r->post);
  }
  (void)pthread_mutex_unlock(&r->post.mutex);
}

/* mpirun ends a job at the first rank that fails, maybe before rank 0 has said why: only that one
 * fails. */
static tare_status ranks_result(const ranks *const r, tare_error *const err) {
  *err = (tare_error){0};
  if (r->first_is_silent) {
    return cli_fail(err, TARE_E_IO,
                    "rank %d: rank 0 does not answer for %.0f s: nothing is written", r->post.rank,
                    first_silence(r));
  }
  return r->post.rank == 0 && r->coordinator.failed != TARE_OK
             ? cli_fail(err, r->coordinator.failed, "%s", r->coordinator.why)
             : TARE_OK;
}

tare_status ranks_leave(ranks *const r, const tare_status status, tare_error *const err) {
  if (!r || r->left) {
    return status;
  }
  if (status != TARE_OK) {
    ranks_give_up(r, status, err);
  }
  scratch_remove(); /* before rank 0 ends the job */
  ranks_close(r);
  return ranks_result(r, err);
}

void ranks_free(ranks **const handle) {
  ranks *const r = *handle;
  scratch_remove();
  if (r && !r->post.stuck) {
    coordinator_fini(&r->coordinator);
    parcels_fini(&r->parcels);
    tare_stats_free(&r->kept);
    free(r->members);
    free(r->own);
    free(r->bad);
    free(r);
  }
  *handle = NULL;
}
