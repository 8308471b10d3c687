#include "calib/eval/agreement/eval_agreement.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "shapes/number.h"

/* --- choices of the program ------------------------------------------------------------------- */

static int agreement_output_named(const tarei_eval_agreement *const a, const char *const name) {
  for (int o = 0; o < a->n_outputs; o++) {
    if (strcmp(a->outputs[o].name, name) == 0) {
      return o;
    }
  }
  return -1;
}

/* Floats are not compared as integers, nor integers as classes. */
static bool can_have(const tare_port *const output, const tare_agreement kind) {
  const bool real = tarei_is_float(output->dtype);
  return kind == TARE_AGREEMENT_AUTO || kind == TARE_AGREEMENT_NONE ||
         (kind == TARE_AGREEMENT_EDITS ? output->rank >= (real ? 2 : 1)
                                       : real == (kind != TARE_AGREEMENT_EQUAL));
}

static tare_status take_choices(tarei_eval_agreement *const a, const tare_eval_options *const o,
                                tare_error *const err) {
  for (int i = 0; i < o->n_agreements; i++) {
    const tare_output_agreement *const choice = &o->agreements[i];
    const char *const kind = tare_agreement_name(choice->kind);
    const int output = agreement_output_named(a, choice->output);
    if (output < 0) {
      return tarei_fail(err, TARE_E_USAGE, "agreement of '%s': the model has no output '%s'",
                        choice->output, choice->output);
    }
    if (!kind || !can_have(&a->outputs[output], choice->kind)) {
      return tarei_fail(err, TARE_E_USAGE,
                        "agreement of '%s': outputs of %s and rank %d have no %s", choice->output,
                        tare_dtype_name(a->outputs[output].dtype), a->outputs[output].rank,
                        kind ? kind : "such kind");
    }
    a->kinds[output] = choice->kind;
  }
  return TARE_OK;
}

/* --- an evaluation ---------------------------------------------------------------------------- */

static tarei_look_ports look_ports_of(const tarei_eval_agreement *const a, const int o) {
  return (tarei_look_ports){.inputs = a->inputs, .output = &a->outputs[o], .n_inputs = a->n_inputs};
}

tare_status tarei_eval_agreement_init(tarei_eval_agreement *const a,
                                      const tarei_agreement_setup *const setup,
                                      tare_error *const err) {
  *a = (tarei_eval_agreement){.n_sides = setup->n_sides,
                              .reference = setup->reference,
                              .n_levels = setup->n_levels ? setup->n_levels : 1,
                              .streaming = setup->options->streaming};
  a->n_inputs = tare_plan_inputs(setup->plan, &a->inputs);
  a->n_outputs = tare_plan_outputs(setup->plan, &a->outputs);
  const size_t n = (size_t)a->n_outputs, all = n * (size_t)a->n_sides * (size_t)a->n_levels;
  a->kinds = tarei_calloc(n, sizeof *a->kinds);
  a->looks = tarei_calloc(n, sizeof *a->looks);
  a->reads = tarei_calloc(n, sizeof *a->reads);
  a->answers = tarei_calloc(all, sizeof *a->answers);
  if (!a->kinds || !a->looks || !a->reads || !a->answers) {
    return tarei_fail_memory(err, "evaluation", all * sizeof *a->answers);
  }
  TAREI_TRY(take_choices(a, setup->options, err));
  for (int o = 0; o < a->n_outputs && a->reference >= 0; o++) {
    const tarei_look_ports ports = look_ports_of(a, o);
    a->reads[o] = a->kinds[o] == TARE_AGREEMENT_EDITS ||
                  (a->kinds[o] == TARE_AGREEMENT_AUTO && tarei_look_may_be_read(&ports));
  }
  return TARE_OK;
}

static int n_columns(const tarei_eval_agreement *const a) {
  return a->n_levels * a->n_outputs;
}

void tarei_eval_agreement_fini(tarei_eval_agreement *const a) {
  for (int i = 0; a->answers && i < a->n_sides * n_columns(a); i++) {
    tarei_answers_fini(&a->answers[i]);
  }
  free(a->kinds);
  free(a->looks);
  free(a->reads);
  free(a->answers);
  *a = (tarei_eval_agreement){0};
}

