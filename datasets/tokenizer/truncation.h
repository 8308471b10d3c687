/* How long texts are cut. */
#ifndef TAREI_DATASETS_TOKENIZER_TRUNCATION_H
#define TAREI_DATASETS_TOKENIZER_TRUNCATION_H

#include "datasets/tokenizer/json_field.h"
#include "datasets/tokenizer/token_ids.h"

typedef struct tarei_truncation {
  int64_t most; /* tokens of a sample, with special ones; 0: any number */
  bool left;    /* cut at the beginning */
  int strategy; /* longest first, first text alone, second text alone */
} tarei_truncation;

/* Reads the member 'truncation' (NULL: none). TARE_E_INPUT */
tare_status tarei_truncation_read(const cJSON *value, tarei_truncation *out, tare_error *err);

/* Cuts one text, or two if `pair` is not NULL, so that they and `added` special tokens fit.
 * TARE_E_INPUT: the text that may be cut is too short. */
tare_status tarei_truncation_apply(const tarei_truncation *truncation, size_t added,
                                   tarei_token_ids *text, tarei_token_ids *pair, tare_error *err);

#endif
