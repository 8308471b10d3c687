/* Patterns of tokenizer.json: {"String": text} or {"Regex": expression}. */
#ifndef TAREI_DATASETS_TOKENIZER_STEPS_PATTERN_H
#define TAREI_DATASETS_TOKENIZER_STEPS_PATTERN_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "datasets/tokenizer/steps/splits.h"

typedef struct tarei_text_pattern tarei_text_pattern;

/* TARE_E_INPUT, TARE_E_MEMORY. */
tare_status tarei_pattern_read(const cJSON *value, tarei_text_pattern **out, tare_error *err);
/* A regular expression of our own, or NULL if memory runs out. */
tare_status tarei_pattern_compile(const char *expression, tarei_text_pattern **out,
                                  tare_error *err);
void tarei_pattern_free(tarei_text_pattern *pattern);

/* Adds the matches, and what is between them. TARE_E_INPUT: the expression gives up; TARE_E_MEMORY.
 */
tare_status tarei_pattern_split(const tarei_text_pattern *pattern, const tarei_text_span *in,
                                tarei_splits *out, tare_error *err);

#endif
