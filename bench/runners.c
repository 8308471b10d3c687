#include "bench/runners.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/pair.h"
#include "bench/peaks.h"
#include "tools/cli.h"
#include "tools/feed.h"

enum { CONTEXTS = 7, RUNS_BESIDE = 20, RUNS_AGAIN = 4 };
static const double ROUND_SECONDS = 0.02;

static tare_status new_context(runner *const x, const int threads, tare_error *const err) {
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = threads;
  return tare_context_new(x->plan, &options, &x->context, err);
}

static tare_status runners_add_plan(runners *const r, const tare_plan *const plan,
                                    const char *const name, const bool bytes,
                                    tare_error *const err) {
  if (!plan) {
    return TARE_OK;
  }
  const tare_port *outputs;
  runner *const x = &r->items[r->n++];
  *x = (runner){.name = name, .bytes = bytes, .plan = plan};
  x->outputs = cli_realloc(NULL, (size_t)tare_plan_outputs(plan, &outputs), sizeof *x->outputs);
  return new_context(x, r->threads, err);
}

static tare_status add_peer(runners *const r, ort *const library, const char *const text,
                            tare_error *const err) {
  const char *const equals = strchr(text, '=');
  if (!equals || r->n == MOST_RUNNERS) {
    return cli_fail(err, TARE_E_USAGE, "--peer takes NAME=FILE, at most %d times, not '%s'",
                    MOST_RUNNERS - 2, text);
  }
  runner *const x = &r->items[r->n++];
  *x = (runner){.name = text, .peer = true, .bytes = strncmp(text, "f32", 3) != 0};
  return ort_session_new(library, equals + 1, r->threads, &x->session, err);
}

tare_status runners_new(const plans *const p, ort *const library, const char *const *const peers,
                        const int n_peers, const int threads, runners *const out,
                        tare_error *const err) {
  *out = (runners){.threads = threads, .isa = ~0u};
  CLI_TRY(runners_add_plan(out, p->int8, "tare int8", true, err));
  CLI_TRY(runners_add_plan(out, p->fp32, "tare fp32", false, err));
  for (int i = 0; i < n_peers; i++) {
    CLI_TRY(add_peer(out, library, peers[i], err));
  }
  return TARE_OK;
}

void runners_fini(runners *const r) {
  for (int i = 0; i < r->n; i++) {
    tare_context_free(&r->items[i].context);
    ort_session_free(&r->items[i].session);
    free(r->items[i].outputs);
    timing_fini(&r->items[i].times);
  }
  r->n = 0;
}

static tare_status runners_run(runner *const x, const tare_tensor *const inputs, double *const ms,
                               tare_error *const err) {
  const double start = cli_now();
  const tare_status status = x->peer ? ort_session_run(x->session, err)
                                     : tare_context_run(x->context, inputs, x->outputs, err);
  *ms = (cli_now() - start) * 1e3;
  return status;
}

static void pause_before(const runners *const r, const double ms) {
  if (r->threads > 1) {
    const struct timespec t = {.tv_sec = (time_t)(ms / 1e3),
                               .tv_nsec = (long)(fmod(ms, 1e3) * 1e6)};
    (void)nanosleep(&t, NULL); /* a shorter pause only costs precision */
  }
}

/* --- a length for the first time -------------------------------------------------------------- */

/* The point beside this one that the plan also takes, else the point itself. */
static void neighbour(const tare_profiles *const profiles, const int64_t *const values,
                      int64_t *const out) {
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    const tare_range r = tare_profiles_range(profiles, 0, s);
    out[s] = values[s] > r.min ? values[s] - 1 : values[s];
  }
}

/* The length's first run in a context that knows the one beside it, and the runs that follow at
 * once: with caches and threads in the same state. */
static tare_status first_in_context(runner *const x, const int threads, const feed *const beside,
                                    const feed *const f, timing *const first, timing *const again,
                                    tare_error *const err) {
  runner fresh = *x;
  double ms = 0;
  CLI_TRY(new_context(&fresh, threads, err));
  tare_status status = TARE_OK;
  for (int k = 0; k < RUNS_BESIDE && status == TARE_OK; k++) {
    status = runners_run(&fresh, beside->tensors, &ms, err);
  }
  for (int k = 0; k <= RUNS_AGAIN && status == TARE_OK; k++) {
    status = runners_run(&fresh, f->tensors, &ms, err);
    timing_add(k ? again : first, ms);
  }
  tare_context_free(&fresh.context);
  return status;
}

