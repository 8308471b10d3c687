#include <tare/eval.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/mem.h"
#include "calib/eval/eval_fit.h"
#include "calib/eval/eval_rows.h"
#include "calib/eval/eval_save.h"
#include "calib/eval/eval_tally.h"
#include "engine/context.h"

/* One evaluation while it runs. */
typedef struct evaluation {
  const tare_plan *plan;
  const tare_eval_options *options;
  const tare_port *inputs, *outputs;
  int n_inputs, n_outputs, n_profiles;
  const tarei_metric *metric; /* NULL for none */
  tare_context *context, *reference;
  tare_tensor *got, *want;
  tarei_eval_fit fit;
  tarei_fitted fitted;
  tarei_eval_save *save;
  tarei_tally *tallies; /* per profile, then the total */
  double seconds, reference_seconds;
} evaluation;

void tare_eval_options_init(tare_eval_options *const options) {
  *options = (tare_eval_options){.profile = -1};
}

void tare_eval_result_fini(tare_eval_result *const result) {
  free(result->profiles);
  *result = (tare_eval_result){0};
}

static tare_status check_port(const char *const kind, const tare_port *const a,
                              const tare_port *const b, tare_error *const err) {
  if (strcmp(a->name, b->name) != 0) {
    return tarei_fail(err, TARE_E_USAGE, "the plans differ: %s '%s' here, '%s' in the reference",
                      kind, a->name, b->name);
  }
  if (a->dtype != b->dtype || a->rank != b->rank) {
    return tarei_fail(err, TARE_E_USAGE,
                      "the plans differ: %s '%s' is %s of rank %d here, %s of rank %d in the "
                      "reference",
                      kind, a->name, tare_dtype_name(a->dtype), a->rank, tare_dtype_name(b->dtype),
                      b->rank);
  }
  return TARE_OK;
}

static tare_status check_ports(const char *const kind, const tare_port *const a, const int n_a,
                               const tare_port *const b, const int n_b, tare_error *const err) {
  if (n_a != n_b) {
    return tarei_fail(err, TARE_E_USAGE, "the plans differ: %d %ss here, %d in the reference", n_a,
                      kind, n_b);
  }
  for (int i = 0; i < n_a; i++) {
    TARE_TRY(check_port(kind, &a[i], &b[i], err));
  }
  return TARE_OK;
}

static tare_status check_reference(const evaluation *const e, tare_error *const err) {
  const tare_port *inputs = NULL, *outputs = NULL;
  const int n_inputs = tare_plan_inputs(e->options->against, &inputs);
  const int n_outputs = tare_plan_outputs(e->options->against, &outputs);
  TARE_TRY(check_ports("input", e->inputs, e->n_inputs, inputs, n_inputs, err));
  return check_ports("output", e->outputs, e->n_outputs, outputs, n_outputs, err);
}

static tare_status check(evaluation *const e, tare_error *const err) {
  if (e->options->against) {
    TARE_TRY(check_reference(e, err));
  }
  if (!e->options->metric) {
    return TARE_OK;
  }
  if (e->options->output < 0 || e->options->output >= e->n_outputs) {
    return tarei_fail(err, TARE_E_USAGE, "output %d, but the plan has outputs 0 to %d",
                      e->options->output, e->n_outputs - 1);
  }
  return tarei_metric_pick(e->options, &e->outputs[e->options->output], &e->metric, err);
}

static tare_status open_context(const evaluation *const e, const tare_plan *const plan,
                                const int profile, tare_context **const out,
                                tare_error *const err) {
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = e->options->threads;
  options.profile = profile;
  return tare_context_new(plan, &options, out, err);
}

static tare_status prepare(evaluation *const e, const int64_t count, tare_error *const err) {
  const size_t n = (size_t)e->n_outputs;
  e->got = tarei_calloc(n, sizeof *e->got);
  e->want = tarei_calloc(n, sizeof *e->want);
  e->tallies = tarei_calloc((size_t)e->n_profiles + 1, sizeof *e->tallies);
  if (!e->got || !e->want || !e->tallies) {
    return tarei_fail_memory(err, "evaluation", n * sizeof *e->got);
  }
  TARE_TRY(open_context(e, e->plan, e->options->profile, &e->context, err));
  if (e->options->against) {
    TARE_TRY(open_context(e, e->options->against, -1 /* by shape */, &e->reference, err));
  }
  TARE_TRY(tarei_eval_fit_init(&e->fit, e->plan, e->options, err)); /* the context knows the pin */
  if (e->options->save_outputs) {
    TARE_TRY(tarei_eval_save_new(e->options->save_outputs, count, &e->save, err));
  }
  return TARE_OK;
}

static tare_status run_timed(tare_context *const context, const tare_tensor *const inputs,
                             tare_tensor *const outputs, double *const seconds,
                             tare_error *const err) {
  const double start = tarei_now();
  const tare_status status = tare_context_run(context, inputs, outputs, err);
  *seconds += tarei_now() - start;
  return status;
}

static tare_status add_metric(const evaluation *const e, const tarei_metric_case *const c,
                              tarei_tally *const tally, tare_error *const err) {
  TARE_TRY(e->metric->add(c, &tally->metric, err));
  if (!e->reference) {
    return TARE_OK;
  }
  tarei_metric_case reference = *c;
  reference.got = &e->want[e->options->output];
  return e->metric->add(&reference, &tally->reference, err);
}

