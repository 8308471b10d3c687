/* tokenizer.json of Hugging Face. */
#ifndef TAREI_DATASETS_TOKENIZER_TOKENIZER_JSON_H
#define TAREI_DATASETS_TOKENIZER_TOKENIZER_JSON_H

#include "datasets/tokenizer/added_tokens.h"
#include "datasets/tokenizer/template.h"
#include "datasets/tokenizer/token_model.h"
#include "datasets/tokenizer/truncation.h"

typedef struct tarei_tokenizer_json {
  tarei_steps normalizers, pre_tokenizers;
  tarei_added_tokens added;
  tarei_vocab vocab;
  const tarei_token_model *model; /* NULL: nothing was read */
  void *state;                    /* of the model */
} tarei_tokenizer_json;

/* Reads a file; `parts` and `truncation` get what it says about them. TARE_E_INPUT, TARE_E_MEMORY.
 * Free `out` and `parts` either way. */
tare_status tarei_tokenizer_json_read(const char *path, tarei_tokenizer_json *out,
                                      tarei_template *parts, tarei_truncation *truncation,
                                      tare_error *err);
void tarei_tokenizer_json_fini(tarei_tokenizer_json *json);

/* Adds the tokens of a text in UTF-8, without special ones around it. */
tare_status tarei_tokenizer_json_encode(const tarei_tokenizer_json *json, const char *text,
                                        size_t length, tarei_token_ids *out, tare_error *err);

#endif