static tare_status first_runs(runners *const r, const feed *const beside, const feed *const f,
                              tare_error *const err) {
  for (int i = 0; i < r->n; i++) {
    runner *const x = &r->items[i];
    timing first = {0}, again = {0};
    tare_status status = TARE_OK;
    for (int k = 0; k < CONTEXTS && !x->peer && status == TARE_OK; k++) {
      status = first_in_context(x, r->threads, beside, f, &first, &again, err);
    }
    if (!x->peer && status == TARE_OK) {
      timing_sort(&first);
      timing_sort(&again);
      x->first = timing_median(&first) / timing_median(&again);
    }
    timing_fini(&first);
    timing_fini(&again);
    CLI_TRY(status);
  }
  return TARE_OK;
}

static tare_status try_new_length(runners *const r, const plans *const p,
                                  const int64_t *const values, const feed *const f,
                                  tare_error *const err) {
  const tare_port *ports;
  const tare_plan *const plan = plans_any(p);
  const int n = tare_plan_inputs(plan, &ports);
  int64_t beside[TARE_MAX_SYMBOLS] = {0};
  neighbour(tare_plan_profiles(plan), values, beside);
  feed other = {0};
  CLI_TRY(feed_new(ports, n, tare_plan_profiles(plan), beside, &other, err));
  const tare_status status = first_runs(r, &other, f, err);
  feed_fini(&other);
  return status;
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* One run to come back into the caches, then as many as fit, at least one. */
static tare_status take_runs(runner *const x, const tare_tensor *const inputs, const bool first,
                             tare_error *const err) {
  double ms = 0, best = INFINITY, sum = 0;
  for (int warm = first ? 2 : 1; warm > 0; warm--) {
    CLI_TRY(runners_run(x, inputs, &ms, err));
  }
  do {
    CLI_TRY(runners_run(x, inputs, &ms, err));
    best = fmin(best, ms);
    sum += ms;
  } while (sum < ROUND_SECONDS * 1e3);
  timing_add(&x->times, best);
  return TARE_OK;
}

/* A peer's worker has the second core for itself; this thread keeps to the first. */
static tare_status take_turn(runner *const x, const tare_tensor *const inputs, const bool first,
                             tare_error *const err) {
  if (x->peer) {
    bench_pin(0);
  }
  const tare_status status = take_runs(x, inputs, first, err);
  if (x->peer) {
    bench_pin(-1);
  }
  return status;
}

static tare_status take_round(runners *const r, const tare_tensor *const inputs, const bool first,
                              const double pause_ms, tare_error *const err) {
  pause_before(r, pause_ms);
  r->peak_i8 = fmax(r->peak_i8, bench_peak_of(true, r->isa, r->threads, &r->peak_i8_name));
  r->peak_f32 = fmax(r->peak_f32, bench_peak_of(false, r->isa, r->threads, &r->peak_f32_name));
  for (int i = 0; i < r->n; i++) {
    pause_before(r, pause_ms);
    CLI_TRY(take_turn(&r->items[i], inputs, first, err));
  }
  return TARE_OK;
}

tare_status runners_take_turns(runners *const r, const tare_port *const ports,
                               const tare_tensor *const inputs, const int n, const int rounds,
                               const double pause_ms, tare_error *const err) {
  for (int i = 0; i < r->n; i++) {
    timing_fini(&r->items[i].times);
    if (r->items[i].peer) {
      CLI_TRY(ort_session_feed(r->items[i].session, ports, inputs, n, err));
    }
  }
  r->peak_i8 = r->peak_f32 = 0;
  for (int k = 0; k < rounds; k++) {
    CLI_TRY(take_round(r, inputs, k == 0, pause_ms, err));
  }
  for (int i = 0; i < r->n; i++) {
    timing_sort(&r->items[i].times);
  }
  return TARE_OK;
}

tare_status runners_measure(runners *const r, const plans *const p, const int point,
                            const int rounds, const double pause_ms, tare_error *const err) {
  const tare_port *ports;
  const tare_plan *const plan = plans_any(p);
  const int n = tare_plan_inputs(plan, &ports);
  const int64_t *const values = p->points.values[point];
  feed f = {0};
  CLI_TRY(feed_new(ports, n, tare_plan_profiles(plan), values, &f, err));
  tare_status status = try_new_length(r, p, values, &f, err);
  if (status == TARE_OK) {
    status = runners_take_turns(r, ports, f.tensors, n, rounds, pause_ms, err);
  }
  feed_fini(&f);
  return status;
}
