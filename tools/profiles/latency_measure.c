#include "tools/profiles/latency_measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/feed.h"
#include "tools/say.h"
#include "tools/show/layer_facts.h"
#include "tools/side.h"
#include "tools/timing.h"

enum { LEAST_RUNS = 7, MOST_RUNS = 1000 };
static const double SECONDS_EACH = 0.2;

/* At equal ratios, so that short lengths are measured as closely as long ones. */
static void latency_measure_choose(const int64_t min, const int64_t max, latency_curve *const out) {
  for (int k = 0; k < LATENCY_POINTS; k++) {
    const double share = (double)k / (LATENCY_POINTS - 1);
    const int64_t between = llround((double)min * pow((double)max / (double)min, share));
    const int64_t length = k + 1 == LATENCY_POINTS ? max : between;
    if (out->n == 0 || length > out->lengths[out->n - 1]) {
      out->lengths[out->n++] = length;
    }
  }
}

/* The plan while it is measured; of a model, built for that. */
typedef struct latency_run {
  side plan;
  tare_context *context;
  tare_tensor *outputs;
  int symbol;
  int64_t values[TARE_MAX_SYMBOLS]; /* of all symbols */
} latency_run;

static tare_status latency_run_build(const latency_case *const c, latency_run *const r,
                                     tare_error *const err) {
  const tare_port *inputs = NULL;
  const int n_inputs = tare_model_inputs(r->plan.model, &inputs);
  tare_profiles *profiles = NULL;
  say(c->common,
      "%s is a model: its float plan is measured (give --plan an int8 plan to measure that one)",
      c->path);
  tare_status status = tare_profiles_new(inputs, n_inputs, &profiles, err);
  if (status == TARE_OK) {
    status = tare_profiles_add(profiles, c->spec, err);
  }
  if (status == TARE_OK) {
    status = side_build(&r->plan, profiles, c->common, err);
  }
  tare_profiles_free(&profiles);
  return status;
}

static tare_status latency_run_open(const latency_case *const c, latency_run *const r,
                                    tare_error *const err) {
  CLI_TRY(side_load(c->path, c->common, &r->plan, err));
  CLI_TRY(r->plan.plan ? TARE_OK : latency_run_build(c, r, err));
  const tare_profiles *const profiles = tare_plan_profiles(r->plan.plan);
  r->symbol = -1;
  profile_values(profiles, 0, POINT_OPT, r->values);
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    r->symbol = strcmp(tare_profiles_symbol(profiles, s), c->symbol) == 0 ? s : r->symbol;
  }
  if (r->symbol < 0) {
    return cli_fail(err, TARE_E_USAGE, "%s has no symbol '%s', whose lengths are cut", c->path,
                    c->symbol);
  }
  tare_context_options o;
  tare_context_options_init(&o);
  o.threads = c->common->threads;
  const tare_port *ports = NULL;
  const int n_outputs = tare_plan_outputs(r->plan.plan, &ports);
  r->outputs = cli_realloc(NULL, (size_t)n_outputs + 1, sizeof *r->outputs);
  return tare_context_new(r->plan.plan, &o, &r->context, err);
}

static void latency_run_fini(latency_run *const r) {
  tare_context_free(&r->context);
  free(r->outputs);
  side_fini(&r->plan);
}

static tare_status latency_run_time(const latency_run *const r, const feed *const f,
                                    double *const out, tare_error *const err) {
  timing t = {0};
  const double start = cli_now();
  tare_status status = tare_context_run(r->context, f->tensors, r->outputs, err); /* warms up */
  for (double now = cli_now();
       status == TARE_OK && t.n < MOST_RUNS && (t.n < LEAST_RUNS || now - start < SECONDS_EACH);) {
    status = tare_context_run(r->context, f->tensors, r->outputs, err);
    const double end = cli_now();
    timing_add(&t, 1e3 * (end - now));
    now = end;
  }
  if (status == TARE_OK) {
    timing_sort(&t);
    *out = timing_median(&t);
  }
  timing_fini(&t);
  return status;
}

static tare_status latency_run_at(latency_run *const r, const char *const path,
                                  const int64_t length, double *const out, tare_error *const err) {
  const tare_profiles *const profiles = tare_plan_profiles(r->plan.plan);
  const tare_port *inputs = NULL;
  const int n_inputs = tare_plan_inputs(r->plan.plan, &inputs);
  feed f = {0};
  r->values[r->symbol] = length;
  if (tare_profiles_find(profiles, r->values) < 0) {
    return tare_profiles_explain(profiles, r->values, path, err);
  }
  tare_status status = feed_new(inputs, n_inputs, profiles, r->values, &f, err);
  if (status == TARE_OK) {
    status = latency_run_time(r, &f, out, err);
  }
  feed_fini(&f);
  return status;
}

tare_status latency_measure(const latency_case *const c, latency_curve *const out,
                            tare_error *const err) {
  latency_run r = {.symbol = -1};
  *out = (latency_curve){.threads = c->common->threads ? c->common->threads : tare_cores()};
  latency_measure_choose(c->min, c->max, out);
  tare_status status = latency_run_open(c, &r, err);
  for (int i = 0; status == TARE_OK && i < out->n; i++) {
    status = latency_run_at(&r, c->path, out->lengths[i], &out->ms[i], err);
    out->ms[i] = i > 0 ? fmax(out->ms[i], out->ms[i - 1]) : out->ms[i]; /* the rest is noise */
  }
  latency_run_fini(&r);
  return status;
}
