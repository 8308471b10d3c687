/* The merges of byte pair encoding: a table from pairs of tokens to rank and result. */
#ifndef TAREI_DATASETS_TOKENIZER_MERGES_H
#define TAREI_DATASETS_TOKENIZER_MERGES_H

#include "datasets/tokenizer/json_field.h"
#include "datasets/tokenizer/token_ids.h"
#include "datasets/tokenizer/vocab.h"

typedef struct tarei_merge {
  int32_t left, right; /* -1: a free slot */
  int32_t rank, result;
} tarei_merge;

typedef struct tarei_merges {
  tarei_merge *slots;
  size_t n_slots; /* a power of two */
} tarei_merges;

/* Reads the list, of "left right" or ["left", "right"]; `prefix` of the right token is left out in
 * the result. TARE_E_INPUT: a token is missing in the vocabulary; TARE_E_MEMORY. */
tare_status tarei_merges_read(const cJSON *list, const tarei_vocab *vocab, const char *prefix,
                              tarei_merges *out, tare_error *err);
void tarei_merges_fini(tarei_merges *merges);

/* Merges neighbours of `word`, the least rank first, until none are left. TARE_E_MEMORY */
tare_status tarei_merges_apply(const tarei_merges *merges, const tarei_token_ids *word,
                               tarei_token_ids *out, tare_error *err);

#endif
