/* Split: at the matches of a pattern. */
#include "datasets/tokenizer/steps/pattern.h"
#include "datasets/tokenizer/steps/step.h"

typedef struct split_options {
  tarei_text_pattern *pattern;
  tarei_behavior behavior;
  bool invert;
} split_options;

static tare_status split_read(const cJSON *const object, void *const state, tare_error *const err) {
  split_options *const o = state;
  TAREI_TRY(tarei_behavior_read(object, &o->behavior, err));
  TAREI_TRY(tarei_field_bool(object, "invert", &o->invert, err));
  return tarei_pattern_read(tarei_field(object, "pattern"), &o->pattern, err);
}

static tare_status split_run(const void *const state, const tarei_text_span *const in,
                             tarei_pieces *const out, tare_error *const err) {
  const split_options *const o = state;
  tarei_splits splits = {0};
  const tare_status status = tarei_pattern_split(o->pattern, in, &splits, err);
  if (status != TARE_OK) {
    tarei_splits_fini(&splits);
    return status;
  }
  for (size_t i = 0; i < splits.n; i++) {
    splits.items[i].match ^= o->invert;
  }
  return tarei_splits_put(&splits, in, o->behavior, out, err);
}

static void split_fini(void *const state) {
  tarei_pattern_free(((split_options *)state)->pattern);
}

const tarei_step_ops tarei_pre_tokenizer_split = {.type = "Split",
                                                  .state_bytes = sizeof(split_options),
                                                  .read = split_read,
                                                  .run = split_run,
                                                  .fini = split_fini};
