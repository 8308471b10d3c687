#include "tools/commands/diff_times.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"
#include "tools/feed.h"
#include "tools/show/layer_facts.h"
#include "tools/timing.h"

enum { LEAST_RUNS = 5 };

/* One plan, ready to run. */
typedef struct diff_runner {
  const tare_plan *plan;
  const samples *data; /* NULL: `feed` */
  tare_context *context;
  feed feed;
  tare_tensor *outputs;
  int64_t values[TARE_MAX_SYMBOLS];
  double ms; /* of all runs */
} diff_runner;

static tare_status diff_choose_lengths(const tare_plan *const plan, const char *const symbols,
                                       int64_t *const values, tare_error *const err) {
  const tare_profiles *const built = tare_plan_profiles(plan);
  const tare_port *inputs = NULL;
  tare_profiles *point = NULL;
  if (!symbols) {
    profile_values(built, 0, POINT_OPT, values);
    return TARE_OK;
  }
  const int n = tare_plan_inputs(plan, &inputs);
  tare_status status = tare_profiles_new(inputs, n, &point, err);
  status = status == TARE_OK ? tare_profiles_add(point, symbols, err) : status;
  for (int s = 0; status == TARE_OK && s < tare_profiles_n_symbols(built); s++) {
    values[s] = tare_profiles_range(point, 0, s).opt;
  }
  tare_profiles_free(&point);
  return status;
}

/* The values of the symbols of one plan for those of another, by name. */
static tare_status diff_take_lengths(const diff_runner *const from, diff_runner *const to,
                                     tare_error *const err) {
  const tare_profiles *const a = tare_plan_profiles(from->plan);
  const tare_profiles *const b = tare_plan_profiles(to->plan);
  for (int s = 0; s < tare_profiles_n_symbols(b); s++) {
    int found = -1;
    for (int i = 0; i < tare_profiles_n_symbols(a) && found < 0; i++) {
      found = strcmp(tare_profiles_symbol(a, i), tare_profiles_symbol(b, s)) == 0 ? i : -1;
    }
    if (found < 0) {
      return cli_fail(err, TARE_E_USAGE, "--times: symbol '%s' of %s is not in %s",
                      tare_profiles_symbol(b, s), tare_plan_model_name(to->plan),
                      tare_plan_model_name(from->plan));
    }
    to->values[s] = from->values[found];
  }
  return TARE_OK;
}

static tare_status diff_runner_feed(diff_runner *const r, tare_error *const err) {
  const tare_port *ports = NULL;
  if (tare_profiles_find(tare_plan_profiles(r->plan), r->values) < 0) {
    return tare_profiles_explain(tare_plan_profiles(r->plan), r->values, "--times", err);
  }
  const int n = tare_plan_inputs(r->plan, &ports);
  return feed_new(ports, n, tare_plan_profiles(r->plan), r->values, &r->feed, err);
}

/* Run number `run`; its time in ms. */
static tare_status diff_runner_run(diff_runner *const r, const int64_t run, double *const ms,
                                   tare_error *const err) {
  const int at = r->data ? (int)(run % r->data->n) : 0;
  const tare_tensor *const inputs =
      r->data ? r->data->tensors + at * r->data->n_inputs : r->feed.tensors;
  const double start = cli_now();
  const tare_status status = tare_context_run(r->context, inputs, r->outputs, err);
  *ms = (cli_now() - start) * 1e3;
  return status == TARE_OK || !r->data ? status : cli_fail_in(err, status, r->data->names[at]);
}

static tare_status diff_runner_new(diff_runner *const r, const int threads, tare_error *const err) {
  const tare_port *ports = NULL;
  double ms;
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = threads;
  CLI_TRY(r->data ? TARE_OK : diff_runner_feed(r, err));
  const int n_outputs = tare_plan_outputs(r->plan, &ports);
  r->outputs = cli_realloc(NULL, (size_t)n_outputs, sizeof *r->outputs);
  CLI_TRY(tare_context_new(r->plan, &options, &r->context, err));
  CLI_TRY(diff_runner_run(r, 0, &ms, err)); /* warm up */
  tare_context_set_profiling(r->context, true);
  return TARE_OK;
}

