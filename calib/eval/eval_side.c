#include "calib/eval/eval_side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "calib/eval/measure.h"
#include "engine/context.h"

tare_status tarei_eval_side_init(tarei_eval_side *const side, const tare_plan *const plan,
                                 const int n_outputs, const int n_profiles, const int n_levels,
                                 const tare_streaming *const streaming,
                                 const tare_context_options *const options, tare_error *const err) {
  const size_t n_groups = (size_t)(n_profiles + n_levels + n_outputs) + 1;
  const size_t n_columns = (size_t)(n_levels ? n_levels : 1) * (size_t)n_outputs;
  *side = (tarei_eval_side){.plan = plan,
                            .n_groups = (int)n_groups,
                            .n_profiles = n_profiles,
                            .n_levels = n_levels,
                            .n_outputs = n_outputs,
                            .n_columns = (int)n_columns,
                            .outputs = tarei_calloc((size_t)n_outputs, sizeof *side->outputs),
                            .groups = tarei_calloc(n_groups, sizeof *side->groups),
                            .pending = tarei_calloc(n_groups, sizeof *side->pending),
                            .pending_errors = tarei_calloc(n_columns, sizeof *side->pending_errors),
                            .metrics = tarei_calloc(n_groups, sizeof *side->metrics)};
  if (!side->outputs || !side->groups || !side->pending || !side->pending_errors ||
      !side->metrics) {
    return tarei_fail_memory(err, "evaluation", n_columns * sizeof *side->pending_errors);
  }
  TAREI_TRY(tare_context_new(plan, options, &side->context, err));
  return streaming ? tarei_utterance_init(&side->utterance, streaming, err) : TARE_OK;
}

void tarei_eval_side_fini(tarei_eval_side *const side) {
  tare_context_free(&side->context);
  tarei_utterance_fini(&side->utterance);
  tarei_fitted_fini(&side->fitted);
  free(side->outputs);
  free(side->groups);
  free(side->pending);
  free(side->pending_errors);
  free(side->metrics);
  tarei_metric_states_free(&side->states);
  free(side->errors);
  free(side->sample_seconds);
  *side = (tarei_eval_side){0};
}

tare_status tarei_eval_side_run(tarei_eval_side *const side, const tarei_fitted *const fitted,
                                tare_error *const err) {
  const double start = tarei_now();
  const tare_status status = tarei_context_run_valid(side->context, fitted->tensors, fitted->valid,
                                                     fitted->profile, side->outputs, err);
  side->seconds += tarei_now() - start;
  return status;
}

int64_t tarei_eval_side_samples(const tarei_eval_side *const side) {
  return side->groups[side->n_groups - 1].samples;
}

void tarei_eval_side_begin(tarei_eval_side *const side) {
  memset(side->pending, 0, (size_t)side->n_groups * sizeof *side->pending);
  memset(side->pending_errors, 0, (size_t)side->n_columns * sizeof *side->pending_errors);
  side->seconds_before = side->seconds;
  if (side->states) {
    tarei_metric_states_discard(side->states);
  }
}

static void count_run(tarei_eval_group *const group, const bool counts, const bool other_shape) {
  group->samples += counts;
  group->other_shapes += other_shape;
}

void tarei_eval_side_add_output(tarei_eval_side *const side, const tarei_eval_place *const place,
                                const int output, const tare_error_tally *const sums,
                                const bool other_shape) {
  const int column = (side->n_levels ? place->level : 0) * side->n_outputs + output;
  tarei_measure_add(&side->pending_errors[column], sums);
  count_run(&side->pending[side->n_profiles + side->n_levels + output], place->own_level,
            other_shape);
}

void tarei_eval_side_add_run(tarei_eval_side *const side, const tarei_eval_place *const place,
                             const bool other_shape) {
  count_run(&side->pending[place->profile], place->own_level, other_shape);
  count_run(&side->pending[side->n_groups - 1], place->own_level, other_shape);
  if (side->n_levels) {
    count_run(&side->pending[side->n_profiles + place->level], true, other_shape);
  }
}

static tare_status keep_errors(tarei_eval_side *const side, tare_error *const err) {
  for (int c = 0; c < side->n_columns; c++) {
    const int64_t at = side->n_errors * side->n_columns + c;
    if (!TAREI_GROW(side->errors, at, side->cap_errors)) {
      return tarei_fail_memory(err, "the errors of each sample", sizeof *side->errors);
    }
    side->errors[at] = side->pending_errors[c];
  }
  side->n_errors++;
  return TARE_OK;
}

static tare_status keep_seconds(tarei_eval_side *const side, tare_error *const err) {
  if (!TAREI_GROW(side->sample_seconds, side->n_seconds, side->cap_seconds)) {
    return tarei_fail_memory(err, "the time of each sample", sizeof *side->sample_seconds);
  }
  side->sample_seconds[side->n_seconds++] = side->seconds - side->seconds_before;
  return TARE_OK;
}

