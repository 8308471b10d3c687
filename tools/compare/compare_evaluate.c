/* Plans side by side over passes of the data. */
#include "tools/compare/compare_eval.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/compare/compare_own.h"
#include "tools/progress.h"
#include "tools/signals.h"
#include "tools/show/layer_facts.h"

/* Plans that share a pass; the float one comes first. */
typedef struct compare_eval_group {
  tare_plan **plans;
  int *strategies; /* of plans 1, 2, ... */
  int n;           /* plans */
  int64_t bytes;
} compare_eval_group;

/* A quarter of the machine's memory. */
static int64_t most_bytes(void) {
  return (int64_t)sysconf(_SC_PHYS_PAGES) / 4 * (int64_t)sysconf(_SC_PAGESIZE);
}

static void compare_eval_add_plan(compare_eval_group *const into, tare_plan *const plan,
                                  const int strategy) {
  into->plans[into->n] = plan;
  if (into->n > 0) {
    into->strategies[into->n - 1] = strategy;
  }
  into->n++;
  into->bytes += tare_plan_weight_bytes(plan) + tare_plan_context_bytes(plan);
}

/* Notes what only the plan knows. */
static tare_status note_plan(const tare_plan *const plan, grid_strategy *const s,
                             tare_error *const err) {
  precision_sum *sums = NULL;
  int n = 0;
  CLI_TRY(precision_sums(plan, NULL, &sums, &n, err));
  s->int8_share = precision_share(sums, n, "int8");
  free(sums);
  s->weight_bytes = tare_plan_weight_bytes(plan);
  s->context_bytes = tare_plan_context_bytes(plan);
  return TARE_OK;
}

/* False: there is none; an error is noted. */
static bool strategy_build(const compare_eval *const e, grid_strategy *const s,
                           tare_plan **const out) {
  if (s->own) {
    return compare_own_plan(e, s->own, out, &s->error) == TARE_OK;
  }
  return s->table && compare_build(e, s->table, s->precision, out, &s->error) == TARE_OK;
}

static bool is_of_pass(const grid_strategy *const s, const int pass) {
  return pass == COMPARE_ALL_PASSES || s->pass == pass || (s->own && pass == 0);
}

/* Builds plans from strategy *next on while they fit; each group takes one at least, and at most
 * `most` of them. */
static void compare_eval_fill(const compare_eval *const e, grid *const g, const int pass,
                              const int most, compare_eval_group *const into, int *const next) {
  const int64_t bytes = most_bytes();
  for (; *next < g->n && into->n <= most && (into->n < 2 || into->bytes < bytes); (*next)++) {
    grid_strategy *const s = &g->items[*next];
    tare_plan *plan = NULL;
    if (s->done || !is_of_pass(s, pass)) {
      continue;
    }
    if (strategy_build(e, s, &plan)) {
      compare_eval_add_plan(into, plan, *next);
      (void)note_plan(plan, s, &s->error); /* its error is noted, like that of the build */
    } else {
      s->done = true;
    }
  }
}

typedef struct group_progress {
  progress line;
  double deadline; /* 0: none */
} group_progress;

static bool group_tick(void *const user, const int64_t done, const int64_t total) {
  group_progress *const p = user;
  const bool late = p->deadline > 0 && cli_now() > p->deadline;
  return progress_tick(&p->line, done, total) && !late && !signals_interrupted();
}

/* Figures of several passes are compared sample by sample, and each must have the same ones. */
static tare_status check_same_samples(const tare_eval_result *const before,
                                      const tare_eval_result *const now, tare_error *const err) {
  return before->n_samples == 0 || tare_eval_results_match(before, now)
             ? TARE_OK
             : cli_fail(err, TARE_E_INPUT,
                        "some plans reject samples that others accept: %" PRId64
                        " samples count, and %" PRId64
                        " did before; run without --skip-bad to see which plan rejects one",
                        now->n_samples, before->n_samples);
}

