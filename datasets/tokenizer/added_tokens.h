/* Added tokens: texts that are tokens as a whole, wherever they are. */
#ifndef TAREI_DATASETS_TOKENIZER_ADDED_TOKENS_H
#define TAREI_DATASETS_TOKENIZER_ADDED_TOKENS_H

#include "datasets/tokenizer/steps/step.h"
#include "datasets/tokenizer/vocab.h"

typedef struct tarei_added_token {
  int32_t id;
  bool normalized, single_word, left_strip, right_strip;
} tarei_added_token;

typedef struct tarei_added_tokens {
  tarei_added_token *items;
  size_t n;
  struct tarei_added_set {
    tarei_vocab index; /* from texts to items */
    bool begins[256];  /* with this byte */
  } plain, normalized; /* looked for before and after the normalizer */
} tarei_added_tokens;

/* Reads the list (NULL: none). `normalizers` make the texts of those that are normalized.
 * TARE_E_INPUT, TARE_E_MEMORY. Free `out` either way. */
tare_status tarei_added_tokens_read(const cJSON *list, const tarei_vocab *vocab,
                                    const tarei_steps *normalizers, tarei_added_tokens *out,
                                    tare_error *err);
void tarei_added_tokens_fini(tarei_added_tokens *tokens);

/* Sets the tokens of a set apart in all pieces of text. */
tare_status tarei_added_tokens_split(const tarei_added_tokens *tokens,
                                     const struct tarei_added_set *set, tarei_pieces *pieces,
                                     tarei_pieces *spare, tare_error *err);

#endif
