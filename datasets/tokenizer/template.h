/* What a post-processor adds: special tokens around one text or two. */
#ifndef TAREI_DATASETS_TOKENIZER_TEMPLATE_H
#define TAREI_DATASETS_TOKENIZER_TEMPLATE_H

#include "datasets/tokenizer/json_field.h"
#include "datasets/tokenizer/token_ids.h"

/* A special token, or the place of a text. */
typedef struct tarei_template_part {
  int32_t token; /* or -1 */
  int text;      /* 0 or 1, if it is no token */
  int32_t type;  /* of its tokens */
} tarei_template_part;

typedef struct tarei_template {
  struct tarei_template_list {
    tarei_template_part *parts;
    size_t n, capacity;
  } single, pair;
} tarei_template;

/* Reads a post-processor (NULL: none). TARE_E_INPUT: it is not supported or malformed. */
tare_status tarei_template_read(const cJSON *value, tarei_template *out, tare_error *err);
void tarei_template_fini(tarei_template *parts);

/* Puts a token before or behind the first text, in both lists. TARE_E_MEMORY */
tare_status tarei_template_surround(tarei_template *out, int32_t first, int32_t last,
                                    tare_error *err);

/* Special tokens for one text or two. */
size_t tarei_template_added(const struct tarei_template_list *list);

#endif