tare_status tarei_eval_agreement_take(tarei_eval_agreement *const a,
                                      const tarei_eval_runs *const runs,
                                      const tarei_eval_constants *const constants, const int level,
                                      tare_error *const err) {
  if (a->reference < 0) {
    return TARE_OK;
  }
  for (int o = 0; o < a->n_outputs; o++) {
    tarei_look_take(&a->looks[o], &runs->sides[a->reference].outputs[o],
                    constants->extents[a->reference * a->n_outputs + o].of);
    for (int s = 0; s < a->n_sides && a->reads[o]; s++) {
      tarei_answers *const own = &a->answers[s * n_columns(a) + level * a->n_outputs + o];
      TAREI_TRY(tarei_answers_take(own, &runs->sides[s].outputs[o],
                                   constants->extents[s * a->n_outputs + o].of, err));
    }
  }
  return TARE_OK;
}

tare_status tarei_eval_agreement_keep(tarei_eval_agreement *const a, tare_error *const err) {
  for (int i = 0; i < a->n_sides * n_columns(a); i++) {
    TAREI_TRY(a->reads[i % a->n_outputs] ? tarei_answers_keep(&a->answers[i], err) : TARE_OK);
  }
  return TARE_OK;
}

void tarei_eval_agreement_discard(tarei_eval_agreement *const a) {
  for (int i = 0; i < a->n_sides * n_columns(a); i++) {
    tarei_answers_discard(&a->answers[i]);
  }
}

/* --- kinds ------------------------------------------------------------------------------------ */

/* Sequences of the reference, at all levels. */
static tare_status see_answers(const tarei_eval_agreement *const a, const int o,
                               tarei_answers_seen *const out, tare_error *const err) {
  const tarei_answers **const lists = tarei_calloc((size_t)a->n_levels, sizeof *lists);
  if (!lists) {
    return tarei_fail_memory(err, "sequences", (size_t)a->n_levels * sizeof *lists);
  }
  for (int l = 0; l < a->n_levels; l++) {
    lists[l] = &a->answers[a->reference * n_columns(a) + l * a->n_outputs + o];
  }
  const tare_status status = tarei_answers_see(lists, a->n_levels, out, err);
  free(lists);
  return status;
}

static bool carries_state(const tarei_eval_agreement *const a, const int o) {
  bool is_state = false;
  for (int i = 0; a->streaming && i < a->streaming->n_states; i++) {
    is_state = is_state || a->streaming->states[i].output == o;
  }
  for (int i = 0; i < a->n_inputs; i++) {
    is_state = is_state || tarei_state_names_pair(a->inputs[i].name, a->outputs[o].name);
  }
  return is_state;
}

tare_status tarei_eval_agreement_choose(tarei_eval_agreement *const a, tare_error *const err) {
  tarei_eval_agreement_discard(a); /* what did not count */
  for (int o = 0; o < a->n_outputs && a->reference >= 0; o++) {
    const tarei_answers *const first = &a->answers[a->reference * n_columns(a) + o];
    const tarei_look_ports ports = look_ports_of(a, o);
    tarei_answers_seen seen;
    if (a->kinds[o] != TARE_AGREEMENT_AUTO) {
      continue;
    }
    TAREI_TRY(a->reads[o] ? see_answers(a, o, &seen, err) : TARE_OK);
    a->kinds[o] = carries_state(a, o) ? TARE_AGREEMENT_NONE
                                      : tarei_look_kind(&ports, &a->looks[o],
                                                        a->reads[o] ? &seen : NULL, first->n_ends);
  }
  return TARE_OK;
}

/* --- results ---------------------------------------------------------------------------------- */

static tare_status conclude_edits(const tarei_eval_agreement *const a, const int side, const int o,
                                  tare_eval_result *const result, tare_error *const err) {
  tarei_answers_seen seen;
  TAREI_TRY(see_answers(a, o, &seen, err));
  const int64_t blank = tarei_is_float(a->outputs[o].dtype) ? seen.blank : TAREI_ANSWER_END;
  for (int l = 0; l < a->n_levels; l++) {
    const int column = l * a->n_outputs + o;
    const tarei_answers *const got = &a->answers[side * n_columns(a) + column];
    const tarei_answers *const want = &a->answers[a->reference * n_columns(a) + column];
    for (int64_t i = 0; i < result->n_errors; i++) {
      TAREI_TRY(tarei_answers_compare(got, want, i, blank,
                                      &result->errors[i * result->n_columns + column], err));
    }
  }
  return TARE_OK;
}

tare_status tarei_eval_agreement_conclude(const tarei_eval_agreement *const a, const int side,
                                          tare_eval_result *const result, tare_error *const err) {
  for (int o = 0; o < a->n_outputs; o++) {
    result->outputs[o].agreement_kind = a->kinds[o];
    if (a->kinds[o] == TARE_AGREEMENT_EDITS && result->n_errors > 0) {
      TAREI_TRY(conclude_edits(a, side, o, result, err));
    }
  }
  return TARE_OK;
}
