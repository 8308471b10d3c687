#include "calib/eval/eval_job.h"

#include "base/refusals.h"
#include "base/str.h"
#include "calib/eval/comparison.h"
#include "datasets/dataset.h"
#include "engine/context.h"

static tare_status run_side(tarei_eval_job *const e, const int s, const tare_sample *const sample,
                            const tarei_fitted *const fitted, tare_error *const err) {
  if (s == e->reference && e->options->tensors) {
    TAREI_TRY(tarei_comparison_mute(e->options->tensors, e->sides[s].context, fitted, err));
  }
  const tare_status status = tarei_eval_side_run(&e->sides[s], fitted, err);
  e->refused = status != TARE_OK;
  return status == TARE_OK
             ? TARE_OK
             : tarei_fail_in(err, status, "%s%s", sample->name,
                             s == e->reference && e->n_sides > 1 ? ": reference" : "");
}

static tare_status save_sample(const tarei_eval_job *const e, const tare_sample *const sample,
                               tare_error *const err) {
  if (e->files) {
    TAREI_TRY(tarei_command_files_begin(e->files, e->number, sample, err));
  }
  return e->save ? tarei_eval_save_sample(e->save, e->number, sample->name, err) : TARE_OK;
}

/* All sides draw the same random numbers: by the sample as it was read, which they may pad, and not
 * by their own states. `run` is its number among those of the sample. */
static void set_drawn(const tarei_eval_job *const e, const int64_t run) {
  for (int s = 0; s < e->n_sides; s++) {
    tarei_context_set_sample(e->sides[s].context, &e->drawn, run);
  }
}

static tare_status take_whole(tarei_eval_job *const e, const tare_sample *const sample,
                              tare_error *const err) {
  TAREI_TRY(tarei_eval_fit_sample(&e->fit, sample, &e->fitted, err));
  set_drawn(e, 0);
  for (int s = 0; s < e->n_sides; s++) {
    TAREI_TRY(run_side(e, s, sample, &e->fitted, err));
  }
  TAREI_TRY(save_sample(e, sample, err));
  const tarei_eval_runs runs = {e->sides, e->n_sides, e->reference, &e->fitted};
  return tarei_eval_job_measure(e, &runs, sample, e->fitted.profile, err);
}

/* The side's own states beside the data of the chunk; *ended says that there is none any more. */
static tare_status run_chunk(tarei_eval_job *const e, const int s, const tare_sample *const chunk,
                             bool *const ended, tare_error *const err) {
  tarei_eval_side *const side = &e->sides[s];
  tare_sample own = *chunk;
  TAREI_TRY(tarei_utterance_next(&side->utterance, &own.tensors, err));
  *ended = !own.tensors;
  if (*ended) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_eval_fit_sample(&e->fit, &own, &side->fitted, err));
  return run_side(e, s, &own, &side->fitted, err);
}

/* Once all sides are measured: a muted run reads the states of the chunk. */
static tare_status feed_chunk(tarei_eval_job *const e, tare_error *const err) {
  for (int s = 0; s < e->n_sides; s++) {
    TAREI_TRY(tarei_utterance_feed(&e->sides[s].utterance, e->sides[s].outputs, err));
  }
  return TARE_OK;
}

static tare_status take_chunk(tarei_eval_job *const e, tare_sample *const chunk,
                              const char *const name, bool *const ended, tare_error *const err) {
  tarei_str text = {0};
  tarei_str_add(&text, "%s[%lld]", name, (long long)e->sides[0].utterance.at);
  chunk->name = tarei_str_get(&text);
  e->number = e->n_chunks;
  set_drawn(e, e->sides[0].utterance.at);
  tare_status status = text.failed ? tarei_fail_memory(err, name, text.length) : TARE_OK;
  for (int s = 0; status == TARE_OK && s < e->n_sides; s++) {
    status = run_chunk(e, s, chunk, ended, err);
    if (*ended) {
      goto done; /* all sides have the same number of chunks */
    }
  }
  e->n_chunks++;
  if (status == TARE_OK) {
    status = save_sample(e, chunk, err);
  }
  if (status == TARE_OK) {
    const tarei_eval_runs runs = {e->sides, e->n_sides, e->reference, NULL};
    status = tarei_eval_job_measure(e, &runs, chunk, e->sides[0].fitted.profile, err);
  }
  if (status == TARE_OK) {
    status = feed_chunk(e, err);
  }
done:
  tarei_str_free(&text);
  return status;
}

/* Each side carries its own states. */
static tare_status take_stream(tarei_eval_job *const e, const tare_sample *const sample,
                               tare_error *const err) {
  const tare_profiles *const profiles = tare_plan_profiles(e->sides[0].plan);
  for (int s = 0; s < e->n_sides; s++) {
    const tare_status status =
        tarei_utterance_begin(&e->sides[s].utterance, profiles, sample->tensors, err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status, "%s", sample->name);
    }
  }
  for (bool ended = false; !ended;) {
    tare_sample chunk = *sample;
    TAREI_TRY(take_chunk(e, &chunk, sample->name, &ended, err));
  }
  return TARE_OK;
}

