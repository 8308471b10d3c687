#include "calib/eval/eval_side.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/context.h"

tare_status tarei_eval_side_init(tarei_eval_side *const side, const tare_plan *const plan,
                                 const int n_outputs, const int n_profiles, const int n_levels,
                                 const tare_streaming *const streaming,
                                 const tare_context_options *const options, tare_error *const err) {
  const size_t n_tallies = (size_t)(n_profiles + n_levels + n_outputs) + 1;
  *side = (tarei_eval_side){.plan = plan,
                            .n_tallies = (int)n_tallies,
                            .n_profiles = n_profiles,
                            .n_levels = n_levels,
                            .n_outputs = n_outputs,
                            .outputs = tarei_calloc((size_t)n_outputs, sizeof *side->outputs),
                            .tallies = tarei_calloc(n_tallies, sizeof *side->tallies),
                            .pending = tarei_calloc(n_tallies, sizeof *side->pending),
                            .metrics = tarei_calloc(n_tallies, sizeof *side->metrics)};
  if (!side->outputs || !side->tallies || !side->pending || !side->metrics) {
    return tarei_fail_memory(err, "evaluation", n_tallies * sizeof *side->tallies);
  }
  TAREI_TRY(tare_context_new(plan, options, &side->context, err));
  return streaming ? tarei_utterance_init(&side->utterance, streaming, err) : TARE_OK;
}

