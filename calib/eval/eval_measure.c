#include "calib/eval/eval_job.h"

#include "base/str.h"
#include "engine/plan.h"
#include "shapes/number.h"

static bool is_alike(const tare_tensor *const a, const tare_tensor *const b) {
  return a->dtype == b->dtype && tarei_same_dims(a, b);
}

/* "float32[1, 1, 4624]" */
static void add_shape(tarei_str *const to, const tare_tensor *const t) {
  tarei_str_add(to, "%s[", tare_dtype_name(t->dtype));
  for (int d = 0; d < t->rank; d++) {
    tarei_str_add(to, "%s%lld", d ? ", " : "", (long long)t->dims[d]);
  }
  tarei_str_add(to, "]");
}

static tare_status fail_shape(const char *const sample, const char *const output,
                              const tare_tensor *const got, const tare_tensor *const want,
                              tare_error *const err) {
  tarei_str ours = {0}, theirs = {0};
  add_shape(&ours, got);
  add_shape(&theirs, want);
  const tare_status status = tarei_fail(
      err, TARE_E_SHAPE, "%s: output '%s' is %s, and %s in the reference: expected the same shape",
      sample, output, tarei_str_get(&ours), tarei_str_get(&theirs));
  tarei_str_free(&ours);
  tarei_str_free(&theirs);
  return status;
}

/* Whether dims that differ are such that values of the run decide in both plans. */
static bool may_differ(const tarei_eval_job *const e, const int s, const int output,
                       const tare_tensor *const got, const tare_tensor *const want) {
  bool may = got->dtype == want->dtype && got->rank == want->rank;
  for (int d = 0; may && d < got->rank; d++) {
    may = got->dims[d] == want->dims[d] ||
          (tarei_plan_measures_output(e->sides[s].plan, output, d) &&
           tarei_plan_measures_output(e->sides[e->reference].plan, output, d));
  }
  return may;
}

/* Whether the metric reads the output of the reference beside that of a sample. */
static bool reads_reference(const tarei_metric *const metric, const tare_sample *const sample) {
  const bool labelled = sample->label || sample->label_text;
  return metric->add && (metric->truth == TARE_TRUTH_REFERENCE ||
                         (metric->truth == TARE_TRUTH_EITHER && (metric->custom || !labelled)));
}

/* What an output brings to the metric. */
static tare_status measure_metric(const tarei_eval_job *const e, const int s,
                                  const tare_sample *const sample, const int profile,
                                  const int64_t *const extents, tare_error *const err) {
  const int i = e->options->output;
  tare_metric_states *const states = e->sides[s].states;
  const tare_tensor *const got = &e->sides[s].outputs[i];
  const tare_tensor *const want =
      e->reference == NO_SIDE ? NULL : &e->sides[e->reference].outputs[i];
  if (want && !is_alike(got, want) && reads_reference(e->metric, sample)) {
    return fail_shape(sample->name, e->outputs[i].name, got, want, err);
  }
  const tarei_metric_case c = {.sample = sample,
                               .output = e->outputs[i].name,
                               .got = got,
                               .want = want && is_alike(got, want) ? want : NULL,
                               .extents = extents};
  TAREI_TRY(tarei_metric_states_begin(states, profile, sample->level, err));
  TAREI_TRY(e->metric->add ? e->metric->add(&c, states, err) : TARE_OK);
  return e->options->answers && e->metric->read && sample->gain_db == 0
             ? e->metric->read(&c, &e->settings, &states->answer, err)
             : TARE_OK;
}

/* What output i of a side brought, beside that of the reference. */
static tare_status measure_output(tarei_eval_job *const e, const tarei_eval_runs *const runs,
                                  const tarei_eval_place *const place, const int s,
                                  const tare_sample *const sample, const int i,
                                  tare_error *const err) {
  tarei_eval_side *const side = &e->sides[s];
  const tare_tensor *const got = &side->outputs[i];
  const tare_tensor *const want = side->is_compared ? &e->sides[e->reference].outputs[i] : NULL;
  const char *const name = e->outputs[i].name;
  const int64_t *const extents = e->constants.extents[s * e->n_outputs + i].of;
  tare_error_tally sums = {0};
  if (want && !is_alike(got, want) && !may_differ(e, s, i, got, want)) {
    return fail_shape(sample->name, name, got, want, err);
  }
  if (want) {
    const tarei_output_pair pair = tarei_eval_constants_pair(&e->constants, runs, s, i);
    tarei_tally_output(&sums, &pair, e->constants.bounds[s * e->n_outputs + i]);
  }
  tarei_eval_side_add_output(side, place, i, &sums, want && !is_alike(got, want));
  if (e->metric && i == e->options->output) {
    TAREI_TRY(measure_metric(e, s, sample, place->profile, extents, err));
  }
  if (e->files) {
    TAREI_TRY(tarei_command_files_output(e->files, s, e->number, name, got, extents, err));
  }
  return e->save && s == 0 ? tarei_eval_save_output(e->save, e->number, name, got, extents, err)
                           : TARE_OK;
}

/* The whole of each input: what is padding was computed with. */
static tare_status save_inputs(const tarei_eval_job *const e, const tarei_fitted *const fitted,
                               tare_error *const err) {
  const tare_port *inputs = NULL;
  const int n = tare_plan_inputs(e->sides[0].plan, &inputs);
  for (int i = 0; i < n; i++) {
    const tare_tensor *const tensor = &fitted->tensors[i];
    TAREI_TRY(
        tarei_eval_save_output(e->save, e->number, inputs[i].name, tensor, tensor->dims, err));
  }
  return TARE_OK;
}

tare_status tarei_eval_job_measure(tarei_eval_job *const e, const tarei_eval_runs *const runs,
                                   const tare_sample *const sample, const int profile,
                                   tare_error *const err) {
  const tarei_eval_place place = {
      .profile = profile, .level = sample->level, .own_level = sample->gain_db == 0};
  TAREI_TRY(tarei_eval_constants_find(&e->constants, runs, err));
  TAREI_TRY(tarei_eval_agreement_take(&e->agreement, runs, &e->constants,
                                      e->n_levels ? sample->level : 0, err));
  if (e->save && e->options->save_inputs) {
    TAREI_TRY(save_inputs(e, runs->fitted ? runs->fitted : &e->sides[0].fitted, err));
  }
  for (int s = 0; s < e->n_sides; s++) {
    bool other_shape = false;
    for (int i = 0; i < e->n_outputs; i++) {
      TAREI_TRY(measure_output(e, runs, &place, s, sample, i, err));
      other_shape =
          other_shape || (e->sides[s].is_compared &&
                          !is_alike(&e->sides[s].outputs[i], &e->sides[e->reference].outputs[i]));
    }
    tarei_eval_side_add_run(&e->sides[s], &place, other_shape);
  }
  return TARE_OK;
}
