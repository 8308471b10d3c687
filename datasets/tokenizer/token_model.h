/* Models that divide pieces of text into tokens: one file model_<name>.c and one row in models.inc
 * per model. */
#ifndef TAREI_DATASETS_TOKENIZER_TOKEN_MODEL_H
#define TAREI_DATASETS_TOKENIZER_TOKEN_MODEL_H

#include "datasets/tokenizer/json_field.h"
#include "datasets/tokenizer/token_ids.h"
#include "datasets/tokenizer/vocab.h"

typedef struct tarei_token_model {
  const char *type; /* its name in tokenizer.json */
  size_t state_bytes;
  /* Reads vocabulary and options; the state begins as zeros. TARE_E_INPUT, TARE_E_MEMORY; fini is
   * called either way. */
  tare_status (*read)(const cJSON *object, tarei_vocab *vocab, void *state, tare_error *err);
  /* Adds the tokens of a text that is not empty. Called by several threads. TARE_E_INPUT: the text
   * has no tokens; TARE_E_MEMORY. `out` itself is checked by the caller. */
  tare_status (*encode)(const void *state, const tarei_vocab *vocab, const char *text,
                        size_t length, tarei_token_ids *out, tare_error *err);
  void (*fini)(void *state); /* NULL: nothing to free */
} tarei_token_model;

/* The model of the object, which may have no 'type'. TARE_E_INPUT: none of these. */
tare_status tarei_token_model_of(const cJSON *object, const tarei_token_model **out,
                                 tare_error *err);

#endif