/* `results`: of all members. */
static tare_status take_results(const compare_eval *const e, grid *const g,
                                const compare_eval_group *const members, const double seconds,
                                const tare_eval_result *const results, tare_error *const err) {
  double runs = 0;
  tare_status status = TARE_OK;
  tare_eval_result_fini(&g->fp32); /* of the group before: the same figures */
  g->fp32 = results[0];
  for (int i = 1; i < members->n; i++) {
    grid_strategy *const s = &g->items[members->strategies[i - 1]];
    s->result = results[i];
    s->done = true;
    runs += results[i].seconds;
  }
  if (members->n > 1) {
    compare_budget_note(e->budget, seconds, runs, members->n - 1);
  }
  for (int i = 0; status == TARE_OK && i < members->n; i++) {
    const int strategy = i == 0 ? -1 : members->strategies[i - 1];
    const bool keeps = strategy < 0 || g->items[strategy].n_raised == 0;
    status = keeps ? kept_keep_result(e->kept, g, strategy, err) : TARE_OK;
  }
  return status;
}

static void free_results(tare_eval_result *const results, const int n) {
  for (int i = 0; i < n; i++) {
    tare_eval_result_fini(&results[i]);
  }
  free(results);
}

/* One that the budget or a signal stops is no error. */
static tare_status run_group(const compare_eval *const e, grid *const g,
                             const compare_eval_group *const members, tare_error *const err) {
  group_progress p = {.line = progress_start("evaluate", e->common),
                      .deadline = compare_budget_deadline(e->budget)};
  const double start = cli_now();
  tare_eval_options o = e->eval;
  tare_error why = {0};
  o.against = members->plans[0];
  o.progress = group_tick;
  o.progress_user = &p;
  tare_eval_result *const results = cli_realloc(NULL, (size_t)members->n, sizeof *results);
  tare_status status = tare_dataset_rewind(e->data, &why);
  if (status == TARE_OK) {
    status = tare_eval_many((const tare_plan *const *)members->plans, members->n, e->data, &o,
                            results, &why);
  }
  progress_end(&p.line);
  if (status == TARE_OK && check_same_samples(&g->fp32, &results[0], err) != TARE_OK) {
    free_results(results, members->n);
    return err->status;
  }
  if (status == TARE_OK) {
    status = take_results(e, g, members, cli_now() - start, results, &why);
  }
  free(results);
  const bool stopped =
      status == TARE_E_CHECK && (signals_interrupted() || !compare_budget_allows(e->budget, 0));
  return status == TARE_OK || stopped ? TARE_OK : cli_fail(err, status, "%s", why.message);
}

static void drop_strategies(compare_eval_group *const members) {
  for (int i = 1; i < members->n; i++) {
    members->bytes -= tare_plan_weight_bytes(members->plans[i]);
    members->bytes -= tare_plan_context_bytes(members->plans[i]);
    tare_plan_free(&members->plans[i]);
  }
  members->n = 1;
}

/* Whether there is anything to do: what was kept is done. */
static bool is_pending(const grid *const g, const int pass) {
  bool pending = g->fp32.n_samples == 0;
  for (int i = 0; i < g->n; i++) {
    pending |= !g->items[i].done && is_of_pass(&g->items[i], pass);
  }
  return pending;
}

tare_status compare_evaluate(const compare_eval *const e, grid *const g, const int pass,
                             tare_error *const err) {
  if (!is_pending(g, pass) || signals_interrupted()) {
    return TARE_OK;
  }
  compare_eval_group members = {
      .plans = cli_realloc(NULL, (size_t)g->n + 1, sizeof *members.plans),
      .strategies = cli_realloc(NULL, (size_t)g->n, sizeof *members.strategies)};
  tare_plan *fp32 = NULL;
  tare_status status = TARE_OK;
  CLI_TRY_GOTO(compare_build(e, NULL /* table */, 0 /* precision */, &fp32, err), done);
  compare_eval_add_plan(&members, fp32, 0);
  for (int next = 0; status == TARE_OK && next < g->n && !signals_interrupted();) {
    const int most = compare_budget_plans(e->budget, g->n);
    if (most == 0) {
      break;
    }
    compare_eval_fill(e, g, pass, most, &members, &next);
    if (members.n > 1 || g->fp32.n_samples == 0) {
      status = run_group(e, g, &members, err);
    }
    drop_strategies(&members);
  }
done:
  tare_plan_free(&fp32);
  free(members.plans);
  free(members.strategies);
  return status;
}