static bool same_dims(const tare_tensor *const a, const tare_tensor *const b) {
  return a->dtype == b->dtype && a->rank == b->rank &&
         memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

static tare_status measure_output(evaluation *const e, const tare_sample *const sample, const int i,
                                  tarei_tally *const tally, tare_error *const err) {
  const char *const name = e->outputs[i].name;
  int64_t extents[TARE_MAX_RANK] = {0};
  TARE_TRY(tarei_context_output_valid(e->context, i, e->fitted.valid, extents, err));
  if (e->reference && !same_dims(&e->got[i], &e->want[i])) {
    return tarei_fail(err, TARE_E_USAGE, "%s: the plans give output '%s' different shapes",
                      sample->name, name);
  }
  if (e->reference && tarei_value_reader_of(e->got[i].dtype)) {
    tarei_tally_output(tally, &e->got[i], &e->want[i], extents);
  }
  if (e->metric && i == e->options->output) {
    const tarei_metric_case c = {.sample = sample,
                                 .output = name,
                                 .got = &e->got[i],
                                 .extents = extents,
                                 .alphabet = e->options->alphabet};
    TARE_TRY(add_metric(e, &c, tally, err));
  }
  if (e->save) {
    TARE_TRY(tarei_eval_save_output(e->save, sample, name, &e->got[i], extents, err));
  }
  return TARE_OK;
}

static tare_status run_sample(evaluation *const e, const tare_sample *const sample,
                              tare_error *const err) {
  TARE_TRY(tarei_eval_fit_sample(&e->fit, sample, &e->fitted, err));
  const tare_status status = run_timed(e->context, e->fitted.tensors, e->got, &e->seconds, err);
  if (status != TARE_OK) {
    return tarei_fail_in(err, status, "%s", sample->name);
  }
  if (!e->reference) {
    return TARE_OK;
  }
  const tare_status beside =
      run_timed(e->reference, e->fitted.tensors, e->want, &e->reference_seconds, err);
  return beside == TARE_OK ? TARE_OK : tarei_fail_in(err, beside, "%s: reference", sample->name);
}

static tare_status take_sample(evaluation *const e, const tare_sample *const sample,
                               tare_error *const err) {
  TARE_TRY(run_sample(e, sample, err));
  if (e->save) {
    TARE_TRY(tarei_eval_save_sample(e->save, sample, err));
  }
  tarei_tally tally = {.samples = 1};
  for (int i = 0; i < e->n_outputs; i++) {
    TARE_TRY(measure_output(e, sample, i, &tally, err));
  }
  tarei_tally_add(&e->tallies[e->fitted.profile], &tally);
  tarei_tally_add(&e->tallies[e->n_profiles], &tally);
  return TARE_OK;
}

static tare_status take_all(evaluation *const e, tare_dataset *const dataset,
                            tare_error *const err) {
  const int64_t total = tare_dataset_count(dataset);
  const tare_sample *sample = NULL;
  for (int64_t done = 0;; done++) {
    if (e->options->progress && !e->options->progress(e->options->progress_user, done, total)) {
      return tarei_fail(err, TARE_E_CHECK, "stopped after %lld of %lld samples", (long long)done,
                        (long long)total);
    }
    TARE_TRY(tare_dataset_next(dataset, &sample, err));
    if (!sample) {
      break;
    }
    TARE_TRY(take_sample(e, sample, err));
  }
  if (e->tallies[e->n_profiles].samples == 0) {
    return tarei_fail(err, TARE_E_INPUT, "no sample to evaluate: %s",
                      tare_dataset_describe(dataset));
  }
  return e->save ? tarei_eval_save_commit(e->save, err) : TARE_OK;
}

static tare_status conclude(const evaluation *const e, tare_eval_result *const result,
                            tare_error *const err) {
  struct rusage usage = {0};
  (void)getrusage(RUSAGE_SELF, &usage); /* cannot fail for ourselves */
  tare_eval_score *const profiles = tarei_calloc((size_t)e->n_profiles, sizeof *profiles);
  if (!profiles) {
    return tarei_fail_memory(err, "scores", (size_t)e->n_profiles * sizeof *profiles);
  }
  for (int p = 0; p < e->n_profiles; p++) {
    profiles[p] = tarei_tally_score(&e->tallies[p]);
  }
  *result = (tare_eval_result){.total = tarei_tally_score(&e->tallies[e->n_profiles]),
                               .n_profiles = e->n_profiles,
                               .profiles = profiles,
                               .seconds = e->seconds,
                               .reference_seconds = e->reference_seconds,
                               .peak_bytes = (int64_t)usage.ru_maxrss * 1024};
  return TARE_OK;
}

static void fini(evaluation *const e) {
  tare_context_free(&e->context);
  tare_context_free(&e->reference);
  tarei_eval_save_free(&e->save);
  tarei_eval_fit_fini(&e->fit);
  tarei_fitted_fini(&e->fitted);
  free(e->got);
  free(e->want);
  free(e->tallies);
}

tare_status tare_eval(const tare_plan *const plan, tare_dataset *const dataset,
                      const tare_eval_options *const options, tare_eval_result *const result,
                      tare_error *const err) {
  evaluation e = {.plan = plan,
                  .options = options,
                  .n_profiles = tare_profiles_count(tare_plan_profiles(plan))};
  e.n_inputs = tare_plan_inputs(plan, &e.inputs);
  e.n_outputs = tare_plan_outputs(plan, &e.outputs);
  tare_status status = TARE_OK;
  TARE_TRY_GOTO(check(&e, err), done);
  TARE_TRY_GOTO(prepare(&e, tare_dataset_count(dataset), err), done);
  TARE_TRY_GOTO(take_all(&e, dataset, err), done);
  status = conclude(&e, result, err);
done:
  fini(&e);
  return status;
}