void tarei_eval_side_fini(tarei_eval_side *const side) {
  tare_context_free(&side->context);
  tarei_utterance_fini(&side->utterance);
  tarei_fitted_fini(&side->fitted);
  free(side->outputs);
  free(side->tallies);
  free(side->pending);
  free(side->metrics);
  tarei_metric_states_free(&side->states);
  free(side->errors);
  free(side->level_errors);
  free(side->output_errors);
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

const tarei_tally *tarei_eval_side_total(const tarei_eval_side *const side) {
  return &side->tallies[side->n_tallies - 1];
}

void tarei_eval_side_begin(tarei_eval_side *const side) {
  for (int i = 0; i < side->n_tallies; i++) {
    side->pending[i] = (tarei_tally){0};
  }
  side->seconds_before = side->seconds;
  if (side->states) {
    tarei_metric_states_discard(side->states);
  }
}

void tarei_eval_side_add(tarei_eval_side *const side, const tarei_eval_place *const place,
                         const tarei_tally *const tally) {
  tarei_tally counted = *tally;
  counted.samples = place->own_level ? tally->samples : 0;
  tarei_tally_add(&side->pending[place->profile], &counted);
  tarei_tally_add(&side->pending[side->n_tallies - 1], &counted);
  if (side->n_levels) {
    tarei_tally_add(&side->pending[side->n_profiles + place->level], tally);
  }
}

void tarei_eval_side_add_output(tarei_eval_side *const side, const tarei_eval_place *const place,
                                const int output, const tarei_tally *const tally) {
  tarei_tally counted = *tally;
  counted.samples = place->own_level ? tally->samples : 0;
  tarei_tally_add(&side->pending[side->n_profiles + side->n_levels + output], &counted);
}

static tare_error_tally eval_side_errors(const tarei_tally *const t) {
  return (tare_error_tally){.signal = t->want2,
                            .noise = t->diff2,
                            .got = t->got2,
                            .dot = t->dot,
                            .max_abs = t->max_abs,
                            .rows = t->rows,
                            .agreed = t->agreed};
}

static tare_status keep_errors(tarei_eval_side *const side, tare_error *const err) {
  for (int l = 0; l < side->n_levels; l++) {
    const int64_t at = side->n_errors * side->n_levels + l;
    if (!TAREI_GROW(side->level_errors, at, side->cap_level_errors)) {
      return tarei_fail_memory(err, "the errors of each sample", sizeof *side->level_errors);
    }
    side->level_errors[at] = eval_side_errors(&side->pending[side->n_profiles + l]);
  }
  for (int o = 0; o < side->n_outputs; o++) {
    const int64_t at = side->n_errors * side->n_outputs + o;
    if (!TAREI_GROW(side->output_errors, at, side->cap_output_errors)) {
      return tarei_fail_memory(err, "the errors of each sample", sizeof *side->output_errors);
    }
    side->output_errors[at] =
        eval_side_errors(&side->pending[side->n_profiles + side->n_levels + o]);
  }
  if (!TAREI_GROW(side->errors, side->n_errors, side->cap_errors)) {
    return tarei_fail_memory(err, "the errors of each sample", sizeof *side->errors);
  }
  side->errors[side->n_errors++] = eval_side_errors(&side->pending[side->n_tallies - 1]);
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
  if (side->pending[side->n_tallies - 1].compared) {
    TAREI_TRY(keep_errors(side, err));
  }
  TAREI_TRY(keep_seconds(side, err));
  for (int i = 0; i < side->n_tallies; i++) {
    tarei_tally *const pending = &side->pending[i];
    if (pending->other_shapes > pending->samples) { /* at several levels: the sample counts once */
      pending->other_shapes = pending->samples;
    }
    tarei_tally_add(&side->tallies[i], &side->pending[i]);
  }
  return TARE_OK;
}

/* Of a profile, of a level, or the total, in the order of the tallies, where it is not an output's.
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
  for (int i = 0; i < side->n_tallies; i++) {
    const tarei_metric_choice choice = eval_side_choice(side, i);
    const bool output = i >= side->n_profiles + side->n_levels && i < side->n_tallies - 1;
    side->metrics[i] = NAN;
    TAREI_TRY(side->states && !output ? tarei_metric_choice_value(&choice, &side->metrics[i], err)
                                      : TARE_OK);
  }
  return TARE_OK;
}

static tare_eval_score eval_side_score(const tarei_eval_side *const side, const int i) {
  tare_eval_score score = tarei_tally_score(&side->tallies[i]);
  score.metric = side->metrics[i];
  return score;
}

tare_status tarei_eval_side_conclude(tarei_eval_side *const side, tare_eval_result *const result,
                                     tare_error *const err) {
  const int n = side->n_profiles;
  tare_eval_score *const profiles = tarei_calloc((size_t)n, sizeof *profiles);
  tare_eval_level *const levels = tarei_calloc((size_t)side->n_levels, sizeof *levels);
  tare_eval_score *const outputs = tarei_calloc((size_t)side->n_outputs, sizeof *outputs);
  if (!profiles || !levels || !outputs) {
    free(profiles);
    free(levels);
    free(outputs);
    return tarei_fail_memory(err, "scores", (size_t)side->n_tallies * sizeof *profiles);
  }
  for (int p = 0; p < n; p++) {
    profiles[p] = eval_side_score(side, p);
  }
  for (int l = 0; l < side->n_levels; l++) {
    levels[l].score = eval_side_score(side, n + l);
  }
  for (int o = 0; o < side->n_outputs; o++) {
    outputs[o] = eval_side_score(side, n + side->n_levels + o);
  }
  *result = (tare_eval_result){.total = eval_side_score(side, side->n_tallies - 1),
                               .n_profiles = n,
                               .profiles = profiles,
                               .n_levels = side->n_levels,
                               .levels = levels,
                               .n_outputs = side->n_outputs,
                               .outputs = outputs,
                               .states = side->states,
                               .n_errors = side->n_errors,
                               .errors = side->errors,
                               .level_errors = side->level_errors,
                               .output_errors = side->output_errors,
                               .sample_seconds = side->sample_seconds,
                               .n_samples = side->n_seconds,
                               .seconds = side->seconds};
  side->states = NULL;
  side->errors = NULL;
  side->level_errors = NULL;
  side->output_errors = NULL;
  side->sample_seconds = NULL;
  return TARE_OK;
}