static void diff_runner_fini(diff_runner *const r) {
  tare_context_free(&r->context);
  feed_fini(&r->feed);
  free(r->outputs);
}

/* Adds what both took, and the ratio to the list. */
static tare_status diff_times_turn(diff_runner *const runners, const int64_t turn,
                                   timing *const ratios, tare_error *const err) {
  double ms[2];
  for (int i = 0; i < 2; i++) {
    const int which = (int)((turn + i) % 2); /* either goes first half of the time */
    CLI_TRY(diff_runner_run(&runners[which], turn, &ms[which], err));
    runners[which].ms += ms[which];
  }
  timing_add(ratios, ms[1] > 0 ? ms[0] / ms[1] : 1);
  return TARE_OK;
}

static tare_status run_in_turns(diff_runner *const runners, const double seconds,
                                timing *const ratios, tare_error *const err) {
  const double end = cli_now() + seconds;
  for (int64_t turn = 0; turn < LEAST_RUNS || cli_now() < end; turn++) {
    CLI_TRY(diff_times_turn(runners, turn, ratios, err));
  }
  return TARE_OK;
}

static void diff_times_compare(timing *const ratios, diff_times *const out) {
  timing_sort(ratios);
  out->runs = (int64_t)ratios->n;
  out->ratio = timing_median(ratios);
  timing_median_interval(ratios, &out->ratio_low, &out->ratio_high);
}

static void diff_times_fill(const diff_runner *const r, const int which, diff_times *const out) {
  const int n = tare_plan_n_layers(r->plan);
  const double runs = (double)out->runs;
  out->ms[which] = cli_realloc(NULL, (size_t)n, sizeof *out->ms[which]);
  out->total[which] = r->ms / runs;
  for (int i = 0; i < n; i++) {
    out->ms[which][i] = tare_context_layer_seconds(r->context, i) * 1e3 / runs;
  }
}

static char *diff_times_shape(const diff_runner *const r) {
  const tare_profiles *const profiles = tare_plan_profiles(r->plan);
  char *text = cli_format("%s", "");
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    text = cli_append(text, "%s%s=%" PRId64, s ? "," : "", tare_profiles_symbol(profiles, s),
                      r->values[s]);
  }
  return text;
}

tare_status diff_times_measure(const tare_plan *const plans[2],
                               const diff_times_options *const options, diff_times *const out,
                               tare_error *const err) {
  diff_runner runners[2] = {{.plan = plans[0], .data = options->data[0]},
                            {.plan = plans[1], .data = options->data[1]}};
  timing ratios = {0};
  tare_status status = TARE_OK;
  if (!options->data[0]) {
    CLI_TRY_GOTO(diff_choose_lengths(plans[0], options->symbols, runners[0].values, err), done);
    CLI_TRY_GOTO(diff_take_lengths(&runners[0], &runners[1], err), done);
  }
  CLI_TRY_GOTO(diff_runner_new(&runners[0], options->threads, err), done);
  CLI_TRY_GOTO(diff_runner_new(&runners[1], options->threads, err), done);
  CLI_TRY_GOTO(run_in_turns(runners, options->seconds, &ratios, err), done);
  diff_times_compare(&ratios, out);
  diff_times_fill(&runners[0], 0, out);
  diff_times_fill(&runners[1], 1, out);
  out->shape = options->data[0] ? cli_format("%s", "") : diff_times_shape(&runners[0]);
done:
  timing_fini(&ratios);
  diff_runner_fini(&runners[0]);
  diff_runner_fini(&runners[1]);
  return status;
}

void diff_times_fini(diff_times *const t) {
  free(t->ms[0]);
  free(t->ms[1]);
  free(t->shape);
}
