/* Counting: a rank takes samples from rank 0 as its data set comes to them. */
#include <stdlib.h>
#include <string.h>

#include "tools/ranks/ranks_state.h"
#include "tools/debug/scratch.h"

/* 1: this rank counts the sample; 0: it does not; -1: it has to ask. */
static int ranks_owns(const ranks *const r, const int64_t index) {
  for (int i = r->n_own - 1; i >= 0; i--) {
    if (index >= r->own[i].end) {
      return r->no_more || i + 1 < r->n_own ? 0 : -1;
    }
    if (index >= r->own[i].first) {
      return 1;
    }
  }
  return r->n_own || r->no_more ? 0 : -1;
}

static void ranks_ask(ranks *const r, const int64_t from) {
  if (!r->asking && !r->no_more) {
    r->asking = true;
    post_tell_first(&r->post, MESSAGE_ASK, from, 0, NULL, 0);
  }
}

/* Asks for the next range when the last one begins, so that the answer is there at its end. A
 * single sample is one of the last, which go to the rank that is first done. */
static void ranks_ask_ahead(ranks *const r, const int64_t index) {
  const sample_range *const last = r->n_own ? &r->own[r->n_own - 1] : NULL;
  if (last && index >= last->first && last->end - last->first > 1) {
    ranks_ask(r, last->end);
  }
}

/* For an answer of rank 0, without which the work stands still. */
static void ranks_wait(ranks *const r) {
  r->post.waits = true;
  post_wait(&r->post);
  r->post.waits = false;
}

static bool ranks_want(void *const user, const int64_t index) {
  ranks *const r = user;
  (void)pthread_mutex_lock(&r->post.mutex);
  int owns = ranks_owns(r, index);
  while (owns < 0 && !r->stopped) {
    ranks_ask(r, index);
    ranks_wait(r);
    owns = ranks_owns(r, index);
  }
  ranks_ask_ahead(r, index);
  (void)pthread_mutex_unlock(&r->post.mutex);
  return owns > 0;
}

void ranks_set_data(ranks *const r, opt_data *const data) {
  if (r) {
    data->wants = ranks_want;
    data->wants_user = r;
  }
}

void ranks_free_data(const ranks *const r, opt_data *const data) {
  if (r) {
    data->wants = NULL;
    data->wants_user = NULL;
  }
}

void ranks_set_total(ranks *const r, const int64_t total) {
  if (r) {
    r->total = total;
  }
}

/* The line of progress is that of all ranks. */
bool ranks_show_progress(ranks *const r, const ranks_work *const work) {
  const tare_calibrate_options *const o = work->options;
  int64_t done = 0;
  (void)pthread_mutex_lock(&r->post.mutex);
  if (r->post.rank == 0) {
    done = coordinator_done(&r->coordinator);
  }
  const bool go_on = !r->stopped;
  (void)pthread_mutex_unlock(&r->post.mutex);
  return go_on && (r->post.rank > 0 || !o->progress || !done ||
                   o->progress(o->progress_user, done, tare_dataset_count(work->dataset)));
}

typedef struct ranks_pass {
  ranks *ranks;
  const ranks_work *work;
} ranks_pass;

static bool ranks_progress(void *const user, const int64_t done, const int64_t total) {
  const ranks_pass *const pass = user;
  ranks *const r = pass->ranks;
  (void)total;
  (void)pthread_mutex_lock(&r->post.mutex);
  r->done = r->done_before + done;
  (void)pthread_mutex_unlock(&r->post.mutex);
  return ranks_show_progress(r, pass->work);
}

void ranks_add_left_out(tare_left_out *const sum, const tare_left_out more) {
  sum->shorter += more.shorter;
  sum->longer += more.longer;
  sum->outside += more.outside;
}

