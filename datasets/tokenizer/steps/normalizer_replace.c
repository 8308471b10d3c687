/* Replace: each match of a pattern by a text. */
#include <string.h>

#include "base/mem.h"
#include "datasets/tokenizer/steps/pattern.h"
#include "datasets/tokenizer/steps/step.h"

typedef struct replace_options {
  tarei_text_pattern *pattern;
  char *content;
} replace_options;

static tare_status replace_read(const cJSON *const object, void *const state,
                                tare_error *const err) {
  replace_options *const o = state;
  const char *content = NULL;
  TAREI_TRY(tarei_field_name(object, "content", &content, err));
  o->content = tarei_strdup(content);
  return o->content ? tarei_pattern_read(tarei_field(object, "pattern"), &o->pattern, err)
                    : tarei_fail_memory(err, "content", strlen(content));
}

static tare_status replace_run(const void *const state, const tarei_text_span *const in,
                               tarei_pieces *const out, tare_error *const err) {
  const replace_options *const o = state;
  tarei_splits splits = {0};
  tare_status status = tarei_pattern_split(o->pattern, in, &splits, err);
  for (size_t i = 0; status == TARE_OK && i < splits.n && !out->too_long; i++) {
    const struct tarei_split *const part = &splits.items[i];
    tarei_pieces_put(out, part->match ? o->content : in->text + part->start,
                     part->match ? strlen(o->content) : part->end - part->start);
  }
  if (status == TARE_OK && splits.failed) {
    status = tarei_fail_memory(err, "splits", in->length);
  }
  tarei_splits_fini(&splits);
  return status;
}

static void replace_fini(void *const state) {
  replace_options *const o = state;
  tarei_pattern_free(o->pattern);
  free(o->content);
}

const tarei_step_ops tarei_normalizer_replace = {.type = "Replace",
                                                 .state_bytes = sizeof(replace_options),
                                                 .read = replace_read,
                                                 .run = replace_run,
                                                 .fini = replace_fini};
