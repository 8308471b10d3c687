/* Pre-tokenizers that split at classes of characters. */
#include <stdlib.h>

#include "datasets/tokenizer/steps/pattern.h"
#include "datasets/tokenizer/steps/step.h"
#include "datasets/tokenizer/unicode.h"

static tare_status bert_split_run(const void *const state, const tarei_text_span *const in,
                                  tarei_pieces *const out, tare_error *const err) {
  (void)state;
  tarei_splits words = {0};
  tarei_splits_by(&words, in, tarei_is_space);
  tare_status status = words.failed ? tarei_fail_memory(err, "splits", in->length) : TARE_OK;
  for (size_t i = 0; i < words.n && status == TARE_OK; i++) {
    const struct tarei_split *const word = &words.items[i];
    if (!word->match) {
      const tarei_text_span span = {in->text + word->start, word->end - word->start,
                                    in->at_start && word->start == 0};
      tarei_splits parts = {0};
      tarei_splits_by(&parts, &span, tarei_is_punctuation);
      status = tarei_splits_put(&parts, &span, TAREI_ISOLATED, out, err);
    }
  }
  tarei_splits_fini(&words);
  return status;
}

static tare_status whitespace_split_run(const void *const state, const tarei_text_span *const in,
                                        tarei_pieces *const out, tare_error *const err) {
  (void)state;
  tarei_splits splits = {0};
  tarei_splits_by(&splits, in, tarei_is_space);
  return tarei_splits_put(&splits, in, TAREI_REMOVED, out, err);
}

typedef struct class_options {
  tarei_behavior behavior;
} class_options;

static tare_status punctuation_read(const cJSON *const object, void *const state,
                                    tare_error *const err) {
  class_options *const o = state;
  o->behavior = TAREI_ISOLATED;
  return tarei_behavior_read(object, &o->behavior, err);
}

static tare_status punctuation_run(const void *const state, const tarei_text_span *const in,
                                   tarei_pieces *const out, tare_error *const err) {
  tarei_splits splits = {0};
  tarei_splits_by(&splits, in, tarei_is_punctuation);
  return tarei_splits_put(&splits, in, ((const class_options *)state)->behavior, out, err);
}

static tare_status digits_read(const cJSON *const object, void *const state,
                               tare_error *const err) {
  bool individual = false;
  TAREI_TRY(tarei_field_bool(object, "individual_digits", &individual, err));
  ((class_options *)state)->behavior = individual ? TAREI_ISOLATED : TAREI_CONTIGUOUS;
  return TARE_OK;
}

static tare_status digits_run(const void *const state, const tarei_text_span *const in,
                              tarei_pieces *const out, tare_error *const err) {
  tarei_splits splits = {0};
  tarei_splits_by(&splits, in, tarei_is_numeric);
  return tarei_splits_put(&splits, in, ((const class_options *)state)->behavior, out, err);
}

/* --- words ------------------------------------------------------------------------------------ */

typedef struct word_options {
  tarei_text_pattern *pattern;
} word_options;

#define TAREI_WORD_ADDED(first, last) "\\x{" #first "}-\\x{" #last "}"
static const char WORDS[] =
    "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}"
#include "datasets/tokenizer/unicode_changes.inc"
    "]+|[^\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}\\s"
#include "datasets/tokenizer/unicode_changes.inc"
    "]+";
#undef TAREI_WORD_ADDED

static tare_status words_read(const cJSON *const object, void *const state, tare_error *const err) {
  (void)object;
  return tarei_pattern_compile(WORDS, &((word_options *)state)->pattern, err);
}

static tare_status words_run(const void *const state, const tarei_text_span *const in,
                             tarei_pieces *const out, tare_error *const err) {
  tarei_splits splits = {0};
  const tare_status status =
      tarei_pattern_split(((const word_options *)state)->pattern, in, &splits, err);
  for (size_t i = 0; i < splits.n; i++) {
    splits.items[i].match = !splits.items[i].match;
  }
  const tare_status put = tarei_splits_put(&splits, in, TAREI_REMOVED, out, err);
  return status == TARE_OK ? put : status;
}

static void words_fini(void *const state) {
  tarei_pattern_free(((word_options *)state)->pattern);
}

const tarei_step_ops tarei_pre_tokenizer_bert = {.type = "BertPreTokenizer", .run = bert_split_run};
const tarei_step_ops tarei_pre_tokenizer_whitespace_split = {.type = "WhitespaceSplit",
                                                             .run = whitespace_split_run};
const tarei_step_ops tarei_pre_tokenizer_punctuation = {.type = "Punctuation",
                                                        .state_bytes = sizeof(class_options),
                                                        .read = punctuation_read,
                                                        .run = punctuation_run};
const tarei_step_ops tarei_pre_tokenizer_digits = {
    .type = "Digits", .state_bytes = sizeof(class_options), .read = digits_read, .run = digits_run};
const tarei_step_ops tarei_pre_tokenizer_whitespace = {.type = "Whitespace",
                                                       .state_bytes = sizeof(word_options),
                                                       .read = words_read,
                                                       .run = words_run,
                                                       .fini = words_fini};