static void ranks_note_bad(ranks *const r, const tare_dataset *const dataset) {
  const char *text;
  for (int64_t i = 0; (text = tare_dataset_bad(dataset, i)) != NULL; i++) {
    const size_t bytes = strlen(text) + 1;
    r->bad = cli_realloc(r->bad, r->bad_bytes + bytes, 1);
    memcpy(r->bad + r->bad_bytes, text, bytes);
    r->bad_bytes += bytes;
  }
  int least, most;
  rank_report *const sum = &r->report;
  tare_dataset_rates(dataset, &least, &most);
  sum->least_rate =
      least && (!sum->least_rate || least < sum->least_rate) ? least : sum->least_rate;
  sum->most_rate = most > sum->most_rate ? most : sum->most_rate;
  sum->n_bad += tare_dataset_n_bad(dataset);
  ranks_add_left_out(&sum->left_out, tare_dataset_left_out(dataset));
}

void fitted_add(tare_fit_counts *const sum, const tare_fit_counts *const more) {
  sum->samples += more->samples;
  sum->cut += more->cut;
  sum->padded += more->padded;
  sum->elements += more->elements;
  sum->lost += more->lost;
  sum->run += more->run;
  sum->padding += more->padding;
}

/* Adds what a pass has counted to what the earlier ones have: in memory on rank 0, which gives its
 * own away only with the sum of all; in a file on others. */
static tare_status ranks_keep(ranks *const r, tare_stats **const stats, tare_error *const err) {
  const char *const path = scratch_path(SCRATCH_OWN);
  tare_stats **const own = &r->kept;
  if (r->counted && !r->first) {
    CLI_TRY(tare_stats_load(path, own, err));
  }
  if (r->counted) {
    CLI_TRY(tare_stats_merge(*own, *stats, true /* count_equal */, NULL, err));
  } else {
    *own = *stats;
    *stats = NULL;
  }
  r->counted = true;
  if (r->first) {
    return TARE_OK;
  }
  const tare_status status = tare_stats_save(*own, path, err);
  tare_stats_free(own);
  return status;
}

/* Counts samples until rank 0 has none. */
static tare_status ranks_count(ranks *const r, const ranks_work *const work,
                               tare_error *const err) {
  ranks_pass pass = {.ranks = r, .work = work};
  tare_fit_counts fitted = {0};
  tare_stats *stats = NULL;
  tare_calibrate_options o = *work->options;
  o.undecided = true;
  o.progress = ranks_progress;
  o.progress_user = &pass;
  o.times = &r->report.times;
  o.fitted = &fitted;
  CLI_TRY(tare_dataset_rewind(work->dataset, err));
  CLI_TRY(tare_calibrate(work->model, work->dataset, work->profiles, &o, &stats, err));
  const tare_status status = ranks_keep(r, &stats, err);
  tare_stats_free(&stats);
  CLI_TRY(status);
  ranks_note_bad(r, work->dataset);
  fitted_add(&r->report.fitted, &fitted);
  return TARE_OK;
}

static void ranks_report(ranks *const r) {
  const size_t bytes = sizeof r->report + r->bad_bytes;
  char *const payload = cli_realloc(NULL, bytes, 1);
  r->report.done = r->done_before = r->done;
  memcpy(payload, &r->report, sizeof r->report);
  if (r->bad_bytes) {
    memcpy(payload + sizeof r->report, r->bad, r->bad_bytes);
  }
  post_tell_first(&r->post, MESSAGE_COUNTED, 0, 0, payload, bytes);
  free(payload);
}

tare_status ranks_run_pass(ranks *const r, const ranks_work *const work, tare_error *const err) {
  (void)pthread_mutex_lock(&r->post.mutex);
  r->n_own = 0;
  r->asking = r->no_more = false;
  (void)pthread_mutex_unlock(&r->post.mutex);
  CLI_TRY(ranks_count(r, work, err));
  (void)pthread_mutex_lock(&r->post.mutex);
  while (r->asking && !r->stopped) { /* for samples behind the last one that it wanted */
    ranks_wait(r);
  }
  ranks_report(r);
  (void)pthread_mutex_unlock(&r->post.mutex);
  return TARE_OK;
}
