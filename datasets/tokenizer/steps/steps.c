#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "datasets/tokenizer/steps/step.h"

#define TAREI_NORMALIZER(name) extern const tarei_step_ops tarei_normalizer_##name;
#include "datasets/tokenizer/steps/normalizers.inc"
#undef TAREI_NORMALIZER
#define TAREI_PRE_TOKENIZER(name) extern const tarei_step_ops tarei_pre_tokenizer_##name;
#include "datasets/tokenizer/steps/pre_tokenizers.inc"
#undef TAREI_PRE_TOKENIZER

static const tarei_step_ops *const NORMALIZERS[] = {
#define TAREI_NORMALIZER(name) &tarei_normalizer_##name,
#include "datasets/tokenizer/steps/normalizers.inc"
#undef TAREI_NORMALIZER
};
static const tarei_step_ops *const PRE_TOKENIZERS[] = {
#define TAREI_PRE_TOKENIZER(name) &tarei_pre_tokenizer_##name,
#include "datasets/tokenizer/steps/pre_tokenizers.inc"
#undef TAREI_PRE_TOKENIZER
};

const tarei_step_family tarei_normalizers = {"normalizer", "normalizers", NORMALIZERS,
                                             sizeof NORMALIZERS / sizeof *NORMALIZERS};
const tarei_step_family tarei_pre_tokenizers = {"pre-tokenizer", "pretokenizers", PRE_TOKENIZERS,
                                                sizeof PRE_TOKENIZERS / sizeof *PRE_TOKENIZERS};

static const tarei_step_ops *step_named(const tarei_step_family *const family,
                                        const char *const type) {
  for (int i = 0; i < family->n; i++) {
    if (strcmp(family->ops[i]->type, type) == 0) {
      return family->ops[i];
    }
  }
  return NULL;
}

/* Sequences are understood, too. */
static tare_status steps_fail(const tarei_step_family *const family, const char *const type,
                              tare_error *const err) {
  const size_t n = (size_t)family->n;
  const char **const names = tarei_calloc(n + 1, sizeof *names);
  if (!names) {
    return tarei_fail_memory(err, family->noun, n * sizeof *names);
  }
  for (size_t i = 0; i < n; i++) {
    names[i] = family->ops[i]->type;
  }
  names[n] = "Sequence";
  const tare_status status = tarei_fail_type(family->noun, type, names, n + 1, err);
  free(names);
  return status;
}

static tare_status steps_add(const tarei_step_ops *const ops, const cJSON *const value,
                             tarei_steps *const out, tare_error *const err) {
  void *const state = tarei_calloc(1, ops->state_bytes);
  if (!state || !TAREI_GROW(out->items, out->n, out->capacity)) {
    free(state);
    return tarei_fail_memory(err, ops->type, ops->state_bytes);
  }
  out->items[out->n++] = (struct tarei_piece_step){ops, state};
  return ops->read ? ops->read(value, state, err) : TARE_OK;
}

static tare_status steps_read_list(const tarei_step_family *const family, const cJSON *const value,
                                   tarei_steps *const out, tare_error *const err) {
  const cJSON *const list = tarei_field(value, family->list);
  if (!cJSON_IsArray(list)) {
    return tarei_fail(err, TARE_E_INPUT, "%s 'Sequence': '%s' is not a list", family->noun,
                      family->list);
  }
  const cJSON *item;
  cJSON_ArrayForEach(item, list) {
    TAREI_TRY(tarei_piece_steps_read(family, item, out, err));
  }
  return TARE_OK;
}

tare_status tarei_piece_steps_read(const tarei_step_family *const family, const cJSON *const value,
                                   tarei_steps *const out, tare_error *const err) {
  const char *type = NULL;
  if (!value) {
    return TARE_OK;
  }
  if (tarei_field_name(value, "type", &type, err) != TARE_OK) {
    return tarei_fail_in(err, TARE_E_INPUT, "%s", family->noun);
  }
  if (strcmp(type, "Sequence") == 0) {
    return steps_read_list(family, value, out, err);
  }
  const tarei_step_ops *const ops = step_named(family, type);
  if (!ops) {
    return steps_fail(family, type, err);
  }
  const tare_status status = steps_add(ops, value, out, err);
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "%s '%s'", family->noun, type);
}

void tarei_steps_fini(tarei_steps *const steps) {
  for (size_t i = 0; i < steps->n; i++) {
    if (steps->items[i].ops->fini) {
      steps->items[i].ops->fini(steps->items[i].state);
    }
    free(steps->items[i].state);
  }
  free(steps->items);
  *steps = (tarei_steps){0};
}

static tare_status step_run(const struct tarei_piece_step *const step, const tarei_pieces *const in,
                            tarei_pieces *const out, tare_error *const err) {
  tarei_pieces_clear(out);
  for (size_t i = 0; i < in->n; i++) {
    if (in->items[i].token >= 0) {
      tarei_pieces_add_token(out, in->items[i].token);
    } else {
      const tarei_text_span span = tarei_pieces_span(in, i);
      TAREI_TRY(step->ops->run(step->state, &span, out, err));
      tarei_pieces_end(out, span.at_start); /* of a normalizer, which has no other */
    }
  }
  return tarei_pieces_check(out, err);
}

tare_status tarei_steps_run(const tarei_steps *const steps, tarei_pieces *const pieces,
                            tarei_pieces *const spare, tare_error *const err) {
  for (size_t i = 0; i < steps->n; i++) {
    TAREI_TRY(step_run(&steps->items[i], pieces, spare, err));
    const tarei_pieces done = *spare;
    *spare = *pieces;
    *pieces = done;
  }
  return TARE_OK;
}