/* Whether the dims of its tensors contradict each other. A sample outside all profiles is not
 * unsound. In a streaming model the data lacks the states, so this cannot be checked. */
static bool eval_is_unsound(const tarei_eval_job *const e, const tare_sample *const sample) {
  int64_t values[TARE_MAX_SYMBOLS];
  return !e->options->streaming && tare_profiles_bind(tare_plan_profiles(e->sides[0].plan),
                                                      sample->tensors, values, NULL) != TARE_OK;
}

static void begin_sample(tarei_eval_job *const e, const int64_t index) {
  e->index = index;
  e->dropped = false;
  tarei_eval_agreement_discard(&e->agreement);
  for (int s = 0; s < e->n_sides; s++) {
    tarei_eval_side_begin(&e->sides[s]);
  }
}

/* Once for each sample: at its own level. */
static tare_status note_sample(tarei_eval_job *const e, const tare_sample *const sample,
                               tare_error *const err) {
  const tarei_eval_side *const side = &e->sides[0];
  return e->options->streaming
             ? tarei_eval_samples_note(&e->samples, sample->name, &side->fitted,
                                       side->utterance.n_chunks, err)
             : tarei_eval_samples_note(&e->samples, sample->name, &e->fitted, 1, err);
}

static bool eval_draws(const tarei_eval_job *const e) {
  bool any = false;
  for (int s = 0; s < e->n_sides; s++) {
    any |= tare_plan_n_random(e->sides[s].plan) > 0;
  }
  return any;
}

/* A sample that the model refuses is for the data set to skip; it counts as a whole or not at all,
 * and for all sides or none. */
static tare_status take_level(tarei_eval_job *const e, tare_dataset *const dataset,
                              const tare_sample *const sample, tare_error *const err) {
  tare_error why = {0};
  e->refused = false;
  e->number = sample->index * tare_dataset_n_levels(dataset) + sample->level;
  if (eval_draws(e)) {
    e->drawn = tarei_sample_hash_of(sample->tensors, tarei_dataset_spec(dataset)->n_inputs);
  }
  if (e->options->tensors) {
    tarei_comparison_begin(e->options->tensors);
  }
  if ((e->options->streaming ? take_stream : take_whole)(e, sample, &why) != TARE_OK) {
    e->dropped = true;
    return e->refused || eval_is_unsound(e, sample)
               ? tare_dataset_refuse(dataset, sample->index, &why, err)
               : tarei_fail(err, why.status, "%s", why.message);
  }
  if (e->options->tensors) {
    tarei_comparison_commit(e->options->tensors, sample->level);
  }
  return sample->gain_db == 0 ? note_sample(e, sample, err) : TARE_OK;
}

/* After all its levels. */
static tare_status end_sample(tarei_eval_job *const e, tare_error *const err) {
  if (e->index < 0 || e->dropped) {
    return e->index >= 0 && e->files ? tarei_command_files_drop(e->files, e->index, err) : TARE_OK;
  }
  for (int s = 0; s < e->n_sides; s++) {
    TAREI_TRY(tarei_eval_side_commit(&e->sides[s], err));
  }
  TAREI_TRY(tarei_eval_agreement_keep(&e->agreement, err));
  tarei_eval_samples_keep(&e->samples);
  if (!e->options->streaming) {
    tarei_fit_count(tare_plan_profiles(e->sides[0].plan), &e->fitted, &e->counts);
  }
  return TARE_OK;
}

static tare_status eval_take(tarei_eval_job *const e, tare_dataset *const dataset,
                             const tare_sample *const sample, tare_error *const err) {
  if (sample->index != e->index) {
    TAREI_TRY(end_sample(e, err));
    begin_sample(e, sample->index);
  }
  return e->dropped ? TARE_OK : take_level(e, dataset, sample, err);
}

tare_status tarei_eval_job_take_all(tarei_eval_job *const e, const unsigned refusals,
                                    tare_dataset *const dataset, tare_error *const err) {
  const int64_t total = tare_dataset_count(dataset);
  const tare_sample *sample = NULL;
  for (int s = 0; s < e->n_sides; s++) {
    tare_context_set_seed(e->sides[s].context, tarei_dataset_spec(dataset)->seed);
  }
  for (int64_t done = 0;; done += sample->gain_db == 0) {
    if (e->options->progress && !e->options->progress(e->options->progress_user, done, total)) {
      return tarei_dataset_stopped(dataset, done, err);
    }
    TAREI_TRY(tare_dataset_next(dataset, &sample, err));
    if (!sample) {
      break;
    }
    TAREI_TRY(eval_take(e, dataset, sample, err));
  }
  TAREI_TRY(end_sample(e, err));
  if (tarei_eval_side_samples(&e->sides[0]) == 0) {
    const char *const bad = tare_dataset_bad(dataset, 0);
    return tarei_fail(err, TARE_E_INPUT, "no usable sample to evaluate: %s%s%s",
                      tare_dataset_describe(dataset), bad ? "; skipped: " : "", bad ? bad : "");
  }
  TAREI_TRY(tarei_settle(refusals, TARE_OK, "evaluation", err));
  return e->save ? tarei_eval_save_commit(e->save, err) : TARE_OK;
}
