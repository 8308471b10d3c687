#include "tools/commands/diff_times.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"
#include "tools/feed.h"

enum { LEAST_RUNS = 5 };

/* One plan, ready to run. */
typedef struct diff_runner {
  const tare_plan *plan;
  tare_context *context;
  feed feed;
  tare_tensor *outputs;
  int64_t values[TARE_MAX_SYMBOLS];
  double seconds; /* of all runs */
} diff_runner;

static tare_status diff_choose_lengths(const tare_plan *const plan, const char *const symbols,
                                       int64_t *const values, tare_error *const err) {
  const tare_profiles *const built = tare_plan_profiles(plan);
  const tare_port *inputs = NULL;
  tare_profiles *point = NULL;
  if (!symbols) {
    for (int s = 0; s < tare_profiles_n_symbols(built); s++) {
      values[s] = tare_profiles_range(built, 0, s).opt;
    }
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

static tare_status diff_runner_new(diff_runner *const r, const int threads, tare_error *const err) {
  const tare_port *ports = NULL;
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = threads;
  if (tare_profiles_find(tare_plan_profiles(r->plan), r->values) < 0) {
    return tare_profiles_explain(tare_plan_profiles(r->plan), r->values, "--times", err);
  }
  const int n_inputs = tare_plan_inputs(r->plan, &ports);
  CLI_TRY(feed_new(ports, n_inputs, tare_plan_profiles(r->plan), r->values, &r->feed, err));
  const int n_outputs = tare_plan_outputs(r->plan, &ports);
  r->outputs = cli_realloc(NULL, (size_t)n_outputs, sizeof *r->outputs);
  CLI_TRY(tare_context_new(r->plan, &options, &r->context, err));
  CLI_TRY(tare_context_run(r->context, r->feed.tensors, r->outputs, err)); /* warm up */
  tare_context_set_profiling(r->context, true);
  return TARE_OK;
}

static void diff_runner_fini(diff_runner *const r) {
  tare_context_free(&r->context);
  feed_fini(&r->feed);
  free(r->outputs);
}

static tare_status diff_times_run(diff_runner *const r, tare_error *const err) {
  const double start = cli_now();
  CLI_TRY(tare_context_run(r->context, r->feed.tensors, r->outputs, err));
  r->seconds += cli_now() - start;
  return TARE_OK;
}

static tare_status run_in_turns(diff_runner *const runners, const double seconds,
                                int64_t *const runs, tare_error *const err) {
  const double end = cli_now() + seconds;
  for (*runs = 0; *runs < LEAST_RUNS || cli_now() < end; ++*runs) {
    CLI_TRY(diff_times_run(&runners[*runs % 2], err));
    CLI_TRY(diff_times_run(&runners[1 - *runs % 2], err));
  }
  return TARE_OK;
}

static void diff_times_fill(const diff_runner *const r, const int64_t runs, const int which,
                            diff_times *const out) {
  const int n = tare_plan_n_layers(r->plan);
  out->ms[which] = cli_realloc(NULL, (size_t)n, sizeof *out->ms[which]);
  out->total[which] = r->seconds * 1e3 / (double)runs;
  for (int i = 0; i < n; i++) {
    out->ms[which][i] = tare_context_layer_seconds(r->context, i) * 1e3 / (double)runs;
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

tare_status diff_times_measure(const tare_plan *const plans[2], const char *const symbols,
                               const int threads, const double seconds, diff_times *const out,
                               tare_error *const err) {
  diff_runner runners[2] = {{.plan = plans[0]}, {.plan = plans[1]}};
  tare_status status = TARE_OK;
  CLI_TRY_GOTO(diff_choose_lengths(plans[0], symbols, runners[0].values, err), done);
  CLI_TRY_GOTO(diff_take_lengths(&runners[0], &runners[1], err), done);
  CLI_TRY_GOTO(diff_runner_new(&runners[0], threads, err), done);
  CLI_TRY_GOTO(diff_runner_new(&runners[1], threads, err), done);
  CLI_TRY_GOTO(run_in_turns(runners, seconds, &out->runs, err), done);
  diff_times_fill(&runners[0], out->runs, 0, out);
  diff_times_fill(&runners[1], out->runs, 1, out);
  out->shape = diff_times_shape(&runners[0]);
done:
  diff_runner_fini(&runners[0]);
  diff_runner_fini(&runners[1]);
  return status;
}

void diff_times_fini(diff_times *const t) {
  free(t->ms[0]);
  free(t->ms[1]);
  free(t->shape);
}