tare_status tarei_eval_side_commit(tarei_eval_side *const side, tare_error *const err) {
  if (side->states && side->answers) {
    TAREI_TRY(tarei_metric_states_keep_answer(side->states, err));
  }
  if (side->states) {
    tarei_metric_states_keep(side->states);
  }
  if (side->is_compared) {
    TAREI_TRY(keep_errors(side, err));
  }
  TAREI_TRY(keep_seconds(side, err));
  for (int i = 0; i < side->n_groups; i++) {
    const tarei_eval_group *const pending = &side->pending[i];
    const bool levels = pending->other_shapes > pending->samples; /* the sample counts once */
    side->groups[i].samples += pending->samples;
    side->groups[i].other_shapes += levels ? pending->samples : pending->other_shapes;
  }
  return TARE_OK;
}

/* Of a profile, of a level, or the total, in the order of the groups, where it is not an output's.
 */
static tarei_metric_choice eval_side_choice(const tarei_eval_side *const side, const int i) {
  const bool level = i >= side->n_profiles && i < side->n_profiles + side->n_levels;
  return (tarei_metric_choice){.states = side->states,
                               .profile = i < side->n_profiles ? i : -1,
                               .level = level ? i - side->n_profiles : -1};
}

tare_status tarei_eval_side_finish(tarei_eval_side *const side, tare_error *const err) {
  if (side->states) {
    TAREI_TRY(tarei_metric_states_finish(side->states, err));
  }
  for (int i = 0; i < side->n_groups; i++) {
    const tarei_metric_choice choice = eval_side_choice(side, i);
    const bool output = i >= side->n_profiles + side->n_levels && i < side->n_groups - 1;
    side->metrics[i] = NAN;
    TAREI_TRY(side->states && !output ? tarei_metric_choice_value(&choice, &side->metrics[i], err)
                                      : TARE_OK);
  }
  return TARE_OK;
}

static tare_eval_score eval_side_score(const tarei_eval_side *const side, const int i) {
  return (tare_eval_score){.samples = side->groups[i].samples,
                           .other_shapes = side->groups[i].other_shapes,
                           .metric = side->metrics[i],
                           .reference = NAN};
}

static tare_status copy_names(const tarei_eval_side *const side, tare_eval_result *const result,
                              tare_error *const err) {
  const tare_port *ports = NULL;
  (void)tare_plan_outputs(side->plan, &ports);
  result->output_names = tarei_calloc((size_t)side->n_outputs, sizeof(char *));
  for (int o = 0; result->output_names && o < side->n_outputs; o++) {
    result->output_names[o] = tarei_strdup(ports[o].name);
    if (!result->output_names[o]) {
      return tarei_fail_memory(err, "names of outputs", strlen(ports[o].name));
    }
  }
  return result->output_names ? TARE_OK : tarei_fail_memory(err, "names of outputs", 1);
}

static tare_status make_scores(const tarei_eval_side *const side, tare_eval_result *const result,
                               tare_error *const err) {
  const int n = side->n_profiles;
  result->profiles = tarei_calloc((size_t)n, sizeof *result->profiles);
  result->levels = tarei_calloc((size_t)side->n_levels, sizeof *result->levels);
  result->outputs = tarei_calloc((size_t)side->n_outputs, sizeof *result->outputs);
  if (!result->profiles || !result->levels || !result->outputs) {
    return tarei_fail_memory(err, "scores", (size_t)side->n_groups * sizeof *result->profiles);
  }
  for (int p = 0; p < n; p++) {
    result->profiles[p] = eval_side_score(side, p);
  }
  for (int l = 0; l < side->n_levels; l++) {
    result->levels[l].score = eval_side_score(side, n + l);
  }
  for (int o = 0; o < side->n_outputs; o++) {
    result->outputs[o] = eval_side_score(side, n + side->n_levels + o);
  }
  result->total = eval_side_score(side, side->n_groups - 1);
  return TARE_OK;
}

tare_status tarei_eval_side_conclude(tarei_eval_side *const side, tare_eval_result *const result,
                                     tare_error *const err) {
  *result = (tare_eval_result){.n_profiles = side->n_profiles,
                               .n_levels = side->n_levels,
                               .n_outputs = side->n_outputs,
                               .states = side->states,
                               .n_errors = side->n_errors,
                               .errors = side->errors,
                               .n_columns = side->n_columns,
                               .sample_seconds = side->sample_seconds,
                               .n_samples = side->n_seconds,
                               .seconds = side->seconds};
  side->states = NULL;
  side->errors = NULL;
  side->sample_seconds = NULL;
  TAREI_TRY(copy_names(side, result, err));
  return make_scores(side, result, err);
}
